//! A metric of two rows, wherever they stand: what every product of plain numbers comes down to.

use super::kernel::Kernel;
use super::metric::{Metric, Number};
use super::row::Row;
use super::sums::{Twofold, Wide};
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::quant::kernel::InstructionSet;

/// A metric of two rows of the same plain dtype and the same length. Allocates nothing.
///
/// `float64` is added with compensation, `float32` in `float64`, smaller floats in `float32`; `fast` adds `float64`
/// without compensation and `float32` in `float32`. Whole numbers are exact.
///
/// ```
/// use tenspan::DType;
/// use tenspan::product::{Metric, Number, Row, pair};
///
/// let (a, b) = ([1u8, 2, 3], [4u8, 5, 6]);
/// let (a, b) = (Row::packed(DType::U8, &a)?, Row::strided(DType::U8, &b, 2, -1, 3)?);
/// assert_eq!(pair(Metric::Dot, a, b, false)?, Number::Whole(6 + 2 * 5 + 3 * 4));
/// # Ok::<(), tenspan::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::TypeError`] when the dtypes differ or hold no numbers, [`ErrorKind::ShapeMismatch`] when the lengths
/// differ, [`ErrorKind::OverflowError`] when a whole number has more than 128 bits.
#[inline(always)]
pub fn pair(metric: Metric, a: Row<'_>, b: Row<'_>, fast: bool) -> Result<Number> {
    check(metric, &a, &b)?;
    run(InstructionSet::chosen(), metric, &a, &b, fast)
}

/// As [`pair`], with an instruction set; with the plainest where it is not available.
///
/// # Errors
/// As [`pair`].
pub fn pair_with(
    set: InstructionSet,
    metric: Metric,
    a: Row<'_>,
    b: Row<'_>,
    fast: bool,
) -> Result<Number> {
    check(metric, &a, &b)?;
    let set = match set.is_available() {
        true => set,
        false => InstructionSet::Scalar,
    };
    run(set, metric, &a, &b, fast)
}

/// `set` is available, dtypes and lengths are those that [`check`] accepts.
fn run(
    set: InstructionSet,
    metric: Metric,
    a: &Row<'_>,
    b: &Row<'_>,
    fast: bool,
) -> Result<Number> {
    match Kernel::find(set, a.dtype(), metric.form(), fast, a.len()) {
        Some(Kernel::Floats(kernel)) => {
            let mut sums = [Twofold::default(); 3];
            kernel.add(a, b, &mut sums);
            match a.dtype().class() {
                Class::Complex => Ok(metric.of_complex(&sums)),
                _ => Ok(metric.of_reals(&sums)),
            }
        }
        Some(Kernel::Wholes(kernel)) => {
            let mut sums = [Wide::default(); 3];
            kernel.add(a, b, &mut sums);
            metric.of_wholes(&sums)
        }
        None => Err(unfit(metric, a.dtype(), b.dtype())),
    }
}

#[inline(always)]
fn check(metric: Metric, a: &Row<'_>, b: &Row<'_>) -> Result<()> {
    if a.dtype() != b.dtype() {
        return Err(unfit(metric, a.dtype(), b.dtype()));
    }
    if a.len() != b.len() {
        let (name, a, b) = (metric.name(), a.len(), b.len());
        let message = format!("{name} takes rows of the same length, found {a} and {b} numbers");
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    Ok(())
}

/// The error of dtypes that make no product.
#[cold]
pub(super) fn unfit(metric: Metric, a: DType, b: DType) -> Error {
    let name = metric.name();
    let message = if a == b {
        format!("{name} takes numbers, found {a}")
    } else {
        format!("{name} takes two rows of the same dtype, found {a} and {b}")
    };
    Error::new(ErrorKind::TypeError, message)
}
