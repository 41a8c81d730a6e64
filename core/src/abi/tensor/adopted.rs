//! Tensor objects that others made, as tensors.
#![allow(unsafe_code, reason = "the `DLTensor` of others is read where it lies")]

use std::ptr::NonNull;

use crate::abi::layout::DLTensor;
use crate::abi::object::{self, ObjectRef};
use crate::dtype::DType;
use crate::shape::{self, Dims};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// The description in a tensor object that others made, with its dimensions in bytes.
struct Foreign {
    /// First element.
    data: *mut u8,
    /// Device and type of the elements.
    dl: DLTensor,
    /// Elements along each dimension.
    shape: Vec<i64>,
    /// Elements from one position to the next along each dimension, if given.
    strides: Option<Vec<i64>>,
}

/// A tensor over one that others made; `None` when it is not in memory that the CPU reads, or of a dtype that tenspan does not have.
pub fn adopt(object: ObjectRef) -> Option<Tensor> {
    let foreign = read_foreign(&object);
    let dtype = DType::from_dlpack(foreign.dl.dtype.code, foreign.dl.dtype.bits)?;
    let on_cpu = foreign.dl.device.device_type == 1 && foreign.dl.dtype.lanes == 1;
    let shape: Vec<u64> = foreign
        .shape
        .iter()
        .map(|n| u64::try_from(*n).ok())
        .collect::<Option<_>>()?;
    let item = dtype.block_bytes() as i64;
    let strides = match &foreign.strides {
        Some(strides) => strides
            .iter()
            .map(|s| s.checked_mul(item))
            .collect::<Option<Dims<_>>>()?,
        None => shape::packed_strides(dtype, &shape),
    };
    let (low, high) = shape::extent(dtype, &shape, &strides)
        .ok()
        .filter(|_| on_cpu)?;
    // SAFETY: `extent` gave the range that the dimensions reach.
    let storage = unsafe { foreign_storage(object, &foreign, low, (high - low) as usize) };
    Tensor::new(storage, low.unsigned_abs(), dtype, &shape, Some(&strides)).ok()
}

/// Reads a tensor object of any origin.
fn read_foreign(object: &ObjectRef) -> Foreign {
    // SAFETY: every tensor object has a DLTensor behind its header, and `object` keeps it alive.
    read_dl(unsafe { object::value::<DLTensor>(object.handle()) })
}

fn read_dl(dl: &DLTensor) -> Foreign {
    let ndim = usize::try_from(dl.ndim).unwrap_or(0);
    let dims = |address: *mut i64| {
        // SAFETY: a DLTensor has `ndim` words at its shape, and at its strides unless they are null.
        NonNull::new(address)
            .map(|start| unsafe { std::slice::from_raw_parts(start.as_ptr(), ndim) }.to_vec())
    };
    Foreign {
        data: dl.data.cast::<u8>().wrapping_add(dl.byte_offset as usize),
        dl: *dl,
        shape: dims(dl.shape).unwrap_or_default(),
        strides: dims(dl.strides),
    }
}

/// A storage over the `len` bytes from `low` bytes beside the first element of a tensor object that others made, which it
/// keeps alive.
///
/// # Safety
/// The range is the one that the object's own dimensions reach.
unsafe fn foreign_storage(object: ObjectRef, foreign: &Foreign, low: i64, len: usize) -> Storage {
    let start = foreign.data.wrapping_offset(low as isize);
    // SAFETY: the object owns what its dimensions reach until it is released.
    unsafe { Storage::foreign(start, len, false, object) }
}
