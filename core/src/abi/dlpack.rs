//! Tensors handed over as DLPack describes them, with versions and as before there were any.
//!
//! [`export`] and [`export_legacy`] give a tensor away, [`import`] takes one over. Who makes such a structure keeps the
//! memory until its deleter is called, from any thread; [`Managed`] calls it once. DLPack has no block types: a
//! quantized tensor goes out as the bytes of its rows.
#![allow(
    unsafe_code,
    reason = "the structures are those of other libraries, and point into each other"
)]

use std::any::Any as StdAny;
use std::ffi::c_void;
use std::ptr::NonNull;

use super::layout::{DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use super::tensor::{Keeper, over, plan};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape::{self, Dims, MAX_NDIM};
use crate::tensor::Tensor;

/// The version that is written, and the major one that is read.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 3 };

/// Flag of a tensor that may not be written.
pub const READ_ONLY: u64 = 1;
/// Flag of a tensor that was copied for the one who takes it.
pub const IS_COPIED: u64 = 2;
/// Flag of elements of less than a byte that take a whole one.
pub const IS_PADDED: u64 = 4;

/// Devices whose memory the CPU reads: its own, and what CUDA and ROCm pin for it or manage.
const CPU: i32 = 1;
const READABLE: [i32; 4] = [CPU, 3, 11, 13];

/// The structure that hands over a tensor of the CPU, which it keeps alive.
///
/// # Errors
/// [`ErrorKind::BufferError`] when the tensor has no memory, or strides that are no whole number of elements.
pub fn export(tensor: &Tensor, is_copied: bool) -> Result<NonNull<DLManagedTensorVersioned>> {
    let dl = describe(tensor)?;
    let mut flags = 0;
    if tensor.readonly() {
        flags |= READ_ONLY;
    }
    if is_copied {
        flags |= IS_COPIED;
    }
    Ok(hand_over(tensor.clone(), |manager, deleter| {
        DLManagedTensorVersioned {
            version: VERSION,
            manager,
            deleter: Some(deleter),
            flags,
            dl,
        }
    }))
}

/// As [`export`], for those who know no versions.
///
/// # Errors
/// As [`export`]; [`ErrorKind::BufferError`] for a read-only tensor too, since the structure cannot tell.
pub fn export_legacy(tensor: &Tensor) -> Result<NonNull<DLManagedTensor>> {
    if tensor.readonly() {
        let message = format!(
            "{} is read-only, which DLPack before version 1 cannot tell; copy it, or ask for max_version (1, 0)",
            tensor.describe()
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    let dl = describe(tensor)?;
    Ok(hand_over(tensor.clone(), |manager, deleter| {
        DLManagedTensor {
            dl,
            manager,
            deleter: Some(deleter),
        }
    }))
}

/// The description of a tensor that stays where it is, for as long as the tensor lives.
///
/// # Errors
/// As [`export`].
pub fn describe(tensor: &Tensor) -> Result<DLTensor> {
    let mut dl = *tensor.dl();
    // What is mostly handed over has nothing that DLPack cannot say.
    let is_simple = tensor.dtype().is_plain() && tensor.is_contiguous() && tensor.nbytes() > 0;
    if is_simple && !dl.data.is_null() {
        return Ok(dl);
    }
    if tensor.is_empty() {
        dl.data = std::ptr::null_mut();
    } else if dl.data.is_null() {
        let message = format!(
            "{} has no memory: its context was made with noAlloc",
            tensor.describe()
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    let item = tensor.dtype().block_bytes() as i64;
    let row_is_packed = match (tensor.shape(), tensor.strides()) {
        ([.., n], [.., stride]) => *n <= tensor.dtype().block_len() || *stride == item,
        _ => true,
    };
    if tensor.dtype().is_quantized() && !tensor.is_empty() && !row_is_packed {
        let message = format!(
            "DLPack is told the bytes of rows, but the blocks of {} do not stand side by side: its strides are {:?}",
            tensor.describe(),
            tensor.strides()
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    let lengths = tensor.shape().iter();
    let mut strides = lengths.zip(tensor.strides());
    if tensor.dtype().is_plain() && strides.any(|(n, stride)| *n > 1 && stride % item != 0) {
        let message = format!(
            "DLPack counts strides in elements, but those of {} are {:?} bytes and an element takes {item}",
            tensor.describe(),
            tensor.strides()
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    Ok(dl)
}

/// What is handed over and what keeps its memory, in one allocation that begins with the former.
#[repr(C)]
struct Exported<M, K> {
    managed: M,
    keeper: K,
}

/// Gives back what was handed over.
pub(super) type Deleter<M> = unsafe extern "C" fn(*mut M);

/// A structure that hands over memory which `keeper` keeps alive; it is made with its manager and its deleter.
pub(super) fn hand_over<M, K: Send + Sync>(
    keeper: K,
    make: impl FnOnce(*mut c_void, Deleter<M>) -> M,
) -> NonNull<M> {
    let exported = Box::new(Exported {
        managed: make(std::ptr::null_mut(), delete::<M, K>),
        keeper,
    });
    NonNull::from(Box::leak(exported)).cast()
}

unsafe extern "C" fn delete<M, K>(managed: *mut M) {
    if managed.is_null() {
        return;
    }
    // SAFETY: `hand_over` leaked a box of this type that begins with the structure, and its taker calls this once.
    drop(unsafe { Box::from_raw(managed.cast::<Exported<M, K>>()) });
}

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
/// for a type of elements that tenspan does not have; those of [`from_memory`](super::tensor::from_memory).
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
pub(super) struct Described {
    pub data: *mut u8,
    pub dtype: DType,
    pub shape: Dims<u64>,
    pub strides: Dims<i64>,
}

/// What a description says, in the terms of this library.
///
/// # Safety
/// Shape and, unless they are null, strides have as many words as the description says.
pub(super) unsafe fn memory_of(dl: &DLTensor) -> Result<Described> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::layout::DLDataType;
    use crate::{from_bytes, zeros};

    fn take(managed: NonNull<DLManagedTensorVersioned>) -> Result<Tensor> {
        // SAFETY: made by `export`, taken once.
        unsafe { import(Handed::Versioned(managed), Box::new) }
    }

    #[test]
    fn a_tensor_comes_back_over_the_same_memory() {
        for dtype in [
            DType::F32,
            DType::BF16,
            DType::F8_E5M2,
            DType::BOOL,
            DType::C128,
        ] {
            let tensor = zeros(&[3, 0x10], dtype).unwrap();
            let view = tensor.slice(1, None, None, -2).unwrap();
            let back = take(export(&view, false).unwrap()).unwrap();
            assert_eq!(
                (back.data_ptr(), back.shape(), back.strides(), back.dtype()),
                (view.data_ptr(), view.shape(), view.strides(), dtype)
            );
            assert!(!back.readonly() && !back.copied());
            drop((tensor, view));
            assert!(back.select(0, 0).is_ok());
        }
    }

    #[test]
    fn flags_cross() {
        let tensor = zeros(&[2], DType::F32).unwrap();
        assert!(
            take(export(&tensor.as_readonly(), false).unwrap())
                .unwrap()
                .readonly()
        );
        assert!(take(export(&tensor, true).unwrap()).unwrap().copied());
        assert_eq!(
            export_legacy(&tensor.as_readonly()).unwrap_err().kind(),
            ErrorKind::BufferError
        );
        let legacy = export_legacy(&tensor).unwrap();
        // SAFETY: made by `export_legacy`, taken once.
        let back = unsafe { import(Handed::Legacy(legacy), Box::new) };
        assert!(back.unwrap().readonly());
    }

    #[test]
    fn scalars_and_nothing_cross() {
        let scalar = take(export(&zeros(&[], DType::I64).unwrap(), false).unwrap()).unwrap();
        assert_eq!((scalar.ndim(), scalar.size()), (0, 1));
        let none = export(&zeros(&[0, 3], DType::I64).unwrap(), false).unwrap();
        // SAFETY: made by `export`, not yet taken.
        assert!(unsafe { none.as_ref() }.dl.data.is_null());
        assert_eq!(take(none).unwrap().shape(), [0, 3]);
    }

    #[test]
    fn rows_of_blocks_go_out_as_bytes() {
        let blocks = zeros(&[2, 64], DType::Q8_0).unwrap();
        let back = take(export(&blocks, false).unwrap()).unwrap();
        assert_eq!((back.dtype(), back.shape()), (DType::U8, &[2, 68][..]));
    }

    #[test]
    fn blocks_with_gaps_between_them_are_refused() {
        let bytes = from_bytes(&[0; 144], &[144], DType::U8).unwrap();
        let over = |shape: &[u64], strides: &[i64]| {
            Tensor::new(
                bytes.storage().clone(),
                0,
                DType::Q4_0,
                shape,
                Some(strides),
            )
            .unwrap()
        };
        let refused = export(&over(&[64], &[36]), false);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::BufferError);
        for (shape, strides) in [(&[2, 32], &[72, 36]), (&[2, 64], &[72, 18])] {
            let back = take(export(&over(shape, strides), false).unwrap()).unwrap();
            assert_eq!(back.strides(), [72, 1]);
        }
    }

    #[test]
    fn strides_between_elements_are_refused() {
        let bytes = from_bytes(&[0; 12], &[12], DType::U8).unwrap();
        let odd = Tensor::new(bytes.storage().clone(), 0, DType::F32, &[3], Some(&[3])).unwrap();
        assert_eq!(
            export(&odd, false).unwrap_err().kind(),
            ErrorKind::BufferError
        );
    }

    #[test]
    fn what_is_refused_still_belongs_to_the_caller() {
        type Spoil = fn(&mut DLManagedTensorVersioned);
        let faults: [(Spoil, ErrorKind); 7] = [
            (|m| m.version.major = 2, ErrorKind::BufferError),
            (|m| m.dl.device.device_type = 2, ErrorKind::BufferError),
            (
                |m| {
                    m.dl.dtype = DLDataType {
                        code: 2,
                        bits: 32,
                        lanes: 4,
                    }
                },
                ErrorKind::TypeError,
            ),
            (
                |m| {
                    m.dl.dtype = DLDataType {
                        code: 0,
                        bits: 4,
                        lanes: 1,
                    }
                },
                ErrorKind::TypeError,
            ),
            (|m| m.flags |= IS_PADDED, ErrorKind::TypeError),
            (|m| m.dl.ndim = 65, ErrorKind::ValueError),
            (|m| m.dl.data = std::ptr::null_mut(), ErrorKind::ValueError),
        ];
        let tensor = zeros(&[4], DType::F32).unwrap();
        for (spoil, kind) in faults {
            let mut managed = export(&tensor, false).unwrap();
            // SAFETY: made by `export`; nothing else looks at it.
            let whole = unsafe { managed.as_mut() };
            spoil(whole);
            assert_eq!(take(managed).unwrap_err().kind(), kind);
            // SAFETY: not taken over, so given back here, once.
            unsafe { delete::<_, Tensor>(managed.as_ptr()) };
        }
        assert!(tensor.object().is_unique());
    }
}
