//! Memory that JavaScript and core look at together, and all else that the engine's interface calls unsafe.
//!
//! Typed arrays become tensors and tensors typed arrays, without a copy and in both directions kept alive.
#![allow(unsafe_code, reason = "external memory is unsafe in Node-API")]

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use napi::bindgen_prelude::{
    FromNapiValue, FunctionRef, JsValue, Object, ToNapiValue, TypedArray, Unknown, ValueType,
};
use napi::{Env, Status, sys};
use tenspan::abi::layout::{ByteArray, ObjectHeader, RawAny, index};
use tenspan::storage::Storage;
use tenspan::value::{Any, AnyView};
use tenspan::{DType, DTypeName, Tensor};

use crate::host::{Ask, Scope};

pub mod entry;
pub mod frame;
pub mod pinned;
pub mod wake;
pub mod watched;

// What compiled modules call.
tenspan::export_runtime!("TNSJS_");

/// Largest whole number that a JavaScript number holds without doubt.
pub const MAX_SAFE: i64 = (1 << 53) - 1;

/// Keeps memory of others alive that a tensor looks at.
#[derive(Default)]
pub struct Lender {
    /// Returns what is lent; see [`Ask::Lend`]. Not there yet while a typed array is an argument of the current call, which
    /// keeps it: most tensors over one end with the call.
    function: OnceLock<FunctionRef<(), Unknown<'static>>>,
    /// Address of the first byte of the owner's buffer, if it has one.
    start: Option<u64>,
    /// The value of an owner that is of this library.
    #[allow(dead_code, reason = "held for its destructor")]
    held: Option<Any>,
}

impl Lender {
    /// Holds an object of JavaScript.
    pub fn new(scope: &Scope<'_>, owner: Unknown<'_>, held: Option<Any>) -> napi::Result<Self> {
        let array = scope.ask(Ask::Array, owner)?;
        let start = match array.get_type()? {
            ValueType::Object => {
                let array: TypedArray<'_> = read(array)?;
                Some(array.arraybuffer.as_ptr() as u64)
            }
            _ => None,
        };
        let lender = Lender {
            start,
            held,
            ..Lender::default()
        };
        lender.hold(scope, owner)?;
        Ok(lender)
    }

    /// Holds the owner, if it does not yet.
    fn hold(&self, scope: &Scope<'_>, owner: Unknown<'_>) -> napi::Result<()> {
        if self.function.get().is_none() {
            // One that is there already is as good.
            let _ = self.function.set(read(scope.ask(Ask::Lend, owner)?)?);
        }
        Ok(())
    }

    /// What is lent.
    fn lent<'env>(&self, env: &'env Env) -> napi::Result<Option<Unknown<'env>>> {
        let Some(function) = self.function.get() else {
            return Ok(None);
        };
        let lent: Unknown<'_> = function.borrow_back(env)?.call(())?;
        Ok(Some(unknown(env, lent.raw())))
    }
}

/// Reads a value as a Rust type.
pub fn read<T: FromNapiValue>(value: Unknown<'_>) -> napi::Result<T> {
    // SAFETY: the value is one of the current call, on its thread; the conversions report a value of another type.
    unsafe { T::from_napi_value(value.value().env, value.raw()) }
}

/// A value of the current call.
pub fn unknown<'env>(env: &'env Env, value: sys::napi_value) -> Unknown<'env> {
    // SAFETY: as in `read`; `env` lives no longer than the call.
    unsafe { Unknown::from_raw_unchecked(env.raw(), value) }
}

/// Calls a function of JavaScript. What it throws stays thrown.
pub fn call<'env>(
    env: &'env Env,
    function: sys::napi_value,
    args: &[sys::napi_value],
) -> napi::Result<Unknown<'env>> {
    let mut nothing = ptr::null_mut();
    // SAFETY: asks for a value of the current scope.
    check(unsafe { sys::napi_get_undefined(env.raw(), &mut nothing) })?;
    let mut result = ptr::null_mut();
    // SAFETY: all are values of the current scope; what is no function is reported.
    check(unsafe {
        sys::napi_call_function(
            env.raw(),
            nothing,
            function,
            args.len(),
            args.as_ptr(),
            &mut result,
        )
    })?;
    Ok(unknown(env, result))
}

/// Catches what was thrown, if anything was.
pub fn caught<'env>(env: &'env Env) -> Option<Unknown<'env>> {
    let mut is_thrown = false;
    // SAFETY: asks for a fact.
    let status = unsafe { sys::napi_is_exception_pending(env.raw(), &mut is_thrown) };
    if status != sys::Status::napi_ok || !is_thrown {
        return None;
    }
    let mut thrown = ptr::null_mut();
    // SAFETY: asks for a value of the current scope.
    let status = unsafe { sys::napi_get_and_clear_last_exception(env.raw(), &mut thrown) };
    (status == sys::Status::napi_ok).then(|| unknown(env, thrown))
}

/// The frame in a buffer of the package.
pub fn frame(buffer: Unknown<'_>) -> napi::Result<frame::Frame> {
    frame::Frame::new(buffer.value().env, buffer.raw())
}

/// The address of the object that a value is; 0 for one that is none.
#[inline]
pub fn address(value: AnyView<'_>) -> u64 {
    let raw = value.raw();
    if raw.type_index >= index::OBJECT {
        raw.payload
    } else {
        0
    }
}

/// How many hold the object that a value is; none for one that is no object.
#[inline]
pub fn holders(value: AnyView<'_>) -> u32 {
    let header = address(value) as *const ObjectHeader;
    // SAFETY: the address is null, or that of an object's header, which lives as long as the value does.
    let header = unsafe { header.as_ref() };
    header.map_or(0, |header| header.counts.load(Ordering::Relaxed) as u32)
}

/// Bytes as a `Buffer` of their own.
pub fn buffer<'env>(scope: &Scope<'env>, bytes: &[u8]) -> napi::Result<Unknown<'env>> {
    let mut value = ptr::null_mut();
    // SAFETY: the bytes are copied during the call.
    check(unsafe {
        sys::napi_create_buffer_copy(
            scope.env.raw(),
            bytes.len(),
            bytes.as_ptr().cast(),
            ptr::null_mut(),
            &mut value,
        )
    })?;
    Ok(unknown(scope.env, value))
}

/// Looks at the bytes of a typed array; none of JavaScript runs meanwhile.
pub fn contents<T>(array: Unknown<'_>, look: impl FnOnce(&[u8]) -> T) -> napi::Result<T> {
    let array: TypedArray<'_> = read(array)?;
    Ok(look(array.arraybuffer.as_ref()))
}

/// Bytes of a typed array, for one call in which no JavaScript runs.
pub struct Lent(ByteArray);

impl Lent {
    /// The bytes of `array`, which must be a typed array.
    pub fn new(array: Unknown<'_>) -> napi::Result<Self> {
        let array: TypedArray<'_> = read(array)?;
        Ok(Lent(ByteArray {
            data: array.arraybuffer.as_ptr(),
            size: array.arraybuffer.len(),
        }))
    }

    /// The bytes as a value of core.
    pub fn view(&self) -> AnyView<'_> {
        let raw = RawAny {
            type_index: index::BYTE_ARRAY,
            small_len: 0,
            payload: ptr::from_ref(&self.0) as u64,
        };
        // SAFETY: this is how the ABI lends bytes. The array is an argument of the current call, so it is not
        // collected; only JavaScript could take its memory away, and none runs while bytes are lent (`Given::settle`).
        unsafe { AnyView::from_raw(raw) }
    }
}

/// What Node-API tells of a typed array.
struct Shape {
    kind: sys::napi_typedarray_type,
    length: usize,
    data: *mut u8,
}

/// What is known of a typed array; none for other values.
#[inline]
fn shape(env: sys::napi_env, value: sys::napi_value) -> Option<Shape> {
    let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
    // SAFETY: a value of the current call; one of another kind is reported. Nothing else is asked for.
    let status = unsafe {
        sys::napi_get_typedarray_info(
            env,
            value,
            &mut kind,
            &mut length,
            &mut data,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    (status == sys::Status::napi_ok).then_some(Shape {
        kind,
        length,
        data: data.cast(),
    })
}

/// The bytes of a typed array, for one call in which no JavaScript runs; none for other values and for arrays without any,
/// which may have lost them.
#[inline(always)]
pub fn shown<'env>(scope: &Scope<'env>, value: sys::napi_value) -> Option<&'env [u8]> {
    let (mut data, mut len) = (ptr::null_mut(), 0);
    // SAFETY: a value of the current call; one that is no array, or not to be asked so in this engine, is reported.
    let status = unsafe { sys::napi_get_buffer_info(scope.env.raw(), value, &mut data, &mut len) };
    if status != sys::Status::napi_ok || len == 0 {
        return None;
    }
    // SAFETY: the engine says that the array, an argument of the current call, shows so many bytes there.
    Some(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) })
}

/// A tensor over the memory of a typed array; none for other values. The array is to be [kept](keep) if the tensor outlives
/// the current call.
pub fn tensor(scope: &Scope<'_>, value: Unknown<'_>) -> napi::Result<Option<Tensor>> {
    let Some(mut array) = shape(scope.env.raw(), value.raw()) else {
        return Ok(None);
    };
    let mut dtype = element_type(array.kind as u32 + 1);
    if scope.room.has_halves && dtype.is_none_or(|dtype| dtype == DType::I8) {
        // Engines without a number for `Float16Array` call it the first of their list.
        let halves = scope.ask(Ask::Halves, value)?;
        if let Some(bits) = shape(scope.env.raw(), halves.raw()) {
            (array, dtype) = (bits, Some(DType::F16));
        }
    }
    let dtype = dtype
        .ok_or_else(|| napi::Error::new(Status::InvalidArg, "a TypedArray of an unknown type"))?;
    let lender = Lender {
        start: Some(array.data as u64),
        ..Lender::default()
    };
    if array.length == 0 {
        // What is gone has no length either: this tells them apart.
        lender.hold(scope, value)?;
    }
    over(
        array.data,
        dtype,
        &[array.length as u64],
        None,
        false,
        lender,
    )
    .map(Some)
    .map_err(|error| crate::error::throw(scope, &error))
}

/// Keeps an array alive for the tensors over it.
pub fn keep(scope: &Scope<'_>, array: Unknown<'_>, storage: &Storage) -> napi::Result<()> {
    match storage.keeper::<Lender>() {
        Some(lender) => lender.hold(scope, array),
        None => Ok(()),
    }
}

/// A tensor over memory that a lender keeps. That it is there is the caller's promise: for an address the user's, for a
/// typed array that of the engine, until its buffer is given away, which is noticed when the tensor is used.
pub fn over(
    start: *mut u8,
    dtype: DType,
    shape: &[u64],
    strides: Option<&[i64]>,
    readonly: bool,
    lender: Lender,
) -> tenspan::Result<Tensor> {
    // SAFETY: the caller says so. Memory of JavaScript may be written from any thread. The reference gets home by itself
    // when dropped on another thread.
    unsafe { tenspan::from_memory(start, dtype, shape, strides, readonly, lender) }
}

/// What is lent to a tensor, if its memory is that of others.
pub fn lent<'env>(scope: &Scope<'env>, tensor: &Tensor) -> napi::Result<Option<Unknown<'env>>> {
    match tensor.storage().keeper::<Lender>() {
        Some(lender) => lender.lent(scope.env),
        None => Ok(None),
    }
}

/// Whether a typed array still shows the memory that a tensor was made over.
pub fn is_over(scope: &Scope<'_>, array: Unknown<'_>, storage: &Storage) -> bool {
    let found = shape(scope.env.raw(), array.raw());
    storage.is_empty() || found.is_some_and(|found| ptr::eq(found.data, storage.start().as_ptr()))
}

/// The elements of a kind of typed array, known by its number in a [frame](frame::tag::VALUE).
#[inline]
pub fn element_type(number: u32) -> Option<DType> {
    use sys::TypedarrayType as T;
    Some(match number.checked_sub(1)? as sys::napi_typedarray_type {
        T::float32_array => DType::F32,
        T::float64_array => DType::F64,
        T::int8_array => DType::I8,
        T::uint8_array | T::uint8_clamped_array => DType::U8,
        T::int16_array => DType::I16,
        T::uint16_array => DType::U16,
        T::int32_array => DType::I32,
        T::uint32_array => DType::U32,
        T::bigint64_array => DType::I64,
        T::biguint64_array => DType::U64,
        FLOAT16_ARRAY => DType::F16,
        _ => return None,
    })
}

/// What newer versions of Node-API call a `Float16Array`.
const FLOAT16_ARRAY: sys::napi_typedarray_type = 11;

/// The typed array that shows elements of a dtype, and the size of its elements; bytes for those that have none.
fn array_type(dtype: DType) -> (sys::napi_typedarray_type, usize) {
    use DTypeName::{
        Bfloat16, Float16, Float32, Float64, Int8, Int16, Int32, Int64, Uint16, Uint32, Uint64,
    };
    use sys::TypedarrayType as T;
    match dtype.known() {
        Some(Float64) => (T::float64_array, 8),
        Some(Float32) => (T::float32_array, 4),
        Some(Float16 | Bfloat16 | Uint16) => (T::uint16_array, 2),
        Some(Int8) => (T::int8_array, 1),
        Some(Int16) => (T::int16_array, 2),
        Some(Int32) => (T::int32_array, 4),
        Some(Uint32) => (T::uint32_array, 4),
        Some(Int64) => (T::bigint64_array, 8),
        Some(Uint64) => (T::biguint64_array, 8),
        _ => (T::uint8_array, 1),
    }
}

/// The elements of a contiguous tensor as a typed array over the same memory, which it keeps alive, and true; a
/// copy and false where the engine forbids foreign memory, where a write would end the process, and where elements are
/// not aligned.
pub fn view<'env>(scope: &Scope<'env>, tensor: &Tensor) -> napi::Result<(Unknown<'env>, bool)> {
    let bytes = tensor
        .bytes()
        .map_err(|error| crate::error::throw(scope, &error))?;
    let (array_type, item) = array_type(tensor.dtype());
    let shown = show_lent(scope, tensor, array_type, bytes.len() / item)?;
    if let Shown::Array(array) = shown {
        return Ok((array, true));
    }
    let can_share = scope.room.can_share
        && matches!(shown, Shown::NotLent)
        && !bytes.is_empty()
        && !tensor.storage().is_protected()
        && bytes.as_ptr().addr().is_multiple_of(item);
    let shared = if can_share {
        share(scope, tensor, bytes)?
    } else {
        None
    };
    // Of nothing there is no copy either.
    let is_shared = shared.is_some() || bytes.is_empty();
    let buffer = match shared {
        Some(buffer) => buffer,
        None => copy(scope, bytes)?,
    };
    let env = scope.env.raw();
    let mut array = ptr::null_mut();
    // SAFETY: the buffer was just made in this scope, and holds as many items as its bytes give.
    check(unsafe {
        sys::napi_create_typedarray(env, array_type, bytes.len() / item, buffer, 0, &mut array)
    })?;
    // SAFETY: a value of this scope.
    Ok((
        unsafe { Unknown::from_raw_unchecked(env, array) },
        is_shared,
    ))
}

/// The elements of a tensor in the buffer that was lent to it, so that the engine sees that both are of one memory.
enum Shown<'env> {
    /// In the buffer.
    Array(Unknown<'env>),
    /// There is a buffer, and the elements cannot be shown in it.
    Nowhere,
    /// No buffer was lent.
    NotLent,
}

fn show_lent<'env>(
    scope: &Scope<'env>,
    tensor: &Tensor,
    array_type: sys::napi_typedarray_type,
    length: usize,
) -> napi::Result<Shown<'env>> {
    let Some(lender) = tensor.storage().keeper::<Lender>() else {
        return Ok(Shown::NotLent);
    };
    let (Some(lent), Some(start)) = (lender.lent(scope.env)?, lender.start) else {
        return Ok(Shown::NotLent);
    };
    if tensor.storage().is_protected() {
        return Ok(Shown::Nowhere);
    }
    let mut wanted = Object::new(scope.env)?;
    wanted.set("type", array_type)?;
    wanted.set("start", tensor.data_ptr().wrapping_sub(start) as i64 as f64)?;
    wanted.set("length", length as f64)?;
    let wanted = wanted.into_unknown(scope.env)?;
    let shown = scope.ask_with(Ask::Show, [Some(lent), Some(wanted), None])?;
    Ok(match shown.get_type()? {
        ValueType::Object => Shown::Array(shown),
        _ => Shown::Nowhere,
    })
}

/// An array buffer over the bytes of a tensor; none where the engine forbids it.
fn share(
    scope: &Scope<'_>,
    tensor: &Tensor,
    bytes: &[u8],
) -> napi::Result<Option<sys::napi_value>> {
    let keeper = Box::into_raw(Box::new(tensor.clone()));
    let mut buffer = ptr::null_mut();
    // SAFETY: the bytes live until `let_go` drops the tensor, which the engine calls once, when nothing can reach the
    // buffer any more or the environment ends. They may be written: the caller asked whether they are protected.
    let status = unsafe {
        sys::napi_create_external_arraybuffer(
            scope.env.raw(),
            bytes.as_ptr().cast_mut().cast(),
            bytes.len(),
            Some(let_go),
            keeper.cast(),
            &mut buffer,
        )
    };
    if status == sys::Status::napi_ok {
        return Ok(Some(buffer));
    }
    // SAFETY: the engine did not take it, so nothing else will free it.
    drop(unsafe { Box::from_raw(keeper) });
    if status == sys::Status::napi_no_external_buffers_allowed {
        Ok(None)
    } else {
        check(status).map(|()| None)
    }
}

unsafe extern "C" fn let_go(_env: sys::napi_env, _data: *mut c_void, keeper: *mut c_void) {
    // SAFETY: `share` made it, and the engine calls this once.
    drop(unsafe { Box::from_raw(keeper.cast::<Tensor>()) });
}

fn copy(scope: &Scope<'_>, bytes: &[u8]) -> napi::Result<sys::napi_value> {
    let mut data = ptr::null_mut();
    let mut buffer = ptr::null_mut();
    // SAFETY: both places may be written.
    check(unsafe {
        sys::napi_create_arraybuffer(scope.env.raw(), bytes.len(), &mut data, &mut buffer)
    })?;
    if !bytes.is_empty() {
        // SAFETY: the buffer is new and holds as many bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast(), bytes.len()) };
    }
    Ok(buffer)
}

fn check(status: sys::napi_status) -> napi::Result<()> {
    if status == sys::Status::napi_ok {
        return Ok(());
    }
    Err(napi::Error::new(
        Status::from(status),
        "the engine refused a call",
    ))
}
