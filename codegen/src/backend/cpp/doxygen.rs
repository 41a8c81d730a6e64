//! Doc comments of C++, as Doxygen reads them.

use crate::docs::{self, Style, Target, is_member_name};
use crate::ir::{Api, Argument, Attributes, Docs, Name};
use crate::naming;

use super::types;

/// Links become qualified names, which Doxygen finds by itself; names of members snake case.
struct Doxygen;

impl Style for Doxygen {
    fn link(&self, target: Target<'_>, text: &str) -> String {
        match target {
            Target::Interface(class) => class.name.pascal(),
            Target::Property(class, property) => {
                format!("{}::{}()", class.name.pascal(), types::name(&property.name))
            }
            Target::Method(class, method) => {
                format!("{}::{}()", class.name.pascal(), types::name(&method.name))
            }
            Target::Function(function) => format!("{}()", types::name(&function.name)),
            Target::Enum(choice) => choice.name.pascal(),
            Target::EnumValue(choice, value) => format!(
                "{}::{}",
                choice.name.pascal(),
                naming::variant(&value.value)
            ),
            Target::Dictionary(dictionary) => dictionary.name.pascal(),
            Target::Member(dictionary, member) => format!(
                "{}::{}",
                dictionary.name.pascal(),
                types::name(&member.name)
            ),
            Target::Callback(_) | Target::Alias(_) => types::pascal(text),
        }
    }

    fn code(&self, code: &str) -> String {
        if is_member_name(code) {
            format!("`{}`", Name(code.to_owned()).snake())
        } else {
            format!("`{code}`")
        }
    }
}

/// The lines of a doc comment as they follow `///`.
pub fn lines(docs: &Docs, api: &Api) -> Vec<String> {
    spaced(docs::render(docs, api, &Doxygen))
}

/// The docs of a class, and that it should no longer be used: an attribute would warn wherever it is declared.
pub fn class(docs: &Docs, attributes: &Attributes, api: &Api) -> Vec<String> {
    let mut lines = docs::render(docs, api, &Doxygen);
    lines.extend(
        attributes
            .since
            .iter()
            .map(|since| format!("\\since {since}")),
    );
    lines.extend(
        attributes
            .deprecated
            .iter()
            .map(|why| format!("\\deprecated {why}")),
    );
    spaced(lines)
}

/// Docs, then arguments, result, errors and what the attributes say.
pub fn function(
    docs: &Docs,
    arguments: &[&Argument],
    returns: Option<String>,
    attributes: &Attributes,
    api: &Api,
) -> Vec<String> {
    let mut lines = docs::render(docs, api, &Doxygen);
    for argument in arguments {
        let tag = format!("\\param {}", types::name(&argument.name));
        lines.extend(tagged(&tag, docs::render(&argument.docs, api, &Doxygen)));
    }
    lines.extend(returns.map(|returns| format!("\\return {returns}")));
    if attributes.throws {
        lines.push("\\throws Error  Its kind() tells what went wrong.".to_owned());
    }
    lines.extend(
        attributes
            .since
            .iter()
            .map(|since| format!("\\since {since}")),
    );
    spaced(lines)
}

/// Docs that are the description of a result.
pub fn property(docs: &Docs, attributes: &Attributes, api: &Api) -> Vec<String> {
    let mut lines = tagged("\\return", docs::render(docs, api, &Doxygen));
    if attributes.throws {
        lines.push("\\throws Error  Its kind() tells what went wrong.".to_owned());
    }
    lines.extend(
        attributes
            .since
            .iter()
            .map(|since| format!("\\since {since}")),
    );
    spaced(lines)
}

fn spaced(lines: Vec<String>) -> Vec<String> {
    lines
        .into_iter()
        .map(|line| {
            if line.is_empty() {
                line
            } else {
                format!(" {line}")
            }
        })
        .collect()
}

fn tagged(tag: &str, lines: Vec<String>) -> Vec<String> {
    let mut lines = lines.into_iter();
    let first = lines
        .next()
        .map_or_else(|| tag.to_owned(), |line| format!("{tag} {line}"));
    std::iter::once(first)
        .chain(lines.map(|line| format!("  {line}")))
        .collect()
}

/// The attribute that makes compilers warn of a use, or nothing.
pub fn deprecated(attributes: &Attributes) -> String {
    attributes
        .deprecated
        .as_ref()
        .map_or_else(String::new, |why| format!("[[deprecated({why:?})]] "))
}
