//! Constants in printed Rust.

use super::super::defaults::byte_text;
use super::super::{escaped, family, join, quoted};
use crate::cases::constant::{self, Constant};

/// A text as `&str` or a reference to one made here.
pub(super) fn text(text: &constant::Text) -> String {
    match (family::fixed(text), family::bare(text)) {
        (Some(fixed), _) => quoted(fixed),
        (_, Some(variable)) => variable.to_owned(),
        _ => format!("&{}", formatted(text)),
    }
}

/// A text as `String`.
pub(super) fn owned_text(text: &constant::Text) -> String {
    match (family::fixed(text), family::bare(text)) {
        (Some(fixed), _) => format!("{}.to_owned()", quoted(fixed)),
        (_, Some(variable)) => format!("{variable}.to_owned()"),
        _ => formatted(text),
    }
}

pub(super) fn formatted(text: &constant::Text) -> String {
    let written = |text: &str| escaped(text).replace('{', "{{").replace('}', "}}");
    let woven = family::woven(text, written, |name| format!("{{{name}}}"));
    format!("format!(\"{woven}\")")
}

/// A constant as a value of the support code.
pub(super) fn plain(constant: &Constant) -> String {
    match constant {
        Constant::Null => "Value::Null".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) if i32::try_from(*value).is_ok() => value.to_string(),
        Constant::Integer(value) => format!("{value}_i128"),
        Constant::Float(_) => double(constant),
        Constant::Complex(parts) => format!("complex({}, {})", plain(&parts[0]), plain(&parts[1])),
        Constant::Text(found) => text(found),
        Constant::Bytes(bytes) => byte_text(bytes),
        Constant::List(items) => format!("list![{}]", join(items, plain)),
        Constant::Record(entries) => {
            format!(
                "map(&[{}])",
                join(entries, |(key, value)| format!(
                    "({}, Value::from({}))",
                    quoted(key),
                    plain(value)
                ))
            )
        }
        Constant::Range(start, stop) => format!("range({start}, {stop})"),
        Constant::Repeat(value, times) => format!("repeat({}, {times})", plain(value)),
    }
}

pub(super) fn double(constant: &Constant) -> String {
    match constant {
        Constant::Integer(value) => format!("{value}.0"),
        Constant::Float(text) => match text.as_str() {
            "nan" | "-nan" => "f64::NAN".to_owned(),
            "inf" => "f64::INFINITY".to_owned(),
            "-inf" => "f64::NEG_INFINITY".to_owned(),
            other => other.to_owned(),
        },
        other => plain(other),
    }
}
