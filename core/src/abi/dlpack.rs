//! Tensors handed over as DLPack describes them, with versions and as before there were any.
//!
//! [`export`] and [`export_legacy`] give a tensor away, [`import`] takes one over. Who makes such a structure keeps the
//! memory until its deleter is called, from any thread; [`Managed`] calls it once. DLPack has no block types: a
//! quantized tensor goes out as the bytes of its rows.
#![allow(
    unsafe_code,
    reason = "the structures are those of other libraries, and point into each other"
)]

mod taken;

pub(super) use taken::memory_of;
pub use taken::{Handed, Managed, described, import, import_writable, is_readable, like};

use std::ffi::c_void;
use std::ptr::NonNull;

use super::layout::{DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use crate::error::{Error, ErrorKind, Result};
use crate::tensor::Tensor;

/// The version that is written, and the major one that is read.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 3 };

/// Flag of a tensor that may not be written.
pub const READ_ONLY: u64 = 1;
/// Flag of a tensor that was copied for the one who takes it.
pub const IS_COPIED: u64 = 2;
/// Flag of elements of less than a byte that take a whole one.
pub const IS_PADDED: u64 = 4;

/// The device of memory that the CPU has of its own.
const CPU: i32 = 1;

/// The structure that hands over a tensor of the CPU, which it keeps alive.
///
/// # Errors
/// [`ErrorKind::BufferError`] when the tensor has no memory, or strides that are no whole number of elements.
pub fn export(tensor: &Tensor, is_copied: bool) -> Result<NonNull<DLManagedTensorVersioned>> {
    let other;
    let dl = match plain(tensor) {
        Some(dl) => dl,
        None => {
            other = describe(tensor)?;
            &other
        }
    };
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
            dl: *dl,
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
    if let Some(dl) = plain(tensor) {
        return Ok(*dl);
    }
    let mut dl = *tensor.dl();
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

/// The description of a tensor that has nothing which DLPack cannot say, as most have.
#[inline]
fn plain(tensor: &Tensor) -> Option<&DLTensor> {
    let is_plain = tensor.dtype().is_plain() && tensor.is_contiguous() && tensor.nbytes() > 0;
    Some(tensor.dl()).filter(|dl| is_plain && !dl.data.is_null())
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
    // Asked for first, so that all is written straight to where it stays.
    let room = Box::new_uninit();
    let exported = Exported {
        managed: make(std::ptr::null_mut(), delete::<M, K>),
        keeper,
    };
    NonNull::from(Box::leak(Box::write(room, exported))).cast()
}

unsafe extern "C" fn delete<M, K>(managed: *mut M) {
    if managed.is_null() {
        return;
    }
    // SAFETY: `hand_over` leaked a box of this type that begins with the structure, and its taker calls this once.
    drop(unsafe { Box::from_raw(managed.cast::<Exported<M, K>>()) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;
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
