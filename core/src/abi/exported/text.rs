//! Strings and bytes as values.

use std::ffi::c_int;

use super::{bytes, guarded, write};
use crate::abi::any::Any;
use crate::abi::layout::{ByteArray, RawAny};

/// A string as a value. It is taken as it is: whoever reads one that is no UTF-8 gets bytes.
pub unsafe extern "C" fn string_from_byte_array(
    input: *const ByteArray,
    out: *mut RawAny,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid array.
        let bytes = unsafe { bytes(input, "the string") }?;
        // SAFETY: the caller gives room for a value.
        unsafe { write(out, Any::string_bytes(bytes).into_raw()) }
    })
}

/// Bytes as a value.
pub unsafe extern "C" fn bytes_from_byte_array(input: *const ByteArray, out: *mut RawAny) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid array.
        let bytes = unsafe { bytes(input, "the bytes") }?;
        // SAFETY: the caller gives room for a value.
        unsafe { write(out, Any::bytes(bytes).into_raw()) }
    })
}
