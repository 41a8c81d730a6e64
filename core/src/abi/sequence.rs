//! Arrays and lists: items in a row, inline behind an array, in a buffer of its own behind a list.
//!
//! An array never changes while it is shared. A list is changed in place by everybody who holds it: here under
//! [`guard`](super::guard), by compiled modules without it. The buffer of a list is memory of `malloc` whose deleter is `free`,
//! because C++ puts buffers of `operator new` in its place and keeps the deleter.
#![allow(
    unsafe_code,
    reason = "the cell holds an address into its own allocation or its buffer"
)]

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::NonNull;

use super::any::Any;
use super::guard;
use super::layout::{ObjectHeader, RawAny, SeqCell, index};
use super::object::{self, Boxed, ObjectRef};
use crate::error::{Error, ErrorKind, Result};

/// The cell of an array or a list, the owner of its items.
#[repr(transparent)]
struct Items(SeqCell);

// SAFETY: the items are `Any`, which any thread may own, in the object's own tail or its buffer.
unsafe impl Send for Items {}
// SAFETY: as above.
unsafe impl Sync for Items {}

impl Drop for Items {
    fn drop(&mut self) {
        for i in 0..self.0.size.max(0) as usize {
            // SAFETY: the cell says that `size` owned items stand at `data`; each is dropped once, here.
            unsafe { std::ptr::drop_in_place(self.0.data.wrapping_add(i).cast::<Any>()) };
        }
        if let Some(deleter) = self.0.data_deleter {
            // SAFETY: the items are gone, and the buffer belongs to the deleter that stands beside it.
            unsafe { deleter(self.0.data.cast()) };
        }
    }
}

/// Destroys and frees an array or a list made here.
pub(super) unsafe extern "C" fn delete_items(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects made of `Items`.
    unsafe { object::delete::<Items>(handle, flags) }
}

/// An array object over items.
pub fn array(items: Vec<Any>) -> ObjectRef {
    let size = items.len() as i64;
    let cell = Items(SeqCell {
        data: std::ptr::null_mut(),
        size: 0,
        capacity: size,
        data_deleter: None,
    });
    let room = items.len() * size_of::<RawAny>();
    let (object, tail) = Boxed::with_deleter(index::ARRAY, cell, room, delete_items);
    let data = tail.cast::<Any>();
    // SAFETY: the value of a fresh array object is a `SeqCell`; no other reference to it exists.
    let cell = unsafe { &mut *object::cell::<SeqCell>(object.handle()) };
    cell.data = data.cast();
    for (i, item) in items.into_iter().enumerate() {
        // SAFETY: the tail has room for all items and is aligned to 8, as `Any` is.
        unsafe { data.wrapping_add(i).write(item) };
    }
    cell.size = size;
    object
}

/// The items of an array.
pub fn array_items(array: &ObjectRef) -> &[Any] {
    // SAFETY: the caller holds an array, and arrays do not change while they are shared.
    unsafe { items(array.handle()) }
}

/// The items of an array object.
///
/// # Safety
/// `handle` is a live object of type Array, or of type List that nobody changes while `'a` lasts.
pub unsafe fn items<'a>(handle: NonNull<ObjectHeader>) -> &'a [Any] {
    // SAFETY: such objects have a `SeqCell` behind their header.
    let cell = unsafe { &*object::cell::<SeqCell>(handle) };
    if cell.data.is_null() || cell.size <= 0 {
        return &[];
    }
    // SAFETY: `data` points at `size` owned values, and `Any` has the layout of `RawAny`.
    unsafe { std::slice::from_raw_parts(cell.data.cast::<Any>(), cell.size as usize) }
}

/// A list object over items.
///
/// # Errors
/// [`ErrorKind::MemoryError`] when the system refuses memory.
pub fn list(items: Vec<Any>) -> Result<ObjectRef> {
    let cell = Items(SeqCell {
        data: std::ptr::null_mut(),
        size: 0,
        capacity: 0,
        data_deleter: Some(free),
    });
    let (object, _) = Boxed::with_deleter(index::LIST, cell, 0, delete_items);
    splice(&object, 0..0, items)?;
    Ok(object)
}

/// The number of items of a list.
pub fn list_len(list: &ObjectRef) -> usize {
    let _guard = guard::lock(list);
    // SAFETY: the object is a list, held by the caller, and under its guard.
    unsafe { items(list.handle()) }.len()
}

/// An item of a list.
pub fn list_get(list: &ObjectRef, position: usize) -> Option<Any> {
    let _guard = guard::lock(list);
    // SAFETY: as in `list_len`; the item is counted before the guard goes.
    unsafe { items(list.handle()) }.get(position).cloned()
}

/// The items of a list as they are now.
pub fn snapshot(list: &ObjectRef) -> Vec<Any> {
    let _guard = guard::lock(list);
    // SAFETY: as in `list_get`.
    unsafe { items(list.handle()) }.to_vec()
}

/// Puts an item in the place of another and returns that, or gives the new one back when there is no such place.
///
/// # Errors
/// The item, when the list has no such position.
pub fn replace(list: &ObjectRef, position: usize, item: Any) -> std::result::Result<Any, Any> {
    let _guard = guard::lock(list);
    // SAFETY: the object is a list, held by the caller.
    let cell = unsafe { &mut *object::cell::<SeqCell>(list.handle()) };
    if position >= cell.size.max(0) as usize {
        return Err(item);
    }
    // SAFETY: the position is inside of the items, and the guard keeps others away.
    let place = unsafe { &mut *cell.data.wrapping_add(position).cast::<Any>() };
    Ok(std::mem::replace(place, item))
}

/// Puts items in the place of a range, which is cut to the length of the list, and returns what stood there. The caller
/// drops it: that may run code of anybody, which must not happen under a guard.
///
/// # Errors
/// [`ErrorKind::MemoryError`] when the system refuses memory; the list is then as before.
pub fn splice(list: &ObjectRef, range: Range<usize>, items: Vec<Any>) -> Result<Vec<Any>> {
    let _guard = guard::lock(list);
    // SAFETY: the object is a list, held by the caller.
    let cell = unsafe { &mut *object::cell::<SeqCell>(list.handle()) };
    let size = cell.size.max(0) as usize;
    let end = range.end.min(size);
    let start = range.start.min(end);
    let after = size - (end - start) + items.len();
    reserve(cell, after)?;
    let data = cell.data.cast::<Any>();
    let mut removed = Vec::with_capacity(end - start);
    for i in start..end {
        // SAFETY: these items are moved out, and their places are written over below.
        removed.push(unsafe { data.wrapping_add(i).read() });
    }
    let to = data.wrapping_add(start + items.len());
    // SAFETY: the items behind the gap move to where they belong; `reserve` made room for all.
    unsafe { std::ptr::copy(data.wrapping_add(end), to, size - end) };
    for (i, item) in items.into_iter().enumerate() {
        // SAFETY: the gap has a place for each new item, and nothing to drop in it.
        unsafe { data.wrapping_add(start + i).write(item) };
    }
    cell.size = after as i64;
    Ok(removed)
}

/// Makes room for `wanted` items; a buffer that grows at least doubles.
fn reserve(cell: &mut SeqCell, wanted: usize) -> Result<()> {
    let capacity = cell.capacity.max(0) as usize;
    if wanted <= capacity {
        return Ok(());
    }
    let room = wanted.max(capacity.saturating_mul(2)).max(4);
    let refused = || {
        let message = format!("no memory for a list of {room} items");
        Error::new(ErrorKind::MemoryError, message)
    };
    let bytes = room.checked_mul(size_of::<RawAny>()).ok_or_else(refused)?;
    // SAFETY: `malloc` has no preconditions.
    let data = unsafe { libc::malloc(bytes) }.cast::<RawAny>();
    if data.is_null() {
        return Err(refused());
    }
    if !cell.data.is_null() {
        // SAFETY: the old buffer holds `size` items, the new one has room for more; they move as plain bytes.
        unsafe { std::ptr::copy_nonoverlapping(cell.data, data, cell.size.max(0) as usize) };
        if let Some(deleter) = cell.data_deleter {
            // SAFETY: the items have left the old buffer, which belongs to its deleter.
            unsafe { deleter(cell.data.cast()) };
        }
    }
    cell.data = data;
    cell.capacity = room as i64;
    cell.data_deleter = Some(free);
    Ok(())
}

unsafe extern "C" fn free(data: *mut c_void) {
    // SAFETY: called with what `malloc` or `operator new` gave, or null.
    unsafe { libc::free(data) };
}
