//! The exported C functions. Those that can fail return 0, or -1 with the error left for [`tenspan_take_error`].
//!
//! Their declarations in C++ are in `include/tenspan/detail/abi.hpp`, their names in `exports.txt`.
//! The list only grows; a change of a signature or a layout raises [`ABI_VERSION`].
#![allow(
    unsafe_code,
    reason = "the C border: pointers of the caller, by the rules stated on each function"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "called from C++ only; the rules are in the module of the caller, abi.hpp"
)]

mod error;
mod function;
mod memory;
mod object;
mod value;

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use tenspan_core::abi::layout::{ByteArray, RawAny};
use tenspan_core::abi::{closure, types};
use tenspan_core::error::{Error, ErrorKind, Result};
use tenspan_core::generated::dispatch::METHODS;
use tenspan_core::value::{Any, AnyView, Args};

// What compiled modules call.
tenspan_core::export_runtime!("TNSCC_");

/// What the headers compare before their first call.
pub const ABI_VERSION: u32 = 3;

/// A view of a value of the caller.
///
/// # Safety
/// `value` is the address of a valid value that lives as long as `'a`.
unsafe fn viewed<'a>(value: *const RawAny) -> AnyView<'a> {
    // SAFETY: the caller passes the address of a value.
    let raw = unsafe { *value };
    // SAFETY: what it points at lives as long as the caller says.
    unsafe { AnyView::from_raw(raw) }
}

/// Frees something of the caller.
type Deleter = unsafe extern "C" fn(*mut c_void);

/// The version of this list of functions.
#[unsafe(no_mangle)]
pub extern "C" fn tenspan_abi_version() -> u32 {
    ABI_VERSION
}

/// The index of a method by its spec name, such as `Tensor.reshape`; -1 when there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_method(name: *const u8, size: usize) -> i32 {
    // SAFETY: the caller passes the bytes of a string literal.
    let name = unsafe { bytes(name, size) };
    METHODS
        .iter()
        .position(|(known, _)| known.as_bytes() == name)
        .map_or(-1, |index| index as i32)
}

/// Calls a method with borrowed values; the result is owned by the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_call(
    method: i32,
    args: *const RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        let Some((name, body)) = usize::try_from(method)
            .ok()
            .and_then(|index| METHODS.get(index))
        else {
            return Err(Error::new(
                ErrorKind::InternalError,
                format!("there is no method {method}"),
            ));
        };
        // SAFETY: the caller passes `count` valid values that live during the call.
        let views = unsafe { closure::views(args, count) };
        body(Args::new(name, views))
    })
}

/// What to call values of a type: `a string`, or `tenspan.File` for a class.
#[unsafe(no_mangle)]
pub extern "C" fn tenspan_type_name(type_index: i32) -> ByteArray {
    let name = types::key(type_index);
    ByteArray {
        data: name.as_ptr(),
        size: name.len(),
    }
}

/// Something of the caller's, freed with its own function.
struct Held {
    address: *mut c_void,
    deleter: Deleter,
}

// SAFETY: the headers pass exceptions and owners of memory, which any thread may hold and free.
unsafe impl Send for Held {}
// SAFETY: as above; it is only read.
unsafe impl Sync for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: called once, with the address that came with the function.
        unsafe { (self.deleter)(self.address) }
    }
}

fn guarded(result: *mut RawAny, body: impl FnOnce() -> Result<Any>) -> c_int {
    // SAFETY: every caller passes null, or room for a value that may be overwritten.
    unsafe { closure::finish(catch_unwind(AssertUnwindSafe(body)), result) }
}

/// # Safety
/// `size` bytes at `data` can be read as long as `'a`, or `size` is 0.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if size == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(data, size) }
}
