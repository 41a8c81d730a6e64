//! Products and distances of rows: [`dot`] and its family, [`matvec`].
//!
//! Two rows of plain numbers meet in [`pair`], a function of borrowed memory; kernels are chosen once. Tensors are rows
//! along their innermost dimension. What a row of blocks and a vector make is decided in [`crate::quant::dot`].
//! No result depends on the number of threads.

mod blocks;
mod kernel;
mod matvec;
mod metric;
mod pair;
mod row;
mod rows;
mod sums;

pub use self::matvec::matvec;
pub use self::metric::{Metric, Number};
pub use self::pair::{pair, pair_with};
pub use self::row::Row;

use crate::error::Result;
use crate::generated::dictionaries::ProductOptions;
use crate::tensor::Tensor;
use crate::value::Any;

/// Sum of the products of two rows; a number for two tensors of one dimension, else a tensor with one for each row.
///
/// # Errors
/// [`ErrorKind::TypeError`](crate::ErrorKind::TypeError) for dtypes that differ or hold no numbers;
/// [`ErrorKind::ShapeMismatch`](crate::ErrorKind::ShapeMismatch);
/// [`ErrorKind::OverflowError`](crate::ErrorKind::OverflowError) for whole numbers that do not fit the result. For
/// `out` also [`ErrorKind::DTypeMismatch`](crate::ErrorKind::DTypeMismatch),
/// [`ErrorKind::ReadOnly`](crate::ErrorKind::ReadOnly) and
/// [`ErrorKind::BufferError`](crate::ErrorKind::BufferError).
pub fn dot(a: &Tensor, b: &Tensor, options: &ProductOptions) -> Result<Any> {
    rows::metric(Metric::Dot, a, b, options)
}

/// As [`dot`], the numbers of `a` conjugated.
///
/// # Errors
/// As [`dot`].
pub fn vdot(a: &Tensor, b: &Tensor, options: &ProductOptions) -> Result<Any> {
    rows::metric(Metric::Vdot, a, b, options)
}

/// As [`dot`].
///
/// # Errors
/// As [`dot`].
pub fn inner(a: &Tensor, b: &Tensor, options: &ProductOptions) -> Result<Any> {
    rows::metric(Metric::Inner, a, b, options)
}

/// As [`dot`], sum of the squares of the differences.
///
/// # Errors
/// As [`dot`].
pub fn sqeuclidean(a: &Tensor, b: &Tensor, options: &ProductOptions) -> Result<Any> {
    rows::metric(Metric::Sqeuclidean, a, b, options)
}

/// As [`dot`], root of the sum of the squares of the differences.
///
/// # Errors
/// As [`dot`].
pub fn euclidean(a: &Tensor, b: &Tensor, options: &ProductOptions) -> Result<Any> {
    rows::metric(Metric::Euclidean, a, b, options)
}

/// As [`dot`], one minus the cosine of the angle between the rows.
///
/// # Errors
/// As [`dot`].
pub fn angular(a: &Tensor, b: &Tensor, options: &ProductOptions) -> Result<Any> {
    rows::metric(Metric::Angular, a, b, options)
}
