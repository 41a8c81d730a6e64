//! Strings and bytes as objects.
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
