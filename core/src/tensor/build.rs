//! New tensors: empty, filled, from bytes, from anything array-like.

use super::{Tensor, cast, list};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;
use crate::storage::Storage;
use crate::value::{AnyView, Kind};

/// A new tensor filled with zeros. All bytes of a block-quantized tensor are zero.
///
/// # Errors
/// [`ErrorKind::OverflowError`], [`ErrorKind::MemoryError`], [`ErrorKind::BlockMismatch`].
pub fn zeros(shape: &[u64], dtype: DType) -> Result<Tensor> {
    if dtype.is_opaque() {
        let message = format!("the size of {dtype} is unknown, so no tensor of it can be made");
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    Tensor::new(
        Storage::zeroed(shape::nbytes(dtype, shape)?)?,
        0,
        dtype,
        shape,
        None,
    )
}

/// A new tensor whose elements are arbitrary until written; today they are zero.
///
/// # Errors
/// As [`zeros`].
pub fn empty(shape: &[u64], dtype: DType) -> Result<Tensor> {
    zeros(shape, dtype)
}

/// A new tensor with one value in every element.
///
/// # Errors
/// As [`zeros`]; [`ErrorKind::OverflowError`] or [`ErrorKind::ValueError`] when the value does not fit the dtype.
pub fn full(shape: &[u64], value: AnyView<'_>, dtype: DType) -> Result<Tensor> {
    let tensor = zeros(shape, dtype)?;
    // One block holds the value; all blocks are equal.
    let block = list::repeat(&value, dtype)?;
    tensor
        .fresh_bytes()?
        .chunks_exact_mut(block.len())
        .for_each(|room| room.copy_from_slice(&block));
    Ok(tensor)
}

/// A tensor from a tensor (without a copy unless the dtype changes), a number, or nested lists of numbers.
///
/// # Errors
/// [`ErrorKind::TypeError`] for anything else, [`ErrorKind::ShapeMismatch`] for lists of unequal lengths, and those
/// of numbers that do not fit the dtype.
pub fn asarray(value: AnyView<'_>, dtype: Option<DType>) -> Result<Tensor> {
    match (value.kind(), dtype) {
        (Kind::Tensor(tensor), Some(dtype)) if tensor.dtype() != dtype => {
            cast::cast(&tensor, dtype, None)
        }
        (Kind::Tensor(tensor), _) => Ok(tensor),
        (_, dtype) => list::from_value(&value, dtype),
    }
}

/// A tensor that owns a copy of packed bytes.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`] when there are more or fewer bytes than shape and dtype need.
pub fn from_bytes(data: &[u8], shape: &[u64], dtype: DType) -> Result<Tensor> {
    let wanted = shape::nbytes(dtype, shape)?;
    if data.len() as u64 != wanted {
        let message = format!(
            "shape {shape:?} of {dtype} takes {wanted} bytes, but {} were given",
            data.len()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    let tensor = zeros(shape, dtype)?.with(|parts| parts.copied = true);
    tensor.fresh_bytes()?.copy_from_slice(data);
    Ok(tensor)
}
