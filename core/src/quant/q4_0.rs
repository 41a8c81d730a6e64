//! Blocks of 32 weights, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 the weights as nibbles: the low nibble of byte `2 + j` is
//! weight `j`, the high nibble weight `j + 16`. A weight is `(q - 8) * scale`, exact in `f32`. The
//! scale carries the sign that puts the weight of greatest magnitude at -8.

use super::Codec;
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, truncate, truncate_small};
use super::search::lanes::{Lanes, transpose};
use super::search::symmetric;
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 18;

/// The codec of [`DTypeName::Q40`].
pub(super) struct Q4_0;

impl Codec for Q4_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q40
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        for (block, out) in blocks
            .as_chunks::<BYTES>()
            .0
            .iter()
            .zip(out.as_chunks_mut::<LEN>().0)
        {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let (low, high) = out.split_at_mut(LEN / 2);
            for ((low, high), &pair) in low.iter_mut().zip(high).zip(&block[2..]) {
                *low = (i32::from(pair & 15) - 8) as f32 * scale;
                *high = (i32::from(pair >> 4) - 8) as f32 * scale;
            }
        }
    }

    fn encode(&self, weights: &[f32], row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        let Some(importance) = importance else {
            for (weights, block) in weights
                .as_chunks::<LEN>()
                .0
                .iter()
                .zip(out.as_chunks_mut::<BYTES>().0)
            {
                encode_block(weights, block);
            }
            return;
        };
        let row_bytes = row_len / LEN * BYTES;
        for (row, out) in weights
            .chunks_exact(row_len)
            .zip(out.chunks_exact_mut(row_bytes))
        {
            encode_row_by_importance(row, importance, out);
        }
    }
}

#[inline(always)]
fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let magnitude = weights
        .iter()
        .fold(0, |max, weight| max.max(weight.to_bits() & 0x7fff_ffff));
    let scale = peak(weights, magnitude) / -8.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    let (low, high) = weights.split_at(LEN / 2);
    let pairs = block[2..].iter_mut().zip(low.iter().zip(high));
    if magnitude < f32::INFINITY.to_bits() && inverse.is_finite() {
        // Every product is within 8 and a rounding error.
        let level = |x: f32| truncate_small(x + 8.5).min(15);
        pairs.for_each(|(pair, (low, high))| {
            *pair = level(low * inverse) | level(high * inverse) << 4
        });
    } else {
        // The narrowing to a signed byte is part of the arithmetic: what overflows becomes 0.
        let level = |x: f32| (truncate(x + 8.5) as i8).min(15) as u8;
        pairs.for_each(|(pair, (low, high))| {
            *pair = level(low * inverse) | level(high * inverse) << 4
        });
    }
}

/// [`first_peak`], without a branch per weight in the usual case. `magnitude` holds the bits of the
/// greatest magnitude.
#[inline(always)]
fn peak(weights: &[f32; LEN], magnitude: u32) -> f32 {
    let (mut positive, mut negative) = (false, false);
    for weight in weights {
        positive |= weight.to_bits() == magnitude;
        negative |= weight.to_bits() == magnitude | 0x8000_0000;
    }
    // Both signs at the peak, zeros or a NaN: then the first has to be looked for.
    if magnitude == 0 || magnitude > f32::INFINITY.to_bits() || positive == negative {
        return first_peak(weights);
    }
    if negative {
        -f32::from_bits(magnitude)
    } else {
        f32::from_bits(magnitude)
    }
}

/// Blocks searched side by side.
const BATCH: usize = 8;

fn encode_row_by_importance(row: &[f32], importance: &[f32], out: &mut [u8]) {
    let squares = row.iter().fold(0.0, |sum, weight| sum + weight * weight);
    let variance = squares / row.len() as f32;
    let (weights, last_weights) = row.as_chunks::<{ BATCH * LEN }>();
    let (costs, last_costs) = importance.as_chunks::<{ BATCH * LEN }>();
    let (blocks, last_blocks) = out.as_chunks_mut::<{ BATCH * BYTES }>();
    for ((weights, importance), blocks) in weights.iter().zip(costs).zip(blocks) {
        encode_by_importance::<BATCH>(weights, importance, variance, blocks);
    }
    let last = last_weights
        .as_chunks::<LEN>()
        .0
        .iter()
        .zip(last_costs.as_chunks::<LEN>().0);
    for ((weights, importance), block) in last.zip(last_blocks.as_chunks_mut::<BYTES>().0) {
        encode_by_importance::<1>(weights, importance, variance, block);
    }
}

/// Encodes `L` blocks at once. `variance` is that of the whole row.
#[inline]
fn encode_by_importance<const L: usize>(
    weights: &[f32],
    importance: &[f32],
    variance: f32,
    out: &mut [u8],
) {
    let variance = Lanes::all(variance);
    let weights: [Lanes<L>; LEN] = transpose(weights);
    let mut cost: [Lanes<L>; LEN] = transpose(importance);
    for (cost, &x) in cost.iter_mut().zip(&weights) {
        *cost = *cost * (variance + x * x).sqrt();
    }
    let fit = symmetric::fit(&weights, &cost, 8.0);
    let levels = weights.map(|x| fit.level(x));
    for (lane, block) in out.as_chunks_mut::<BYTES>().0.iter_mut().enumerate() {
        block[..2].copy_from_slice(&from_f32(fit.scale.0[lane]).to_le_bytes());
        for (j, pair) in block[2..].iter_mut().enumerate() {
            *pair = levels[j].0[lane] as u8 | (levels[j + LEN / 2].0[lane] as u8) << 4;
        }
    }
}
