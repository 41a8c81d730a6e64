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

mod memory;

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tenspan_core::abi::layout::{ByteArray, RawAny, SafeCall};
use tenspan_core::abi::{closure, failure, types};
use tenspan_core::error::{Error, ErrorKind, Result};
use tenspan_core::generated::dispatch::METHODS;
use tenspan_core::value::{Any, AnyView, Args, Complex, FromAny, IntoAny};

/// What the headers compare before their first call.
pub const ABI_VERSION: u32 = 1;

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

/// Leaves an error of the caller's, with the exception it was made from. Called in a callback that returns -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_raise(
    kind: ByteArray,
    message: ByteArray,
    exception: *mut c_void,
    deleter: Deleter,
) {
    let origin = Arc::new(Held {
        address: exception,
        deleter,
    });
    // SAFETY: the caller passes the bytes of a string.
    let kind = unsafe { bytes(kind.data, kind.size) };
    // SAFETY: as above.
    let message = unsafe { bytes(message.data, message.size) };
    let error = Error::from_kind_name(
        &String::from_utf8_lossy(kind),
        String::from_utf8_lossy(message),
    );
    failure::raise(error.with_origin(origin));
}

/// Takes the error that the last failed call left, as an error object. When it was made by [`tenspan_raise`] with
/// the same `deleter`, `exception` is set; it lives as long as the error object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_take_error(
    deleter: Deleter,
    exception: *mut *mut c_void,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        let missing = || Error::new(ErrorKind::InternalError, "a call failed without an error");
        let error = failure::take().unwrap_or_else(missing);
        let origin = error
            .origin()
            .and_then(|origin| origin.downcast_ref::<Held>());
        let mine = origin.filter(|origin| std::ptr::fn_addr_eq(origin.deleter, deleter));
        let address = mine.map_or(std::ptr::null_mut(), |origin| origin.address);
        // SAFETY: the caller passes the address of a pointer.
        unsafe { exception.write(address) };
        Ok(Any::object(failure::object(error)))
    })
}

/// Text as a value. Bytes that are no UTF-8 are a ValueError.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_string(
    data: *const u8,
    size: usize,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes the bytes of a string.
        let text = std::str::from_utf8(unsafe { bytes(data, size) });
        text.map(Any::string).map_err(|error| {
            let message = format!(
                "text must be UTF-8, but byte {} of it is not",
                error.valid_up_to()
            );
            Error::new(ErrorKind::ValueError, message)
        })
    })
}

/// A copy of bytes as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_bytes(data: *const u8, size: usize, result: *mut RawAny) -> c_int {
    // SAFETY: the caller passes bytes that can be read.
    guarded(result, || Ok(Any::bytes(unsafe { bytes(data, size) })))
}

/// A whole number of more than 64 bits with a sign, from its two halves, as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_integer(low: u64, high: i64, result: *mut RawAny) -> c_int {
    guarded(result, || {
        Ok(Any::int(i128::from(high) << 64 | i128::from(low)))
    })
}

/// A complex number as a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_complex(re: f64, im: f64, result: *mut RawAny) -> c_int {
    guarded(result, || Ok(Complex { re, im }.into_any()))
}

/// The real and imaginary part of a complex value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_complex_parts(
    value: *const RawAny,
    parts: *mut [f64; 2],
) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        let wanted = || {
            Error::new(
                ErrorKind::TypeError,
                format!("a complex number is wanted, found {}", view.type_name()),
            )
        };
        let number = Complex::from_any(&view)?.ok_or_else(wanted)?;
        // SAFETY: the caller passes room for two numbers.
        unsafe { parts.write([number.re, number.im]) };
        Ok(Any::NONE)
    })
}

/// Values in order as one value; the items stay the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_array(
    items: *const RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes `count` valid values that live during the call.
        let views = unsafe { closure::views(items, count) };
        Ok(Any::array(views.iter().map(|view| view.to_any()).collect()))
    })
}

/// A function over `entry`, called with `context`; `deleter` is called with it once, when the function goes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_function(
    context: *mut c_void,
    entry: SafeCall,
    deleter: Deleter,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        // SAFETY: the caller promises what `foreign` asks.
        let function = unsafe { closure::foreign(context, entry, Some(deleter)) };
        Ok(Any::object(function))
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
