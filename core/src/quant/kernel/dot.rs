//! Kernels for products, as a prepared vector holds them: chosen once, called for every row.

#![allow(unsafe_code, reason = "calls what needs instructions")]

use super::InstructionSet;
#[cfg(target_arch = "x86_64")]
use super::avx2;
#[cfg(target_arch = "aarch64")]
use super::neon;
use crate::dtype::DTypeName;
use crate::quant::Codec;
use crate::quant::dot::{Layout, STEP, Step};

/// Bytes of the largest step of a format with a kernel, `q8_0`.
const LARGEST: usize = STEP / 32 * 34;

/// What multiplies the whole steps of each row with a vector, and adds up: rows one after another, the
/// bytes of one, which are not none, the vector, and the sum of each row.
pub(super) type Dot = unsafe fn(&[u8], usize, &[Step], &mut [f32]);

/// A kernel whose instructions this processor has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DotKernel {
    /// The order in which it reads the vector.
    pub layout: Layout,
    dot: Dot,
    step_bytes: usize,
}

impl DotKernel {
    /// The kernel of a format; `None` where the set has none, or the processor lacks the set.
    pub fn find(set: InstructionSet, codec: &dyn Codec) -> Option<Self> {
        if !set.is_available() {
            return None;
        }
        let (layout, dot) = match set {
            InstructionSet::Scalar => None,
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => neon::dot(codec.dtype()),
            #[cfg(not(target_arch = "aarch64"))]
            InstructionSet::Neon => None,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 | InstructionSet::Avx512 => avx2::dot(codec.dtype()),
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => None,
        }?;
        let step_bytes = STEP / codec.block_len() * codec.block_bytes();
        (step_bytes <= LARGEST).then_some(DotKernel {
            layout,
            dot,
            step_bytes,
        })
    }

    /// The sum of products of whole blocks with as many steps as they begin.
    pub fn dot(&self, blocks: &[u8], steps: &[Step]) -> f32 {
        let mut sum = [0.0];
        if !blocks.is_empty() {
            self.dot_rows(blocks, blocks.len(), steps, &mut sum);
        }
        sum[0]
    }

    /// As [`DotKernel::dot`], of each of the rows that stand one after another. A row has some bytes.
    pub fn dot_rows(&self, rows: &[u8], row_bytes: usize, steps: &[Step], sums: &mut [f32]) {
        // SAFETY: `find` made this for a processor that has the instructions.
        unsafe { (self.dot)(rows, row_bytes, steps, sums) };
        let count = row_bytes / self.step_bytes;
        let (whole, Some(last)) = (count * self.step_bytes, steps.get(count..)) else {
            return;
        };
        if whole == row_bytes {
            return;
        }
        for (row, sum) in rows.chunks_exact(row_bytes).zip(sums) {
            // Blocks of zero bytes are zeros, or have scales so small that zeros in the vector stay zeros.
            let mut step = [0; LARGEST];
            let rest = &row[whole..];
            step[..rest.len()].copy_from_slice(rest);
            let (step, mut more) = (&step[..self.step_bytes], [0.0]);
            // SAFETY: as above.
            unsafe { (self.dot)(step, step.len(), last, &mut more) };
            *sum += more[0];
        }
    }
}

/// The sum of products of plain floats anywhere in memory with as many floats; `None` without a
/// kernel.
pub(crate) fn dot_floats(
    set: InstructionSet,
    weights: DTypeName,
    row: &[u8],
    x: &[f64],
) -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    if set >= InstructionSet::Avx2 && set.is_available() {
        return avx2::dot_floats(weights, row, x);
    }
    #[cfg(target_arch = "aarch64")]
    if set == InstructionSet::Neon {
        return neon::dot_floats(weights, row, x);
    }
    let _ = (set, weights, row, x);
    None
}
