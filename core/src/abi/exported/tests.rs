//! Each exported function by its contract, called as a compiled module calls it: through the table.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::manual_dangling_ptr,
    reason = "addresses that stand for themselves, and structures read as modules read them"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::API;
use crate::abi::failure;
use crate::abi::layout::*;
use crate::abi::types::{FieldInfo, MethodInfo, TypeMetadata, flag, layout::TypeAttrColumn};
use crate::error::ErrorKind;
use crate::value::{Any, Kind};
use crate::{DType, Function, zeros};

const NOTHING: RawAny = RawAny {
    type_index: 0,
    small_len: 0,
    payload: 0,
};

fn array(text: &str) -> ByteArray {
    ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    }
}

fn owned(raw: RawAny) -> Any {
    // SAFETY: the tests give values that they own.
    unsafe { Any::from_raw(raw) }
}

fn handle(object: &crate::abi::object::ObjectRef) -> *mut c_void {
    object.handle().as_ptr().cast()
}

fn counts(handle: *mut c_void) -> u64 {
    // SAFETY: the tests give live objects.
    unsafe { &*handle.cast::<ObjectHeader>() }
        .counts
        .load(Ordering::Relaxed)
        & 0xffff_ffff
}

/// How often [`free`] was called.
static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn free(address: *mut c_void) {
    FREED.fetch_add(address as usize, Ordering::Relaxed);
}

/// Kind and message of the error that was left.
fn left() -> (ErrorKind, String) {
    let error = failure::take().expect("an error was left");
    (error.kind(), error.message().to_owned())
}

macro_rules! api {
    ($name:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: the test keeps to the contract, or breaks it where that is refused.
        unsafe { (API.$name)($($arg),*) }
    };
}

mod environment;
mod error;
mod extras;
mod function;
mod object;
mod tensor;
mod types;
mod values;

#[test]
fn the_table_has_the_fifty_functions_in_order() {
    assert_eq!(super::NAMES.len(), 50);
    assert_eq!(API.size as usize, 8 + 50 * 8);
    assert_eq!(super::NAMES[0], "GetVersion");
    assert_eq!(super::NAMES[12], "ErrorSetRaised");
    assert_eq!(super::NAMES[49], "EnvModRegisterSystemLibSymbol");
    let mut version = super::Version {
        major: 9,
        minor: 9,
        patch: 9,
    };
    api!(get_version(&raw mut version));
    assert_eq!((version.major, version.minor), (0, 1));
    api!(get_version(null_mut()));
}
