//! Values of JavaScript as what they are in core.

use napi::bindgen_prelude::{Array, JsValue, ToNapiValue, Unknown, ValueType};
use tenspan::container::Map;
use tenspan::value::{Any, Complex, IntoAny};

use super::opaque;
use crate::bytes;
use crate::host::{Ask, Scope};
use crate::value::{big_number, held, number, refuse};
use crate::{callback, error};

/// How deep values may be nested: far from the end of the stack.
const MAX_DEPTH: u32 = 200;

/// What JavaScript finds an object to be. The numbers are those in `js/dynamic.cjs`.
pub mod form {
    /// Something that only JavaScript understands.
    pub const OPAQUE: u32 = 0;
    /// What it says it stands for.
    pub const VALUE: u32 = 1;
    /// Keys and values in turn.
    pub const MAP: u32 = 2;
    /// A whole number.
    pub const INT: u32 = 3;
    /// A number with a point.
    pub const FLOAT: u32 = 4;
    /// An address.
    pub const POINTER: u32 = 5;
    /// An error.
    pub const ERROR: u32 = 6;
    /// A typed array.
    pub const ARRAY: u32 = 7;
    /// Bytes.
    pub const BYTES: u32 = 8;
    /// The real and the imaginary part of a complex number.
    pub const COMPLEX: u32 = 9;
}

/// A value of JavaScript as one of core; `depth` is that of the values it stands in.
pub fn read(scope: &Scope<'_>, given: Unknown<'_>, depth: u32) -> napi::Result<Any> {
    Ok(match given.get_type()? {
        ValueType::Undefined | ValueType::Null => Any::NONE,
        ValueType::Boolean => Any::bool(bytes::read(given)?),
        ValueType::Number => number(bytes::read(given)?),
        ValueType::BigInt => big_number(&bytes::read(given)?),
        ValueType::String => text(scope, given)?,
        ValueType::Function => callback::from_js(scope, given)?,
        ValueType::Object => object(scope, given, depth)?,
        _ => opaque(scope, given)?,
    })
}

fn text(scope: &Scope<'_>, given: Unknown<'_>) -> napi::Result<Any> {
    let text: String = bytes::read(given)?;
    if text.contains(char::REPLACEMENT_CHARACTER) {
        // Throws when it stands for half a character, which no other language could take.
        scope.ask(Ask::Give, given)?;
    }
    Ok(Any::string(&text))
}

fn object(scope: &Scope<'_>, given: Unknown<'_>, depth: u32) -> napi::Result<Any> {
    if depth > MAX_DEPTH {
        let message =
            format!("values are nested more than {MAX_DEPTH} deep, or contain themselves");
        return Err(refuse(scope, "TypeError", &message));
    }
    if given.is_array()? {
        return items(scope, &bytes::read(given)?, depth).map(Any::array);
    }
    let found = scope.ask(Ask::Give, given)?;
    if found.get_type()? == ValueType::Number {
        return held(scope, bytes::read(found)?);
    }
    let found: Array<'_> = bytes::read(found)?;
    let form: u32 = found.get(0)?.unwrap_or(form::OPAQUE);
    let nothing = ().into_unknown(scope.env)?;
    let payload: Unknown<'_> = found.get(1)?.unwrap_or(nothing);
    match form {
        form::VALUE => read(scope, payload, depth + 1),
        form::MAP => map(scope, &bytes::read(payload)?, depth),
        form::INT => read(scope, payload, depth),
        form::FLOAT => Ok(Any::float(bytes::read(payload)?)),
        form::POINTER => {
            let (_, address, lossless) =
                bytes::read::<napi::bindgen_prelude::BigInt>(payload)?.get_u64();
            if !lossless {
                let message = "an address of more than 64 bits cannot be passed to tenspan";
                return Err(refuse(scope, "OverflowError", message));
            }
            Ok(Any::pointer(address))
        }
        form::ERROR => error::thrown(scope, given).map(IntoAny::into_any),
        form::ARRAY => array(scope, payload),
        form::BYTES => bytes::contents(payload, Any::bytes),
        form::COMPLEX => {
            let parts: Vec<f64> = bytes::read(payload)?;
            let part = |at| parts.get(at).copied().unwrap_or_default();
            let (re, im) = (part(0), part(1));
            Ok(Complex { re, im }.into_any())
        }
        _ => opaque(scope, given),
    }
}

fn items(scope: &Scope<'_>, array: &Array<'_>, depth: u32) -> napi::Result<Vec<Any>> {
    let mut items = Vec::new();
    if items.try_reserve_exact(array.len() as usize).is_err() {
        let message = format!("an array of {} items does not fit into memory", array.len());
        return Err(refuse(scope, "MemoryError", &message));
    }
    for i in 0..array.len() {
        // A getter may shorten the array meanwhile; what is missing then is undefined.
        items.push(match array.get::<Unknown<'_>>(i)? {
            Some(item) => read(scope, item, depth + 1)?,
            None => Any::NONE,
        });
    }
    Ok(items)
}

fn map(scope: &Scope<'_>, flat: &Array<'_>, depth: u32) -> napi::Result<Any> {
    let flat = items(scope, flat, depth)?;
    Map::new(&flat)
        .map(IntoAny::into_any)
        .map_err(|failed| error::throw(scope, &failed))
}

/// A tensor over a typed array, which it keeps: nobody knows for how long it is held.
fn array(scope: &Scope<'_>, given: Unknown<'_>) -> napi::Result<Any> {
    let Some(tensor) = bytes::tensor(scope, given)? else {
        return opaque(scope, given);
    };
    bytes::keep(scope, given, tensor.storage())?;
    scope.ask(Ask::Watch, given)?;
    Ok(tensor.into_any())
}
