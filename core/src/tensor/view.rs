//! Views: another shape or other strides over the same storage.

use super::Tensor;
use crate::abi::tensor as object;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;

impl Tensor {
    /// Same storage, another shape; one entry may be -1 and is then derived from the rest.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`], [`ErrorKind::NotContiguous`], [`ErrorKind::BlockMismatch`].
    pub fn reshape(&self, shape: &[i64]) -> Result<Tensor> {
        self.check_known("reshaped")?;
        let shape = shape::resolve(shape, self.size())?;
        shape::check(self.dtype(), &shape)?;
        if !self.is_contiguous() {
            return Err(self.not_contiguous());
        }
        let strides = shape::packed_strides(self.dtype(), &shape);
        Ok(self.moved(0, &shape, &strides))
    }

    /// Same storage as a row of bytes.
    ///
    /// # Errors
    /// [`ErrorKind::NotContiguous`].
    pub fn as_bytes(&self) -> Result<Tensor> {
        if !self.is_contiguous() {
            return Err(self.not_contiguous());
        }
        let parts = self.parts();
        let bytes = Tensor::new(
            parts.storage.clone(),
            parts.offset,
            DType::U8,
            &[parts.nbytes],
            None,
        )?;
        Ok(if self.readonly() {
            bytes.as_readonly()
        } else {
            bytes
        })
    }

    /// Same storage, dimensions in another order; negative axes count from the end.
    ///
    /// # Errors
    /// [`ErrorKind::IndexError`], [`ErrorKind::ValueError`] unless every axis stands once,
    /// [`ErrorKind::BlockMismatch`] when the blocks of a quantized tensor would no longer be innermost.
    pub fn permute(&self, axes: &[i64]) -> Result<Tensor> {
        self.check_known("permuted")?;
        let ndim = self.shape().len();
        let axes: Vec<usize> = axes
            .iter()
            .map(|axis| shape::axis(*axis, ndim))
            .collect::<Result<_>>()?;
        let mut seen = vec![false; ndim];
        axes.iter().for_each(|axis| seen[*axis] = true);
        if axes.len() != ndim || seen.contains(&false) {
            let message = format!("axes {axes:?} do not name each of {ndim} dimensions once");
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        if self.dtype().is_quantized() && axes.last() != Some(&(ndim - 1)) {
            let message = format!(
                "{}: blocks lie along the innermost dimension, which must stay there",
                self.describe()
            );
            return Err(Error::new(ErrorKind::BlockMismatch, message));
        }
        let shape: Vec<u64> = axes.iter().map(|axis| self.shape()[*axis]).collect();
        let strides: Vec<i64> = axes.iter().map(|axis| self.strides()[*axis]).collect();
        Ok(self.moved(0, &shape, &strides))
    }

    /// Same storage, the last two dimensions exchanged.
    ///
    /// # Errors
    /// As [`Tensor::permute`]; [`ErrorKind::ShapeMismatch`] with fewer than two dimensions.
    pub fn transpose(&self) -> Result<Tensor> {
        let ndim = self.shape().len();
        if ndim < 2 {
            let message = format!(
                "a transpose needs two dimensions, {} has {ndim}",
                self.describe()
            );
            return Err(Error::new(ErrorKind::ShapeMismatch, message));
        }
        let mut axes: Vec<i64> = (0..ndim as i64).collect();
        axes.swap(ndim - 2, ndim - 1);
        self.permute(&axes)
    }

    /// Same storage, a range of the outermost dimension.
    ///
    /// # Errors
    /// [`ErrorKind::IndexError`] unless `start <= stop <= len`.
    pub fn rows(&self, start: u64, stop: u64) -> Result<Tensor> {
        if self.shape().is_empty() || start > stop || stop > self.len() {
            let message = format!("rows {start} to {stop} of {}", self.describe());
            return Err(Error::new(ErrorKind::IndexError, message));
        }
        self.slice(0, Some(start as i64), Some(stop as i64), 1)
    }

    /// Same storage, part of one dimension, with bounds as slices of Python have them.
    ///
    /// # Errors
    /// [`ErrorKind::IndexError`] for an axis that is not there, [`ErrorKind::ValueError`] for a step of 0,
    /// [`ErrorKind::BlockMismatch`] when a block would be cut.
    pub fn slice(
        &self,
        axis: i32,
        start: Option<i64>,
        stop: Option<i64>,
        step: i64,
    ) -> Result<Tensor> {
        self.check_known("sliced")?;
        let axis = shape::axis(axis.into(), self.shape().len())?;
        let len = self.shape()[axis];
        let (first, count) = slice_bounds(len, start, stop, step)?;
        let innermost = axis + 1 == self.shape().len();
        let block = if innermost {
            self.dtype().block_len()
        } else {
            1
        };
        if block > 1 && count > 0 && (step != 1 || first % block != 0 || count % block != 0) {
            let message = format!(
                "{} stores blocks of {block} elements; a slice along them must be whole blocks with step 1, found {count} from {first} with step {step}",
                self.dtype()
            );
            return Err(Error::new(ErrorKind::BlockMismatch, message));
        }
        let (mut shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        // An empty view reaches nothing, so it may as well begin where this one does.
        let offset = if count == 0 {
            0
        } else {
            (first / block) as i64 * strides[axis]
        };
        shape[axis] = count;
        strides[axis] = strides[axis].saturating_mul(if count > 1 { step } else { 1 });
        Ok(self.moved(offset, &shape, &strides))
    }

    /// Same storage, one dimension fewer: a position along one is fixed.
    ///
    /// # Errors
    /// [`ErrorKind::IndexError`]; [`ErrorKind::BlockMismatch`] along the blocks of a quantized tensor.
    pub fn select(&self, axis: i32, index: i64) -> Result<Tensor> {
        self.check_known("indexed")?;
        let axis = shape::axis(axis.into(), self.shape().len())?;
        let len = self.shape()[axis];
        let counted = if index < 0 {
            index.checked_add(len as i64)
        } else {
            Some(index)
        };
        let position = counted
            .and_then(|i| u64::try_from(i).ok())
            .filter(|i| *i < len)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::IndexError,
                    format!("index {index} is outside of dimension {axis}, which has length {len}"),
                )
            })?;
        if self.dtype().is_quantized() && axis + 1 == self.shape().len() {
            let message = format!(
                "{}: one element of a block is no tensor; dequantize first",
                self.describe()
            );
            return Err(Error::new(ErrorKind::BlockMismatch, message));
        }
        let (mut shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        shape.remove(axis);
        let stride = strides.remove(axis);
        Ok(self.moved(position as i64 * stride, &shape, &strides))
    }

    /// View of one position along the outermost dimension.
    ///
    /// # Errors
    /// As [`Tensor::select`].
    pub fn at(&self, index: u64) -> Result<Tensor> {
        self.select(0, i64::try_from(index).unwrap_or(i64::MAX))
    }

    /// Same storage, writing refused.
    pub fn as_readonly(&self) -> Tensor {
        self.with(|parts| parts.readonly = true)
    }

    /// Numbers of one type cannot be taken apart when its size is unknown.
    fn check_known(&self, verb: &str) -> Result<()> {
        if self.dtype().is_opaque() {
            let message = format!(
                "{} cannot be {verb}: the layout of its type is unknown",
                self.describe()
            );
            return Err(Error::new(ErrorKind::DTypeMismatch, message));
        }
        Ok(())
    }

    /// A view whose elements are all elements of this one.
    fn moved(&self, offset: i64, shape: &[u64], strides: &[i64]) -> Tensor {
        let mut parts = self.parts().clone();
        parts.offset = parts.offset.wrapping_add_signed(offset);
        parts.nbytes =
            shape.iter().product::<u64>() / parts.dtype.block_len() * parts.dtype.block_bytes();
        parts.packed = shape::is_packed(parts.dtype, shape, strides);
        Tensor(object::new(parts, shape, Some(strides)))
    }
}

/// First position and number of positions of a slice, by the rules of Python.
fn slice_bounds(len: u64, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<(u64, u64)> {
    if step == 0 {
        return Err(Error::new(ErrorKind::ValueError, "a slice with step 0"));
    }
    let len = i128::from(len);
    let (least, most) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let bound = |value: Option<i64>, default: i128| match value.map(i128::from) {
        None => default,
        Some(n) if n < 0 => (n + len).clamp(least, most),
        Some(n) => n.clamp(least, most),
    };
    let (from, to) = if step > 0 {
        (least, most)
    } else {
        (most, least)
    };
    let (start, stop, step) = (bound(start, from), bound(stop, to), i128::from(step));
    let distance = if step > 0 { stop - start } else { start - stop };
    let count = if distance <= 0 {
        0
    } else {
        (distance - 1) / step.abs() + 1
    };
    Ok((start.max(0) as u64, count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, zeros};

    #[test]
    fn slice_bounds_are_those_of_python() {
        assert_eq!(slice_bounds(5, None, None, 1).unwrap(), (0, 5));
        assert_eq!(slice_bounds(5, None, None, -1).unwrap(), (4, 5));
        assert_eq!(slice_bounds(5, Some(-2), None, 1).unwrap(), (3, 2));
        assert_eq!(slice_bounds(5, Some(10), Some(-10), -2).unwrap(), (4, 3));
        assert_eq!(slice_bounds(5, Some(3), Some(1), 1).unwrap().1, 0);
        assert_eq!(slice_bounds(0, None, None, -1).unwrap().1, 0);
        assert_eq!(
            slice_bounds(5, Some(i64::MIN), Some(i64::MAX), i64::MAX).unwrap(),
            (0, 1)
        );
    }

    #[test]
    fn views_of_blocks_stay_whole_blocks() {
        let t = zeros(&[4, 3, 64], DType::Q4_0).unwrap();
        assert_eq!(t.slice(2, Some(32), None, 1).unwrap().shape(), [4, 3, 32]);
        for result in [
            t.slice(2, Some(16), None, 1),
            t.slice(2, None, None, -1),
            t.permute(&[2, 0, 1]),
            t.select(-1, 0),
            t.transpose(),
        ] {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::BlockMismatch);
        }
        assert_eq!(t.permute(&[1, 0, -1]).unwrap().shape(), [3, 4, 64]);
        assert_eq!(
            t.at(3).unwrap().slice(0, None, None, -2).unwrap().shape(),
            [2, 64]
        );
    }

    #[test]
    fn a_view_reaches_what_its_strides_say() {
        let t = zeros(&[2, 3], DType::F32).unwrap();
        let base = t.data_ptr();
        let flipped = t.slice(1, None, None, -1).unwrap();
        assert_eq!(
            (flipped.data_ptr(), flipped.strides()),
            (base + 8, &[12, -4][..])
        );
        assert_eq!(t.transpose().unwrap().strides(), [4, 12]);
        assert_eq!(t.select(1, -1).unwrap().data_ptr(), base + 8);
        assert!(t.select(1, 3).is_err() && t.rows(1, 3).is_err() && t.rows(2, 1).is_err());
        assert!(t.rows(2, 2).unwrap().is_contiguous());
        assert!(t.transpose().unwrap().reshape(&[6]).is_err());
        assert_eq!(t.reshape(&[-1]).unwrap().shape(), [6]);
    }
}
