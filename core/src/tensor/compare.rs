//! How far one tensor lies from another.

use super::{Tensor, cast, rows};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::QuantizationError;

/// Compares two tensors of the same shape after decoding, in `float64`.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`]; [`ErrorKind::UnsupportedConversion`] for what does not decode to real numbers.
pub fn quantization_error(original: &Tensor, quantized: &Tensor) -> Result<QuantizationError> {
    if original.shape() != quantized.shape() {
        let message = format!(
            "the original has shape {:?}, the quantized {:?}",
            original.shape(),
            quantized.shape()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    let (a, b) = (original.dtype(), quantized.dtype());
    for dtype in [a, b] {
        if !cast::is_supported(dtype, DType::F64) {
            return cast::unsupported(dtype, DType::F64);
        }
    }
    // The second side is packed, so that runs of the first find theirs in it.
    let quantized = quantized.contiguous()?;
    let (len, block) = (b.block_len(), b.block_bytes());
    let bytes = quantized.bytes()?;
    let mut sums = Sums::default();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    rows::visit(original, |first, run| {
        let count = run.len() as u64 / a.block_bytes() * a.block_len();
        let (from, to) = (first / len * block, (first + count) / len * block);
        decode(a, run, count, &mut x)?;
        decode(b, &bytes[from as usize..to as usize], count, &mut y)?;
        sums.add(&x, &y);
        Ok(())
    })?;
    Ok(sums.finish(original.size()))
}

fn decode(dtype: DType, bytes: &[u8], count: u64, out: &mut Vec<f64>) -> Result<()> {
    out.resize(count as usize, 0.0);
    cast::convert(dtype, bytes, DType::F64, bytemuck::cast_slice_mut(out))
}

#[derive(Default)]
struct Sums {
    difference: f64,
    max: f64,
    original: f64,
    quantized: f64,
    product: f64,
}

impl Sums {
    fn add(&mut self, x: &[f64], y: &[f64]) {
        for (x, y) in x.iter().zip(y) {
            let d = x - y;
            self.difference += d * d;
            // A NaN on one side only must not hide behind `max`, which drops it.
            self.max = if d.is_nan() || self.max.is_nan() {
                f64::NAN
            } else {
                self.max.max(d.abs())
            };
            self.original += x * x;
            self.quantized += y * y;
            self.product += x * y;
        }
    }

    fn finish(self, count: u64) -> QuantizationError {
        let norm = (self.original * self.quantized).sqrt();
        QuantizationError {
            rmse: (self.difference / count.max(1) as f64).sqrt(),
            max: self.max,
            relative: if self.original == 0.0 && self.difference == 0.0 {
                0.0
            } else {
                (self.difference / self.original).sqrt()
            },
            cosine: if self.difference == 0.0 {
                1.0
            } else if norm == 0.0 {
                0.0
            } else {
                self.product / norm
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{asarray, value::IntoAny};

    fn floats(values: &[f64]) -> Tensor {
        asarray(values.to_vec().into_any().view(), None).unwrap()
    }

    #[test]
    fn the_figures_are_those_of_their_definitions() {
        let e = quantization_error(&floats(&[3.0, 4.0]), &floats(&[3.0, 3.0])).unwrap();
        assert_eq!((e.rmse, e.max, e.relative), (0.5f64.sqrt(), 1.0, 0.2));
        assert!((e.cosine - 21.0 / (5.0 * 18f64.sqrt())).abs() < 1e-15);
        let same = quantization_error(&floats(&[1.0, 2.0]), &floats(&[1.0, 2.0])).unwrap();
        assert_eq!(
            (same.rmse, same.max, same.relative, same.cosine),
            (0.0, 0.0, 0.0, 1.0)
        );
        assert!(
            quantization_error(&floats(&[1.0, f64::NAN, 2.0]), &floats(&[1.0, 1.0, 2.0]))
                .unwrap()
                .max
                .is_nan()
        );
        assert!(quantization_error(&floats(&[1.0]), &floats(&[1.0, 2.0])).is_err());
    }
}
