//! Errors on their way between the library and exceptions of the caller.
#![allow(
    unsafe_code,
    reason = "the C border: pointers of the caller, by the rules stated on each function"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "called from C++ only; the rules are in the module of the caller, abi.hpp"
)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use tenspan_core::abi::layout::{ByteArray, ObjectHeader, RawAny};
use tenspan_core::abi::object::ObjectRef;
use tenspan_core::abi::{closure, failure};
use tenspan_core::error::{Error, ErrorKind};
use tenspan_core::value::{Any, Kind};

use super::{Deleter, Held, bytes, guarded, viewed};

/// An exception that ends a call.
#[repr(C)]
pub struct Raised {
    /// Name of the kind.
    kind: ByteArray,
    /// Message.
    message: ByteArray,
    /// The error object that the exception was made from, or None: then kind and message count.
    error: RawAny,
    /// The error object of what led to it, or None.
    cause: RawAny,
    /// The function that the exception leaves, or null.
    function: *mut c_void,
    /// The exception, or null.
    exception: *mut c_void,
    /// Frees the exception.
    deleter: Deleter,
    /// The file in which it was made; empty when that is not known.
    file: ByteArray,
    /// The line of that file.
    line: u64,
}

impl Raised {
    /// # Safety
    /// The texts and values live during the call.
    unsafe fn error(&self) -> Error {
        let origin = (!self.exception.is_null()).then(|| {
            Arc::new(Held {
                address: self.exception,
                deleter: self.deleter,
            })
        });
        // SAFETY: the caller says so, as below.
        if let Kind::Error(known) = unsafe { viewed(&raw const self.error) }.kind() {
            // An exception object of another language stays what the error came from.
            return match origin {
                Some(origin) if known.origin().is_none() => known.with_origin(origin),
                _ => known,
            };
        }
        // SAFETY: as above.
        let kind = unsafe { bytes(self.kind.data, self.kind.size) };
        // SAFETY: as above.
        let message = unsafe { bytes(self.message.data, self.message.size) };
        let kind = String::from_utf8_lossy(kind);
        let error = Error::from_kind_name(&kind, String::from_utf8_lossy(message));
        // SAFETY: as above.
        let file = unsafe { bytes(self.file.data, self.file.size) };
        let file = String::from_utf8_lossy(file);
        // The place in this file says nothing of the caller's.
        let error = error.with_traceback(if file.is_empty() {
            String::new()
        } else {
            format!("  File \"{file}\", line {}, in <native>\n", self.line)
        });
        match origin {
            Some(origin) => error.with_origin(origin),
            None => error,
        }
    }
}

/// Leaves an error of the caller's, with the exception it was made from. Called in a function that returns -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_raise(raised: *const Raised) {
    // SAFETY: the caller passes the address of such a structure.
    let raised = unsafe { &*raised };
    // SAFETY: its texts and values live during the call.
    let mut error = unsafe { raised.error() };
    // SAFETY: as above.
    if let Kind::Error(cause) = unsafe { viewed(&raw const raised.cause) }.kind() {
        error = error.with_cause(cause);
    }
    // SAFETY: the function is being called.
    let function = unsafe { function(raised.function) };
    if let Some(signature) = function.as_ref().and_then(closure::signature) {
        error = error.through(signature);
    }
    failure::raise(error);
}

/// # Safety
/// `handle` is null or of a live function object.
pub unsafe fn function(handle: *mut c_void) -> Option<ObjectRef> {
    let handle = NonNull::new(handle.cast::<ObjectHeader>())?;
    // SAFETY: the caller says so.
    Some(unsafe { ObjectRef::from_borrowed(handle) })
}

/// Takes the error that the last failed call left, as an error object. When it was made by [`tenspan_raise`] with
/// the same `deleter`, `copy` is called with the exception and `to`; the error object then does not hold the exception, so that the
/// exception may hold it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_take_error(
    deleter: Deleter,
    copy: unsafe extern "C" fn(*mut c_void, *mut c_void),
    to: *mut c_void,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        let missing = || Error::new(ErrorKind::InternalError, "a call failed without an error");
        let error = failure::take().unwrap_or_else(missing);
        let held = error
            .origin()
            .and_then(|origin| origin.downcast_ref::<Held>());
        let mine = held.filter(|held| std::ptr::fn_addr_eq(held.deleter, deleter));
        if let Some(held) = mine {
            // SAFETY: the exception is alive, and the caller passes what its own function copies it to.
            unsafe { copy(held.address, to) };
            return Ok(Any::object(failure::object(error.without_origin())));
        }
        Ok(Any::object(failure::object(error)))
    })
}

/// The key of an error object as a value, or None when it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_error_key(error: *const RawAny, result: *mut RawAny) -> c_int {
    // SAFETY: the caller passes a valid value that lives during the call.
    guarded(result, || match unsafe { viewed(error) }.kind() {
        Kind::Error(error) => Ok(error.key().cloned().unwrap_or(Any::NONE)),
        _ => Ok(Any::NONE),
    })
}

/// An error as a value; it may have another error as its cause.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_error(raised: *const Raised, result: *mut RawAny) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes the address of such a structure.
        let raised = unsafe { &*raised };
        // SAFETY: its texts and values live during the call.
        let mut error = unsafe { raised.error() };
        // SAFETY: as above.
        if let Kind::Error(cause) = unsafe { viewed(&raw const raised.cause) }.kind() {
            error = error.with_cause(cause);
        }
        Ok(Any::object(failure::object(error)))
    })
}
