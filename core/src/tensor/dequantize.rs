//! Blocks into floats: all of them, or some rows in any order.

use super::copy::{may_share, pack};
use super::parts::{LIGHT, Part, Parts};
use super::rows::{self, Rows};
use super::{Tensor, cast};
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::DequantizeOptions;
use crate::quant::kernel::Stores;

/// Decodes a tensor of any dtype that holds real numbers into floats, into `out` if given.
///
/// With `rows`, the result has those positions of the outermost dimension, in that order; the others are not read. A position
/// may stand there more than once.
///
/// # Errors
/// [`ErrorKind::DTypeMismatch`] when `dtype` is no float type or `out` has another; [`ErrorKind::IndexError`] for a row that is not
/// there; [`ErrorKind::BlockMismatch`] for rows of a quantized tensor of one dimension, whose positions lie inside of blocks;
/// those of [`copy`](crate::copy).
pub fn dequantize(t: &Tensor, dtype: DType, options: &DequantizeOptions) -> Result<Tensor> {
    if dtype.class() != Class::Float {
        let message = format!(
            "dequantize makes float64, float32, float16, bfloat16 or 8-bit floats, not {dtype}"
        );
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    match &options.rows {
        None => cast::cast(t, dtype, options.out.as_ref()),
        Some(rows) => gather(t, dtype, rows, options.out.as_ref()),
    }
}

fn gather(t: &Tensor, dtype: DType, listed: &[i64], out: Option<&Tensor>) -> Result<Tensor> {
    let (from, Some((len, inner))) = (t.dtype(), t.shape().split_first()) else {
        let message = format!("{} has no rows", t.describe());
        return Err(Error::new(ErrorKind::IndexError, message));
    };
    if !cast::is_supported(from, dtype) {
        return cast::unsupported(from, dtype);
    }
    if inner.is_empty() && from.is_quantized() {
        let message = format!(
            "{} has one dimension: its positions lie inside of blocks and cannot be rows",
            t.describe()
        );
        return Err(Error::new(ErrorKind::BlockMismatch, message));
    }
    let listed = positions(listed, *len, t)?;
    let mut shape = t.shape().to_vec();
    shape[0] = listed.len() as u64;
    let given = out;
    let out = cast::destination(&shape, dtype, given)?;
    rows::check_target(&out)?;
    if out.is_empty() {
        return Ok(out);
    }
    let packed = if may_share(t, &out) {
        Some(pack(t)?)
    } else {
        None
    };
    let t = packed.as_ref().unwrap_or(t);
    let (source, target) = match inner {
        [] => (Rows::single(t), Rows::single(&out)),
        _ => (Rows::new(t), Rows::new(&out)),
    };
    // Runs along the innermost dimension for each position of the outermost.
    let runs = target.count / shape[0];
    let parts = Parts::new(target.count, target.elements, LIGHT, LIGHT);
    let stores = match given {
        Some(_) => Stores::for_output(out.size()),
        None => Stores::for_new_output(),
    };
    parts.convert(
        &source,
        |row| listed[(row / runs) as usize] * runs + row % runs,
        &target,
        || (),
        |_, _: Part, bytes, room| cast::convert_part(from, bytes, dtype, room, stores),
    )?;
    Ok(out)
}

/// The rows of a list, each checked.
fn positions(listed: &[i64], len: u64, t: &Tensor) -> Result<Vec<u64>> {
    let check = |(i, row): (usize, &i64)| match u64::try_from(*row) {
        Ok(row) if row < len => Ok(row),
        _ => {
            let message = format!(
                "row {row} at position {i} of `rows` is not in {}, which has rows 0 to {}",
                t.describe(),
                len as i64 - 1
            );
            Err(Error::new(ErrorKind::IndexError, message))
        }
    };
    listed.iter().enumerate().map(check).collect()
}
