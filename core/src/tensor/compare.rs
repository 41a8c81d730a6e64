//! How far one tensor lies from another, as a whole and row by row.

use super::parts::{LIGHT, Part, Parts};
use super::rows::Rows;
use super::{Tensor, cast};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::QuantizationError;

/// Elements decoded at a time: whole blocks of every format, and little enough for the stack.
const CHUNK: usize = 2048;

/// Sums that are added up side by side.
const LANES: usize = 4;

/// Compares two tensors of the same shape after decoding, in `float64`, without a temporary of the size of a tensor.
///
/// The result does not depend on the number of threads. A NaN in either tensor makes all figures NaN. Where the
/// original is all zeros, the relative error is 0 if the other is too, else infinite; the cosine is 1 and 0. Without elements
/// there is no error.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`]; [`ErrorKind::UnsupportedConversion`] for what does not decode to real numbers.
pub fn quantization_error(original: &Tensor, quantized: &Tensor) -> Result<QuantizationError> {
    check(original, quantized)?;
    let pair = if original.is_contiguous() && quantized.is_contiguous() {
        [Rows::whole(original), Rows::whole(quantized)]
    } else {
        [Rows::new(original), Rows::new(quantized)]
    };
    let parts = Parts::new(pair[0].count, pair[0].elements, LIGHT, LIGHT);
    let dtypes = [original.dtype(), quantized.dtype()];
    let sums = parts.gather(0..parts.batches(), &pair, |sums: &mut Sums, _, bytes| {
        sums.add(dtypes, bytes)
    })?;
    Ok(sums.iter().fold(Sums::default(), Sums::with).finish())
}

/// As [`quantization_error`], for each row: each run along the innermost dimension, in row-major order. A tensor
/// without elements has none.
///
/// # Errors
/// As [`quantization_error`].
pub fn quantization_errors(
    original: &Tensor,
    quantized: &Tensor,
) -> Result<Vec<QuantizationError>> {
    check(original, quantized)?;
    let pair = [Rows::new(original), Rows::new(quantized)];
    let parts = Parts::new(pair[0].count, pair[0].elements, LIGHT, LIGHT);
    let dtypes = [original.dtype(), quantized.dtype()];
    let work = |rows: &mut Vec<(u64, Sums)>, part: Part, bytes: [&[u8]; 2]| {
        let mut sums = Sums::default();
        sums.add(dtypes, bytes)?;
        rows.push((part.row, sums));
        Ok(())
    };
    let mut errors = Vec::new();
    let mut row = Sums::default();
    let mut number = 0;
    for (next, sums) in parts
        .gather(0..parts.batches(), &pair, work)?
        .iter()
        .flatten()
    {
        if *next != number {
            errors.push(std::mem::take(&mut row).finish());
            number = *next;
        }
        row = row.with(sums);
    }
    if parts.batches() > 0 {
        errors.push(row.finish());
    }
    Ok(errors)
}

fn check(original: &Tensor, quantized: &Tensor) -> Result<()> {
    if original.shape() != quantized.shape() {
        let message = format!(
            "the original has shape {:?}, the quantized {:?}",
            original.shape(),
            quantized.shape()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    for dtype in [original.dtype(), quantized.dtype()] {
        if !cast::is_supported(dtype, DType::F64) {
            return cast::unsupported(dtype, DType::F64);
        }
    }
    Ok(())
}

/// What the figures are made of.
#[derive(Default)]
struct Sums {
    count: u64,
    max: f64,
    difference: f64,
    original: f64,
    quantized: f64,
    product: f64,
}

impl Sums {
    /// Adds the elements of a run of each tensor.
    fn add(&mut self, dtypes: [DType; 2], bytes: [&[u8]; 2]) -> Result<()> {
        let step = |dtype: DType| CHUNK as u64 / dtype.block_len() * dtype.block_bytes();
        let [a, b] = dtypes;
        let (mut x, mut y) = ([0.0; CHUNK], [0.0; CHUNK]);
        for (first, second) in bytes[0]
            .chunks(step(a) as usize)
            .zip(bytes[1].chunks(step(b) as usize))
        {
            let count = first.len() / a.block_bytes() as usize * a.block_len() as usize;
            decode(a, first, &mut x[..count])?;
            decode(b, second, &mut y[..count])?;
            self.compare(&x[..count], &y[..count]);
        }
        Ok(())
    }

    fn compare(&mut self, x: &[f64], y: &[f64]) {
        let mut lanes: [Sums; LANES] = std::array::from_fn(|_| Sums::default());
        for (x, y) in x.chunks(LANES).zip(y.chunks(LANES)) {
            for ((x, y), lane) in x.iter().zip(y).zip(&mut lanes) {
                let d = x - y;
                lane.difference += d * d;
                lane.max = lane.max.max(d.abs());
                lane.original += x * x;
                lane.quantized += y * y;
                lane.product += x * y;
            }
        }
        lanes[0].count = x.len() as u64;
        for lane in &lanes {
            *self = std::mem::take(self).with(lane);
        }
    }

    fn with(self, other: &Sums) -> Sums {
        Sums {
            count: self.count + other.count,
            max: self.max.max(other.max),
            difference: self.difference + other.difference,
            original: self.original + other.original,
            quantized: self.quantized + other.quantized,
            product: self.product + other.product,
        }
    }

    fn finish(self) -> QuantizationError {
        let norm = self.original.sqrt() * self.quantized.sqrt();
        QuantizationError {
            rmse: (self.difference / self.count.max(1) as f64).sqrt(),
            // A maximum drops NaN, a sum does not.
            max: if self.difference.is_nan() {
                f64::NAN
            } else {
                self.max
            },
            relative: if self.difference == 0.0 {
                0.0
            } else {
                (self.difference / self.original).sqrt()
            },
            cosine: if self.difference == 0.0 {
                1.0
            } else if norm == 0.0 {
                0.0
            } else {
                (self.product / norm).clamp(-1.0, 1.0)
            },
        }
    }
}

fn decode(dtype: DType, bytes: &[u8], out: &mut [f64]) -> Result<()> {
    cast::convert(dtype, bytes, DType::F64, bytemuck::cast_slice_mut(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{asarray, value::IntoAny};

    fn floats(values: &[f64]) -> Tensor {
        asarray(values.to_vec().into_any().view(), None).unwrap()
    }

    fn error(original: &[f64], quantized: &[f64]) -> QuantizationError {
        quantization_error(&floats(original), &floats(quantized)).unwrap()
    }

    #[test]
    fn the_figures_are_those_of_their_definitions() {
        let e = error(&[3.0, 4.0], &[3.0, 3.0]);
        assert_eq!((e.rmse, e.max, e.relative), (0.5f64.sqrt(), 1.0, 0.2));
        assert!((e.cosine - 21.0 / (5.0 * 18f64.sqrt())).abs() < 1e-15);
        assert_eq!(error(&[1.0, 2.0], &[1.0, 2.0]), Default::default());
        assert!(quantization_error(&floats(&[1.0]), &floats(&[1.0, 2.0])).is_err());
    }

    #[test]
    fn nan_makes_every_figure_nan() {
        for pair in [
            ([1.0, f64::NAN, 2.0], [1.0; 3]),
            ([1.0; 3], [f64::NAN, 1.0, 2.0]),
        ] {
            let e = error(&pair.0, &pair.1);
            for figure in [e.rmse, e.max, e.relative, e.cosine] {
                assert!(figure.is_nan(), "{e:?}");
            }
        }
    }

    #[test]
    fn zeros_have_defined_figures() {
        assert_eq!(error(&[0.0, 0.0], &[0.0, -0.0]), Default::default());
        let e = error(&[0.0, 0.0], &[0.0, 2.0]);
        assert_eq!((e.relative, e.cosine), (f64::INFINITY, 0.0));
        let e = error(&[0.0, 2.0], &[0.0, 0.0]);
        assert_eq!((e.relative, e.cosine), (1.0, 0.0));
        assert_eq!(error(&[], &[]), Default::default());
    }

    #[test]
    fn rows_are_measured_apart_and_long_ones_whole() {
        let len = LIGHT as i64 * 2 + 100;
        let x = floats(&(0..3 * len).map(|i| i as f64).collect::<Vec<_>>())
            .reshape(&[3, 1, len])
            .unwrap();
        let y = crate::cast(&x, DType::F32, None).unwrap();
        let rows = quantization_errors(&x, &y).unwrap();
        assert_eq!(rows.len(), 3);
        let strided = x.permute(&[1, 0, 2]).unwrap();
        let apart = quantization_errors(&strided, &y.permute(&[1, 0, 2]).unwrap()).unwrap();
        assert_eq!(apart, rows);
        for (i, row) in (0u64..).zip(&rows) {
            let (x, y) = (x.rows(i, i + 1).unwrap(), y.rows(i, i + 1).unwrap());
            assert_eq!(quantization_error(&x, &y).unwrap(), *row);
        }
        assert!(
            quantization_errors(&floats(&[]), &floats(&[]))
                .unwrap()
                .is_empty()
        );
    }
}
