//! One wrapper for one object: where the wrapper of an object of core stands, while there is one.
//!
//! The address stands in the [`tag`] of the object, so that passing a wrapper on costs nothing. It is read and written by threads
//! that are attached to the interpreter, which is what makes it safe: a wrapper takes its address out as it goes. Objects that
//! others made have no tag; theirs stand in a table.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::ffi;
use pyo3::prelude::*;
use tenspan::abi::layout::index;
use tenspan::abi::object::ObjectRef;
use tenspan::abi::tag::{tag, tag_of_tensor};

/// Types of objects that have wrappers, counted from the first type of an object.
const TYPES: usize = 16;

/// How far behind the beginning of a wrapper the value stands that its tag names, by type.
static OFFSETS: [AtomicUsize; TYPES] = [const { AtomicUsize::new(0) }; TYPES];

/// Of objects of classes: their wrappers begin with what their tag names.
static NO_OFFSET: AtomicUsize = AtomicUsize::new(0);

fn offset(object: &ObjectRef) -> Option<&'static AtomicUsize> {
    if object.type_index() >= index::DYNAMIC {
        return Some(&NO_OFFSET);
    }
    OFFSETS.get(usize::try_from(object.type_index() - index::OBJECT).ok()?)
}

/// Wrappers of objects that others made, which have no tag: by the address of the object, the wrapper and the value inside of it.
/// A wrapper keeps its object, so an address stays that of one object while it stands here.
static OTHERS: Mutex<BTreeMap<usize, (usize, usize)>> = Mutex::new(BTreeMap::new());

fn others() -> MutexGuard<'static, BTreeMap<usize, (usize, usize)>> {
    OTHERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address(object: &ObjectRef) -> usize {
    object.handle().as_ptr() as usize
}

/// The wrapper of an object, if one is alive.
pub fn find<'py>(py: Python<'py>, object: &ObjectRef) -> Option<Bound<'py, PyAny>> {
    let wrapper = match tag(object) {
        Some(tag) => match tag.load(Ordering::Relaxed) {
            0 => return None,
            value => value - offset(object)?.load(Ordering::Relaxed),
        },
        None => others().get(&address(object))?.0,
    };
    let wrapper = wrapper as *mut ffi::PyObject;
    // SAFETY: the memory of a wrapper is there until it has taken its address out, which takes the interpreter.
    let alive = unsafe { ffi::Py_REFCNT(wrapper) } > 0;
    // SAFETY: as above; one that is being destroyed is not taken.
    alive.then(|| unsafe { Bound::from_borrowed_ptr(py, wrapper) })
}

/// Remembers the wrapper of an object; `value` is the address inside of it that [`forget`] will be called with.
pub fn keep(object: &ObjectRef, wrapper: &Bound<'_, PyAny>, value: usize) {
    let Some(tag) = tag(object) else {
        others().insert(address(object), (wrapper.as_ptr() as usize, value));
        return;
    };
    if let Some(offset) = offset(object) {
        offset.store(value - wrapper.as_ptr() as usize, Ordering::Relaxed);
        tag.store(value, Ordering::Relaxed);
    }
}

/// Whether an object has a wrapper that is remembered.
pub fn is_kept(object: &ObjectRef) -> bool {
    match tag(object) {
        Some(tag) => tag.load(Ordering::Relaxed) != 0,
        None => others().contains_key(&address(object)),
    }
}

/// As [`is_kept`], of a tensor.
#[inline]
pub fn is_tensor_kept(tensor: &ObjectRef) -> bool {
    match tag_of_tensor(tensor) {
        Some(tag) => tag.load(Ordering::Relaxed) != 0,
        None => is_kept(tensor),
    }
}

/// Forgets a wrapper that goes. A value that never was in a wrapper stands nowhere that a tag names.
pub fn forget(object: &ObjectRef, value: usize) {
    // Another wrapper may have taken the place of one that was being destroyed.
    if let Some(tag) = tag(object) {
        let _ = tag.compare_exchange(value, 0, Ordering::Relaxed, Ordering::Relaxed);
        return;
    }
    let mut others = others();
    if others
        .get(&address(object))
        .is_some_and(|(_, known)| *known == value)
    {
        others.remove(&address(object));
    }
}
