//! Blocks of 32 weights, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 the weights as nibbles: the low nibble of byte `2 + j` is
//! weight `j`, the high nibble weight `j + 16`. A weight is `(q - 8) * scale`, exact in `f32`. The
//! scale carries the sign that puts the weight of greatest magnitude at -8.

use super::Codec;
use super::block::{decode_each, encode_each, encode_rows_by_importance};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, peak_bits, truncate, truncate_small};
use super::search::lanes::{Lanes, Plain, transpose};
use super::search::symmetric;
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 18;

/// Blocks searched side by side.
const BATCH: usize = 8;

/// The codec of [`DTypeName::Q40`].
pub(super) struct Q4_0;

impl Codec for Q4_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q40
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let (low, high) = out.split_at_mut(LEN / 2);
            for ((low, high), &pair) in low.iter_mut().zip(high).zip(&block[2..]) {
                *low = (i32::from(pair & 15) - 8) as f32 * scale;
                *high = (i32::from(pair >> 4) - 8) as f32 * scale;
            }
        });
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        match importance {
            None => encode_each(weights, out, encode_block),
            Some(importance) => encode_rows_by_importance::<LEN, BYTES>(
                weights,
                importance,
                out,
                BATCH,
                encode_by_importance::<BATCH>,
                encode_by_importance::<1>,
            ),
        }
    }
}

#[inline(always)]
fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let magnitude = peak_bits(weights);
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

/// Encodes `L` blocks at once. `variance` is that of the whole row.
#[inline]
fn encode_by_importance<const L: usize>(
    variance: f32,
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
) {
    let variance = Plain::all(variance);
    let weights: [Plain<L>; LEN] = transpose(weights);
    let mut cost: [Plain<L>; LEN] = transpose(importance);
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
