//! The error of this thread, error objects, and where the caller is.

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};

use super::{bytes, c_text, give, guarded, held, null};
use crate::abi::failure;
use crate::abi::layout::ByteArray;
use crate::error::Error;

/// Takes the error of this thread; null when there is none.
pub unsafe extern "C" fn error_move_from_raised(out: *mut *mut c_void) {
    if out.is_null() {
        return;
    }
    let handle = failure::take_object().map_or(std::ptr::null_mut(), |error| {
        error.into_handle().as_ptr().cast()
    });
    // SAFETY: the caller gives room for a handle.
    unsafe { out.write(handle) };
}

/// Makes an error that of this thread; the caller keeps its reference.
pub unsafe extern "C" fn error_set_raised(error: *mut c_void) {
    // SAFETY: the caller gives a live object.
    match unsafe { held(error, "the error to raise") } {
        Ok(error) => failure::raise_object(error),
        Err(error) => failure::raise(error),
    }
}

/// Raises an error of a kind with a message.
pub unsafe extern "C" fn error_set_raised_from_c_str(kind: *const c_char, message: *const c_char) {
    // SAFETY: the caller gives strings, as below.
    let kind = unsafe { c_text(kind) };
    // SAFETY: as above.
    let message = unsafe { c_text(message) };
    failure::raise(raised(&kind, &message));
}

/// Raises an error of a kind with a message in parts; those that are null are left out.
pub unsafe extern "C" fn error_set_raised_from_c_str_parts(
    kind: *const c_char,
    parts: *mut *const c_char,
    count: i32,
) {
    let parts = if parts.is_null() || count <= 0 {
        &[]
    } else {
        // SAFETY: the caller gives so many addresses of strings.
        unsafe { std::slice::from_raw_parts(parts, count as usize) }
    };
    let mut message = String::new();
    for part in parts {
        // SAFETY: as above.
        message.push_str(&unsafe { c_text(*part) });
    }
    // SAFETY: the caller gives a string.
    failure::raise(raised(&unsafe { c_text(kind) }, &message));
}

/// An error that a module raised; the place in this file says nothing of the module.
fn raised(kind: &str, message: &str) -> Error {
    let kind = if kind.is_empty() {
        "RuntimeError"
    } else {
        kind
    };
    Error::from_kind_name(kind, message).with_traceback("")
}

/// An error object.
pub unsafe extern "C" fn error_create(
    kind: *const ByteArray,
    message: *const ByteArray,
    backtrace: *const ByteArray,
    out: *mut *mut c_void,
) -> c_int {
    let none = std::ptr::null_mut();
    // SAFETY: the caller says the same of what both take.
    unsafe { error_create_with_cause_and_extra_context(kind, message, backtrace, none, none, out) }
}

/// An error object with what led to it and anything else, each unless null.
pub unsafe extern "C" fn error_create_with_cause_and_extra_context(
    kind: *const ByteArray,
    message: *const ByteArray,
    backtrace: *const ByteArray,
    cause: *mut c_void,
    extra: *mut c_void,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        let lossy = |array, what| {
            // SAFETY: the caller gives valid arrays.
            let bytes = unsafe { bytes(array, what) }?;
            Ok::<_, Error>(String::from_utf8_lossy(bytes))
        };
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        let kind = lossy(kind, "the kind of an error")?;
        let message = lossy(message, "the message of an error")?;
        let backtrace = lossy(backtrace, "the backtrace of an error")?;
        let error = raised(&kind, &message).with_traceback(backtrace);
        // SAFETY: the caller gives live objects or null, as below.
        let cause = unsafe { held(cause, "") }.ok();
        // SAFETY: as above.
        let extra = unsafe { held(extra, "") }.ok();
        // SAFETY: the caller gives room for a handle.
        unsafe { give(out, failure::object_with(error, cause, extra)) }
    })
}

thread_local! {
    static BACKTRACE: RefCell<(String, ByteArray)> = const {
        RefCell::new((String::new(), ByteArray { data: std::ptr::null(), size: 0 }))
    };
}

/// The line of a traceback for a place in the source, valid until the next call on this thread. The stack is not walked: that takes
/// longer than all else about an error, and its frames say little without the symbols of the module.
pub unsafe extern "C" fn backtrace(
    file: *const c_char,
    line: c_int,
    function: *const c_char,
    _cross_ffi_boundary: c_int,
) -> *const ByteArray {
    static NONE: Empty = Empty(ByteArray {
        data: c"".as_ptr().cast(),
        size: 0,
    });
    if file.is_null() {
        return &raw const NONE.0;
    }
    // SAFETY: the caller gives strings or null, as below.
    let file = unsafe { c_text(file) };
    // SAFETY: as above.
    let function = unsafe { c_text(function) };
    let function = if function.is_empty() {
        "<unknown>"
    } else {
        &*function
    };
    let text = format!("  File \"{file}\", line {line}, in {function}\n");
    let kept = BACKTRACE.try_with(|slot| {
        let mut slot = slot.borrow_mut();
        slot.1 = ByteArray {
            data: text.as_ptr(),
            size: text.len(),
        };
        slot.0 = text;
        &raw const slot.1
    });
    kept.unwrap_or(&raw const NONE.0)
}

struct Empty(ByteArray);

// SAFETY: the address is of a text of the program.
unsafe impl Sync for Empty {}
