//! The tensor object: a `DLTensor` that anyone can read, then what is ours.
//!
//! Behind the value stand the dimensions: shape, byte strides, and for those who read the `DLTensor` its own
//! shape (of a block type, bytes instead of elements) and its strides in elements.
#![allow(
    unsafe_code,
    reason = "the DLTensor holds addresses into its own object"
)]

mod adopted;
mod lent;

pub use adopted::adopt;
pub(super) use lent::{Keeper, over, plan};
pub use lent::{Packed, from_memory, renew, sole_keeper};

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

use super::any::dl_dtype;
use super::layout::{DLDataType, DLDevice, DLTensor, index};
use super::object::{self, Boxed, ObjectRef};
use crate::dtype::DType;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// What a tensor is, beside its dimensions.
#[derive(Clone)]
pub struct Parts {
    /// Type of the elements.
    pub dtype: DType,
    /// The bytes.
    pub storage: Storage,
    /// First element, in bytes from the beginning of the storage.
    pub offset: u64,
    /// Bytes that the packed elements take.
    pub nbytes: u64,
    /// Whether writing is refused, even if the storage allows it.
    pub readonly: bool,
    /// Whether making the tensor copied what it was made from.
    pub copied: bool,
    /// Whether the elements are packed.
    pub packed: bool,
    /// Name given by a file or a context.
    pub name: Option<Arc<str>>,
}

/// The value of a tensor object.
#[repr(C)]
pub struct TensorValue {
    dl: DLTensor,
    parts: Parts,
    dims: *const i64,
}

// SAFETY: the addresses are of the object's own tail, which never changes, and of the storage.
unsafe impl Send for TensorValue {}
// SAFETY: as above.
unsafe impl Sync for TensorValue {}

// Its address tells objects of ours, so there must be only one of it.
#[inline(never)]
pub(super) unsafe extern "C" fn delete_tensor(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects that `new` made of a `TensorValue`.
    unsafe { object::delete::<TensorValue>(handle, flags) }
}

/// A tensor object. `shape` and `strides` have the same length and were checked against the storage; without strides the
/// elements are packed, and of a plain type.
///
/// Inlined, so that what is put together for it is written where it stays: moving it there takes longer than all else.
#[inline(always)]
pub fn new(parts: Parts, shape: &[u64], strides: Option<&[i64]>) -> ObjectRef {
    let parts = ManuallyDrop::new(parts);
    let ndim = shape.len();
    let (dtype, nbytes) = (parts.dtype, parts.nbytes);
    let data = if parts.storage.is_absent() {
        std::ptr::null_mut()
    } else {
        let start = parts.storage.start().as_ptr();
        start.wrapping_add(parts.offset as usize).cast()
    };
    let dl = DLTensor {
        data,
        device: DLDevice {
            device_type: 1,
            device_id: 0,
        },
        ndim: ndim as i32,
        dtype: public_dtype(dtype),
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let value = TensorValue {
        dl,
        parts: ManuallyDrop::into_inner(parts),
        dims: std::ptr::null(),
    };
    let (object, tail) = Boxed::with_deleter(index::TENSOR, value, 4 * ndim * 8, delete_tensor);
    let dims = tail.cast::<i64>();
    match strides {
        // SAFETY: the tail has room for four groups of `ndim` words.
        None => unsafe { write_packed(dims, dtype.block_bytes(), shape) },
        // SAFETY: as above.
        Some(strides) => unsafe { write_dims(dims, dtype, nbytes, shape, strides) },
    }
    // SAFETY: the value of a fresh tensor object is a `TensorValue`; no other reference to it exists.
    let value = unsafe { &mut *object::cell::<TensorValue>(object.handle()) };
    value.dims = dims;
    value.dl.shape = dims.wrapping_add(2 * ndim);
    value.dl.strides = dims.wrapping_add(3 * ndim);
    object
}

/// What a dtype is in a `DLTensor`: what it is, or bytes.
#[inline]
fn public_dtype(dtype: DType) -> DLDataType {
    if dtype.is_plain() {
        return dl_dtype(dtype);
    }
    DLDataType {
        code: 1,
        bits: 8,
        lanes: 1,
    }
}

/// Writes the shape and the strides of packed elements, ours and those of the `DLTensor`.
///
/// # Safety
/// There is room for four groups of as many words as there are dimensions.
#[inline(always)]
unsafe fn write_packed(dims: *mut i64, item: u64, shape: &[u64]) {
    let ndim = shape.len();
    let mut items = 1i64;
    for (axis, n) in shape.iter().enumerate().rev() {
        let n = *n as i64;
        for (group, entry) in [n, items * item as i64, n, items].into_iter().enumerate() {
            // SAFETY: the caller says that there is room.
            unsafe { dims.wrapping_add(group * ndim + axis).write(entry) };
        }
        items *= n;
    }
}

/// Writes shape and strides, ours and those of the `DLTensor`.
///
/// # Safety
/// There is room for four groups of as many words as there are dimensions.
unsafe fn write_dims(dims: *mut i64, dtype: DType, nbytes: u64, shape: &[u64], strides: &[i64]) {
    let ndim = shape.len();
    let (plain, opaque) = (dtype.is_plain(), dtype.is_opaque());
    let (block_len, block_bytes) = (dtype.block_len(), dtype.block_bytes().max(1) as i64);
    let shift = block_bytes.trailing_zeros();
    for (axis, (n, stride)) in shape.iter().zip(strides).enumerate() {
        let innermost = axis + 1 == ndim;
        let (n, stride) = (*n as i64, *stride);
        let (dl_n, dl_stride) = match (plain, innermost) {
            // A division takes longer than all else here.
            (true, _) if stride >> shift << shift == stride && 1 << shift == block_bytes => {
                (n, stride >> shift)
            }
            (true, _) => (n, stride / block_bytes),
            // An unknown type is shown as one row of bytes.
            (false, true) if opaque => (nbytes as i64, 1),
            (false, false) if opaque => (1, nbytes as i64),
            (false, true) => (n / block_len as i64 * block_bytes, 1),
            (false, false) => (n, stride),
        };
        for (group, entry) in [n, stride, dl_n, dl_stride].into_iter().enumerate() {
            // SAFETY: the caller says that there is room.
            unsafe { dims.wrapping_add(group * ndim + axis).write(entry) };
        }
    }
}

/// The tensor of an object that [`new`] made, not counted; `None` for one that others made.
#[inline]
pub fn borrowed(object: &ObjectRef) -> Option<&Tensor> {
    value(object)?;
    // SAFETY: a `Tensor` is nothing but a reference to such an object.
    Some(unsafe { &*ptr::from_ref(object).cast::<Tensor>() })
}

/// The value of a tensor object that [`new`] made; `None` for one that others made.
#[inline]
pub fn value(object: &ObjectRef) -> Option<&TensorValue> {
    let header = object.header();
    let ours = header.deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(deleter, delete_tensor as unsafe extern "C" fn(_, _))
    });
    // SAFETY: the deleter tells that `new` made the object, and `object` keeps it alive.
    (header.type_index == index::TENSOR && ours).then(|| unsafe { object::value(object.handle()) })
}

impl TensorValue {
    /// What the tensor is, beside its dimensions.
    #[inline]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The public description.
    #[inline]
    pub fn dl(&self) -> &DLTensor {
        &self.dl
    }

    /// Elements along each dimension.
    #[inline]
    pub fn shape(&self) -> &[u64] {
        bytemuck::cast_slice(self.group(0))
    }

    /// Bytes from one position to the next along each dimension.
    #[inline]
    pub fn strides(&self) -> &[i64] {
        self.group(1)
    }

    #[inline]
    fn group(&self, group: usize) -> &[i64] {
        let ndim = self.dl.ndim as usize;
        // SAFETY: `new` wrote four groups of `ndim` words at `dims`, in the object's own tail.
        unsafe { std::slice::from_raw_parts(self.dims.wrapping_add(group * ndim), ndim) }
    }
}
