//! Functions of the caller, and what is said when they are called wrongly.
#![allow(
    unsafe_code,
    reason = "the C border: pointers of the caller, by the rules stated on each function"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "called from C++ only; the rules are in the module of the caller, abi.hpp"
)]

use std::ffi::{c_int, c_void};

use tenspan_core::abi::closure::{self, Place, Signature};
use tenspan_core::abi::layout::{ByteArray, RawAny, SafeCall};
use tenspan_core::abi::native;
use tenspan_core::error::{Error, ErrorKind, Result};
use tenspan_core::value::{Any, args};

use super::error::function;
use super::{Deleter, bytes, guarded, viewed};

/// What a function is made of.
#[repr(C)]
pub struct Parts {
    /// For the entry point, which finds it 40 bytes behind the handle it is called with.
    context: *mut c_void,
    entry: SafeCall,
    /// Called with the context once, when the function goes.
    deleter: Deleter,
    /// Name, empty when it has none.
    name: ByteArray,
    /// File and line where it was made; empty when unknown.
    file: ByteArray,
    /// Names of parameters.
    parameters: *const ByteArray,
    count: u32,
    line: u32,
}

/// A function over an entry point of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_function(parts: *const Parts, result: *mut RawAny) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes the address of such a structure.
        let parts = unsafe { &*parts };
        // SAFETY: its texts live during the call.
        let signature = unsafe { signature(parts) }?;
        // SAFETY: the caller promises what `new` asks.
        let object =
            unsafe { native::new(parts.context, parts.entry, Some(parts.deleter), signature) };
        Ok(Any::object(object))
    })
}

/// # Safety
/// The texts of `parts` live during the call.
unsafe fn signature(parts: &Parts) -> Result<Option<Signature>> {
    let text = |bytes_of: &ByteArray| {
        // SAFETY: the caller says so.
        let bytes = unsafe { bytes(bytes_of.data, bytes_of.size) };
        String::from_utf8(bytes.to_vec()).map_err(|_| {
            let message = "the name of a function must be UTF-8";
            Error::new(ErrorKind::ValueError, message)
        })
    };
    if parts.name.size == 0 && parts.count == 0 {
        return Ok(None);
    }
    let parameters = if parts.count == 0 {
        &[][..]
    } else {
        // SAFETY: the caller passes that many names.
        unsafe { std::slice::from_raw_parts(parts.parameters, parts.count as usize) }
    };
    let file = text(&parts.file)?;
    let place = (!file.is_empty()).then(|| Place {
        file: file.into(),
        line: parts.line,
    });
    Ok(Some(Signature {
        name: text(&parts.name)?,
        parameters: parameters.iter().map(text).collect::<Result<_>>()?,
        place,
    }))
}

/// The error of an argument of another kind, for the function at `handle`: its own name and that of the parameter are in the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_argument_error(
    handle: *mut c_void,
    position: u32,
    wanted: ByteArray,
    found: *const RawAny,
) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes the function that is called.
        let function = unsafe { function(handle) };
        let signature = function.as_ref().and_then(closure::signature);
        // SAFETY: the caller passes the bytes of a string.
        let wanted = unsafe { bytes(wanted.data, wanted.size) };
        // SAFETY: the caller passes a valid value that lives during the call.
        let found = unsafe { viewed(found) };
        let wanted = String::from_utf8_lossy(wanted);
        Err(args::mismatch(
            signature.map(|signature| &**signature),
            position as usize,
            &wanted,
            &found,
        ))
    })
}

/// The error of a value of an argument that is of the right kind and wrong all the same: `kind` and `message` say why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_argument_value_error(
    handle: *mut c_void,
    position: u32,
    kind: ByteArray,
    message: ByteArray,
) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes the function that is called.
        let function = unsafe { function(handle) };
        let signature = function.as_ref().and_then(closure::signature);
        // SAFETY: the caller passes the bytes of a string.
        let kind = unsafe { bytes(kind.data, kind.size) };
        // SAFETY: as above.
        let message = unsafe { bytes(message.data, message.size) };
        let error = Error::from_kind_name(
            &String::from_utf8_lossy(kind),
            String::from_utf8_lossy(message),
        );
        let place = args::place(signature.map(|signature| &**signature), position as usize);
        Err(error.at(place))
    })
}

/// The error of a call with another number of arguments than the function at `handle` takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_count_error(
    handle: *mut c_void,
    least: u32,
    most: u32,
    found: u32,
) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes the function that is called.
        let function = unsafe { function(handle) };
        let signature = function.as_ref().and_then(closure::signature);
        let name = args::called(signature.map(|signature| &**signature));
        Err(args::miscount(
            name,
            least as usize,
            most as usize,
            found as usize,
        ))
    })
}
