//! Error objects, and the error that a failed call leaves for its caller.
#![allow(
    unsafe_code,
    reason = "cells hold addresses of texts in the same object"
)]

use std::cell::RefCell;

use super::layout::{ByteArray, ErrorCell, ObjectHeader, index};
use super::object::{self, Boxed, ObjectRef};
use crate::error::Error;

thread_local! {
    static RAISED: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Leaves an error for the caller of the function that is about to return -1.
pub fn raise(error: Error) {
    RAISED.with(|slot| *slot.borrow_mut() = Some(error));
}

/// Takes the error that a failed call left.
pub fn take() -> Option<Error> {
    RAISED.with(|slot| slot.borrow_mut().take())
}

/// The cell that readers of the ABI see, then the error its texts belong to.
#[repr(C)]
struct Failure {
    cell: ErrorCell,
    error: Error,
}

// SAFETY: the addresses are of texts inside `error`, which never changes.
unsafe impl Send for Failure {}
// SAFETY: as above.
unsafe impl Sync for Failure {}

/// An error object with the texts of an error.
pub fn object(error: Error) -> ObjectRef {
    let text = |text: &str| ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    };
    // The texts live in the shared part of `error`, so they stay where they are when `error` moves.
    let cell = ErrorCell {
        kind: text(error.kind_name()),
        message: text(error.message()),
        backtrace: text(error.traceback()),
        update_backtrace: None,
        cause_chain: std::ptr::null_mut(),
        extra_context: std::ptr::null_mut(),
    };
    Boxed::object(index::ERROR, Failure { cell, error }, 0).0
}

/// The texts of an error object that anyone made.
///
/// # Safety
/// `handle` is a live object of type Error.
pub unsafe fn read(handle: std::ptr::NonNull<ObjectHeader>) -> Error {
    // SAFETY: every error object begins with the three texts of its cell; only these are read.
    let cell: &ErrorCell = unsafe { object::value(handle) };
    let text = |bytes: &ByteArray| {
        if bytes.data.is_null() || bytes.size == 0 {
            return String::new();
        }
        // SAFETY: the cell says that `size` bytes stand at `data`.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.data, bytes.size) };
        String::from_utf8_lossy(bytes).into_owned()
    };
    Error::from_kind_name(&text(&cell.kind), text(&cell.message))
        .with_traceback(text(&cell.backtrace))
}
