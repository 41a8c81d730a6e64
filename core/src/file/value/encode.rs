//! Values of any language turned into the bytes that GGUF stores, little-endian.

use crate::error::{Error, ErrorKind, Result};
use crate::file::value_type::{MAX_DEPTH, ValueType, Wanted};
use crate::value::read::nearest;
use crate::value::{AnyView, Kind};

use ValueType as T;

/// Appends a value and says which type it has in the file.
pub(super) fn push(
    out: &mut Vec<u8>,
    value: &AnyView<'_>,
    wanted: &Wanted,
    depth: usize,
) -> Result<ValueType> {
    let kind = match wanted {
        Wanted::Scalar(T::Array) | Wanted::AnyArray | Wanted::Array(_) => T::Array,
        Wanted::Scalar(kind) => *kind,
    };
    if kind != T::Array {
        push_scalar(out, value, kind)?;
        return Ok(kind);
    }
    let Kind::Array(items) = value.kind() else {
        return Err(unlike(value, "a list"));
    };
    if depth >= MAX_DEPTH {
        let message = format!("lists in metadata are nested at most {MAX_DEPTH} deep");
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    let chosen;
    let inner = match wanted {
        Wanted::Array(inner) => inner,
        _ => match Wanted::choose(value)? {
            Wanted::Array(inner) => {
                chosen = inner;
                &chosen
            }
            _ => return Err(unlike(value, "a list")),
        },
    };
    let item_kind = match &**inner {
        Wanted::Scalar(kind) => *kind,
        Wanted::Array(_) | Wanted::AnyArray => T::Array,
    };
    out.extend_from_slice(&item_kind.code().to_le_bytes());
    out.extend_from_slice(&(items.len() as u64).to_le_bytes());
    for (i, item) in AnyView::slice(items).iter().enumerate() {
        push(out, item, inner, depth + 1).map_err(|error| error.at(format_args!("item {i}")))?;
    }
    Ok(T::Array)
}

fn push_scalar(out: &mut Vec<u8>, value: &AnyView<'_>, kind: ValueType) -> Result<()> {
    match kind {
        T::Bool => match value.kind() {
            Kind::Bool(value) => out.push(value.into()),
            _ => return Err(unlike(value, "a boolean")),
        },
        T::String | T::Array => match value.kind() {
            Kind::Str(text) => push_string(out, text.as_bytes()),
            Kind::Bytes(bytes) => push_string(out, bytes),
            _ => return Err(unlike(value, "a string")),
        },
        T::Float32 | T::Float64 => {
            let number = match value.kind() {
                Kind::Float(number) => number,
                Kind::Int(number) => number as f64,
                Kind::BigInt(number) => nearest(number)?,
                _ => return Err(unlike(value, "a number")),
            };
            if kind == T::Float64 {
                out.extend_from_slice(&number.to_le_bytes());
            } else if number.is_finite() && (number as f32).is_infinite() {
                return Err(Error::new(
                    ErrorKind::OverflowError,
                    format!("{number:e} does not fit float32"),
                ));
            } else {
                out.extend_from_slice(&(number as f32).to_le_bytes());
            }
        }
        _ => {
            let number = match value.kind() {
                Kind::Int(number) => number.into(),
                Kind::BigInt(number) => number.to_i128().ok_or_else(|| {
                    let message = format!("{number} does not fit {}", kind.name());
                    Error::new(ErrorKind::OverflowError, message)
                })?,
                _ => return Err(unlike(value, "an integer")),
            };
            push_integer(out, number, kind)?;
        }
    }
    Ok(())
}

fn push_integer(out: &mut Vec<u8>, number: i128, kind: ValueType) -> Result<()> {
    let bits = 8 * kind.size().unwrap_or(8) as u32;
    let signed = matches!(kind, T::Int8 | T::Int16 | T::Int32 | T::Int64);
    let (least, most) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    if !(least..=most).contains(&number) {
        let message = format!(
            "{number} is not between {least} and {most}, the bounds of {}",
            kind.name()
        );
        return Err(Error::new(ErrorKind::OverflowError, message));
    }
    out.extend_from_slice(&number.to_le_bytes()[..bits as usize / 8]);
    Ok(())
}

fn unlike(value: &AnyView<'_>, wanted: &str) -> Error {
    Error::new(
        ErrorKind::TypeError,
        format!("{wanted} is wanted, found {}", value.type_name()),
    )
}

/// Appends bytes behind their length.
pub(super) fn push_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}
