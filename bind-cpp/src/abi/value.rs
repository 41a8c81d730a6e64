//! Values that the headers do not make or read in place.
#![allow(
    unsafe_code,
    reason = "the C border: pointers of the caller, by the rules stated on each function"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "called from C++ only; the rules are in the module of the caller, abi.hpp"
)]

use std::ffi::c_int;

use tenspan_core::abi::closure;
use tenspan_core::abi::layout::RawAny;
use tenspan_core::error::{Error, ErrorKind};
use tenspan_core::value::{Any, BigInt, Complex, FromAny, IntoAny, Kind, equal};

use super::{bytes, guarded, viewed};

/// Text as a value. Bytes that are no UTF-8 are a ValueError.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_string(
    data: *const u8,
    size: usize,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes the bytes of a string.
        let text = std::str::from_utf8(unsafe { bytes(data, size) });
        text.map(Any::string).map_err(|error| {
            let message = format!(
                "text must be UTF-8, but byte {} of it is not",
                error.valid_up_to()
            );
            Error::new(ErrorKind::ValueError, message)
        })
    })
}

/// A copy of bytes as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_bytes(data: *const u8, size: usize, result: *mut RawAny) -> c_int {
    // SAFETY: the caller passes bytes that can be read.
    guarded(result, || Ok(Any::bytes(unsafe { bytes(data, size) })))
}

/// A whole number of any size as a value: words in two's complement, least significant first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_integer(
    words: *const i64,
    count: usize,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes so many words.
        let words = unsafe { self::words(words, count) };
        Ok(Any::integer(words))
    })
}

/// The text of a whole number in digits, as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_digits(
    words: *const i64,
    count: usize,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes so many words.
        let number = BigInt::new(unsafe { self::words(words, count) });
        Ok(Any::string(&number.to_string()))
    })
}

/// The nearest number with a point to a whole number; an OverflowError when that would be infinite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_nearest(value: *const RawAny, result: *mut RawAny) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        let wanted = || {
            let message = format!("a number is wanted, found {}", view.type_name());
            Error::new(ErrorKind::TypeError, message)
        };
        f64::from_any(&view)?.map(Any::float).ok_or_else(wanted)
    })
}

/// # Safety
/// So many words stand there as long as `'a`.
unsafe fn words<'a>(start: *const i64, count: usize) -> &'a [i64] {
    if count == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// A complex number as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_complex(re: f64, im: f64, result: *mut RawAny) -> c_int {
    guarded(result, || Ok(Complex { re, im }.into_any()))
}

/// The real and imaginary part of a complex value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_complex_parts(
    value: *const RawAny,
    parts: *mut [f64; 2],
) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        let wanted = || {
            Error::new(
                ErrorKind::TypeError,
                format!("a complex number is wanted, found {}", view.type_name()),
            )
        };
        let number = Complex::from_any(&view)?.ok_or_else(wanted)?;
        // SAFETY: the caller passes room for two numbers.
        unsafe { parts.write([number.re, number.im]) };
        Ok(Any::NONE)
    })
}

/// Values in order as one value; the items stay the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_array(
    items: *const RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes `count` valid values that live during the call.
        let views = unsafe { closure::views(items, count) };
        Ok(Any::array(views.iter().map(|view| view.to_any()).collect()))
    })
}

/// Owns a value that was lent for a call: borrowed text becomes text of its own, an object is counted, one that may be taken is
/// taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_own(value: *const RawAny, result: *mut RawAny) -> c_int {
    // SAFETY: the caller passes a valid value that lives during the call.
    guarded(result, || Ok(unsafe { viewed(value) }.to_any()))
}

/// The items of an array or a list as they are now, or keys and values in turn of a map or a dict, as an array. Any other value is a
/// TypeError.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_snapshot(value: *const RawAny, result: *mut RawAny) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        match view.kind() {
            Kind::Array(_) => Ok(view.to_any()),
            Kind::List(list) => Ok(Any::array(list.items())),
            Kind::Map(map) => Ok(Any::array(map.entries())),
            Kind::Dict(dict) => Ok(Any::array(dict.entries())),
            _ => {
                let message = format!("wanted a container, found {}", view.type_name());
                Err(Error::new(ErrorKind::TypeError, message))
            }
        }
    })
}

/// Whether two values are equal by what they hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_equal(a: *const RawAny, b: *const RawAny) -> bool {
    // SAFETY: the caller passes a valid value that lives during the call.
    let a = unsafe { viewed(a) };
    // SAFETY: as above.
    let b = unsafe { viewed(b) };
    equal(a, b)
}

/// The lengths of a shape as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_shape(
    lengths: *const i64,
    count: usize,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes `count` lengths.
        let lengths = unsafe { words(lengths, count) };
        Ok(tenspan_core::Shape::new(lengths).into_any())
    })
}
