//! Whole numbers of any length: words, least significant first, with the sign in the last.

use std::ffi::c_int;

use super::{bytes, guarded, required, write};
use crate::abi::any::Any;
use crate::abi::layout::{ByteArray, ObjectHeader, RawAny, index};
use crate::error::{Error, ErrorKind};

/// A number of words; one that fits a word is a plain integer.
pub unsafe extern "C" fn big_int_from_byte_array(
    input: *const ByteArray,
    out: *mut RawAny,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid array.
        let bytes = unsafe { bytes(input, "the words of a number") }?;
        if bytes.len() % 8 != 0 {
            let message = format!(
                "a number takes whole words of 8 bytes, found {}",
                bytes.len()
            );
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        let words = bytes.chunks_exact(8).map(|word| {
            let mut whole = [0; 8];
            whole.copy_from_slice(word);
            i64::from_ne_bytes(whole)
        });
        let words: Vec<i64> = words.collect();
        let value = Any::integer(&words);
        // SAFETY: the caller gives room for a value.
        unsafe { write(out, value.into_raw()) }
    })
}

/// The words of a number, where they stand; nothing for what is no whole number.
pub unsafe extern "C" fn big_int_get_content_byte_array(value: *const RawAny) -> ByteArray {
    let none = ByteArray {
        data: std::ptr::null(),
        size: 0,
    };
    // SAFETY: the caller gives a valid value.
    let Ok(raw) = (unsafe { required(value, "the number") }) else {
        return none;
    };
    if raw.type_index == index::INT {
        return ByteArray {
            data: (&raw const raw.payload).cast(),
            size: 8,
        };
    }
    let object = raw.payload as *const ObjectHeader;
    if raw.type_index != index::BIG_INT || object.is_null() {
        return none;
    }
    let count = object.wrapping_add(1).cast::<usize>();
    ByteArray {
        data: count.wrapping_add(1).cast(),
        // SAFETY: such an object begins with the count of its words.
        size: unsafe { *count }.saturating_mul(8),
    }
}
