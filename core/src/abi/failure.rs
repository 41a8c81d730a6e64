//! Error objects, and the error that a failed call leaves for its caller.
#![allow(
    unsafe_code,
    reason = "cells hold addresses of texts in the same object"
)]

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use super::guest;
use super::layout::{ByteArray, ErrorCell, ObjectHeader, index};
use super::neighbour::{self, Neighbour};
use super::object::{self, Boxed, ObjectRef};
use crate::error::{Error, ErrorKind};

/// The error that a function leaves for its caller.
enum Raised {
    /// One of ours; an object is made of it only for those who want one.
    Error(Error),
    /// An object that a compiled module made, which gets it back as it is.
    Object(ObjectRef),
}

impl Raised {
    fn into_object(self) -> ObjectRef {
        match self {
            Raised::Error(error) => object(error),
            Raised::Object(object) => object,
        }
    }
}

thread_local! {
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// Leaves an error for the caller of the function that is about to return -1.
pub fn raise(error: Error) {
    put(Raised::Error(error));
}

/// Leaves an error object.
pub fn raise_object(object: ObjectRef) {
    if object.type_index() == index::ERROR {
        return put(Raised::Object(object));
    }
    let found = super::types::key(object.type_index());
    let message = format!("an error is wanted to raise, found {found}");
    raise(Error::new(ErrorKind::InternalError, message));
}

fn put(raised: Raised) {
    if guest::is_guest() {
        let _none = guest::raise(raised.into_object());
        return;
    }
    let raised = match neighbour::connected() {
        Some(other) => {
            let object = raised.into_object();
            other.set(&object);
            Raised::Object(object)
        }
        None => raised,
    };
    // What was there is dropped after the slot is free again: that may run anybody's code. A thread that ends has no slot.
    let _old = RAISED.try_with(|slot| slot.borrow_mut().replace(raised));
}

fn take_raised() -> Option<Raised> {
    if guest::is_guest() {
        return guest::take().map(Raised::Object);
    }
    let own = RAISED
        .try_with(|slot| slot.borrow_mut().take())
        .ok()
        .flatten();
    // Everything that is left here is left there too, and what functions of the other runtime leave is there alone.
    let theirs = neighbour::connected().and_then(Neighbour::take);
    theirs.map(Raised::Object).or(own)
}

/// Takes the error that a failed call left.
pub fn take() -> Option<Error> {
    Some(match take_raised()? {
        Raised::Error(error) => error,
        // SAFETY: `raise_object` keeps only objects of type Error, and the reference keeps this one alive.
        Raised::Object(object) => unsafe { read(object.handle()) },
    })
}

/// Takes the error that a failed call left, as an object.
pub fn take_object() -> Option<ObjectRef> {
    take_raised().map(Raised::into_object)
}

/// The cell that readers of the ABI see, then the error its texts belong to.
#[repr(C)]
struct Failure {
    cell: ErrorCell,
    error: Error,
    later: Mutex<Later>,
}

/// What readers did with the frames of an error since it became an object.
#[derive(Default)]
struct Later {
    /// All frames as they were after each change; a reader may still hold an address into an earlier one.
    texts: Vec<Box<str>>,
    /// Frames that were added, while none were replaced.
    added: Option<String>,
    are_replaced: bool,
}

// SAFETY: the addresses are of texts inside `error` and `frames`, which live as long as the object.
unsafe impl Send for Failure {}
// SAFETY: as above; frames are added under a lock.
unsafe impl Sync for Failure {}

impl Drop for Failure {
    fn drop(&mut self) {
        for held in [self.cell.cause_chain, self.cell.extra_context] {
            if let Some(held) = NonNull::new(held.cast()) {
                // SAFETY: the object owns one count of each, given to the cell when it was made.
                unsafe { object::release(held) };
            }
        }
    }
}

pub(super) unsafe extern "C" fn delete_failure(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects that `object` made of a `Failure`.
    unsafe { object::delete::<Failure>(handle, flags) }
}

fn text(text: &str) -> ByteArray {
    ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    }
}

/// An error object with the texts of an error.
pub fn object(error: Error) -> ObjectRef {
    let cause = error.cause().map(|cause| object(cause.clone()));
    object_with(error, cause, None)
}

/// An error object with the texts of an error, what led to it, and anything else.
pub fn object_with(error: Error, cause: Option<ObjectRef>, extra: Option<ObjectRef>) -> ObjectRef {
    let given = |object: Option<ObjectRef>| {
        object.map_or(std::ptr::null_mut(), |object| {
            object.into_handle().as_ptr().cast()
        })
    };
    // The texts live in the shared part of `error`, so they stay where they are when `error` moves.
    let cell = ErrorCell {
        kind: text(error.kind_name()),
        message: text(error.message()),
        backtrace: text(error.traceback()),
        update_backtrace: Some(update_backtrace),
        cause_chain: given(cause),
        extra_context: given(extra),
    };
    let later = Mutex::default();
    let failure = Failure { cell, error, later };
    Boxed::with_deleter(index::ERROR, failure, 0, delete_failure).0
}

/// Replaces (0) or extends (1) the frames of an error object that [`object`] made.
unsafe extern "C" fn update_backtrace(handle: *mut c_void, frames: *const ByteArray, mode: i32) {
    let (Some(handle), false) = (NonNull::new(handle.cast()), frames.is_null()) else {
        return;
    };
    // SAFETY: the function stands in the cell of objects made of a `Failure` alone, and is called with their handle.
    let failure: &Failure = unsafe { object::value(handle) };
    // SAFETY: the caller gives the address of a text.
    let frames = unsafe { &*frames };
    // SAFETY: the text is valid during the call.
    let given = unsafe { read_text(frames) };
    let mut later = failure.later.lock().unwrap_or_else(PoisonError::into_inner);
    let frames = if mode == 0 {
        later.are_replaced = true;
        given
    } else {
        let old = later.texts.last();
        let all = format!(
            "{}{given}",
            old.map_or(failure.error.traceback(), |old| old)
        );
        later.added.get_or_insert_default().push_str(&given);
        all
    };
    later.texts.push(frames.into_boxed_str());
    let newest = later.texts.last().map_or(text(""), |frames| text(frames));
    // SAFETY: the place is inside of the live object; whoever reads it at the same time breaks the rule of the ABI that an
    // error belongs to one thread while it is raised.
    unsafe { (*object::cell::<ErrorCell>(handle)).backtrace = newest };
}

/// The error in an error object that anyone made. One of ours keeps its origin.
///
/// # Safety
/// `handle` is a live object of type Error.
pub unsafe fn read(handle: NonNull<ObjectHeader>) -> Error {
    // SAFETY: the caller says that the object lives.
    let deleter = unsafe { handle.as_ref() }.deleter;
    let ours = deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            delete_failure as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    if ours {
        // SAFETY: the deleter tells that the object was made of a `Failure`.
        let failure: &Failure = unsafe { object::value(handle) };
        let later = failure.later.lock().unwrap_or_else(PoisonError::into_inner);
        let error = failure.error.clone();
        return match (&later.added, later.texts.last()) {
            (_, Some(all)) if later.are_replaced => error.with_traceback(&**all),
            (Some(added), _) => error.with_frames(&**added),
            _ => error,
        };
    }
    // SAFETY: every error object begins with the three texts of its cell; only these are read, because what follows differs
    // between the versions that modules were built with.
    let [kind, message, backtrace] = unsafe { *object::cell::<[ByteArray; 3]>(handle) };
    // SAFETY: the texts live as long as the object. So below.
    let kind = unsafe { read_text(&kind) };
    // SAFETY: as above.
    let message = unsafe { read_text(&message) };
    // SAFETY: as above.
    let backtrace = unsafe { read_text(&backtrace) };
    Error::from_kind_name(&kind, message).with_traceback(backtrace)
}

/// # Safety
/// `size` bytes stand at `data`, or it is null.
unsafe fn read_text(bytes: &ByteArray) -> String {
    if bytes.data.is_null() || bytes.size == 0 {
        return String::new();
    }
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.data, bytes.size) };
    String::from_utf8_lossy(bytes).into_owned()
}
