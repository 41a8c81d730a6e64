//! Products of a matrix of any dtype with a vector.
//!
//! What a row of one dtype and a vector make is decided in [`crate::quant::dot`]. Here shapes are
//! checked, elements of other dtypes widened, and rows shared out over threads.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::dtype::{Class, DType, DTypeName};
use crate::error::{Error, ErrorKind, Result};
use crate::quant::dot::{Activation, floats};
use crate::quant::kernel::InstructionSet;
use crate::tensor::rows::Rows;
use crate::tensor::{Tensor, cast};
use crate::{quant, threads};

/// Rows that are multiplied with one vector after another while they are in the cache.
const TOGETHER: usize = 16;

/// Products of a weight and a number of a vector that cost as much as moving one element.
const PER_MOVE: u64 = 4;

/// What preparing a number of a vector costs, in moves of an element.
pub(super) const PREPARING: u64 = 8;

/// Products of each row of a matrix with a vector, or with each vector of a batch, as `float32`.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`]; [`ErrorKind::UnsupportedConversion`] for what holds no real numbers;
/// [`ErrorKind::DTypeMismatch`] when `out` is not `float32`, [`ErrorKind::ReadOnly`] when it is not
/// writable.
pub fn matvec(w: &Tensor, x: &Tensor, out: Option<&Tensor>) -> Result<Tensor> {
    let (rows, batch) = check_shapes(w, x)?;
    check_real(w)?;
    check_real(x)?;
    let shape: Vec<u64> = if x.ndim() == 1 {
        vec![rows]
    } else {
        vec![batch, rows]
    };
    let out = cast::destination(&shape, DType::F32, out)?;
    if out.shape() != shape {
        let message = format!(
            "the products have shape {shape:?}, but `out` is a {}",
            out.describe()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    out.check_writable()?;
    let products = crate::zeros(&[rows, batch], DType::F32)?;
    if products.size() > 0 && !w.is_empty() {
        multiply(w, &prepare(w, x, batch)?, products.fresh_bytes()?)?;
    }
    let products = match x.ndim() {
        1 => products.reshape(&[rows as i64])?,
        _ => products.transpose()?,
    };
    crate::copy(&products, &out, &Default::default())?;
    Ok(out)
}

/// The vectors of a batch that is not empty.
fn prepare(w: &Tensor, x: &Tensor, batch: u64) -> Result<Vec<Multiplier>> {
    let exact = !x.dtype().is_plain();
    let x = x.contiguous()?;
    let bytes = x.bytes()?;
    // No more vectors than bytes.
    let len = bytes.len() / batch as usize;
    let vector = |bytes: &[u8]| Multiplier::new(w.dtype(), numbers(x.dtype(), bytes)?, exact);
    threads::run(x.size().saturating_mul(PREPARING), || {
        if !threads::in_a_pool() {
            return bytes.chunks_exact(len).map(vector).collect();
        }
        bytes.par_chunks_exact(len).map(vector).collect()
    })
}

/// Fills the `float32` of each row and vector.
fn multiply(w: &Tensor, vectors: &[Multiplier], places: &mut [u8]) -> Result<()> {
    let rows = Rows::new(w);
    let work = w.size().saturating_mul(vectors.len() as u64) / PER_MOVE;
    let share = PER_MOVE * threads::share(work) / rows.elements();
    let share = usize::try_from(share.max(1)).unwrap_or(usize::MAX);
    threads::run(work, || {
        let row_bytes = 4 * vectors.len();
        if !threads::in_a_pool() {
            return fill(&rows, 0, vectors, places);
        }
        // Vectors of a row are shared out too when there are many to few rows.
        if share < vectors.len() {
            let each_row = places.par_chunks_mut(row_bytes).enumerate();
            return each_row.try_for_each(|(row, places)| {
                let parts = places.par_chunks_mut(4 * share);
                parts
                    .zip(vectors.par_chunks(share))
                    .try_for_each(|(places, vectors)| fill(&rows, row, vectors, places))
            });
        }
        let share = share / vectors.len();
        let parts = places.par_chunks_mut(share.saturating_mul(row_bytes));
        parts
            .enumerate()
            .try_for_each(|(i, places)| fill(&rows, i * share, vectors, places))
    })
}

/// Fills the places of the rows from `first` on and of some vectors.
fn fill(rows: &Rows<'_>, first: usize, vectors: &[Multiplier], places: &mut [u8]) -> Result<()> {
    let row_bytes = 4 * vectors.len();
    let together = if rows.are_packed() { TOGETHER } else { 1 };
    let mut scratch = Vec::new();
    let mut sums = [0f32; TOGETHER];
    for (i, places) in places.chunks_mut(together * row_bytes).enumerate() {
        let sums = &mut sums[..places.len() / row_bytes];
        let first = (first + i * together) as u64;
        let bytes = match sums.len() {
            1 => rows.read(first, &mut scratch)?,
            several => Cow::Borrowed(rows.several(first..first + several as u64)?),
        };
        for (v, vector) in vectors.iter().enumerate() {
            vector.dot_rows(&bytes, sums)?;
            let places = places.as_chunks_mut().0.iter_mut().skip(v);
            for (place, sum) in places.step_by(vectors.len()).zip(&*sums) {
                *place = sum.to_ne_bytes();
            }
        }
    }
    Ok(())
}

/// A vector, ready for rows of one dtype.
pub(super) enum Multiplier {
    /// Through the activation type of the rows, or as it is where they have none.
    Prepared(Activation),
    /// As it is, for rows of any dtype.
    Exact(DType, Vec<f64>),
}

impl Multiplier {
    /// `exact` says that the vector must not be rounded.
    pub fn new(rows: DType, x: Vec<f64>, exact: bool) -> Result<Self> {
        match rows.known() {
            Some(name) if !exact && partner(name).is_some() => {
                Ok(Multiplier::Prepared(Activation::new(name, &x)?))
            }
            _ => Ok(Multiplier::Exact(rows, x)),
        }
    }

    /// The sum of the products with a packed row.
    pub fn dot(&self, row: &[u8]) -> Result<f64> {
        let (dtype, x) = match self {
            Multiplier::Prepared(x) => return x.dot(row),
            Multiplier::Exact(dtype, x) => (*dtype, x),
        };
        let codec = dtype.known().and_then(quant::codec);
        if codec.is_some() || dtype == DType::F32 {
            return Ok(floats(InstructionSet::chosen(), codec, row, x));
        }
        Ok(quant::dot::products(&numbers(dtype, row)?, x))
    }

    /// As [`Multiplier::dot`], of each of as many packed rows as there are sums.
    fn dot_rows(&self, rows: &[u8], sums: &mut [f32]) -> Result<()> {
        if let Multiplier::Prepared(x) = self {
            return x.dot_rows(rows, sums);
        }
        let row_bytes = rows.len() / sums.len().max(1);
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = self.dot(&rows[i * row_bytes..][..row_bytes])? as f32;
        }
        Ok(())
    }
}

/// What the numbers beside a format are rounded to.
pub(super) fn partner(name: DTypeName) -> Option<DTypeName> {
    quant::codec(name)?.partner()
}

/// Packed elements as `float64`.
pub(super) fn numbers(dtype: DType, bytes: &[u8]) -> Result<Vec<f64>> {
    // A tensor of so many bytes exists.
    let len = bytes.len() / dtype.block_bytes() as usize * dtype.block_len() as usize;
    let mut numbers = vec![0.0; len];
    cast::convert(
        dtype,
        bytes,
        DType::F64,
        bytemuck::cast_slice_mut(&mut numbers),
    )?;
    Ok(numbers)
}

fn check_real(t: &Tensor) -> Result<()> {
    let real = t.dtype().class() != Class::Complex && cast::is_supported(t.dtype(), DType::F64);
    if real {
        return Ok(());
    }
    cast::unsupported(t.dtype(), DType::F64)
}

/// Rows of the matrix, and vectors in the batch.
fn check_shapes(w: &Tensor, x: &Tensor) -> Result<(u64, u64)> {
    match (w.shape(), x.shape()) {
        (&[rows, n], &[len]) if n == len => Ok((rows, 1)),
        (&[rows, n], &[batch, len]) if n == len => Ok((rows, batch)),
        _ => {
            let message = format!(
                "matvec takes a matrix [rows, n] and a vector [n] or vectors [batch, n], found {} and {}",
                w.describe(),
                x.describe()
            );
            Err(Error::new(ErrorKind::ShapeMismatch, message))
        }
    }
}
