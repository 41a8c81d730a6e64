//! Tensor objects that core passes on without reading them: in memory of another device, or of elements that have no dtype here.
#![allow(
    unsafe_code,
    reason = "the DLTensor holds addresses into its own object"
)]

use std::any::Any as StdAny;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::dlpack::{self, VERSION};
use super::layout::{DLManagedTensor, DLManagedTensorVersioned, DLTensor, index};
use super::object::{self, Boxed, ObjectRef};
use super::tensor;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};

/// What others read, and what keeps the memory alive.
#[repr(C)]
struct Foreign {
    dl: DLTensor,
    keeper: Keeper,
}

/// What keeps the memory of a tensor.
pub type Keeper = Box<dyn StdAny + Send + Sync>;

// SAFETY: the addresses are of the object's own tail, and of memory that is not looked at here.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

// Its address tells objects of ours, so there must be only one of it.
#[inline(never)]
pub(super) unsafe extern "C" fn delete_foreign(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects made of a `Foreign`.
    unsafe { object::delete::<Foreign>(handle, flags) }
}

/// What keeps the memory of a tensor object, when [`object`] made it.
pub fn keeper(object: &ObjectRef) -> Option<&(dyn StdAny + Send + Sync)> {
    let ours = object.header().deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            delete_foreign as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    // SAFETY: the deleter tells that the object was made of a `Foreign`, which lives as long as the reference.
    ours.then(|| unsafe { &*object::value::<Foreign>(object.handle()).keeper })
}

/// Whether tenspan has the dtype of a description.
pub fn has_dtype(dl: &DLTensor) -> bool {
    dl.dtype.lanes == 1 && DType::from_dlpack(dl.dtype.code, dl.dtype.bits).is_some()
}

/// The lengths and, unless they are null, the strides of a description.
pub(super) fn dims(dl: &DLTensor) -> Result<(&[i64], Option<&[i64]>)> {
    let ndim = usize::try_from(dl.ndim)
        .ok()
        .filter(|ndim| *ndim <= 1024 && (*ndim == 0 || !dl.shape.is_null()));
    let Some(ndim) = ndim else {
        let message = format!("a tensor of {} dimensions has no shape", dl.ndim);
        return Err(Error::new(ErrorKind::ValueError, message));
    };
    let words = |start: *mut i64| {
        // SAFETY: a DLTensor has `ndim` words at its shape, and at its strides unless they are null.
        NonNull::new(start).map(|start| unsafe { std::slice::from_raw_parts(start.as_ptr(), ndim) })
    };
    Ok((words(dl.shape).unwrap_or_default(), words(dl.strides)))
}

/// Strides of packed elements, in elements.
pub(super) fn packed(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(shape[axis]);
    }
    strides
}

/// Whether the elements of a description stand side by side in order.
pub fn is_contiguous(dl: &DLTensor) -> bool {
    let Ok((shape, Some(strides))) = dims(dl) else {
        return true;
    };
    if shape.contains(&0) {
        return true;
    }
    let expected = packed(shape);
    let mut axes = shape.iter().zip(strides).zip(&expected);
    axes.all(|((n, stride), expected)| *n == 1 || stride == expected)
}

/// A tensor object of a description, whose shape and strides are copied; `keep` is asked for what keeps the memory once all is well.
pub fn object<K: Send + Sync + 'static>(
    dl: &DLTensor,
    keep: impl FnOnce(&DLTensor) -> K,
) -> Result<ObjectRef> {
    let (shape, strides) = dims(dl)?;
    let synthesized;
    let strides = match strides {
        Some(strides) => strides,
        None => {
            synthesized = packed(shape);
            &synthesized
        }
    };
    let ndim = shape.len();
    let foreign = Foreign {
        dl: *dl,
        keeper: Box::new(keep(dl)),
    };
    let (object, tail) = Boxed::with_deleter(index::TENSOR, foreign, 2 * ndim * 8, delete_foreign);
    let words = tail.cast::<i64>();
    for (i, word) in shape.iter().chain(strides).enumerate() {
        // SAFETY: the tail has room for shape and strides.
        unsafe { words.wrapping_add(i).write(*word) };
    }
    // SAFETY: the value of the fresh object begins with a `DLTensor`; no other reference to it exists.
    let dl = unsafe { &mut *object::cell::<DLTensor>(object.handle()) };
    dl.shape = words;
    dl.strides = words.wrapping_add(ndim);
    Ok(object)
}

/// A tensor that core reads, of a description of memory of another tensor, which it keeps alive.
///
/// # Safety
/// The memory that the description reaches is that of `source`.
pub unsafe fn view(source: &ObjectRef, dl: &DLTensor) -> Result<ObjectRef> {
    // SAFETY: a description has the words that it says.
    let read = unsafe { dlpack::memory_of(dl) }?;
    let readonly = object::tensor(source).is_some_and(|tensor| tensor.readonly());
    // SAFETY: the source keeps what its memory is, as the caller says.
    let tensor = unsafe {
        tensor::from_memory(
            read.data,
            read.dtype,
            &read.shape,
            Some(&read.strides),
            readonly,
            source.clone(),
        )
    }?;
    Ok(tensor.into_object())
}

/// The description of a tensor object that others made.
fn described(object: &ObjectRef) -> DLTensor {
    // SAFETY: every tensor object has a DLTensor behind its header, and `object` keeps it alive.
    *unsafe { object::value::<DLTensor>(object.handle()) }
}

/// Hands over a tensor object that core does not read.
pub fn export(object: ObjectRef) -> NonNull<DLManagedTensorVersioned> {
    let dl = described(&object);
    dlpack::hand_over(object, |manager, deleter| DLManagedTensorVersioned {
        version: VERSION,
        manager,
        deleter: Some(deleter),
        flags: 0,
        dl,
    })
}

/// As [`export`], for those who know no versions.
pub fn export_legacy(object: ObjectRef) -> NonNull<DLManagedTensor> {
    let dl = described(&object);
    dlpack::hand_over(object, |manager, deleter| DLManagedTensor {
        dl,
        manager,
        deleter: Some(deleter),
    })
}
