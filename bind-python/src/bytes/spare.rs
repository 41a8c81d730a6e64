//! Functions without a callable: those that were lent for a call and come back are lent again, so that no memory is asked for.

use std::cell::UnsafeCell;

use pyo3::prelude::*;
use tenspan::abi::object::ObjectRef;

/// Functions that are kept.
const MOST: usize = 8;

struct Spare(UnsafeCell<Vec<ObjectRef>>);

// SAFETY: only threads that are attached look at it, for the time of one operation of a vector that runs no code of others.
unsafe impl Sync for Spare {}

static SPARE: Spare = Spare(UnsafeCell::new(Vec::new()));

/// A function that came back.
#[inline]
pub fn take(_py: Python<'_>) -> Option<ObjectRef> {
    // SAFETY: attached, and the vector is let go of at once.
    unsafe { &mut *SPARE.0.get() }.pop()
}

/// Keeps a function to which nobody else refers, and which holds nothing.
pub fn put(_py: Python<'_>, function: ObjectRef) {
    // SAFETY: as above.
    let spare = unsafe { &mut *SPARE.0.get() };
    let left = if spare.len() < MOST {
        spare.push(function);
        None
    } else {
        Some(function)
    };
    // The vector is not in use any more.
    drop(left);
}
