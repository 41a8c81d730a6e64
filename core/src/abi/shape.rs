//! Shapes as objects: lengths inline behind the object.
#![allow(
    unsafe_code,
    reason = "the cell holds an address into its own allocation"
)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::layout::{ObjectHeader, index};
use super::object::{self, Boxed, ObjectRef};

/// Address and number of the lengths.
#[repr(C)]
struct ShapeCell {
    data: *const i64,
    size: usize,
}

// SAFETY: the address is of the object's own tail, which never changes.
unsafe impl Send for ShapeCell {}
// SAFETY: as above.
unsafe impl Sync for ShapeCell {}

/// Destroys and frees a shape made here.
pub(super) unsafe extern "C" fn delete_shape(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects made of a `ShapeCell`.
    unsafe { object::delete::<ShapeCell>(handle, flags) }
}

/// A shape object.
pub fn new(lengths: &[i64]) -> ObjectRef {
    let cell = ShapeCell {
        data: std::ptr::null(),
        size: lengths.len(),
    };
    let room = size_of_val(lengths);
    let (object, tail) = Boxed::with_deleter(index::SHAPE, cell, room, delete_shape);
    let data = tail.cast::<i64>();
    // SAFETY: the tail has room for the lengths and is aligned to 8; nobody else knows the object yet.
    unsafe { data.copy_from_nonoverlapping(lengths.as_ptr(), lengths.len()) };
    // SAFETY: the value of a fresh shape object is a `ShapeCell`.
    unsafe { (*object::cell::<ShapeCell>(object.handle())).data = data };
    object
}

/// The lengths of a shape.
pub fn of(shape: &ObjectRef) -> &[i64] {
    // SAFETY: the caller holds a shape, and shapes do not change.
    unsafe { lengths(shape.handle()) }
}

/// The lengths of a shape object.
///
/// # Safety
/// `handle` is a live object of type Shape, and stays so while `'a` lasts.
pub unsafe fn lengths<'a>(handle: NonNull<ObjectHeader>) -> &'a [i64] {
    // SAFETY: such objects have address and number of their lengths behind their header.
    let ShapeCell { data, size } = unsafe { &*object::cell::<ShapeCell>(handle) };
    if data.is_null() || *size == 0 {
        return &[];
    }
    // SAFETY: the object says that `size` lengths stand there, and it lives as long as `'a`.
    unsafe { std::slice::from_raw_parts(*data, *size) }
}
