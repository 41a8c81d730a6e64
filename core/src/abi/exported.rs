//! The runtime as compiled modules see it: the functions of the public ABI, plain here, exported by the front of the process.
//!
//! [`runtime_functions!`](crate::runtime_functions) is the one list of them. [`export_runtime!`](crate::export_runtime) prints it as exported
//! functions whose names begin with the front's own prefix, so that nothing here is called like a function of another runtime, and [`API`]
//! is a table of it for modules that get their functions handed in. The list only grows, at its end.
//!
//! Functions that return an `int` return 0, or -1 with the error left for [`error_move_from_raised`]. No panic leaves one.
#![allow(
    unsafe_code,
    reason = "the C border: pointers of compiled modules, by the rules of the public headers"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules of every function are those of the public header c_api.h"
)]

mod allocator;
mod big;
mod dtype;
pub mod environment;
mod error;
mod extras;
mod function;
pub mod imports;
mod object;
mod once;
mod tensor;
#[cfg(test)]
mod tests;
mod text;
mod types;

use std::borrow::Cow;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

pub use allocator::*;
pub use big::*;
pub use dtype::*;
pub use environment::*;
pub use error::*;
pub use extras::find as find_extra;
pub use function::*;
pub use imports::*;
pub use object::*;
pub use once::*;
pub use tensor::*;
pub use text::*;
pub use types::*;

use super::any::Any;
use super::closure;
use super::layout::{ByteArray, ObjectHeader};
use super::loading;
use super::object::ObjectRef;
use crate::error::{Error, ErrorKind, Result};

/// The types that signatures are written with.
pub mod signature {
    pub use super::allocator::CustomAllocator;
    pub use super::environment::{SetError, TensorAllocator};
    pub use super::once::{Deinit, Init};
    pub use super::types::Version;
    pub use crate::abi::layout::{
        ByteArray, DLDataType, DLManagedTensor, DLManagedTensorVersioned, DLTensor, RawAny,
        SafeCall,
    };
    pub use crate::abi::native::Release;

    pub use crate::abi::types::layout::TypeAttrColumn;
    pub use crate::abi::types::{FieldInfo, MethodInfo, TypeInfo, TypeMetadata};
    pub use std::ffi::{c_char, c_int, c_void};

    /// The handle of an object: the address of its header.
    pub type Handle = *mut c_void;
}

/// Every function of the runtime: name in C without a prefix, name in Rust, arguments, result. The macro of the given name gets
/// the list after what is given with it.
#[macro_export]
macro_rules! runtime_functions {
    ($then:ident $($with:tt)*) => { $crate::$then! { [$($with)*]
        GetVersion get_version(out: *mut Version);
        ObjectIncRef object_inc_ref(object: Handle) -> c_int;
        ObjectDecRef object_dec_ref(object: Handle) -> c_int;
        ObjectCreateOpaque object_create_opaque(content: *mut c_void, type_index: i32, deleter: Option<Release>, out: *mut Handle) -> c_int;
        GetCustomAllocator get_custom_allocator() -> *mut CustomAllocator;
        SetCustomAllocator set_custom_allocator(allocator: *mut CustomAllocator) -> c_int;
        TypeKeyToIndex type_key_to_index(key: *const ByteArray, out: *mut i32) -> c_int;
        FunctionCreate function_create(context: *mut c_void, entry: Option<SafeCall>, deleter: Option<Release>, out: *mut Handle) -> c_int;
        FunctionGetGlobal function_get_global(name: *const ByteArray, out: *mut Handle) -> c_int;
        AnyViewToOwnedAny any_view_to_owned_any(view: *const RawAny, out: *mut RawAny) -> c_int;
        FunctionCall function_call(function: Handle, args: *mut RawAny, count: i32, result: *mut RawAny) -> c_int;
        ErrorMoveFromRaised error_move_from_raised(out: *mut Handle);
        ErrorSetRaised error_set_raised(error: Handle);
        ErrorSetRaisedFromCStr error_set_raised_from_c_str(kind: *const c_char, message: *const c_char);
        ErrorSetRaisedFromCStrParts error_set_raised_from_c_str_parts(kind: *const c_char, parts: *mut *const c_char, count: i32);
        ErrorCreate error_create(kind: *const ByteArray, message: *const ByteArray, backtrace: *const ByteArray, out: *mut Handle) -> c_int;
        ErrorCreateWithCauseAndExtraContext error_create_with_cause_and_extra_context(kind: *const ByteArray, message: *const ByteArray, backtrace: *const ByteArray, cause: Handle, extra: Handle, out: *mut Handle) -> c_int;
        TensorFromDLPack tensor_from_dlpack(from: *mut DLManagedTensor, alignment: i32, contiguous: i32, out: *mut Handle) -> c_int;
        TensorFromDLPackVersioned tensor_from_dlpack_versioned(from: *mut DLManagedTensorVersioned, alignment: i32, contiguous: i32, out: *mut Handle) -> c_int;
        TensorToDLPack tensor_to_dlpack(from: Handle, out: *mut *mut DLManagedTensor) -> c_int;
        TensorToDLPackVersioned tensor_to_dlpack_versioned(from: Handle, out: *mut *mut DLManagedTensorVersioned) -> c_int;
        TensorCreateUnsafeView tensor_create_unsafe_view(source: Handle, prototype: *const DLTensor, out: *mut Handle) -> c_int;
        StringFromByteArray string_from_byte_array(input: *const ByteArray, out: *mut RawAny) -> c_int;
        BytesFromByteArray bytes_from_byte_array(input: *const ByteArray, out: *mut RawAny) -> c_int;
        DataTypeFromString data_type_from_string(text: *const ByteArray, out: *mut DLDataType) -> c_int;
        DataTypeToString data_type_to_string(dtype: *const DLDataType, out: *mut RawAny) -> c_int;
        BigIntFromByteArray big_int_from_byte_array(input: *const ByteArray, out: *mut RawAny) -> c_int;
        BigIntGetContentByteArray big_int_get_content_byte_array(value: *const RawAny) -> ByteArray;
        FunctionSetGlobal function_set_global(name: *const ByteArray, function: Handle, allow_override: c_int) -> c_int;
        FunctionSetGlobalFromMethodInfo function_set_global_from_method_info(info: *const MethodInfo, allow_override: c_int) -> c_int;
        TypeRegisterField type_register_field(type_index: i32, info: *const FieldInfo) -> c_int;
        TypeRegisterMethod type_register_method(type_index: i32, info: *const MethodInfo) -> c_int;
        TypeRegisterMetadata type_register_metadata(type_index: i32, metadata: *const TypeMetadata) -> c_int;
        TypeRegisterAttr type_register_attr(type_index: i32, name: *const ByteArray, value: *const RawAny) -> c_int;
        GetTypeAttrColumn get_type_attr_column(name: *const ByteArray) -> *const TypeAttrColumn;
        Backtrace backtrace(file: *const c_char, line: c_int, function: *const c_char, cross_ffi_boundary: c_int) -> *const ByteArray;
        TypeGetOrAllocIndex type_get_or_alloc_index(key: *const ByteArray, static_index: i32, depth: i32, child_slots: i32, child_slots_can_overflow: i32, parent: i32) -> i32;
        GetTypeInfo get_type_info(type_index: i32) -> *const TypeInfo;
        HandleInitOnce handle_init_once(place: *mut *mut c_void, init: Option<Init>) -> c_int;
        HandleDeinitOnce handle_deinit_once(place: *mut *mut c_void, deinit: Option<Deinit>) -> c_int;
        EnvSetStream env_set_stream(device_type: i32, device_id: i32, stream: *mut c_void, original: *mut *mut c_void) -> c_int;
        EnvGetStream env_get_stream(device_type: i32, device_id: i32) -> *mut c_void;
        EnvSetDLPackManagedTensorAllocator env_set_dlpack_managed_tensor_allocator(allocator: Option<TensorAllocator>, also_global: c_int, original: *mut Option<TensorAllocator>) -> c_int;
        EnvGetDLPackManagedTensorAllocator env_get_dlpack_managed_tensor_allocator() -> Option<TensorAllocator>;
        EnvTensorAlloc env_tensor_alloc(prototype: *mut DLTensor, out: *mut Handle) -> c_int;
        EnvCheckSignals env_check_signals() -> c_int;
        EnvRegisterCAPI env_register_c_api(name: *const c_char, symbol: *mut c_void) -> c_int;
        EnvModLookupFromImports env_mod_lookup_from_imports(context: Handle, name: *const c_char, out: *mut Handle) -> c_int;
        EnvModRegisterContextSymbol env_mod_register_context_symbol(name: *const c_char, symbol: *mut c_void) -> c_int;
        EnvModRegisterSystemLibSymbol env_mod_register_system_lib_symbol(name: *const c_char, symbol: *mut c_void) -> c_int;
    } };
}

/// Prints every function of the runtime as an exported one, its name after the prefix: `export_runtime!("TNSPY_")` in the crate of a front.
#[macro_export]
macro_rules! export_runtime {
    ($prefix:literal) => {
        $crate::runtime_functions! { export_runtime_functions $prefix }
    };
}

/// Prints a list of functions as exported ones.
#[doc(hidden)]
#[macro_export]
macro_rules! export_runtime_functions {
    ([$prefix:literal] $($name:ident $function:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// The exported functions, for compiled modules.
        mod runtime {
            use $crate::abi::exported::signature::*;
            $(
                #[unsafe(export_name = concat!($prefix, stringify!($name)))]
                unsafe extern "C" fn $function($($arg: $type),*) $(-> $result)? {
                    // SAFETY: the caller of the exported function keeps to the rules of the function behind it.
                    unsafe { $crate::abi::exported::$function($($arg),*) }
                }
            )*
        }
    };
}

/// Prints a list of functions as a table.
#[doc(hidden)]
#[macro_export]
macro_rules! runtime_table {
    ([] $($name:ident $function:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        mod table {
            use super::signature::*;

            /// The functions of the runtime, for a module that gets them handed in. Later versions have more of them at the end.
            #[repr(C)]
            #[allow(missing_docs, reason = "each is what the public header says of its name")]
            pub struct Api {
                /// Bytes of this table.
                pub size: u32,
                /// Version of what the functions mean; a module made for another refuses to start.
                pub version: u32,
                $(pub $function: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
            }

            /// The functions of this library.
            pub static API: Api = Api {
                size: size_of::<Api>() as u32,
                version: super::API_VERSION,
                $($function: super::$function,)*
            };

            /// The names of the functions in C, without a prefix, in the order of the table.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        }
    };
}

/// Version of the table, raised when a function changes what it means.
pub const API_VERSION: u32 = 1;

crate::runtime_functions! { runtime_table }
pub use table::{API, Api, NAMES};

/// Ends a function of the ABI: 0, or -1 with the error left for the caller. A panic is an error.
fn guarded(body: impl FnOnce() -> Result<()>) -> c_int {
    let outcome = catch_unwind(AssertUnwindSafe(|| body().map(|()| Any::NONE)));
    // SAFETY: there is no slot to write to.
    unsafe { closure::finish(outcome, std::ptr::null_mut()) }
}

/// As [`guarded`], for what static initialisers of modules do: while a module is opened, its errors are for whoever opens it.
fn registering(body: impl FnOnce() -> Result<()>) -> c_int {
    guarded(|| body().or_else(loading::keep))
}

/// What stands at an address that must not be null.
///
/// # Safety
/// A `T` stands there for as long as `'a`, or the address is null.
unsafe fn required<'a, T>(address: *const T, what: &str) -> Result<&'a T> {
    // SAFETY: the caller says so.
    unsafe { address.as_ref() }.ok_or_else(|| null(what))
}

/// Writes a result.
///
/// # Safety
/// There is room for a `T` at the address, or it is null.
unsafe fn write<T>(out: *mut T, value: T) -> Result<()> {
    if out.is_null() {
        return Err(null("the place for the result"));
    }
    // SAFETY: the caller says so.
    unsafe { out.write(value) };
    Ok(())
}

/// Gives a reference to an object to the caller.
///
/// # Safety
/// As [`write`].
unsafe fn give(out: *mut *mut std::ffi::c_void, object: ObjectRef) -> Result<()> {
    if out.is_null() {
        return Err(null("the place for the result"));
    }
    // SAFETY: the caller says so.
    unsafe { out.write(object.into_handle().as_ptr().cast()) };
    Ok(())
}

#[cold]
fn null(what: &str) -> Error {
    Error::new(ErrorKind::ValueError, format!("{what} is null"))
}

/// The object of a handle that must not be null, counted once more.
///
/// # Safety
/// The handle is null or of a live object.
unsafe fn held(handle: *mut std::ffi::c_void, what: &str) -> Result<ObjectRef> {
    let handle = NonNull::new(handle.cast::<ObjectHeader>()).ok_or_else(|| null(what))?;
    // SAFETY: the caller says so.
    Ok(unsafe { ObjectRef::from_borrowed(handle) })
}

/// The bytes of an array that must not be null.
///
/// # Safety
/// The address is null, or of a valid array that lives as long as `'a`.
unsafe fn bytes<'a>(array: *const ByteArray, what: &str) -> Result<&'a [u8]> {
    // SAFETY: the caller says so.
    let array = unsafe { required(array, what) }?;
    if array.size == 0 {
        return Ok(&[]);
    }
    if array.data.is_null() || isize::try_from(array.size).is_err() {
        return Err(null(what));
    }
    // SAFETY: the caller says so.
    Ok(unsafe { std::slice::from_raw_parts(array.data, array.size) })
}

/// The text of an array that must not be null.
///
/// # Safety
/// As [`bytes`].
unsafe fn text<'a>(array: *const ByteArray, what: &str) -> Result<&'a str> {
    // SAFETY: the caller says so.
    let bytes = unsafe { bytes(array, what) }?;
    std::str::from_utf8(bytes).map_err(|_| {
        let found = String::from_utf8_lossy(bytes);
        Error::new(
            ErrorKind::ValueError,
            format!("{what} is not UTF-8: {found}"),
        )
    })
}

/// The text of a string of C; nothing for null.
///
/// # Safety
/// The address is null, or of a string that ends with a zero and lives as long as `'a`.
unsafe fn c_text<'a>(string: *const std::ffi::c_char) -> Cow<'a, str> {
    if string.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: the caller says so.
    unsafe { std::ffi::CStr::from_ptr(string) }.to_string_lossy()
}
