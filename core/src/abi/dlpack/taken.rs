//! Tensors that somebody hands over, taken over without a copy.
#![allow(
    unsafe_code,
    reason = "the structures are those of other libraries, and point into each other"
)]

use std::any::Any as StdAny;
use std::ptr::NonNull;

use super::{CPU, IS_COPIED, IS_PADDED, READ_ONLY, VERSION};
use crate::abi::layout::{DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use crate::abi::tensor::{Keeper, over, plan};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape::{self, Dims, MAX_NDIM};
use crate::tensor::Tensor;

/// Devices whose memory the CPU reads: its own, and what CUDA and ROCm pin for it or manage.
const READABLE: [i32; 4] = [CPU, 3, 11, 13];

/// The address of a tensor that somebody hands over, of either kind.
#[derive(Debug, Clone, Copy)]
pub enum Handed {
    /// With a version.
    Versioned(NonNull<DLManagedTensorVersioned>),
    /// Without.
    Legacy(NonNull<DLManagedTensor>),
}

/// A tensor that was taken over; given back to its maker when dropped, on whatever thread that is.
#[derive(Debug)]
pub struct Managed(Handed);

// SAFETY: the structure is only handed to its deleter, which DLPack allows to be called on any thread.
unsafe impl Send for Managed {}
// SAFETY: as above; nothing is read through a shared reference.
unsafe impl Sync for Managed {}

impl Managed {
    /// Takes over what somebody hands over.
    ///
    /// # Safety
    /// The address is of a valid structure of its kind that nobody else takes over, and whose deleter any thread may call.
    pub unsafe fn take(handed: Handed) -> Managed {
        Managed(handed)
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        match self.0 {
            Handed::Versioned(managed) => {
                // SAFETY: `import` took the structure over, and nobody has called its deleter.
                if let Some(deleter) = unsafe { managed.as_ref() }.deleter {
                    // SAFETY: as above; this is the only call.
                    unsafe { deleter(managed.as_ptr()) }
                }
            }
            Handed::Legacy(managed) => {
                // SAFETY: as above.
                if let Some(deleter) = unsafe { managed.as_ref() }.deleter {
                    // SAFETY: as above.
                    unsafe { deleter(managed.as_ptr()) }
                }
            }
        }
    }
}

/// A tensor over memory that somebody hands over, without a copy. One without a version is taken as read-only, as it
/// cannot tell. `keep` may wrap what has to be dropped in a certain way.
///
/// The structure is taken over only when all is well with it: on an error it still belongs to the caller.
///
/// # Safety
/// The address is of a valid structure of its kind that nobody else takes over, and whose memory can be read, and
/// written unless a flag forbids it, from any thread until its deleter is called.
///
/// # Errors
/// [`ErrorKind::BufferError`] for another major version or memory that the CPU does not read; [`ErrorKind::TypeError`]
/// for a type of elements that tenspan does not have; those of [`from_memory`](crate::abi::tensor::from_memory).
pub unsafe fn import<K: StdAny + Send + Sync>(
    handed: Handed,
    keep: impl FnOnce(Managed) -> K,
) -> Result<Tensor> {
    // SAFETY: the caller says so.
    let (dl, flags) = unsafe { described(handed) }?;
    let flags = match handed {
        Handed::Versioned(_) => flags,
        Handed::Legacy(_) => READ_ONLY,
    };
    // SAFETY: as above.
    unsafe { take_over(handed, &dl, flags, keep) }
}

/// As [`import`], but what has no version is writable: those who made it say so by the way they hand it over.
///
/// # Safety
/// As [`import`].
///
/// # Errors
/// As [`import`].
pub unsafe fn import_writable<K: StdAny + Send + Sync>(
    handed: Handed,
    keep: impl FnOnce(Managed) -> K,
) -> Result<Tensor> {
    // SAFETY: the caller says so.
    let (dl, flags) = unsafe { described(handed) }?;
    // SAFETY: as above.
    unsafe { take_over(handed, &dl, flags, keep) }
}

/// # Safety
/// As [`import`].
unsafe fn take_over<K: StdAny + Send + Sync>(
    handed: Handed,
    dl: &DLTensor,
    flags: u64,
    keep: impl FnOnce(Managed) -> K,
) -> Result<Tensor> {
    let found = read(dl, flags)?;
    let planned = plan(found.data, found.dtype, &found.shape, Some(&found.strides))?;
    let keeper = Keeper {
        readonly: flags & READ_ONLY != 0,
        copied: flags & IS_COPIED != 0,
        owner: keep(Managed(handed)),
    };
    // SAFETY: the maker keeps the memory that the description reaches until the deleter is called, by the keeper.
    Ok(unsafe { over(planned, found.dtype, &found.shape, keeper) })
}

/// The description and the flags of what somebody hands over.
///
/// # Safety
/// The address is of a valid structure of its kind.
///
/// # Errors
/// [`ErrorKind::BufferError`] for another major version, whose layout is unknown.
pub unsafe fn described(handed: Handed) -> Result<(DLTensor, u64)> {
    match handed {
        Handed::Versioned(managed) => {
            // SAFETY: valid by the contract; no more than the version is read before it is known.
            let version = unsafe { (*managed.as_ptr()).version };
            if version.major != VERSION.major {
                let message = format!(
                    "DLPack version 1 wanted, found {}.{}",
                    version.major, version.minor
                );
                return Err(Error::new(ErrorKind::BufferError, message));
            }
            // SAFETY: valid by the contract, with the layout of this version.
            let managed = unsafe { managed.as_ref() };
            Ok((managed.dl, managed.flags))
        }
        // SAFETY: valid by the contract.
        Handed::Legacy(managed) => Ok((unsafe { managed.as_ref() }.dl, 0)),
    }
}

/// Whether the CPU reads the memory of a kind of device.
pub fn is_readable(device_type: i32) -> bool {
    READABLE.contains(&device_type)
}

/// A new tensor, all zero, of the dtype and shape that a description has; its memory is not looked at.
///
/// # Safety
/// The shape has as many words as the description says.
///
/// # Errors
/// As [`import`], and those of [`zeros`](crate::zeros).
pub unsafe fn like(dl: &DLTensor) -> Result<Tensor> {
    let packed = DLTensor {
        strides: std::ptr::null_mut(),
        ..*dl
    };
    let found = read(&packed, 0)?;
    crate::zeros(&found.shape, found.dtype)
}

/// A description in the terms of this library.
pub struct Described {
    pub data: *mut u8,
    pub dtype: DType,
    pub shape: Dims<u64>,
    pub strides: Dims<i64>,
}

/// What a description says, in the terms of this library.
///
/// # Safety
/// Shape and, unless they are null, strides have as many words as the description says.
pub unsafe fn memory_of(dl: &DLTensor) -> Result<Described> {
    read(dl, 0)
}

fn read(dl: &DLTensor, flags: u64) -> Result<Described> {
    if !is_readable(dl.device.device_type) {
        let message = format!(
            "memory of the CPU wanted (DLPack device 1), found device {} number {}; copy it to the CPU first",
            dl.device.device_type, dl.device.device_id
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    let (code, bits, lanes) = (dl.dtype.code, dl.dtype.bits, dl.dtype.lanes);
    let dtype = DType::from_dlpack(code, bits).filter(|_| lanes == 1 && flags & IS_PADDED == 0);
    let Some(dtype) = dtype else {
        let message = format!(
            "DLPack type code {code} with {bits} bits and {lanes} lanes is no dtype of tenspan"
        );
        return Err(Error::new(ErrorKind::TypeError, message));
    };
    let ndim = usize::try_from(dl.ndim).ok().filter(|n| *n <= MAX_NDIM);
    let ndim = ndim.ok_or_else(|| {
        let message = format!("0 to {MAX_NDIM} dimensions wanted, found {}", dl.ndim);
        Error::new(ErrorKind::ValueError, message)
    })?;
    let words = |start: *mut i64| {
        // SAFETY: a DLTensor has `ndim` words at its shape, and at its strides unless they are null.
        NonNull::new(start).map(|start| unsafe { std::slice::from_raw_parts(start.as_ptr(), ndim) })
    };
    let lengths = words(dl.shape).unwrap_or_default();
    let shape: Option<Dims<u64>> = lengths.iter().map(|n| u64::try_from(*n).ok()).collect();
    let shape = shape.filter(|shape| shape.len() == ndim).ok_or_else(|| {
        let message = format!("{ndim} lengths that are not negative wanted, found {lengths:?}");
        Error::new(ErrorKind::ValueError, message)
    })?;
    let item = dtype.block_bytes() as i64;
    let strides = match words(dl.strides) {
        Some(strides) => {
            // What stands beside a length of 0 or 1 is never used, and may be anything.
            let bytes = shape.iter().zip(strides);
            let bytes: Option<_> = bytes
                .map(|(n, stride)| {
                    if *n > 1 {
                        stride.checked_mul(item)
                    } else {
                        Some(item)
                    }
                })
                .collect();
            bytes.ok_or_else(|| {
                let message = format!("strides {strides:?} of {dtype} reach beyond 2^63 bytes");
                Error::new(ErrorKind::OverflowError, message)
            })?
        }
        None => {
            shape::nbytes(dtype, &shape)?;
            shape::packed_strides(dtype, &shape)
        }
    };
    let data = dl.data.cast::<u8>();
    Ok(Described {
        data: data.wrapping_add(dl.byte_offset as usize),
        dtype,
        shape,
        strides,
    })
}
