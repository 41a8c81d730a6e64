//! Maps and dicts: pairs in the order of their insertion, found by the hash of their key.
//!
//! ```text
//! up to 4 pairs   small    pairs in a row behind the object, searched one by one
//! more            dense    a table of its own, see [`dense`]
//! ```
//! No code of others runs in here: what functions of types say of keys is in [`Facts`], and with open questions a table stays as it is.
//! Compiled modules read and change both in place. A small object has room for the fields of a dense one, because a dict that
//! outgrows its row becomes dense where it stands. A map never changes while it is shared; a dict is changed in
//! place by everybody who holds it, here under [`guard`](super::guard).
#![allow(
    unsafe_code,
    reason = "the cell holds addresses into its own allocation or its table"
)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all that is read and written of a table at a time"
)]

mod dense;

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::any::Any;
use super::key::{self, Facts};
use super::layout::{ObjectHeader, RawAny};
use super::object::{self, Boxed, ObjectRef};
use crate::error::Result;

/// A key and its value.
#[repr(C)]
#[derive(Clone, Copy)]
struct Pair {
    key: RawAny,
    value: RawAny,
}

/// What stands behind the header of a map or a dict.
#[repr(C)]
struct TableCell {
    /// The row of a small one, the blocks of a dense one.
    data: *mut c_void,
    /// Number of pairs.
    size: u64,
    /// Places; with [`SMALL`] set for a small one.
    slots: u64,
    /// Frees `data` when it is an allocation of its own.
    data_deleter: Option<unsafe extern "C" fn(*mut c_void)>,
    // The rest is there in dense ones only.
    /// A hash is shifted so far to the right to become a position.
    fib_shift: u32,
    padding: u32,
    /// Position of the first pair in order, or [`dense::NOWHERE`].
    head: u64,
    /// Position of the last pair.
    tail: u64,
}

const _: () = {
    assert!(size_of::<TableCell>() == 56 && std::mem::offset_of!(TableCell, fib_shift) == 32);
    assert!(size_of::<Pair>() == 32);
};

/// Marks a small table in `slots`.
const SMALL: u64 = 1 << 63;
/// Pairs of a small table.
const MOST_SMALL: usize = 4;
/// The part of the cell that every table has; the row of a small one follows it.
type Shared = [u64; 4];

/// A table with no pairs, of type Map or Dict, with room for `capacity`.
///
/// # Errors
/// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory.
pub fn new(type_index: i32, capacity: usize) -> Result<ObjectRef> {
    // Four pairs are room enough for the other fields of a dense table, too.
    let row = MOST_SMALL * size_of::<Pair>();
    let (object, row) = Boxed::with_deleter(type_index, Shared::default(), row, delete);
    let cell = object::cell::<TableCell>(object.handle());
    // SAFETY: these fields are the shared part of a fresh object that nobody else knows.
    unsafe {
        (*cell).data = row.cast();
        (*cell).slots = SMALL | MOST_SMALL as u64;
        if capacity > MOST_SMALL {
            dense::grow(cell, capacity, &mut Facts::default())?;
        }
    }
    Ok(object)
}

/// Destroys and frees a table that [`new`] made, whoever changed it since.
pub(super) unsafe extern "C" fn delete(handle: *mut c_void, flags: c_int) {
    if flags & 1 != 0 {
        let cell = handle.cast::<ObjectHeader>().wrapping_add(1).cast();
        // SAFETY: the last strong reference is gone, so nobody else looks at the table.
        let pairs = unsafe { take_all(cell) };
        // SAFETY: as above; the data belongs to the deleter beside it.
        unsafe { release_data(cell) };
        drop(pairs);
    }
    // SAFETY: `new` made the object of `Shared`, which needs no destruction.
    unsafe { object::delete::<Shared>(handle, flags) };
}

/// The number of pairs.
///
/// # Safety
/// `handle` is a live object of type Map or Dict, not changed during the call. So it is for all that follows.
pub unsafe fn len(handle: NonNull<ObjectHeader>) -> usize {
    // SAFETY: such objects have the shared part of a `TableCell` behind their header.
    unsafe { (*object::cell::<TableCell>(handle)).size as usize }
}

/// The value of a key; `None`, too, with open questions.
///
/// # Safety
/// As for [`len`]; the value lives until the table is changed.
pub unsafe fn get<'a>(
    handle: NonNull<ObjectHeader>,
    key: &RawAny,
    facts: &mut Facts<'_>,
) -> Option<&'a Any> {
    // SAFETY: the caller vouches for the table; `Any` has the layout of `RawAny`.
    unsafe {
        find(object::cell(handle), key, facts)
            .map(|pair| &*(&raw const (*pair).value).cast::<Any>())
    }
}

/// A key and its value, borrowed from a table.
pub type Entry<'a> = (&'a Any, &'a Any);

/// The pairs in order.
///
/// # Safety
/// As for [`get`].
pub unsafe fn entries<'a>(handle: NonNull<ObjectHeader>) -> impl Iterator<Item = Entry<'a>> {
    let cell: *mut TableCell = object::cell(handle);
    // SAFETY: the caller vouches for the table.
    let (mut at, mut left) = unsafe { (first(cell), (*cell).size) };
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        left -= 1;
        // SAFETY: `at` is the position of a pair, since not all have been seen.
        unsafe {
            let pair = pair_at(cell, at);
            at = following(cell, at);
            let (key, value) = (&raw const (*pair).key, &raw const (*pair).value);
            Some((&*key.cast::<Any>(), &*value.cast::<Any>()))
        }
    })
}

/// Sets the value of a key, which keeps its place in the order when it is there already. What is then in `entry` is for the caller to
/// drop: the key that was not needed and the old value, or after a failure, or with open questions, what was to be set.
///
/// # Safety
/// As for [`len`], and nobody else looks at the table.
///
/// # Errors
/// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError); the table is then as before.
pub unsafe fn set(
    handle: NonNull<ObjectHeader>,
    entry: &mut Option<(Any, Any)>,
    facts: &mut Facts<'_>,
) -> Result<()> {
    let cell = object::cell::<TableCell>(handle);
    let Some((key, value)) = entry else {
        return Ok(());
    };
    let raw = key.view().raw();
    // SAFETY: the caller vouches for the table, and that it is the only one here.
    unsafe {
        if let Some(pair) = find(cell, &raw, facts) {
            let place = &mut *(&raw mut (*pair).value).cast::<Any>();
            std::mem::swap(place, value);
            return Ok(());
        }
        if !facts.is_settled() {
            return Ok(());
        }
        let pair = Pair {
            key: raw,
            value: value.view().raw(),
        };
        let size = (*cell).size as usize;
        let added = match small_slots(cell) {
            Some(room) if size < room => {
                pair_at(cell, size as u64).write(pair);
                (*cell).size += 1;
                true
            }
            Some(_) => dense::grow(cell, size + 1, facts)? && dense::insert(cell, pair, facts)?,
            None => dense::insert(cell, pair, facts)?,
        };
        if !added {
            return Ok(());
        }
    }
    // The table owns both now.
    std::mem::forget(entry.take());
    Ok(())
}

/// Takes a key and its value out of the table; nothing with open questions.
///
/// # Safety
/// As for [`set`].
pub unsafe fn remove(
    handle: NonNull<ObjectHeader>,
    key: &RawAny,
    facts: &mut Facts<'_>,
) -> Option<(Any, Any)> {
    let cell = object::cell::<TableCell>(handle);
    // SAFETY: the caller vouches for the table, and that it is the only one here.
    unsafe {
        if small_slots(cell).is_none() {
            return dense::remove(cell, key, facts).map(|pair| owned(pair));
        }
        let pair = find(cell, key, facts)?;
        let taken = pair.read();
        let row = (*cell).data.cast::<Pair>();
        let behind = row.wrapping_add((*cell).size as usize);
        std::ptr::copy(
            pair.wrapping_add(1),
            pair,
            behind.offset_from(pair) as usize - 1,
        );
        (*cell).size -= 1;
        Some(owned(taken))
    }
}

/// Takes all pairs out of the table.
///
/// # Safety
/// As for [`set`].
pub unsafe fn clear(handle: NonNull<ObjectHeader>) -> Vec<(Any, Any)> {
    // SAFETY: the caller vouches for the table, and that it is the only one here.
    unsafe { take_all(object::cell(handle)) }
}

unsafe fn take_all(cell: *mut TableCell) -> Vec<(Any, Any)> {
    // SAFETY: as for `clear`; the pairs are moved out in order, then the table is marked as empty.
    unsafe {
        let mut taken = Vec::with_capacity((*cell).size as usize);
        let mut at = first(cell);
        for _ in 0..(*cell).size {
            taken.push(owned(pair_at(cell, at).read()));
            at = following(cell, at);
        }
        (*cell).size = 0;
        if small_slots(cell).is_none() {
            dense::mark_empty(cell);
        }
        taken
    }
}

/// Gives the data of a table, which holds no pairs, to its deleter.
unsafe fn release_data(cell: *mut TableCell) {
    // SAFETY: the caller is the only one here, and puts other data in place or destroys the table.
    unsafe {
        if let Some(deleter) = (*cell).data_deleter.take() {
            let data = std::mem::replace(&mut (*cell).data, std::ptr::null_mut());
            if !data.is_null() {
                deleter(data);
            }
        }
    }
}

unsafe fn owned(pair: Pair) -> (Any, Any) {
    // SAFETY: the pair was moved out of a table, which owned both.
    unsafe { (Any::from_raw(pair.key), Any::from_raw(pair.value)) }
}

/// How many places a small table has; `None` for a dense one.
unsafe fn small_slots(cell: *const TableCell) -> Option<usize> {
    // SAFETY: the shared part is there.
    let slots = unsafe { (*cell).slots };
    (slots & SMALL != 0).then_some((slots & !SMALL) as usize)
}

/// The pair of a key, whatever else would be found out.
unsafe fn find(cell: *mut TableCell, key: &RawAny, facts: &mut Facts<'_>) -> Option<*mut Pair> {
    // SAFETY: the caller vouches for the table and the key.
    unsafe {
        let found = if small_slots(cell).is_none() {
            dense::find(cell, key, facts)
        } else {
            let row = (*cell).data.cast::<Pair>();
            (0..(*cell).size as usize)
                .map(|i| row.wrapping_add(i))
                .find(|pair| key::same(&(**pair).key, key, facts))
        };
        if found.is_some() {
            facts.close();
        }
        found
    }
}

/// Position of the first pair.
unsafe fn first(cell: *const TableCell) -> u64 {
    // SAFETY: the fields of a dense table are there when it is one.
    unsafe {
        if small_slots(cell).is_some() {
            0
        } else {
            (*cell).head
        }
    }
}

/// Position of the pair after another.
unsafe fn following(cell: *const TableCell, at: u64) -> u64 {
    // SAFETY: `at` is the position of a pair.
    unsafe {
        if small_slots(cell).is_some() {
            at + 1
        } else {
            dense::next(cell, at)
        }
    }
}

unsafe fn pair_at(cell: *const TableCell, at: u64) -> *mut Pair {
    // SAFETY: `at` is a position inside of the table.
    unsafe {
        if small_slots(cell).is_some() {
            (*cell).data.cast::<Pair>().wrapping_add(at as usize)
        } else {
            dense::pair(cell, at)
        }
    }
}
