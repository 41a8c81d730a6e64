//! Types of the spec as types of core, in each place they stand in.

use crate::ir::{Api, Literal, Name, Type};
use crate::naming;

/// A type as core owns it: fields, list elements, results of callbacks.
pub fn owned(ty: &Type) -> String {
    match ty.resolved() {
        Type::Undefined => "()".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer { signed, bits } => format!("{}{bits}", if *signed { 'i' } else { 'u' }),
        Type::Double => "f64".to_owned(),
        Type::String => "String".to_owned(),
        Type::Bytes => "Vec<u8>".to_owned(),
        Type::Any | Type::Object => "crate::value::Any".to_owned(),
        Type::Nullable(inner) => format!("Option<{}>", owned(inner)),
        Type::Sequence(inner) => format!("Vec<{}>", owned(inner)),
        Type::Record(inner) => format!("Vec<(String, {})>", owned(inner)),
        Type::Interface(name) => format!("crate::{}", pascal(name)),
        Type::Enum(name) => format!("super::enums::{}", pascal(name)),
        Type::Dictionary(name) => pascal(name),
        Type::Callback(name) => format!("&'a {}<'a>", pascal(name)),
        Type::Alias { target, .. } => owned(target),
        Type::Union(members) => members.first().map_or_else(|| "()".to_owned(), owned),
    }
}

/// A type as core takes it in an argument.
pub fn borrowed(ty: &Type, api: &Api) -> String {
    match ty.resolved() {
        Type::String => "&str".to_owned(),
        Type::Bytes => "&[u8]".to_owned(),
        Type::Any => "crate::value::AnyView<'_>".to_owned(),
        Type::Nullable(inner) => format!("Option<{}>", borrowed(inner, api)),
        Type::Sequence(inner) => format!("&[{}]", owned(inner)),
        Type::Record(inner) => format!("&[(String, {})]", owned(inner)),
        Type::Interface(name) if !is_value(name, api) => format!("&{}", owned(ty)),
        other => owned(other),
    }
}

/// Whether a type is texts, or one of them.
pub fn is_texts(ty: &Type) -> bool {
    let union = match ty {
        Type::Alias { target, .. } => target,
        other => other,
    };
    let is_list =
        matches!(ty.resolved(), Type::Sequence(inner) if *inner.resolved() == Type::String);
    is_list && matches!(union, Type::Union(_))
}

/// Whether a class is `[Value]`: passed by value.
pub fn is_value(class: &str, api: &Api) -> bool {
    api.interface(class).is_some_and(|class| class.is_value)
}

/// A default as an owned value; none for a class, which has no literals.
pub fn literal(literal: &Literal, ty: &Type) -> Option<String> {
    let (inner, nullable) = ty.non_null();
    if *literal == Literal::Null {
        return nullable.then(|| "None".to_owned());
    }
    let value = match (literal, inner.resolved()) {
        (Literal::Boolean(value), _) => value.to_string(),
        (Literal::Integer(value), Type::Double) => format!("{value}.0"),
        (Literal::Integer(value), _) => value.to_string(),
        (Literal::Double(text), _) => double(text),
        (Literal::String(value), Type::Enum(name)) => {
            format!("super::enums::{}::{}", pascal(name), naming::variant(value))
        }
        (Literal::String(value), Type::String) if value.is_empty() => "String::new()".to_owned(),
        (Literal::String(value), Type::String) => format!("{value:?}.to_owned()"),
        (Literal::EmptySequence, _) => "Vec::new()".to_owned(),
        (Literal::EmptyDictionary, Type::Dictionary(name)) => {
            format!("{}::default()", pascal(name))
        }
        _ => return None,
    };
    Some(if nullable {
        format!("Some({value})")
    } else {
        value
    })
}

/// A number of the spec as Rust writes it: `.5` and `1.` need their zeros.
fn double(text: &str) -> String {
    let text = if text.starts_with('.') {
        format!("0{text}")
    } else {
        text.replace("-.", "-0.")
    };
    text.replace(".e", ".0e").replace(".E", ".0E") + if text.ends_with('.') { "0" } else { "" }
}

fn pascal(name: &str) -> String {
    Name(name.to_owned()).pascal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_get_their_zeros() {
        for (spec, rust) in [
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1.e3", "1.0e3"),
            ("1.5", "1.5"),
        ] {
            assert_eq!(double(spec), rust);
        }
    }

    #[test]
    fn whole_defaults_of_doubles_are_doubles() {
        assert_eq!(
            literal(&Literal::Integer(1), &Type::Double).as_deref(),
            Some("1.0")
        );
        assert_eq!(
            literal(
                &Literal::Integer(1),
                &Type::Nullable(Box::new(Type::Double))
            )
            .as_deref(),
            Some("Some(1.0)")
        );
    }
}
