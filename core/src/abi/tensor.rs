//! The tensor object: a `DLTensor` that anyone can read, then what is ours.
//!
//! Behind the value stand the dimensions: shape, byte strides, and for those who read the `DLTensor` its own
//! shape (of a block type, bytes instead of elements) and its strides in elements.
#![allow(
    unsafe_code,
    reason = "the DLTensor holds addresses into its own object"
)]

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::any::dl_dtype;
use super::layout::{DLDataType, DLDevice, DLTensor, index};
use super::object::{self, Boxed, ObjectRef};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape::{self, Dims};
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
        parts,
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
pub(super) struct Planned {
    data: *mut u8,
    /// Unless they are those of packed elements of a plain type.
    strides: Option<Dims<i64>>,
    nbytes: u64,
    low: i64,
    high: i64,
    packed: bool,
}

/// What keeps memory of others alive, and what they said of it.
pub(super) struct Keeper<K> {
    pub readonly: bool,
    pub copied: bool,
    pub owner: K,
}

/// Checks a description of memory that somebody else owns.
#[inline(always)]
pub(super) fn plan(
    data: *mut u8,
    dtype: DType,
    shape: &[u64],
    strides: Option<&[i64]>,
) -> Result<Planned> {
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
fn plan_any(
    data: *mut u8,
    dtype: DType,
    shape: &[u64],
    strides: Option<&[i64]>,
) -> Result<Planned> {
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
        Some(strides) => Dims::from(strides),
        None => shape::packed_strides(dtype, shape),
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
pub(super) unsafe fn over<K: std::any::Any + Send + Sync>(
    planned: Planned,
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
