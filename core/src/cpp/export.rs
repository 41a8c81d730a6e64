//! The functions that an inline module exports, and the lines of C++ that do it.

use std::fmt::Write as _;

use crate::error::{Error, ErrorKind, Result};
use crate::value::{Any, AnyView, Kind};

/// A function that is exported under its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Its name in C++ and in the module.
    pub name: String,
    /// What it does; empty when nobody says.
    pub doc: String,
}

impl Export {
    /// Reads a name, names, or docs by name.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for anything else, [`ErrorKind::ValueError`] for what is no name of C++.
    pub fn read(functions: AnyView<'_>) -> Result<Vec<Export>> {
        match functions.kind() {
            Kind::None => Ok(Vec::new()),
            Kind::Str(name) => Ok(vec![Export::new(name, "")?]),
            Kind::Array(names) => names.iter().map(|name| one(name.view())).collect(),
            Kind::List(names) => {
                let names = names.items();
                names.iter().map(|name| one(name.view())).collect()
            }
            Kind::Map(docs) => documented(&docs.entries()),
            Kind::Dict(docs) => documented(&docs.entries()),
            _ => Err(wrong(&functions)),
        }
    }

    /// An export of a name, checked.
    fn new(name: &str, doc: &str) -> Result<Export> {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !begins || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let message = format!("functions: `{name}` is not the plain name of a function of C++");
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        Ok(Export {
            name: name.to_owned(),
            doc: doc.to_owned(),
        })
    }
}

fn wrong(found: &AnyView<'_>) -> Error {
    let found = found.type_name();
    let message =
        format!("functions: wanted a name, a list of names, or docs by name, found {found}");
    Error::new(ErrorKind::TypeError, message)
}

fn one(name: AnyView<'_>) -> Result<Export> {
    match name.kind() {
        Kind::Str(name) => Export::new(name, ""),
        // A name and what it does: how a language without mappings of its own gives them.
        Kind::Array(pair) if pair.len() == 2 => documented(pair)?.pop().ok_or_else(|| wrong(&name)),
        _ => Err(wrong(&name)),
    }
}

/// Reads keys and values in turn.
fn documented(entries: &[Any]) -> Result<Vec<Export>> {
    let read = |[name, doc]: &[Any; 2]| {
        let (name, doc) = (name.view(), doc.view());
        match (name.kind(), doc.kind()) {
            (Kind::Str(name), Kind::Str(doc)) => Export::new(name, doc),
            (Kind::Str(name), Kind::None) => Export::new(name, ""),
            (Kind::Str(_), _) => Err(wrong(&doc)),
            _ => Err(wrong(&name)),
        }
    };
    entries.as_chunks().0.iter().map(read).collect()
}

/// Whether sources are written for the public headers of the ABI, which somebody else installs.
pub fn is_public(sources: &[String]) -> bool {
    sources
        .iter()
        .any(|source| source.contains("tvm::ffi") || source.contains("<tvm/ffi/"))
}

/// The file that is compiled: headers, the sources, and an export for each function.
pub fn main_source(files: &[String], exports: &[Export], is_public: bool) -> String {
    let mut text = String::from(if is_public {
        "#include <tvm/ffi/tvm_ffi.h>\n"
    } else {
        "#include <tenspan/kernel.hpp>\n"
    });
    for file in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "#include \"{file}\"");
    }
    for Export { name, doc } in exports {
        let doc = literal(doc);
        let _ = match is_public {
            false => writeln!(text, "TENSPAN_EXPORT({name}, {name}, {doc});"),
            true if doc == "\"\"" => {
                writeln!(text, "TVM_FFI_DLL_EXPORT_TYPED_FUNC({name}, {name});")
            }
            true => writeln!(
                text,
                "TVM_FFI_DLL_EXPORT_TYPED_FUNC({name}, {name});\nTVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC({name}, {doc});"
            ),
        };
    }
    text
}

/// A text as a literal of C++. Codes have three digits, so that no digit behind one belongs to it.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::IntoAny;

    #[test]
    fn functions_are_a_name_or_names() {
        let names = |functions: Any| {
            let exports = Export::read(functions.view())?;
            Ok::<_, Error>(
                exports
                    .into_iter()
                    .map(|export| export.name)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(names("add".into_any()).unwrap(), ["add"]);
        let both = vec!["add".to_owned(), "sub_2".to_owned()];
        assert_eq!(names(both.clone().into_any()).unwrap(), both);
        assert!(names(Any::NONE).unwrap().is_empty());
        for bad in ["", "a b", "2a", "a::b", "a();"] {
            let error = names(bad.into_any()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValueError, "{bad}");
        }
        assert_eq!(names(Any::int(3)).unwrap_err().kind(), ErrorKind::TypeError);
    }

    #[test]
    fn docs_are_literals_of_cpp() {
        assert_eq!(literal("a \"b\"\\\n9é"), r#""a \"b\"\\\0129\303\251""#);
    }
}
