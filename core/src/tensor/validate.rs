//! A search for what is no number: scales of blocks, elements of floats.

use super::Tensor;
use super::parts::{LIGHT, Part, Parts};
use super::rows::Rows;
use crate::dtype::{DType, DTypeName};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::{Fault, ValidateOptions};
use crate::quant;
use crate::quant::scale::{Scale, Stored};

/// Batches that are searched before it is asked whether enough was found: bounds what is found in vain.
const WAVE: u64 = 64;

/// What in a tensor is NaN or infinite: scales and minima of its blocks, or its elements. Whole numbers have no faults.
///
/// Faults come in row-major order, at most as many as the options say. Only scales are read of a quantized tensor.
///
/// # Errors
/// [`ErrorKind::UnsupportedConversion`] for a type that only a file knows.
pub fn validate(t: &Tensor, options: &ValidateOptions) -> Result<Vec<Fault>> {
    let Some(name) = t.dtype().known() else {
        let message = format!("nothing is known of the blocks of {}", t.describe());
        return Err(Error::new(ErrorKind::UnsupportedConversion, message));
    };
    let scales = scales(name);
    let limit = usize::try_from(options.limit).unwrap_or(usize::MAX);
    if scales.is_empty() {
        return Ok(Vec::new());
    }
    let rows = if t.is_contiguous() {
        Rows::whole(t)
    } else {
        Rows::new(t)
    };
    let (block_len, block_bytes) = (t.dtype().block_len(), t.dtype().block_bytes() as usize);
    let row_len = rows.elements;
    let parts = Parts::new(rows.count, row_len, LIGHT, LIGHT);
    let search = |found: &mut Vec<Found>, part: Part, [bytes]: [&[u8]; 1]| {
        let first = (part.row * row_len + part.elements.start) / block_len;
        search(scales, first, bytes, block_bytes, limit, found);
        Ok(())
    };
    let sources = [rows];
    let mut found = Vec::new();
    let mut batch = 0;
    while batch < parts.batches() && found.len() < limit {
        let end = (batch + WAVE).min(parts.batches());
        let wave = parts.gather(batch..end, &sources, search)?;
        found.extend(wave.into_iter().flatten());
        batch = end;
    }
    found.truncate(limit);
    Ok(found
        .into_iter()
        .map(|found| found.describe(t, scales))
        .collect())
}

/// A scale that is no number.
struct Found {
    /// Number of its block.
    block: u64,
    /// Which of the scales of a block.
    scale: usize,
    bits: u64,
}

impl Found {
    fn describe(self, t: &Tensor, scales: &[Scale]) -> Fault {
        let scale = scales[self.scale];
        let row_len = t.shape().last().copied().unwrap_or(1);
        let element = self.block * t.dtype().block_len();
        let what = scale
            .stored
            .defect(self.bits)
            .map_or(String::new(), |defect| defect.to_string());
        Fault {
            block: self.block,
            row: element / row_len,
            column: element % row_len,
            reason: format!("{} is {what}", scale.name),
            bits: format!("0x{:0width$x}", self.bits, width = scale.stored.digits()),
        }
    }
}

/// Adds what is no number among some blocks, until there are `limit`.
fn search(
    scales: &[Scale],
    first: u64,
    bytes: &[u8],
    block_bytes: usize,
    limit: usize,
    found: &mut Vec<Found>,
) {
    let dense = scales.len() * scales[0].stored.size() == block_bytes;
    if dense && !scales[0].stored.any_defect(bytes) {
        return;
    }
    for (block, bytes) in (first..).zip(bytes.chunks_exact(block_bytes)) {
        for (number, scale) in scales.iter().enumerate() {
            let bits = scale.bits(bytes);
            if scale.stored.is_defect(bits) {
                if found.len() >= limit {
                    return;
                }
                found.push(Found {
                    block,
                    scale: number,
                    bits,
                });
            }
        }
    }
}

const fn element(stored: Stored) -> [Scale; 1] {
    [Scale::new("element", 0, stored)]
}

const fn complex(stored: Stored, size: usize) -> [Scale; 2] {
    [
        Scale::new("real part", 0, stored),
        Scale::new("imaginary part", size, stored),
    ]
}

/// What can be no number in an element or a block of a dtype.
pub(super) fn scales(name: DTypeName) -> &'static [Scale] {
    use DTypeName as N;
    match name {
        N::Float64 => const { &element(Stored::Float64) },
        N::Float32 => const { &element(Stored::Float32) },
        N::Float16 => const { &element(Stored::Float16) },
        N::Bfloat16 => const { &element(Stored::Bfloat16) },
        N::Float8E4m3fn => const { &element(Stored::Float8E4m3fn) },
        N::Float8E5m2 => const { &element(Stored::Float8E5m2) },
        N::Complex64 => const { &complex(Stored::Float32, 4) },
        N::Complex128 => const { &complex(Stored::Float64, 8) },
        _ if DType::Known(name).is_quantized() => {
            quant::codec(name).map_or(&[], |codec| codec.scales())
        }
        _ => &[],
    }
}
