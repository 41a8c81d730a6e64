//! Views of enums, dictionaries and callbacks: everything decided, ready to print.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::Error;
use super::{doc_lines, types};
use crate::ir::{Api, Language, Type};
use crate::naming;

#[derive(Serialize)]
pub struct Enum {
    name: String,
    docs: Vec<String>,
    variants: Vec<Variant>,
}

#[derive(Serialize)]
struct Variant {
    name: String,
    text: String,
    docs: Vec<String>,
}

#[derive(Serialize)]
pub struct Callback {
    name: String,
    docs: Vec<String>,
    arguments: String,
    returns: String,
}

#[derive(Serialize)]
pub struct Dictionary {
    name: String,
    docs: Vec<String>,
    derives: String,
    /// Whether a default differs from the one that Rust derives.
    has_defaults: bool,
    lifetime: &'static str,
    any_lifetime: &'static str,
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Member {
    name: String,
    docs: Vec<String>,
    ty: String,
    default: String,
}

/// Defaults that `derive(Default)` gives.
const DERIVED_DEFAULTS: &[&str] = &["None", "false", "0", "0.0", "String::new()", "Vec::new()"];

pub fn enums(api: &Api) -> Vec<Enum> {
    let variants = |choice: &crate::ir::Enum| {
        let variant = |value: &crate::ir::EnumValue| Variant {
            name: naming::variant(&value.value),
            text: format!("{:?}", value.value),
            docs: doc_lines(&value.docs, api),
        };
        choice.values.iter().map(variant).collect()
    };
    let view = |choice: &crate::ir::Enum| Enum {
        name: choice.name.pascal(),
        docs: doc_lines(&choice.docs, api),
        variants: variants(choice),
    };
    api.enums.iter().map(view).collect()
}

pub fn callbacks(api: &Api) -> Vec<Callback> {
    let view = |callback: &crate::ir::Callback| Callback {
        name: callback.name.pascal(),
        docs: doc_lines(&callback.docs, api),
        arguments: callback
            .arguments
            .iter()
            .map(|argument| types::borrowed(&argument.ty, api))
            .collect::<Vec<_>>()
            .join(", "),
        returns: types::owned(&callback.returns),
    };
    api.callbacks.iter().map(view).collect()
}

pub fn dictionaries(api: &Api) -> Result<Vec<Dictionary>, Error> {
    api.dictionaries
        .iter()
        .filter(|dictionary| dictionary.attributes.is_in(Language::Rust))
        .map(|dictionary| self::dictionary(dictionary, api))
        .collect()
}

fn dictionary(dictionary: &crate::ir::Dictionary, api: &Api) -> Result<Dictionary, Error> {
    let has_callback = dictionary
        .members
        .iter()
        .any(|member| matches!(member.ty.non_null().0.resolved(), Type::Callback(_)));
    let mut members = Vec::new();
    for member in &dictionary.members {
        let default = member
            .default
            .as_ref()
            .and_then(|default| types::literal(default, &member.ty));
        let no_literal = || {
            Error::Other(format!(
                "`{}.{}` has a default that core cannot write",
                dictionary.name.as_spec(),
                member.name.as_spec()
            ))
        };
        members.push(Member {
            name: member.name.rust(),
            docs: doc_lines(&member.docs, api),
            ty: types::owned(&member.ty),
            default: default.ok_or_else(no_literal)?,
        });
    }
    let has_defaults = members
        .iter()
        .any(|member| !DERIVED_DEFAULTS.contains(&member.default.as_str()));
    let has_object = dictionary
        .members
        .iter()
        .any(|member| holds_object(&member.ty, api));
    // A function has no `Debug` and no equality, an object no equality.
    let derives = if has_callback {
        "Clone"
    } else if has_object {
        "Debug, Clone"
    } else {
        "Debug, Clone, PartialEq"
    };
    Ok(Dictionary {
        name: dictionary.name.pascal(),
        docs: doc_lines(&dictionary.docs, api),
        derives: if has_defaults {
            derives.to_owned()
        } else {
            format!("{derives}, Default")
        },
        has_defaults,
        lifetime: if has_callback { "<'a>" } else { "" },
        any_lifetime: if has_callback { "<'_>" } else { "" },
        members,
    })
}

/// Whether values of a type are objects, or lists or records of objects.
fn holds_object(ty: &Type, api: &Api) -> bool {
    match ty.non_null().0.resolved() {
        Type::Interface(class) => !types::is_value(class, api),
        Type::Sequence(inner) | Type::Record(inner) => holds_object(inner, api),
        _ => false,
    }
}

/// The dictionaries that core returns.
pub fn returned<'d>(api: &Api, dictionaries: &'d [Dictionary]) -> Vec<&'d Dictionary> {
    let mut names = BTreeSet::new();
    for function in api.all_functions() {
        let (returns, _) = function.returns.non_null();
        let inner = match returns.resolved() {
            Type::Sequence(inner) | Type::Record(inner) => inner.resolved(),
            other => other,
        };
        if let Type::Dictionary(name) = inner {
            names.insert(crate::ir::Name(name.clone()).pascal());
        }
    }
    dictionaries
        .iter()
        .filter(|dictionary| names.contains(&dictionary.name))
        .collect()
}
