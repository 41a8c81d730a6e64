//! Metrics of two rows, at least one of them block-quantized.

use rayon::prelude::*;

use super::kernel::Kernel;
use super::matvec::{Multiplier, PREPARING, numbers, partner};
use super::metric::{Form, Metric, Number};
use super::row::Row;
use super::sums::Twofold;
use crate::dtype::DType;
use crate::error::Result;
use crate::quant::kernel::InstructionSet;
use crate::tensor::Tensor;
use crate::threads;

/// Elements of long rows that are multiplied at a time: whole blocks and steps of every format.
const PIECE: usize = 1 << 15;

/// A metric of two rows of one dimension and the same length that hold real numbers.
///
/// Products with a block-quantized row bring the other into the activation type of the format; where both are
/// block-quantized, or the format has none, the numbers that they hold are multiplied. So it is for distances.
pub(super) fn pair(metric: Metric, a: &Tensor, b: &Tensor) -> Result<Number> {
    match metric.form() {
        Form::Products | Form::Conjugated => Ok(Number::Real(dot(a, b)?)),
        form => {
            let (a, b) = (a.contiguous()?, b.contiguous()?);
            let pieces = chunks(&a)?.zip(chunks(&b)?);
            let mut sums = [Twofold::default(); 3];
            for (x, y) in pieces {
                let (x, y) = (numbers(a.dtype(), x)?, numbers(b.dtype(), y)?);
                add(form, &x, &y, &mut sums)?;
            }
            Ok(metric.of_reals(&sums))
        }
    }
}

/// Adds the sums of doubles.
fn add(form: Form, x: &[f64], y: &[f64], sums: &mut [Twofold; 3]) -> Result<()> {
    let x = Row::packed(DType::F64, bytemuck::cast_slice(x))?;
    let y = Row::packed(DType::F64, bytemuck::cast_slice(y))?;
    if let Some(Kernel::Floats(kernel)) =
        Kernel::find(InstructionSet::chosen(), DType::F64, form, false, x.len())
    {
        kernel.add(&x, &y, sums);
    }
    Ok(())
}

/// Bytes of a piece of a row.
fn piece_bytes(t: &Tensor) -> usize {
    PIECE / t.dtype().block_len() as usize * t.dtype().block_bytes() as usize
}

/// The pieces of a contiguous row.
fn chunks(t: &Tensor) -> Result<std::slice::Chunks<'_, u8>> {
    Ok(t.bytes()?.chunks(piece_bytes(t)))
}

/// The sum of products.
fn dot(a: &Tensor, b: &Tensor) -> Result<f64> {
    let rounds = |t: &Tensor| {
        t.dtype()
            .known()
            .is_some_and(|name| partner(name).is_some())
    };
    let (row, vector) = match (rounds(a), rounds(b)) {
        (false, true) => (b, a),
        _ => (a, b),
    };
    let exact = rounds(row) == rounds(vector) || !vector.dtype().is_plain();
    let (row, vector) = (row.contiguous()?, vector.contiguous()?);
    let sum = |(row_bytes, vector_bytes): (&[u8], &[u8])| {
        let x = numbers(vector.dtype(), vector_bytes)?;
        Multiplier::new(row.dtype(), x, exact)?.dot(row_bytes)
    };
    let (row_bytes, vector_bytes) = (row.bytes()?, vector.bytes()?);
    let (row_size, vector_size) = (piece_bytes(&row), piece_bytes(&vector));
    // Each piece of the vector is prepared for a single row.
    let sums: Vec<f64> = threads::run(row.size().saturating_mul(PREPARING), || {
        if !threads::in_a_pool() {
            let pieces = row_bytes.chunks(row_size);
            return pieces
                .zip(vector_bytes.chunks(vector_size))
                .map(sum)
                .collect::<Result<_>>();
        }
        let pieces = row_bytes.par_chunks(row_size);
        pieces
            .zip(vector_bytes.par_chunks(vector_size))
            .map(sum)
            .collect()
    })?;
    Ok(sums.iter().sum())
}
