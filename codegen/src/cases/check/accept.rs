//! Whether a value can stand where a type is wanted.

use super::super::constant::Constant;
use super::super::typed::{CallbackBody, Kind, Ty, Value};
use crate::ir::{Api, Type};

/// Whether `value` can be given for `wanted`.
pub fn accepts(api: &Api, wanted: &Type, value: &Value) -> bool {
    match (wanted, &value.kind) {
        (Type::Alias { target, .. }, _) => accepts(api, target, value),
        (Type::Union(members), _) => members.iter().any(|member| accepts(api, member, value)),
        (Type::Nullable(_), Kind::Constant(Constant::Null)) => true,
        (Type::Nullable(inner), _) => accepts(api, inner, value),
        (Type::Interface(name), Kind::Callback(callback)) => {
            name == "Function" && !matches!(callback.body, CallbackBody::Add(..))
        }
        (Type::Callback(name), _) => api
            .callback(name)
            .is_some_and(|callback| value.ty == Ty::Callback(callback.arguments.len())),
        (_, Kind::Constant(constant)) => accepts_constant(api, wanted, constant),
        (Type::Any, Kind::List(_)) => true,
        (Type::Sequence(element), Kind::List(items)) => {
            items.iter().all(|item| accepts(api, element, item))
        }
        (Type::Record(element), Kind::Record(entries)) => {
            entries.iter().all(|(_, item)| accepts(api, element, item))
        }
        _ => value
            .api()
            .is_some_and(|found| matches!(wanted, Type::Any) || same(wanted, found)),
    }
}

fn same(wanted: &Type, found: &Type) -> bool {
    match (wanted.resolved(), found.resolved()) {
        (Type::Integer { .. }, Type::Integer { .. }) => true,
        (Type::Sequence(a), Type::Sequence(b)) | (Type::Record(a), Type::Record(b)) => same(a, b),
        (a, b) => a == b,
    }
}

fn accepts_constant(api: &Api, wanted: &Type, constant: &Constant) -> bool {
    match (wanted, constant) {
        (Type::Alias { target, .. }, _) => accepts_constant(api, target, constant),
        (Type::Union(members), _) => members
            .iter()
            .any(|member| accepts_constant(api, member, constant)),
        (Type::Nullable(_), Constant::Null) => true,
        (Type::Nullable(inner), _) => accepts_constant(api, inner, constant),
        (Type::Any, Constant::Record(_)) => false,
        (Type::Any, _) | (Type::Boolean, Constant::Boolean(_)) => true,
        (Type::Integer { signed, bits }, Constant::Integer(value)) => {
            in_range(*signed, *bits, *value)
        }
        (Type::Double, Constant::Integer(_) | Constant::Float(_)) => true,
        (Type::String, Constant::Text(_)) | (Type::Bytes, Constant::Bytes(_)) => true,
        (Type::Enum(name), Constant::Text(text)) => api.enumeration(name).is_some_and(|known| {
            known
                .values
                .iter()
                .any(|value| value.value == text.to_string())
        }),
        // Nested lists of numbers stand for an array of the language.
        (Type::Object, Constant::List(_) | Constant::Range(..) | Constant::Repeat(..)) => true,
        (Type::Sequence(element), list) => list.items().is_some_and(|items| {
            items
                .iter()
                .all(|item| accepts_constant(api, element, item))
        }),
        (Type::Record(element), Constant::Record(entries)) => entries
            .iter()
            .all(|(_, item)| accepts_constant(api, element, item)),
        _ => false,
    }
}

fn in_range(signed: bool, bits: u8, value: i128) -> bool {
    let bits = u32::from(bits);
    let (low, high) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    (low..=high).contains(&value)
}

/// A type in words, for messages.
pub fn describe(ty: &Type) -> String {
    match ty {
        Type::Undefined => "nothing".to_owned(),
        Type::Boolean => "a boolean".to_owned(),
        Type::Integer { signed: true, bits } => format!("a whole number of {bits} bits"),
        Type::Integer {
            signed: false,
            bits,
        } => format!("a whole number of {bits} bits without a sign"),
        Type::Double => "a number".to_owned(),
        Type::String => "text".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Any => "any value".to_owned(),
        Type::Object => "an array".to_owned(),
        Type::Nullable(inner) => format!("{} or null", describe(inner)),
        Type::Sequence(element) => format!("a list ({} each)", describe(element)),
        Type::Record(element) => format!("named values ({} each)", describe(element)),
        Type::Alias { name, .. }
        | Type::Interface(name)
        | Type::Enum(name)
        | Type::Dictionary(name) => format!("`{name}`"),
        Type::Callback(name) => format!("a function as `{name}` says"),
        Type::Union(members) => members
            .iter()
            .map(describe)
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

/// What a value is, for messages.
pub fn describe_value(value: &Value) -> String {
    match (&value.kind, &value.ty) {
        (Kind::Constant(constant), _) => constant.describe(),
        (Kind::Callback(callback), _) => {
            format!("a function of {} parameters", callback.parameters.len())
        }
        (Kind::Record(_), _) => "named values".to_owned(),
        (_, Ty::Api(ty)) => describe(ty),
        (_, Ty::Open) => "a list".to_owned(),
        (_, Ty::Plain) => "a value that can only be compared".to_owned(),
        (_, Ty::Log) => "a log".to_owned(),
        (_, Ty::Callback(_)) => "a function".to_owned(),
    }
}
