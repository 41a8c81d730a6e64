//! Shapes and strides: all arithmetic on sizes, checked.
//!
//! Shapes are in row-major order, outermost dimension first. Strides are bytes. The innermost dimension of a
//! block type is counted in blocks when memory is meant: see [`items`].

mod dims;

pub use dims::Dims;

use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};

/// Most dimensions a tensor can have, as in NumPy.
pub const MAX_NDIM: usize = 64;

/// Number of elements.
///
/// # Errors
/// [`ErrorKind::OverflowError`] when it does not fit 63 bits.
pub fn count(shape: &[u64]) -> Result<u64> {
    // Zero first: [0, 2^63, 2^63] holds no elements, in whatever order the product is formed.
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1u64, |product, n| product.checked_mul(*n))
        .filter(|n| i64::try_from(*n).is_ok())
        .ok_or_else(|| {
            Error::new(
                ErrorKind::OverflowError,
                format!("shape {shape:?} holds more than 2^63 elements"),
            )
        })
}

/// Checks the number of dimensions and, for block types, that the innermost length is whole blocks.
pub fn check(dtype: DType, shape: &[u64]) -> Result<()> {
    if shape.len() > MAX_NDIM {
        let message = format!(
            "a tensor has at most {MAX_NDIM} dimensions, found {}",
            shape.len()
        );
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    let block = dtype.block_len();
    match shape.last() {
        Some(innermost) if !innermost.is_multiple_of(block) => Err(Error::new(
            ErrorKind::BlockMismatch,
            format!(
                "{dtype} stores blocks of {block} elements, but the innermost length of shape {shape:?} is {innermost}"
            ),
        )),
        None if block > 1 => Err(Error::new(
            ErrorKind::BlockMismatch,
            format!("{dtype} stores blocks of {block} elements, but a scalar has one"),
        )),
        _ => Ok(()),
    }
}

/// What stands in memory along each dimension, outermost first: elements, or blocks along the innermost one of a block type.
pub fn items(
    dtype: DType,
    shape: &[u64],
) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
    let block = dtype.block_len();
    let innermost = shape.len().wrapping_sub(1);
    shape.iter().enumerate().map(move |(axis, n)| {
        if axis == innermost && block > 1 {
            n / block
        } else {
            *n
        }
    })
}

/// Bytes of the packed elements. The size of an opaque type is unknown, and 0.
///
/// # Errors
/// As [`check`] and [`count`], or when the bytes do not fit 63 bits.
pub fn nbytes(dtype: DType, shape: &[u64]) -> Result<u64> {
    check(dtype, shape)?;
    (count(shape)? / dtype.block_len())
        .checked_mul(dtype.block_bytes())
        .filter(|n| i64::try_from(*n).is_ok())
        .ok_or_else(|| {
            Error::new(
                ErrorKind::OverflowError,
                format!("shape {shape:?} of {dtype} takes more than 2^63 bytes"),
            )
        })
}

/// Strides of packed elements. Needs a shape that [`nbytes`] accepts.
pub fn packed_strides(dtype: DType, shape: &[u64]) -> Dims<i64> {
    let mut strides: Dims<i64> = shape.iter().map(|_| 0).collect();
    let mut next = dtype.block_bytes() as i64;
    for (stride, n) in strides.iter_mut().rev().zip(items(dtype, shape).rev()) {
        *stride = next;
        // Saturates only where another dimension is 0 and nothing is ever reached.
        next = next.saturating_mul(i64::try_from(n.max(1)).unwrap_or(i64::MAX));
    }
    strides
}

/// Bytes of packed elements, of the shapes that there mostly are: of a plain type and with elements. Nothing for others, and
/// for what is wrong.
#[inline(always)]
pub(crate) fn plain_nbytes(dtype: DType, shape: &[u64]) -> Option<u64> {
    if !dtype.is_plain() || shape.len() > MAX_NDIM {
        return None;
    }
    let mut bytes = dtype.block_bytes() as i64;
    for n in shape {
        bytes = bytes.checked_mul(i64::try_from(*n).ok()?)?;
    }
    (bytes > 0).then_some(bytes as u64)
}

/// Whether the strides are those of packed elements; dimensions of one position may have any stride.
pub fn is_packed(dtype: DType, shape: &[u64], strides: &[i64]) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let mut packed = dtype.block_bytes() as i64;
    items(dtype, shape).zip(strides).rev().all(|(n, stride)| {
        let fits = n == 1 || *stride == packed;
        packed = packed.saturating_mul(i64::try_from(n).unwrap_or(i64::MAX));
        fits
    })
}

/// First byte reached and one past the last, relative to the first element; both 0 when there are no elements.
///
/// # Errors
/// [`ErrorKind::OverflowError`] when they do not fit 63 bits.
pub fn extent(dtype: DType, shape: &[u64], strides: &[i64]) -> Result<(i64, i64)> {
    if shape.contains(&0) {
        return Ok((0, 0));
    }
    let overflow = || {
        let message = format!("shape {shape:?} with strides {strides:?} reaches beyond 2^63 bytes");
        Error::new(ErrorKind::OverflowError, message)
    };
    let (mut low, mut high) = (0i64, dtype.block_bytes() as i64);
    for (n, stride) in items(dtype, shape).zip(strides) {
        let reach = i64::try_from(n - 1)
            .ok()
            .and_then(|last| last.checked_mul(*stride))
            .ok_or_else(overflow)?;
        let end = if reach < 0 { &mut low } else { &mut high };
        *end = end.checked_add(reach).ok_or_else(overflow)?;
    }
    Ok((low, high))
}

/// Whether two positions may share bytes, so that writing them in parallel would be a race. May say so of a
/// few exotic layouts where it is not the case.
pub fn may_overlap(dtype: DType, shape: &[u64], strides: &[i64]) -> bool {
    if shape.contains(&0) {
        return false;
    }
    let mut dims: Vec<(u64, u64)> = items(dtype, shape)
        .zip(strides.iter().map(|stride| stride.unsigned_abs()))
        .filter(|(n, _)| *n > 1)
        .collect();
    dims.sort_by_key(|(_, stride)| *stride);
    let mut reach = dtype.block_bytes();
    for (n, stride) in dims {
        if stride < reach {
            return true;
        }
        reach = reach.saturating_add((n - 1).saturating_mul(stride));
    }
    false
}

/// A dimension counted from the front.
///
/// # Errors
/// [`ErrorKind::IndexError`] when there is no such dimension.
pub fn axis(axis: i64, ndim: usize) -> Result<usize> {
    let counted = if axis < 0 {
        axis.checked_add(ndim as i64)
    } else {
        Some(axis)
    };
    counted
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| *n < ndim)
        .ok_or_else(|| {
            Error::new(
                ErrorKind::IndexError,
                format!("axis {axis} of a tensor with {ndim} dimensions"),
            )
        })
}

/// The shape that a request with at most one -1 means for `count` elements.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`] when it does not hold as many elements.
pub fn resolve(wanted: &[i64], count: u64) -> Result<Vec<u64>> {
    let mismatch = |text: String| Error::new(ErrorKind::ShapeMismatch, text);
    let mut unknown = None;
    let mut shape = Vec::with_capacity(wanted.len());
    for (i, n) in wanted.iter().enumerate() {
        match u64::try_from(*n) {
            Ok(n) => shape.push(n),
            Err(_) if *n == -1 && unknown.is_none() => {
                unknown = Some(i);
                shape.push(1);
            }
            Err(_) if *n == -1 => {
                return Err(mismatch(format!("shape {wanted:?} has more than one -1")));
            }
            Err(_) => {
                return Err(mismatch(format!(
                    "shape {wanted:?} has the negative length {n}"
                )));
            }
        }
    }
    let known = self::count(&shape)?;
    if let Some(i) = unknown {
        if known == 0 || !count.is_multiple_of(known) {
            return Err(mismatch(format!(
                "{count} elements cannot be divided into shape {wanted:?}"
            )));
        }
        shape[i] = count / known;
    } else if known != count {
        return Err(mismatch(format!(
            "shape {wanted:?} holds {known} elements, but there are {count}"
        )));
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_are_refused_and_zero_is_not() {
        assert_eq!(count(&[]).unwrap(), 1);
        assert_eq!(count(&[1 << 62, 1 << 62, 0]).unwrap(), 0);
        for shape in [[1 << 32, 1 << 32], [1 << 62, 2], [u64::MAX, 1]] {
            assert_eq!(count(&shape).unwrap_err().kind(), ErrorKind::OverflowError);
        }
        assert_eq!(
            nbytes(DType::F64, &[1 << 61]).unwrap_err().kind(),
            ErrorKind::OverflowError
        );
    }

    #[test]
    fn bytes_in_one_go_are_those_of_the_long_way() {
        for shape in [&[][..], &[4], &[2, 3, 1], &[1 << 40, 7], &[1; 64]] {
            for dtype in [DType::U8, DType::F32, DType::C128] {
                let bytes = plain_nbytes(dtype, shape).unwrap();
                assert_eq!(bytes, nbytes(dtype, shape).unwrap());
            }
        }
        for shape in [&[0][..], &[3, 0], &[1 << 62, 2], &[u64::MAX], &[1; 65]] {
            assert!(plain_nbytes(DType::F32, shape).is_none(), "{shape:?}");
        }
        assert!(plain_nbytes(DType::Q8_0, &[32]).is_none());
    }

    #[test]
    fn blocks_never_span_rows() {
        assert_eq!(nbytes(DType::Q4_0, &[3, 64]).unwrap(), 3 * 2 * 18);
        let error = nbytes(DType::Q4_0, &[32, 48]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BlockMismatch);
        assert!(error.message().contains("48"), "{error}");
        assert_eq!(
            nbytes(DType::Q4_0, &[]).unwrap_err().kind(),
            ErrorKind::BlockMismatch
        );
        assert_eq!(*packed_strides(DType::Q8_0, &[2, 5, 64]), [5 * 68, 68, 34]);
    }

    #[test]
    fn extent_counts_negative_strides_downwards() {
        assert_eq!(extent(DType::F32, &[3], &[-4]).unwrap(), (-8, 4));
        assert_eq!(
            extent(DType::F32, &[3, 0], &[-4, i64::MAX]).unwrap(),
            (0, 0)
        );
        assert_eq!(
            extent(DType::F32, &[3], &[i64::MAX]).unwrap_err().kind(),
            ErrorKind::OverflowError
        );
    }

    #[test]
    fn overlap_is_seen_in_broadcast_and_in_sliding_windows() {
        assert!(may_overlap(DType::F32, &[3, 2], &[0, 4]));
        assert!(may_overlap(DType::F32, &[3, 2], &[4, 4]));
        assert!(!may_overlap(DType::F32, &[3, 2], &[4, 12]));
        assert!(!may_overlap(DType::F32, &[1, 2], &[0, 4]));
    }

    #[test]
    fn one_length_can_be_left_open() {
        assert_eq!(resolve(&[2, -1], 6).unwrap(), [2, 3]);
        assert_eq!(resolve(&[], 1).unwrap(), [0; 0]);
        for (wanted, count) in [
            (vec![4, -1], 6),
            (vec![-1, -1], 6),
            (vec![0, -1], 0),
            (vec![2, 2], 6),
            (vec![-2, -3], 6),
        ] {
            assert_eq!(
                resolve(&wanted, count).unwrap_err().kind(),
                ErrorKind::ShapeMismatch,
                "{wanted:?}"
            );
        }
    }
}
