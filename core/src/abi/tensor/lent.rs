//! Tensors over memory that somebody else owns: described, checked, and made one after the other in the same object.
#![allow(
    unsafe_code,
    reason = "callers vouch for the memory that they describe"
)]

use std::borrow::Cow;

use super::{Parts, TensorValue, new, value};
use crate::abi::any::dl_dtype;
use crate::abi::object;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// A tensor over memory that somebody else owns, without a copy; `keeper` is dropped when the last view goes.
///
/// # Safety
/// All elements that shape and strides reach from `data` can be read, and written unless `readonly`, from any thread,
/// until `keeper` is dropped, which may happen on any thread.
///
/// # Errors
/// Kinds of [`Tensor::new`]; [`ErrorKind::ValueError`] for elements at addresses that no process has.
#[inline(always)]
pub unsafe fn from_memory(
    data: *mut u8,
    dtype: DType,
    shape: &[u64],
    strides: Option<&[i64]>,
    readonly: bool,
    keeper: impl std::any::Any + Send + Sync,
) -> Result<Tensor> {
    let planned = plan(data, dtype, shape, strides)?;
    let keeper = Keeper {
        readonly,
        copied: false,
        owner: keeper,
    };
    // SAFETY: the caller says so of all elements.
    Ok(unsafe { over(planned, dtype, shape, keeper) })
}

/// Packed memory that somebody else owns, for [`renew`].
pub struct Packed<'a> {
    /// The first element.
    pub data: *mut u8,
    /// Type of the elements, a plain one.
    pub dtype: DType,
    /// Elements along each dimension.
    pub shape: &'a [u64],
    /// Bytes from one position to the next along each dimension.
    pub strides: &'a [i64],
    /// Bytes that the elements take.
    pub nbytes: u64,
    /// Whether writing is refused.
    pub readonly: bool,
}

/// Makes a tensor that nobody else refers to one over other memory, without asking for any. It was made by [`from_memory`] with a keeper
/// of the same type and with as many dimensions; otherwise the keeper is given back.
///
/// # Safety
/// As [`from_memory`], and the description is right.
///
/// # Errors
/// The keeper; the tensor is then as before.
pub unsafe fn renew<K: std::any::Any + Send + Sync>(
    tensor: &mut Tensor,
    memory: &Packed<'_>,
    keeper: K,
) -> std::result::Result<(), K> {
    let object = tensor.object();
    let ndim = memory.shape.len();
    let fits = value(object).is_some_and(|value| value.dl.ndim as usize == ndim);
    if !fits || !object.is_unique() || !memory.dtype.is_plain() {
        return Err(keeper);
    }
    // SAFETY: `value` found that the object is one of `TensorValue`, and nobody else refers to it.
    let value = unsafe { &mut *object::cell::<TensorValue>(object.handle()) };
    let len = memory.nbytes as usize;
    let storage = &mut value.parts.storage;
    // SAFETY: the caller says so of all elements, which are packed.
    unsafe { storage.renew(memory.data, len, memory.readonly, keeper) }?;
    value.dl.data = memory.data.cast();
    value.dl.dtype = dl_dtype(memory.dtype);
    let parts = &mut value.parts;
    (parts.dtype, parts.offset, parts.nbytes) = (memory.dtype, 0, memory.nbytes);
    (parts.readonly, parts.copied, parts.packed) = (false, false, true);
    parts.name = None;
    // A power of two: a division costs more than all else here.
    let item = memory.dtype.block_bytes().max(1).trailing_zeros();
    let dims = value.dims.cast_mut();
    for (axis, (n, stride)) in memory.shape.iter().zip(memory.strides).enumerate() {
        let (n, stride) = (*n as i64, *stride);
        for (group, entry) in [n, stride, n, stride >> item].into_iter().enumerate() {
            // SAFETY: the tail has four groups of `ndim` words, which nobody else looks at.
            unsafe { dims.wrapping_add(group * ndim + axis).write(entry) };
        }
    }
    Ok(())
}

/// What keeps the memory of a tensor, if it is a `K` and nobody else refers to tensor or memory.
pub fn sole_keeper<K: 'static>(tensor: &mut Tensor) -> Option<&mut K> {
    let object = tensor.object();
    value(object).filter(|_| object.is_unique())?;
    // SAFETY: as in `renew`; the reference lasts as long as that to the tensor.
    let value = unsafe { &mut *object::cell::<TensorValue>(object.handle()) };
    value.parts.storage.keeper_mut()
}

/// Memory that a tensor is to lie over, found to be such that it can.
pub struct Planned<'a> {
    data: *mut u8,
    /// Unless they are those of packed elements of a plain type.
    strides: Option<Cow<'a, [i64]>>,
    nbytes: u64,
    low: i64,
    high: i64,
    packed: bool,
}

/// What keeps memory of others alive, and what they said of it.
pub struct Keeper<K> {
    pub readonly: bool,
    pub copied: bool,
    pub owner: K,
}

/// Checks a description of memory that somebody else owns.
#[inline(always)]
pub fn plan<'a>(
    data: *mut u8,
    dtype: DType,
    shape: &[u64],
    strides: Option<&'a [i64]>,
) -> Result<Planned<'a>> {
    if strides.is_none()
        && let Some(nbytes) = shape::plain_nbytes(dtype, shape)
        && exists(data, nbytes as i64)
    {
        return Ok(Planned {
            data,
            strides: None,
            nbytes,
            low: 0,
            high: nbytes as i64,
            packed: true,
        });
    }
    plan_any(data, dtype, shape, strides)
}

#[cold]
fn plan_any<'a>(
    data: *mut u8,
    dtype: DType,
    shape: &[u64],
    strides: Option<&'a [i64]>,
) -> Result<Planned<'a>> {
    if dtype.is_opaque() {
        let message = format!("the size of {dtype} is unknown, so no tensor of it can be made");
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    let nbytes = shape::nbytes(dtype, shape)?;
    let strides = match strides {
        Some(strides) if strides.len() != shape.len() => {
            let message = format!(
                "shape {shape:?} has {} dimensions, strides {strides:?} have {}",
                shape.len(),
                strides.len()
            );
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        Some(strides) => Cow::Borrowed(strides),
        None => Cow::Owned(shape::packed_strides(dtype, shape).to_vec()),
    };
    let (low, high) = shape::extent(dtype, shape, &strides)?;
    if high > low && !(exists(data, low) && exists(data, high)) {
        let address = data as u64;
        let message = format!(
            "no process has memory for shape {shape:?} of {dtype} at address {address:#x}: bytes {low} to {high} from there"
        );
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    Ok(Planned {
        data,
        packed: shape::is_packed(dtype, shape, &strides),
        strides: Some(strides),
        nbytes,
        low,
        high,
    })
}

/// Whether a process may have what is so many bytes from an address: no system gives it the upper half of the addresses.
#[inline]
fn exists(address: *mut u8, offset: i64) -> bool {
    let end = (address as u64).checked_add_signed(offset);
    !address.is_null() && end.is_some_and(|end| i64::try_from(end).is_ok())
}

/// A tensor over what [`plan`] found to be well described.
///
/// # Safety
/// As [`from_memory`].
#[inline(always)]
pub unsafe fn over<K: std::any::Any + Send + Sync>(
    planned: Planned<'_>,
    dtype: DType,
    shape: &[u64],
    keeper: Keeper<K>,
) -> Tensor {
    let start = planned.data.wrapping_offset(planned.low as isize);
    let len = (planned.high - planned.low) as usize;
    // SAFETY: the caller says so of all elements, and these bytes are the smallest range that holds them.
    let storage = unsafe { Storage::foreign(start, len, keeper.readonly, keeper.owner) };
    let parts = Parts {
        dtype,
        storage,
        offset: planned.low.unsigned_abs(),
        nbytes: planned.nbytes,
        readonly: false,
        copied: keeper.copied,
        packed: planned.packed,
        name: None,
    };
    Tensor::of(new(parts, shape, planned.strides.as_deref()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn memory<'a>(data: &mut [f32], shape: &'a [u64], strides: &'a [i64]) -> Packed<'a> {
        Packed {
            data: data.as_mut_ptr().cast(),
            dtype: DType::F32,
            shape,
            strides,
            nbytes: size_of_val(data) as u64,
            readonly: true,
        }
    }

    #[test]
    fn a_tensor_that_nobody_else_has_is_made_one_over_other_memory() {
        let (mut first, mut second) = ([0u8; 4], [1f32, 2.0, 3.0]);
        let keeper = Arc::new(());
        let data = first.as_mut_ptr();
        // SAFETY: the arrays outlive the tensor.
        let made = unsafe { from_memory(data, DType::U8, &[4], None, false, keeper.clone()) };
        let mut tensor = made.unwrap();
        let other = Arc::new(());
        let memory = memory(&mut second, &[3], &[4]);
        let shared = tensor.clone();
        // SAFETY: as above.
        assert!(unsafe { renew(&mut tensor, &memory, other.clone()) }.is_err());
        drop(shared);
        // SAFETY: as above.
        unsafe { renew(&mut tensor, &memory, other.clone()) }.unwrap();
        assert_eq!(
            (Arc::strong_count(&keeper), Arc::strong_count(&other)),
            (1, 2)
        );
        assert_eq!((tensor.shape(), tensor.strides()), (&[3][..], &[4][..]));
        assert_eq!((tensor.dtype(), tensor.nbytes()), (DType::F32, 12));
        assert!(tensor.readonly() && tensor.is_contiguous());
        assert_eq!(tensor.data_ptr(), second.as_ptr() as u64);
        assert!(sole_keeper::<Arc<()>>(&mut tensor).is_some());
        assert!(sole_keeper::<u8>(&mut tensor).is_none());
    }

    #[test]
    fn another_number_of_dimensions_or_another_keeper_is_refused() {
        let (mut first, mut second) = ([0u8; 4], [1f32, 2.0, 3.0]);
        let data = first.as_mut_ptr();
        // SAFETY: the arrays outlive the tensor.
        let made = unsafe { from_memory(data, DType::U8, &[4], None, false, 1u64) };
        let mut tensor = made.unwrap();
        let flat = memory(&mut second, &[3], &[4]);
        // SAFETY: as above.
        assert_eq!(unsafe { renew(&mut tensor, &flat, "other") }, Err("other"));
        let deep = memory(&mut second, &[1, 3], &[12, 4]);
        // SAFETY: as above.
        assert_eq!(unsafe { renew(&mut tensor, &deep, 2u64) }, Err(2));
        assert_eq!((tensor.shape(), tensor.dtype()), (&[4][..], DType::U8));
    }
}
