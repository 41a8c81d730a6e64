//! What printers of several languages need to take values apart.

use crate::cases::constant::{Constant, Text};
use crate::cases::typed::{Kind, Ty, Value};
use crate::ir::Literal;

/// A constant as a value of open type.
pub fn open(constant: Constant) -> Value {
    Value {
        kind: Kind::Constant(constant),
        ty: Ty::Open,
    }
}

/// A default of the spec as a value.
pub fn literal(literal: &Literal) -> Value {
    open(match literal {
        Literal::Null => Constant::Null,
        Literal::Boolean(value) => Constant::Boolean(*value),
        Literal::Integer(value) => Constant::Integer((*value).into()),
        Literal::Double(text) => Constant::Float(text.clone()),
        Literal::String(text) => Constant::Text(Text::written(text)),
        Literal::EmptySequence => Constant::List(Vec::new()),
        Literal::EmptyDictionary => Constant::Record(Vec::new()),
    })
}

/// The items of a list, constant or not.
pub fn items(value: &Value) -> Vec<Value> {
    match &value.kind {
        Kind::List(items) => items.clone(),
        Kind::Constant(constant) => constant
            .items()
            .unwrap_or_default()
            .into_iter()
            .map(open)
            .collect(),
        _ => Vec::new(),
    }
}

/// Named values, constant or not.
pub fn entries(value: &Value) -> Vec<(&str, Value)> {
    match &value.kind {
        Kind::Record(entries) => entries
            .iter()
            .map(|(key, value)| (key.as_str(), value.clone()))
            .collect(),
        Kind::Constant(Constant::Record(entries)) => entries
            .iter()
            .map(|(key, value)| (key.as_str(), open(value.clone())))
            .collect(),
        _ => Vec::new(),
    }
}

/// `b"…"` with the escapes that Rust and Python share.
pub fn byte_text(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .flat_map(|byte| std::ascii::escape_default(*byte))
        .map(char::from)
        .collect();
    format!("b\"{text}\"")
}
