//! Function objects: made from a Rust closure, called whoever made them.
#![allow(
    unsafe_code,
    reason = "functions are called through their C entry point"
)]

use std::any::Any as StdAny;
use std::borrow::Cow;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::any::{Any, AnyView};
use super::layout::{FunctionCell, RawAny, SafeCall, index};
use super::object::{self, Boxed, ObjectRef};
use super::{failure, native};
use crate::error::{Error, ErrorKind, Result};

/// What a function does, and what it was made of.
pub trait Body: Send + Sync {
    /// Does it.
    ///
    /// # Errors
    /// What the function raises.
    fn call(&self, args: &[AnyView<'_>]) -> Result<Any>;

    /// What the function was made of, when that is known by its type.
    fn value(&self) -> &(dyn StdAny + Send + Sync);
}

impl<F: Fn(&[AnyView<'_>]) -> Result<Any> + Send + Sync> Body for F {
    fn call(&self, args: &[AnyView<'_>]) -> Result<Any> {
        self(args)
    }

    fn value(&self) -> &(dyn StdAny + Send + Sync) {
        &()
    }
}

/// The cell that callers see, then the closure.
#[repr(C)]
struct Closure {
    cell: Cell,
    body: Box<dyn Body>,
    signature: Option<Arc<Signature>>,
}

/// What a function says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    /// What messages call the function.
    pub name: String,
    /// Names of its parameters in order, for calls by name.
    pub parameters: Vec<String>,
    /// Where it was made, for tracebacks.
    pub place: Option<Place>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the compiler names it.
    pub file: Cow<'static, str>,
    /// The line, from 1.
    pub line: u32,
}

#[repr(transparent)]
struct Cell(FunctionCell);

// SAFETY: the cell holds addresses of code, which never change.
unsafe impl Send for Cell {}
// SAFETY: as above.
unsafe impl Sync for Cell {}

/// A function object over a closure.
pub fn new(body: Box<dyn Body>, signature: Option<Signature>) -> ObjectRef {
    let cell = Cell(FunctionCell {
        safe_call: Some(call_closure),
        cpp_call: std::ptr::null_mut(),
    });
    let signature = signature.map(Arc::new);
    let closure = Closure {
        cell,
        body,
        signature,
    };
    Boxed::with_deleter(index::FUNCTION, closure, 0, delete_closure).0
}

/// Destroys and frees a function made here.
// Its address tells objects of ours, so there must be only one of it.
#[inline(never)]
pub(super) unsafe extern "C" fn delete_closure(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects made of a `Closure`.
    unsafe { object::delete::<Closure>(handle, flags) }
}

/// The closure of a function made here.
fn closure(function: &ObjectRef) -> Option<&Closure> {
    let ours = function.header().deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            delete_closure as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    // SAFETY: objects with this deleter are made by `new`, of a `Closure`, which lives as long as the reference.
    ours.then(|| unsafe { object::value::<Closure>(function.handle()) })
}

/// What a function was made of, when it was made here.
pub fn value(function: &ObjectRef) -> Option<&(dyn StdAny + Send + Sync)> {
    closure(function).map(|closure| closure.body.value())
}

/// What a function says of itself, when it was made here and says something.
pub fn signature(function: &ObjectRef) -> Option<&Arc<Signature>> {
    match closure(function) {
        Some(closure) => closure.signature.as_ref(),
        None => native::signature(function),
    }
}

unsafe extern "C" fn call_closure(
    handle: *mut c_void,
    args: *const RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    let Some(handle) = std::ptr::NonNull::new(handle.cast()) else {
        failure::raise(Error::new(
            ErrorKind::InternalError,
            "a function was called without its object",
        ));
        return -1;
    };
    // SAFETY: objects with this entry point are made by `new`, and the caller keeps the object during the call.
    let closure: &Closure = unsafe { object::value(handle) };
    // SAFETY: the convention gives `count` views that live during the call.
    let args = unsafe { views(args, count) };
    let outcome = catch_unwind(AssertUnwindSafe(|| closure.body.call(args)));
    // SAFETY: by the convention `result` is a slot that holds no object.
    unsafe { end(outcome, result, closure.signature.as_ref()) }
}

/// The arguments of a call by the ABI's convention.
///
/// # Safety
/// `args` points at `count` valid values that live as long as `'a`, or `count` is 0.
pub unsafe fn views<'a>(args: *const RawAny, count: i32) -> &'a [AnyView<'a>] {
    if count <= 0 || args.is_null() {
        return &[];
    }
    // SAFETY: `AnyView` has the layout of `RawAny`, and the caller vouches for the rest.
    unsafe { std::slice::from_raw_parts(args.cast(), count as usize) }
}

/// Ends a call by the ABI's convention: 0 with a result, or -1 with the error of this thread set.
///
/// # Safety
/// `result` is null, or a slot that holds no object and may be written.
pub unsafe fn finish(outcome: std::thread::Result<Result<Any>>, result: *mut RawAny) -> c_int {
    // SAFETY: the caller says the same of `result`.
    unsafe { end(outcome, result, None) }
}

/// As [`finish`], of a function that says something of itself.
///
/// # Safety
/// As for [`finish`].
#[inline]
unsafe fn end(
    outcome: std::thread::Result<Result<Any>>,
    result: *mut RawAny,
    signature: Option<&Arc<Signature>>,
) -> c_int {
    match outcome {
        Ok(Ok(value)) => {
            if !result.is_null() {
                // SAFETY: the caller says so.
                unsafe { result.write(value.into_raw()) };
            }
            0
        }
        Ok(Err(error)) => raise(error, signature),
        Err(panic) => raise(panicked(&*panic), signature),
    }
}

#[cold]
fn raise(error: Error, signature: Option<&Arc<Signature>>) -> c_int {
    failure::raise(match signature {
        Some(function) => error.through(function),
        None => error,
    });
    -1
}

/// The error of a panic.
#[cold]
fn panicked(panic: &(dyn StdAny + Send)) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let message = format!("a Rust function panicked: {text}");
    Error::new(ErrorKind::InternalError, message)
}

/// Calls any function object.
pub fn call(function: &ObjectRef, args: &[AnyView<'_>]) -> Result<Any> {
    let handle = function.handle().as_ptr();
    // SAFETY: every function object has a FunctionCell behind its header.
    let entry = unsafe { (*object::cell::<FunctionCell>(function.handle())).safe_call };
    let Some(entry) = entry else {
        return Err(Error::new(
            ErrorKind::TypeError,
            "the function has no entry point",
        ));
    };
    // SAFETY: the entry point takes its own object as context, which `function` keeps alive.
    unsafe { call_entry(entry, handle.cast(), args) }
}

/// # Safety
/// `entry` follows the ABI's calling convention when given `context`.
unsafe fn call_entry(entry: SafeCall, context: *mut c_void, args: &[AnyView<'_>]) -> Result<Any> {
    let mut result = Any::NONE.into_raw();
    // SAFETY: `AnyView` has the layout of `RawAny`; `result` is a fresh slot that holds no object.
    let code = unsafe {
        entry(
            context,
            args.as_ptr().cast(),
            args.len() as i32,
            &raw mut result,
        )
    };
    // SAFETY: the callee left an owned value in the slot, or the None that was there.
    let value = unsafe { Any::from_raw(result) };
    match code {
        0 => Ok(value),
        _ => Err(left_behind(code)),
    }
}

/// The error that a call left.
#[cold]
pub(super) fn left_behind(code: c_int) -> Error {
    failure::take().unwrap_or_else(|| {
        Error::new(
            ErrorKind::InternalError,
            format!("a function returned {code} without an error"),
        )
    })
}
