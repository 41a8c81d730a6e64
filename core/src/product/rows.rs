//! Metrics of the rows of two tensors: shapes that fit, where the results go, and which thread makes them.

use rayon::prelude::*;

use super::blocks;
use super::metric::{Metric, Number};
use super::pair::{pair, unfit};
use super::row::Row;
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::ProductOptions;
use crate::shape;
use crate::tensor::{Tensor, cast, rows};
use crate::threads;
use crate::value::{Any, IntoAny};

/// A metric of two tensors: a number when both are one row and there is no `out`, a tensor otherwise.
pub(super) fn metric(
    metric: Metric,
    a: &Tensor,
    b: &Tensor,
    options: &ProductOptions,
) -> Result<Any> {
    let dtype = check_dtypes(metric, a, b)?;
    let pairs = Pairs::new(metric, a, b, options.fast)?;
    let Some(out) = &options.out else {
        if pairs.shape.is_empty() {
            return Ok(pairs.at(0)?.into_any());
        }
        let results = crate::zeros(&pairs.shape, metric.result_dtype(dtype))?;
        pairs.fill(&results)?;
        return Ok(results.into_any());
    };
    let place = place(out, &pairs.shape, metric.result_dtype(dtype))?;
    rows::check_target(&place)?;
    check_apart(&place, a)?;
    check_apart(&place, b)?;
    let results = crate::zeros(&pairs.shape, place.dtype())?;
    pairs.fill(&results)?;
    crate::copy(&results, &place, &Default::default())?;
    Ok(out.clone().into_any())
}

/// The dtype that decides which one the results have.
fn check_dtypes(metric: Metric, a: &Tensor, b: &Tensor) -> Result<DType> {
    let (x, y) = (a.dtype(), b.dtype());
    let is_number = |dtype: DType| {
        !matches!(dtype.class(), Class::Bool | Class::Opaque)
            && (dtype.is_plain() || dtype.can_decode())
    };
    let has_blocks = x.is_quantized() || y.is_quantized();
    let is_complex = x.class() == Class::Complex || y.class() == Class::Complex;
    let fit = is_number(x) && is_number(y) && (x == y || has_blocks && !is_complex);
    match fit {
        true if y.is_quantized() => Ok(y),
        true => Ok(x),
        false => Err(unfit(metric, x, y)),
    }
}

/// `out`, seen in the shape of the results.
fn place(out: &Tensor, shape: &[u64], dtype: DType) -> Result<Tensor> {
    if shape.is_empty() && out.size() == 1 && out.dtype() == dtype {
        return out.reshape(&[]);
    }
    if out.dtype() == dtype && out.shape() != shape {
        let message = format!(
            "the results have shape {shape:?}, but `out` is a {}",
            out.describe()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    cast::destination(shape, dtype, Some(out))
}

/// Checks that results do not go over numbers that are still to be read.
fn check_apart(out: &Tensor, input: &Tensor) -> Result<()> {
    let range = |t: &Tensor| {
        let items = shape::extent(t.dtype(), t.shape(), t.strides()).ok()?;
        let at = |offset: i64| i128::from(t.data_ptr()) + i128::from(offset);
        (items.0 != items.1 && t.data_ptr() != 0).then(|| at(items.0)..at(items.1))
    };
    let (Some(to), Some(from)) = (range(out), range(input)) else {
        return Ok(());
    };
    if to.start >= from.end || from.start >= to.end {
        return Ok(());
    }
    let message = format!(
        "`out`, a {}, shares memory with an argument, a {}",
        out.describe(),
        input.describe()
    );
    Err(Error::new(ErrorKind::BufferError, message))
}

/// Pairs of rows, one for each result.
struct Pairs<'t> {
    metric: Metric,
    fast: bool,
    a: &'t Tensor,
    b: &'t Tensor,
    /// Shape of the results: what remains of both tensors without their innermost dimension, stretched to each other.
    shape: Vec<u64>,
}

impl<'t> Pairs<'t> {
    fn new(metric: Metric, a: &'t Tensor, b: &'t Tensor, fast: bool) -> Result<Self> {
        let shape = stretched(a.shape(), b.shape()).ok_or_else(|| {
            let message = format!(
                "{} takes rows of the same length, of one dimension or along the innermost of shapes that fit each other, found {} and {}",
                metric.name(),
                a.describe(),
                b.describe()
            );
            Error::new(ErrorKind::ShapeMismatch, message)
        })?;
        shape::count(&shape)?;
        Ok(Pairs {
            metric,
            fast,
            a,
            b,
            shape,
        })
    }

    /// The result of one pair.
    fn at(&self, i: u64) -> Result<Number> {
        let (a, b) = (self.start(self.a, i), self.start(self.b, i));
        if self.a.dtype().is_plain() && self.b.dtype().is_plain() {
            return pair(self.metric, row(self.a, a)?, row(self.b, b)?, self.fast);
        }
        blocks::pair(self.metric, &one_row(self.a, a)?, &one_row(self.b, b)?)
    }

    /// First byte of a row of a tensor, in its storage.
    fn start(&self, t: &Tensor, i: u64) -> i64 {
        let mut offset = t.parts().offset as i64;
        let mut rest = i;
        let axes = t.shape().iter().zip(t.strides()).rev().skip(1);
        let mut lengths = self.shape.iter().rev();
        for ((n, stride), length) in axes.zip(&mut lengths) {
            if *n != 1 {
                offset += (rest % length) as i64 * stride;
            }
            rest /= length;
        }
        offset
    }

    /// Writes each result.
    fn fill(&self, results: &Tensor) -> Result<()> {
        if results.is_empty() {
            return Ok(());
        }
        let (dtype, places) = (results.dtype(), results.fresh_bytes()?);
        let size = dtype.block_bytes() as usize;
        let elements = self.a.shape().last().copied().unwrap_or(0).max(1);
        let work = results.size().saturating_mul(elements);
        let share = usize::try_from((threads::share(work) / elements).max(1)).unwrap_or(1);
        let fill = |(first, places): (usize, &mut [u8])| {
            for (i, place) in places.chunks_exact_mut(size).enumerate() {
                write(self.at((first * share + i) as u64)?, dtype, place)?;
            }
            Ok(())
        };
        threads::run(work, || {
            if !threads::in_a_pool() {
                return places
                    .chunks_mut(share * size)
                    .enumerate()
                    .try_for_each(fill);
            }
            let shares = places.par_chunks_mut(share * size).enumerate();
            // The first error in the order of the rows, whichever thread meets one first.
            let failed: Vec<Error> = shares.filter_map(|share| fill(share).err()).collect();
            failed.into_iter().next().map_or(Ok(()), Err)
        })
    }
}

/// The shapes without their innermost dimensions, which have the same length, stretched to each other.
fn stretched(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let ((m, a), (n, b)) = (a.split_last()?, b.split_last()?);
    if m != n {
        return None;
    }
    let length = |shape: &[u64], from_end: usize| match from_end < shape.len() {
        true => shape[shape.len() - 1 - from_end],
        false => 1,
    };
    let ndim = a.len().max(b.len());
    let lengths = (0..ndim).rev().map(|i| match (length(a, i), length(b, i)) {
        (x, y) if x == y => Some(x),
        (1, n) | (n, 1) => Some(n),
        _ => None,
    });
    lengths.collect()
}

/// A row of plain numbers.
#[inline]
fn row(t: &Tensor, start: i64) -> Result<Row<'_>> {
    let (len, stride) = match (t.shape().last(), t.strides().last()) {
        (Some(len), Some(stride)) => (*len, *stride),
        _ => (1, 0),
    };
    let storage = t.storage();
    if storage.is_absent() && len > 0 {
        storage.bytes(0, 1)?;
    }
    let bytes = storage.bytes(0, storage.len() as u64)?;
    Row::strided(t.dtype(), bytes, start as u64, stride, len)
}

/// A row as a tensor.
fn one_row(t: &Tensor, start: i64) -> Result<Tensor> {
    let axis = t.shape().len() - 1;
    let (shape, strides) = (&t.shape()[axis..], &t.strides()[axis..]);
    Tensor::new(
        t.storage().clone(),
        start as u64,
        t.dtype(),
        shape,
        Some(strides),
    )
}

/// Writes a result as a number of the dtype of all results.
fn write(number: Number, dtype: DType, place: &mut [u8]) -> Result<()> {
    match (number, dtype) {
        (Number::Real(x), DType::F32) => place.copy_from_slice(&(x as f32).to_ne_bytes()),
        (Number::Real(x), _) => place.copy_from_slice(&x.to_ne_bytes()),
        (Number::Complex(x), _) => {
            let (re, im) = place.split_at_mut(8);
            re.copy_from_slice(&x.re.to_ne_bytes());
            im.copy_from_slice(&x.im.to_ne_bytes());
        }
        (Number::Whole(x), _) => {
            let bytes = match dtype {
                DType::U64 => u64::try_from(x).map(u64::to_ne_bytes),
                _ => i64::try_from(x).map(i64::to_ne_bytes),
            };
            place.copy_from_slice(&bytes.map_err(|_| {
                let message = format!("the result {x} does not fit {dtype}");
                Error::new(ErrorKind::OverflowError, message)
            })?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_stretched_to_each_other() {
        assert_eq!(stretched(&[3], &[3]), Some(vec![]));
        assert_eq!(stretched(&[2, 3], &[3]), Some(vec![2]));
        assert_eq!(stretched(&[1, 3], &[4, 3]), Some(vec![4]));
        assert_eq!(stretched(&[5, 1, 3], &[4, 3]), Some(vec![5, 4]));
        assert_eq!(stretched(&[0, 3], &[1, 3]), Some(vec![0]));
        assert_eq!(stretched(&[2, 0], &[0]), Some(vec![2]));
        assert_eq!(stretched(&[2, 3], &[4, 3]), None);
        assert_eq!(stretched(&[0, 3], &[4, 3]), None);
        assert_eq!(stretched(&[3], &[1]), None);
        assert_eq!(stretched(&[], &[1]), None);
    }
}
