//! The immutable array: items inline behind the object.
#![allow(
    unsafe_code,
    reason = "the cell holds an address into its own allocation"
)]

use std::ptr::NonNull;

use super::any::Any;
use super::layout::{ObjectHeader, RawAny, SeqCell, index};
use super::object::{self, Boxed, ObjectRef};

/// The cell of an array, the owner of its items.
#[repr(transparent)]
struct ArrayCell(SeqCell);

// SAFETY: the items are `Any`, which any thread may own, in the object's own tail.
unsafe impl Send for ArrayCell {}
// SAFETY: as above.
unsafe impl Sync for ArrayCell {}

impl Drop for ArrayCell {
    fn drop(&mut self) {
        for i in 0..self.0.size as usize {
            // SAFETY: `new` wrote `size` owned items; each is dropped once, here.
            unsafe { std::ptr::drop_in_place(self.0.data.wrapping_add(i).cast::<Any>()) };
        }
    }
}

/// An array object over items.
pub fn new(items: Vec<Any>) -> ObjectRef {
    let size = items.len() as i64;
    let cell = ArrayCell(SeqCell {
        data: std::ptr::null_mut(),
        size: 0,
        capacity: size,
        data_deleter: None,
    });
    let (object, tail) = Boxed::object(index::ARRAY, cell, items.len() * size_of::<RawAny>());
    let data = tail.cast::<Any>();
    for (i, item) in items.into_iter().enumerate() {
        // SAFETY: the tail has room for all items and is aligned to 8, as `Any` is.
        unsafe { data.wrapping_add(i).write(item) };
    }
    // SAFETY: the value of a fresh array object is a `SeqCell`; no other reference to it exists.
    let cell = unsafe { &mut *object::cell::<SeqCell>(object.handle()) };
    cell.data = data.cast();
    cell.size = size;
    object
}

/// The items of an array or list object.
///
/// # Safety
/// `handle` is a live object of type Array or List, not changed while `'a` lasts.
pub unsafe fn items<'a>(handle: NonNull<ObjectHeader>) -> &'a [Any] {
    // SAFETY: such objects have a `SeqCell` behind their header.
    let cell = unsafe { &*object::cell::<SeqCell>(handle) };
    if cell.data.is_null() || cell.size <= 0 {
        return &[];
    }
    // SAFETY: `data` points at `size` owned values, and `Any` has the layout of `RawAny`.
    unsafe { std::slice::from_raw_parts(cell.data.cast::<Any>(), cell.size as usize) }
}
