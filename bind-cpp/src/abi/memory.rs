//! The memory of tensors across the C border: described, taken from the caller, handed over by DLPack.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use tenspan_core::abi::dlpack;
use tenspan_core::abi::layout::RawAny;
use tenspan_core::error::{Error, ErrorKind, Result};
use tenspan_core::value::{Any, AnyView, FromAny, IntoAny, Kind};
use tenspan_core::{DType, Tensor, from_memory};

use super::{Deleter, Held, guarded, viewed};

/// What [`tenspan_tensor_info`] tells.
#[repr(C)]
pub struct TensorInfo {
    /// First element; null when the tensor has no memory.
    data: *mut u8,
    /// `ndim` lengths, as long-lived as the tensor.
    shape: *const u64,
    /// `ndim` strides in bytes, as long-lived as the tensor.
    strides: *const i64,
    /// Number of elements.
    size: u64,
    /// Bytes of the packed elements.
    nbytes: u64,
    /// The dtype, a plain value.
    dtype: RawAny,
    ndim: u32,
    readonly: bool,
    contiguous: bool,
}

/// Describes a tensor that [`tenspan_tensor`] or a call returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_tensor_info(value: *const RawAny, info: *mut TensorInfo) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        let tensor = tensor_of(&view)?;
        let told = TensorInfo {
            data: tensor.data_ptr() as *mut u8,
            shape: tensor.shape().as_ptr(),
            strides: tensor.strides().as_ptr(),
            size: tensor.size(),
            nbytes: tensor.nbytes(),
            dtype: Any::dtype(tensor.dtype()).into_raw(),
            ndim: tensor.ndim(),
            readonly: tensor.readonly(),
            contiguous: tensor.is_contiguous(),
        };
        // SAFETY: the caller passes room for one `TensorInfo`.
        unsafe { info.write(told) };
        Ok(Any::NONE)
    })
}

/// A tensor value of any origin as one that [`tenspan_tensor_info`] describes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_tensor(value: *const RawAny, result: *mut RawAny) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        Ok(tensor_of(&view)?.into_any())
    })
}

/// Memory of the caller, for [`tenspan_tensor_from_memory`].
#[repr(C)]
pub struct Memory {
    /// First element.
    data: *mut u8,
    /// `ndim` lengths.
    shape: *const u64,
    /// `ndim` strides in bytes; null when the elements are packed.
    strides: *const i64,
    /// The dtype, a plain value.
    dtype: RawAny,
    /// What `deleter` is called with, once: when the last tensor over the memory goes, or on failure.
    owner: *mut c_void,
    deleter: Deleter,
    ndim: u32,
    readonly: bool,
}

/// A tensor over memory of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_tensor_from_memory(
    memory: *const Memory,
    result: *mut RawAny,
) -> c_int {
    // SAFETY: the caller passes the address of a description that lives during the call.
    let memory = unsafe { &*memory };
    let keeper = Held {
        address: memory.owner,
        deleter: memory.deleter,
    };
    guarded(result, move || {
        // SAFETY: the caller passes a valid value.
        let view = unsafe { AnyView::from_raw(memory.dtype) };
        let dtype = DType::from_any(&view)?
            .ok_or_else(|| Error::new(ErrorKind::TypeError, "a dtype is wanted"))?;
        if dtype.is_opaque() {
            let message =
                format!("memory of {dtype} cannot be described: the layout of its type is unknown");
            return Err(Error::new(ErrorKind::DTypeMismatch, message));
        }
        // SAFETY: the caller passes `ndim` lengths.
        let dims = unsafe { list(memory.shape, memory.ndim) };
        // SAFETY: the caller passes `ndim` strides, or null.
        let given =
            (!memory.strides.is_null()).then(|| unsafe { list(memory.strides, memory.ndim) });
        // SAFETY: the caller vouches for all elements until the keeper goes, which any thread may do.
        let tensor = unsafe {
            from_memory(
                memory.data,
                dtype,
                dims,
                given,
                memory.readonly,
                Box::new(keeper),
            )
        };
        Ok(tensor?.into_any())
    })
}

/// What hands a tensor over by DLPack: a `DLManagedTensorVersioned`, or a `DLManagedTensor` when `legacy`. The caller owns
/// it until its deleter is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_dlpack_export(
    value: *const RawAny,
    legacy: bool,
    managed: *mut *mut c_void,
) -> c_int {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller passes a valid value that lives during the call.
        let view = unsafe { viewed(value) };
        let tensor = tensor_of(&view)?;
        let handed: NonNull<c_void> = if legacy {
            dlpack::export_legacy(&tensor)?.cast()
        } else {
            dlpack::export(&tensor, false)?.cast()
        };
        // SAFETY: the caller passes room for an address.
        unsafe { managed.write(handed.as_ptr()) };
        Ok(Any::NONE)
    })
}

/// A tensor over what others hand over by DLPack, of either kind. It is taken over on success only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_dlpack_import(
    managed: *mut c_void,
    legacy: bool,
    result: *mut RawAny,
) -> c_int {
    guarded(result, || {
        let handed = handed(managed, legacy).ok_or_else(|| {
            Error::new(
                ErrorKind::ValueError,
                "a tensor handed over by DLPack is wanted, found a null pointer",
            )
        })?;
        // SAFETY: the caller passes a valid structure of this kind that nobody else takes over.
        let tensor = unsafe { dlpack::import(handed, Box::new) };
        Ok(tensor?.into_any())
    })
}

/// Gives back what [`tenspan_dlpack_export`] made and nobody took over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_dlpack_delete(managed: *mut c_void, legacy: bool) {
    guarded(std::ptr::null_mut(), || {
        if let Some(handed) = handed(managed, legacy) {
            // SAFETY: the caller owns the structure, and gives it up.
            drop(unsafe { dlpack::Managed::take(handed) });
        }
        Ok(Any::NONE)
    });
}

fn handed(managed: *mut c_void, legacy: bool) -> Option<dlpack::Handed> {
    let managed = NonNull::new(managed)?;
    Some(if legacy {
        dlpack::Handed::Legacy(managed.cast())
    } else {
        dlpack::Handed::Versioned(managed.cast())
    })
}

fn tensor_of(view: &AnyView<'_>) -> Result<Tensor> {
    match view.kind() {
        Kind::Tensor(tensor) => Ok(tensor),
        _ => Err(Error::new(
            ErrorKind::TypeError,
            format!("a tensor is wanted, found {}", view.type_name()),
        )),
    }
}

/// # Safety
/// `count` numbers stand at `start` as long as `'a`, or `count` is 0.
unsafe fn list<'a, T>(start: *const T, count: u32) -> &'a [T] {
    if count == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(start, count as usize) }
}
