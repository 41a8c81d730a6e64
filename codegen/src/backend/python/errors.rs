//! The exception class of each error kind.

use serde::Serialize;

use super::docs;
use crate::backend::Error;
use crate::ir::Api;
use crate::naming;

/// What each kind of our own is a case of: one builtin, or several. Kinds that are not here are named like a builtin and raise it.
const BASES: &[(&str, &str)] = &[
    ("ShapeMismatch", "ValueError"),
    ("DTypeMismatch", "TypeError"),
    ("BlockMismatch", "ValueError"),
    ("UnsupportedConversion", "TypeError"),
    ("RequantizeRefused", "ValueError"),
    ("NotFinite", "ValueError"),
    ("NotContiguous", "ValueError"),
    // That of buffers, and that of assignments in NumPy.
    ("ReadOnly", "BufferError, ValueError"),
    ("OutOfBudget", "MemoryError"),
    ("InvalidFile", "ValueError"),
    ("CompileFailed", "RuntimeError"),
    ("Disposed", "ValueError"),
    ("InternalError", "RuntimeError"),
];

/// Kinds that are exceptions of Python already.
const BUILTIN: &[&str] = &[
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "OverflowError",
    "BufferError",
    "MemoryError",
    "OSError",
    "AssertionError",
    "RuntimeError",
];

/// The class of a kind.
#[derive(Serialize)]
pub struct View {
    /// Name of the class.
    pub name: String,
    /// Whether the class is ours.
    pub is_own: bool,
    variant: String,
    kind: String,
    base: String,
    docs: String,
}

/// Every kind, in the order of the spec.
///
/// # Errors
/// When a kind has no class here.
pub fn views(api: &Api) -> Result<Vec<View>, Error> {
    let Some(kinds) = api.enumeration("ErrorKind") else {
        return Ok(Vec::new());
    };
    let view = |value: &crate::ir::EnumValue| {
        let kind = &value.value;
        let base = BASES
            .iter()
            .find(|(known, _)| known == kind)
            .map(|(_, base)| *base);
        if base.is_none() && !BUILTIN.contains(&kind.as_str()) {
            let message = format!(
                "error kind `{kind}` has no class; say in codegen/src/backend/python/errors.rs which builtin it is a case of"
            );
            return Err(Error::Other(message));
        }
        Ok(View {
            name: if kind.ends_with("Error") {
                kind.clone()
            } else {
                format!("{kind}Error")
            },
            is_own: base.is_some(),
            variant: naming::variant(kind),
            kind: kind.clone(),
            base: base.unwrap_or_default().to_owned(),
            docs: docs::plain(&value.docs, api).join(" "),
        })
    };
    kinds.values.iter().map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sources, load_sources};

    fn api(kinds: &str) -> Api {
        let mut sources = Sources::new();
        sources.add(
            "error.webidl",
            format!("/// Kinds.\nenum ErrorKind {{ {kinds} }};\n"),
        );
        load_sources(sources).unwrap().api
    }

    #[test]
    fn kinds_named_like_a_builtin_have_no_class_of_their_own() {
        let views = views(&api("/// A.\n\"KeyError\", /// B.\n\"ReadOnly\"")).unwrap();
        assert_eq!(
            (views[0].is_own, views[0].name.as_str()),
            (false, "KeyError")
        );
        assert_eq!(
            (
                views[1].is_own,
                views[1].name.as_str(),
                views[1].base.as_str()
            ),
            (true, "ReadOnlyError", "BufferError, ValueError")
        );
    }

    #[test]
    fn a_kind_without_a_class_is_refused() {
        let error = views(&api("/// A.\n\"Strange\"")).err().unwrap();
        assert!(
            error.to_string().contains("`Strange` has no class"),
            "{error}"
        );
    }
}
