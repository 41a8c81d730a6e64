//! Strings, bytes and big integers as objects.
#![allow(
    unsafe_code,
    reason = "the cells hold addresses into their own allocation"
)]

use super::layout::{ByteArray, index};
use super::object::{self, Boxed, ObjectRef};

/// The cell of a string or of bytes, followed by the bytes and a NUL.
#[allow(dead_code, reason = "read through the layout")]
struct TextCell(ByteArray);

// SAFETY: the address is of the object's own tail, which never changes.
unsafe impl Send for TextCell {}
// SAFETY: as above.
unsafe impl Sync for TextCell {}

/// A string object.
pub fn string(text: &[u8]) -> ObjectRef {
    bytes_of(index::STR, text)
}

/// A bytes object.
pub fn bytes(data: &[u8]) -> ObjectRef {
    bytes_of(index::BYTES, data)
}

fn bytes_of(type_index: i32, data: &[u8]) -> ObjectRef {
    let cell = TextCell(ByteArray {
        data: std::ptr::null(),
        size: data.len(),
    });
    let (object, tail) = Boxed::object(type_index, cell, data.len() + 1);
    // SAFETY: the tail has room for the bytes and the NUL, and nobody else knows the object yet.
    let room = unsafe { std::slice::from_raw_parts_mut(tail, data.len() + 1) };
    room[..data.len()].copy_from_slice(data);
    room[data.len()] = 0;
    // SAFETY: the value of a fresh text object is a `ByteArray`; no other reference to it exists.
    unsafe { (*object::cell::<ByteArray>(object.handle())).data = tail };
    object
}

/// A whole number outside of 64 bits with a sign: words, least significant first.
#[repr(C)]
pub struct BigInt {
    words: usize,
    value: [i64; 2],
}

impl BigInt {
    /// An object for a number.
    pub fn object(value: i128) -> ObjectRef {
        let cell = BigInt {
            words: 2,
            value: [value as i64, (value >> 64) as i64],
        };
        Boxed::object(index::BIG_INT, cell, 0).0
    }

    /// An object for the words of a number, at least two of them, none of which only repeats a sign.
    pub fn of_words(words: &[i64]) -> ObjectRef {
        let (object, tail) = Boxed::object(index::BIG_INT, words.len(), size_of_val(words));
        for (i, word) in words.iter().enumerate() {
            // SAFETY: the tail has room for the words.
            unsafe { tail.cast::<i64>().wrapping_add(i).write(*word) };
        }
        object
    }

    /// The number, if it fits; `words` and what follows may come from a compiled module.
    ///
    /// # Safety
    /// `cell` is the address of the cell of a live BigInt object.
    pub unsafe fn read(cell: *const BigInt) -> Option<i128> {
        let first = cell.cast::<i64>().wrapping_add(1);
        // SAFETY: every BigInt object begins with its count of words.
        let words = unsafe { *cell.cast::<usize>() };
        // SAFETY: that many words follow the count.
        let words = unsafe { std::slice::from_raw_parts(first, words) };
        let sign = words.last().map_or(0, |last| last >> 63);
        if words.iter().skip(2).any(|word| *word != sign) {
            return None;
        }
        let low = words.first().copied().unwrap_or(0) as u64;
        let high = words.get(1).copied().unwrap_or(sign);
        Some((i128::from(high) << 64) | i128::from(low))
    }
}
