//! Types and defaults in words that belong to no language.

use super::links::link;
use crate::ir::{Api, Literal, Position, Type};

/// A type, with links to what it names.
pub fn ty(ty: &Type, api: &Api, page: &str) -> String {
    let linked = |name: &str, position: Option<&Position>| {
        position.map_or_else(
            || name.to_owned(),
            |position| link(name, name, position, page),
        )
    };
    match ty {
        Type::Undefined => "nothing".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer { signed, bits } => format!("{}int{bits}", if *signed { "" } else { "u" }),
        Type::Double => "double".to_owned(),
        Type::String => "string".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Any => "any value".to_owned(),
        Type::Object => "value of the language".to_owned(),
        Type::Nullable(inner) => format!("{} or none", self::ty(inner, api, page)),
        Type::Sequence(inner) => format!("list of {}", self::ty(inner, api, page)),
        Type::Record(inner) => format!("{} by name", self::ty(inner, api, page)),
        Type::Interface(name) => linked(name, api.interface(name).map(|class| &class.position)),
        Type::Enum(name) => linked(name, api.enumeration(name).map(|choice| &choice.position)),
        Type::Dictionary(name) => linked(name, api.dictionary(name).map(|data| &data.position)),
        Type::Callback(name) => linked(name, api.callback(name).map(|callback| &callback.position)),
        Type::Alias { name, .. } => linked(
            name,
            api.aliases
                .iter()
                .find(|alias| alias.name.as_spec() == name)
                .map(|alias| &alias.position),
        ),
        Type::Union(members) => members
            .iter()
            .map(|member| self::ty(member, api, page))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

/// A default.
pub fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Null => "none".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Double(text) => text.clone(),
        Literal::String(text) => format!("`\"{text}\"`"),
        Literal::EmptySequence => "empty".to_owned(),
        Literal::EmptyDictionary => "all defaults".to_owned(),
    }
}
