//! Whether two tensors hold the same numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use super::parts::{LIGHT, Parts};
use super::rows::Rows;
use super::{Tensor, cast};
use crate::dtype::{Class, DType};
use crate::error::Result;

/// Elements compared at a time: whole blocks of every format, and little enough for the stack.
const CHUNK: usize = 1024;

impl Tensor {
    /// Whether another tensor has the same shape and equal numbers, whatever the dtypes: they are compared exactly, as
    /// numbers, quantized ones decoded. NaN equals nothing, and zeros of either sign are equal.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedConversion`](crate::ErrorKind::UnsupportedConversion) for types without a decoder;
    /// [`ErrorKind::BufferError`](crate::ErrorKind::BufferError) when a tensor is only planned.
    pub fn equals(&self, other: &Tensor) -> Result<bool> {
        if self.shape() != other.shape() {
            return Ok(false);
        }
        let dtypes = [self.dtype(), other.dtype()];
        for dtype in dtypes {
            if dtype.class() != Class::Complex && !cast::is_supported(dtype, DType::F64) {
                return cast::unsupported(dtype, DType::F64);
            }
        }
        let pair = match self.is_contiguous() && other.is_contiguous() {
            true => [Rows::whole(self), Rows::whole(other)],
            false => [Rows::new(self), Rows::new(other)],
        };
        let differ = AtomicBool::new(false);
        let parts = Parts::new(pair[0].count, pair[0].elements, LIGHT, LIGHT);
        parts.gather(0..parts.batches(), &pair, |_: &mut (), _, bytes| {
            if !differ.load(Ordering::Relaxed) && !are_equal(dtypes, bytes)? {
                differ.store(true, Ordering::Relaxed);
            }
            Ok(())
        })?;
        Ok(!differ.into_inner())
    }
}

/// Compares as many packed elements of each dtype.
fn are_equal(dtypes: [DType; 2], bytes: [&[u8]; 2]) -> Result<bool> {
    if dtypes[0] == dtypes[1] && is_whole(dtypes[0]) {
        return Ok(bytes[0] == bytes[1]);
    }
    let step = |dtype: DType| CHUNK / dtype.block_len() as usize * dtype.block_bytes() as usize;
    let [first, second] = bytes;
    let chunks = first.chunks(step(dtypes[0]));
    for chunk in chunks.zip(second.chunks(step(dtypes[1]))) {
        let chunk = [chunk.0, chunk.1];
        let same = match dtypes.iter().any(|dtype| is_wide(*dtype)) {
            true => are_wide_equal(dtypes, chunk)?,
            false => are_floats_equal(dtypes, chunk)?,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_whole(dtype: DType) -> bool {
    matches!(dtype.class(), Class::Signed | Class::Unsigned)
}

/// Whether the numbers of a dtype are more than `float64` tells apart.
fn is_wide(dtype: DType) -> bool {
    dtype == DType::I64 || dtype == DType::U64
}

/// Numbers as `float64`, which holds each of them exactly; those of a complex dtype as their two parts.
struct Floats {
    values: [f64; 2 * CHUNK],
    len: usize,
    are_pairs: bool,
}

impl Floats {
    fn new(dtype: DType, bytes: &[u8]) -> Result<Floats> {
        let are_pairs = dtype.class() == Class::Complex;
        let part = match dtype {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        };
        let len = bytes.len() / part.block_bytes() as usize * part.block_len() as usize;
        let mut values = [0.0; 2 * CHUNK];
        cast::convert(
            part,
            bytes,
            DType::F64,
            bytemuck::cast_slice_mut(&mut values[..len]),
        )?;
        Ok(Floats {
            values,
            len,
            are_pairs,
        })
    }

    fn values(&self) -> &[f64] {
        &self.values[..self.len]
    }

    /// The real number at a position, if it is one.
    fn real(&self, i: usize) -> Option<f64> {
        match self.are_pairs {
            true => (self.values[2 * i + 1] == 0.0).then_some(self.values[2 * i]),
            false => Some(self.values[i]),
        }
    }
}

fn are_floats_equal(dtypes: [DType; 2], bytes: [&[u8]; 2]) -> Result<bool> {
    let (x, y) = (
        Floats::new(dtypes[0], bytes[0])?,
        Floats::new(dtypes[1], bytes[1])?,
    );
    if x.are_pairs == y.are_pairs {
        return Ok(x.values() == y.values());
    }
    let count = x.len.min(y.len);
    Ok((0..count).all(|i| matches!((x.real(i), y.real(i)), (Some(x), Some(y)) if x == y)))
}

/// Numbers of which some have more bits than a `float64`.
enum Wide {
    Signed([i64; CHUNK]),
    Unsigned([u64; CHUNK]),
    Floats(Box<Floats>),
}

/// One of them.
enum Number {
    Whole(i128),
    Real(f64),
    None,
}

impl Wide {
    fn new(dtype: DType, bytes: &[u8]) -> Result<Wide> {
        let len = bytes.len() / dtype.block_bytes() as usize;
        Ok(match dtype.class() {
            Class::Signed => {
                let mut words = [0i64; CHUNK];
                let room = bytemuck::cast_slice_mut(&mut words[..len]);
                cast::convert(dtype, bytes, DType::I64, room)?;
                Wide::Signed(words)
            }
            Class::Unsigned => {
                let mut words = [0u64; CHUNK];
                let room = bytemuck::cast_slice_mut(&mut words[..len]);
                cast::convert(dtype, bytes, DType::U64, room)?;
                Wide::Unsigned(words)
            }
            _ => Wide::Floats(Box::new(Floats::new(dtype, bytes)?)),
        })
    }

    fn number(&self, i: usize) -> Number {
        match self {
            Wide::Signed(words) => Number::Whole(words[i].into()),
            Wide::Unsigned(words) => Number::Whole(words[i].into()),
            Wide::Floats(floats) => floats.real(i).map_or(Number::None, Number::Real),
        }
    }
}

fn are_wide_equal(dtypes: [DType; 2], bytes: [&[u8]; 2]) -> Result<bool> {
    let wide = dtypes.iter().zip(bytes).find(|(dtype, _)| is_wide(**dtype));
    let count = wide.map_or(0, |(_, bytes)| bytes.len() / 8);
    let (x, y) = (
        Wide::new(dtypes[0], bytes[0])?,
        Wide::new(dtypes[1], bytes[1])?,
    );
    Ok((0..count).all(|i| match (x.number(i), y.number(i)) {
        (Number::Whole(x), Number::Whole(y)) => x == y,
        (Number::Real(real), Number::Whole(whole)) | (Number::Whole(whole), Number::Real(real)) => {
            // Saturates only beyond what any whole number here reaches.
            real.trunc() == real && real as i128 == whole
        }
        _ => false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::IntoAny;
    use crate::{asarray, from_bytes, quantize, zeros};

    fn of(values: &[f64], dtype: DType) -> Tensor {
        asarray(values.to_vec().into_any().view(), Some(dtype)).unwrap()
    }

    #[test]
    fn numbers_are_equal_whatever_their_dtypes() {
        let plain = [
            DType::F64,
            DType::F32,
            DType::F16,
            DType::BF16,
            DType::I8,
            DType::U8,
            DType::I64,
            DType::U64,
            DType::C64,
            DType::C128,
        ];
        // More than one chunk, and a tail.
        let values: Vec<f64> = (0..2 * CHUNK + 3).map(|i| (i % 100) as f64).collect();
        let mut others = values.clone();
        *others.last_mut().unwrap() += 1.0;
        for a in plain {
            for b in plain {
                assert!(of(&values, a).equals(&of(&values, b)).unwrap(), "{a} {b}");
                assert!(!of(&values, a).equals(&of(&others, b)).unwrap(), "{a} {b}");
            }
        }
    }

    #[test]
    fn more_bits_than_a_float_has_are_told_apart() {
        let big = (1u64 << 53) + 1;
        let one = |bytes: [u8; 8], dtype| from_bytes(&bytes, &[1], dtype).unwrap();
        let float = one((big as f64).to_ne_bytes(), DType::F64);
        assert!(!one(big.to_ne_bytes(), DType::U64).equals(&float).unwrap());
        assert!(!float.equals(&one(big.to_ne_bytes(), DType::I64)).unwrap());
        let minus = one((-1i64).to_ne_bytes(), DType::I64);
        assert!(
            !one(u64::MAX.to_ne_bytes(), DType::U64)
                .equals(&minus)
                .unwrap()
        );
        let end = one((u64::MAX as f64).to_ne_bytes(), DType::F64);
        assert!(
            !one(u64::MAX.to_ne_bytes(), DType::U64)
                .equals(&end)
                .unwrap()
        );
        assert!(
            of(&[-0.0], DType::F32)
                .equals(&of(&[0.0], DType::I64))
                .unwrap()
        );
    }

    #[test]
    fn nan_equals_nothing_and_shapes_count() {
        let nan = of(&[f64::NAN], DType::F32);
        assert!(!nan.equals(&nan).unwrap());
        assert!(
            !zeros(&[2], DType::F32)
                .unwrap()
                .equals(&zeros(&[2, 1], DType::F32).unwrap())
                .unwrap()
        );
        assert!(
            zeros(&[0], DType::F32)
                .unwrap()
                .equals(&zeros(&[0], DType::I8).unwrap())
                .unwrap()
        );
        let (re, im) = (1f64.to_ne_bytes(), 2f64.to_ne_bytes());
        let complex = from_bytes(&[re, im].concat(), &[1], DType::C128).unwrap();
        assert!(
            complex.equals(&complex).unwrap() && !complex.equals(&of(&[1.0], DType::F64)).unwrap()
        );
    }

    #[test]
    fn views_and_blocks_are_compared_as_the_numbers_they_hold() {
        let values: Vec<f64> = (0..64).map(f64::from).collect();
        let (up, down) = (of(&values, DType::F32), of(&values, DType::I16));
        let reversed = up.slice(0, None, None, -1).unwrap();
        assert!(
            reversed
                .equals(&down.slice(0, None, None, -1).unwrap())
                .unwrap()
        );
        assert!(!reversed.equals(&down).unwrap());
        let blocks = quantize(&up, DType::Q8_0, &Default::default()).unwrap();
        let decoded = cast::cast(&blocks, DType::F32, None).unwrap();
        assert!(blocks.equals(&decoded).unwrap() && decoded.equals(&blocks).unwrap());
        assert!(!blocks.equals(&zeros(&[64], DType::F32).unwrap()).unwrap());
    }
}
