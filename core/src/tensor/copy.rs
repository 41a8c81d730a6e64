//! Copies between any two tensors of the same shape, whatever their dtypes and strides.

use super::{Tensor, cast, rows};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::CopyOptions;
use crate::quant::kernel::Stores;
use crate::{quant, shape};

/// Writes the elements of one tensor into another of the same shape: moved when the dtypes are equal, else cast,
/// decoded or encoded row by row, in parallel. No temporary of the size of a tensor is made unless the two share memory.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`], [`ErrorKind::ReadOnly`], [`ErrorKind::UnsupportedConversion`],
/// [`ErrorKind::RequantizeRefused`] when both are quantized differently and `options` do not allow it,
/// [`ErrorKind::BufferError`] when elements of `dst` share memory with each other.
pub fn copy(src: &Tensor, dst: &Tensor, options: &CopyOptions) -> Result<()> {
    copy_with(src, dst, options, Stores::for_output(dst.size()))
}

/// As [`copy`], with a choice of how decoded floats are written.
pub(super) fn copy_with(
    src: &Tensor,
    dst: &Tensor,
    options: &CopyOptions,
    stores: Stores,
) -> Result<()> {
    let (from, to) = (src.dtype(), dst.dtype());
    if src.shape() != dst.shape() {
        let message = format!(
            "the source has shape {:?}, the destination {:?}",
            src.shape(),
            dst.shape()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    dst.check_writable()?;
    if !cast::is_supported(from, to) {
        return cast::unsupported(from, to);
    }
    if from != to && from.is_quantized() && to.is_quantized() && !options.allow_requantize {
        let message = format!(
            "{from} and {to} are both quantized; encoding again loses precision, which the option to requantize must allow"
        );
        return Err(Error::new(ErrorKind::RequantizeRefused, message));
    }
    if from.is_opaque() {
        return copy_opaque(src, dst);
    }
    if is_same_memory(src, dst) {
        return Ok(());
    }
    if may_share(src, dst) {
        return copy_with(&pack(src)?, dst, options, stores);
    }
    rows::for_each(src, dst, cost(from, to), |bytes, room| {
        cast::convert_part(from, bytes, to, room, stores)
    })
}

/// What converting an element costs, in moves of one.
fn cost(from: DType, to: DType) -> u64 {
    let encoder = to.known().filter(|_| to != from).and_then(quant::codec);
    encoder.map_or(1, |codec| codec.encode_cost(false))
}

impl Tensor {
    /// This tensor when it is contiguous, a packed copy otherwise.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`].
    pub fn contiguous(&self) -> Result<Tensor> {
        if self.is_contiguous() {
            Ok(self.clone())
        } else {
            pack(self)
        }
    }
}

/// A packed copy.
pub(crate) fn pack(t: &Tensor) -> Result<Tensor> {
    let packed = cast::destination(t.shape(), t.dtype(), None)?;
    rows::for_each(t, &packed, 1, |bytes, room| {
        room.copy_from_slice(bytes);
        Ok(())
    })?;
    Ok(packed)
}

/// Bytes of a type that only a file knows; they are always packed.
fn copy_opaque(src: &Tensor, dst: &Tensor) -> Result<()> {
    if src.nbytes() != dst.nbytes() {
        let message = format!(
            "{} has {} bytes, {} has {}",
            src.describe(),
            src.nbytes(),
            dst.describe(),
            dst.nbytes()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    let bytes = src.bytes()?.to_vec();
    dst.fresh_bytes()?.copy_from_slice(&bytes);
    Ok(())
}

fn is_same_memory(src: &Tensor, dst: &Tensor) -> bool {
    src.dtype() == dst.dtype()
        && src.data_ptr() == dst.data_ptr()
        && src.strides() == dst.strides()
        && src.data_ptr() != 0
}

/// Whether the ranges of memory that the two reach meet.
pub(super) fn may_share(src: &Tensor, dst: &Tensor) -> bool {
    let range = |t: &Tensor| {
        let (low, high) = shape::extent(t.dtype(), t.shape(), t.strides()).unwrap_or((0, 0));
        (
            t.data_ptr().wrapping_add_signed(low),
            t.data_ptr().wrapping_add_signed(high),
        )
    };
    let ((a, b), (c, d)) = (range(src), range(dst));
    a < d && c < b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::IntoAny;
    use crate::{asarray, zeros};

    fn counting(n: u64, dtype: DType) -> Tensor {
        asarray(
            (0..n as i64).collect::<Vec<_>>().into_any().view(),
            Some(dtype),
        )
        .unwrap()
    }

    fn values(t: &Tensor) -> Vec<f64> {
        let t = cast::cast(t, DType::F64, None).unwrap();
        t.bytes()
            .unwrap()
            .chunks_exact(8)
            .map(bytemuck::pod_read_unaligned)
            .collect()
    }

    #[test]
    fn strided_sides_meet_element_by_element() {
        let src = counting(24, DType::I32)
            .reshape(&[2, 3, 4])
            .unwrap()
            .permute(&[2, 0, 1])
            .unwrap();
        let room = zeros(&[4, 3, 2], DType::F16).unwrap();
        let dst = room.transpose().unwrap().slice(0, None, None, -1).unwrap();
        copy(&src, &dst, &CopyOptions::default()).unwrap();
        assert_eq!(values(&src), values(&dst));
        assert_eq!(values(&room)[..3], [3.0, 15.0, 7.0]);
    }

    #[test]
    fn a_copy_within_one_tensor_reads_before_it_writes() {
        let t = counting(1000, DType::I64);
        copy(
            &t.rows(0, 999).unwrap(),
            &t.rows(1, 1000).unwrap(),
            &CopyOptions::default(),
        )
        .unwrap();
        assert_eq!(values(&t)[..4], [0.0, 0.0, 1.0, 2.0]);
        let flipped = t.slice(0, None, None, -1).unwrap();
        copy(&flipped, &t, &CopyOptions::default()).unwrap();
        assert_eq!(values(&t)[..2], [998.0, 997.0]);
    }

    #[test]
    fn large_copies_equal_small_ones() {
        let src = counting(300 * 1024, DType::F32)
            .reshape(&[300, 1024])
            .unwrap();
        let dst = zeros(&[300, 1024], DType::Q8_0).unwrap();
        copy(&src, &dst, &CopyOptions::default()).unwrap();
        let row = zeros(&[1, 1024], DType::Q8_0).unwrap();
        for i in [0, 1, 150, 299] {
            copy(&src.rows(i, i + 1).unwrap(), &row, &CopyOptions::default()).unwrap();
            assert_eq!(
                dst.rows(i, i + 1).unwrap().bytes().unwrap(),
                row.bytes().unwrap()
            );
        }
        // Rows of a strided source are encoded like those of a packed one.
        let wide = zeros(&[300, 2048], DType::F32).unwrap();
        let half = wide.slice(1, Some(512), Some(1536), 1).unwrap();
        copy(&src, &half, &CopyOptions::default()).unwrap();
        let again = zeros(&[300, 1024], DType::Q8_0).unwrap();
        copy(&half, &again, &CopyOptions::default()).unwrap();
        assert_eq!(again.bytes().unwrap(), dst.bytes().unwrap());
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let t = zeros(&[4], DType::F32).unwrap();
        let kind = |src: &Tensor, dst: &Tensor| {
            copy(src, dst, &CopyOptions::default()).unwrap_err().kind()
        };
        assert_eq!(kind(&t, &t.as_readonly()), ErrorKind::ReadOnly);
        assert_eq!(
            kind(&t, &zeros(&[2, 2], DType::F32).unwrap()),
            ErrorKind::ShapeMismatch
        );
        let narrow = Tensor::new(t.storage().clone(), 0, DType::F32, &[4], Some(&[0])).unwrap();
        assert_eq!(
            kind(&zeros(&[4], DType::F32).unwrap(), &narrow),
            ErrorKind::BufferError
        );
        let (a, b) = (
            zeros(&[32], DType::Q4_0).unwrap(),
            zeros(&[32], DType::Q8_0).unwrap(),
        );
        assert_eq!(kind(&a, &b), ErrorKind::RequantizeRefused);
    }
}
