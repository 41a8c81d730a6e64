//! Blocks of 32 weights, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 the weights as nibbles: the low nibble of byte `2 + j` is
//! weight `j`, the high nibble weight `j + 16`. A weight is `(q - 8) * scale`, exact in `f32`. The scale carries
//! the sign that puts the weight of greatest magnitude at -8.

use super::Codec;
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, truncate};
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
        for (block, out) in blocks.as_chunks::<BYTES>().0.iter().zip(out.as_chunks_mut::<LEN>().0) {
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
            for (weights, block) in weights.as_chunks::<LEN>().0.iter().zip(out.as_chunks_mut::<BYTES>().0) {
                encode_block(weights, block);
            }
            return;
        };
        let row_bytes = row_len / LEN * BYTES;
        for (row, out) in weights.chunks_exact(row_len).zip(out.chunks_exact_mut(row_bytes)) {
            encode_row_by_importance(row, importance, out);
        }
    }
}

#[inline(always)]
fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let scale = peak(weights) / -8.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    let (low, high) = weights.split_at(LEN / 2);
    for ((pair, &low), &high) in block[2..].iter_mut().zip(low).zip(high) {
        *pair = level(low * inverse) | level(high * inverse) << 4;
    }
}

/// `x` from -8 to 8 as a level from 0 to 15.
#[inline(always)]
fn level(x: f32) -> u8 {
    // The narrowing to a signed byte is part of the format's arithmetic: what overflows becomes 0.
    (truncate(x + 8.5) as i8).min(15) as u8
}

/// [`first_peak`], without a branch per weight in the usual case.
#[inline(always)]
fn peak(weights: &[f32; LEN]) -> f32 {
    let greatest = weights.iter().fold(0, |max, weight| max.max(weight.to_bits() & 0x7fff_ffff));
    let (mut positive, mut negative) = (false, false);
    for weight in weights {
        positive |= weight.to_bits() == greatest;
        negative |= weight.to_bits() == greatest | 0x8000_0000;
    }
    // Both signs at the peak, or a NaN, are rare; then the first has to be looked for.
    if greatest > f32::INFINITY.to_bits() || positive == negative {
        return first_peak(weights);
    }
    // A block of -0.0 peaks at +0.0.
    if negative && greatest != 0 { -f32::from_bits(greatest) } else { f32::from_bits(greatest) }
}

fn encode_row_by_importance(row: &[f32], importance: &[f32], out: &mut [u8]) {
    let squares = row.iter().fold(0.0, |sum, weight| sum + weight * weight);
    let variance = squares / row.len() as f32;
    let blocks = row.as_chunks::<LEN>().0.iter().zip(importance.as_chunks::<LEN>().0);
    for ((weights, importance), block) in blocks.zip(out.as_chunks_mut::<BYTES>().0) {
        let mut cost = [0.0; LEN];
        for ((cost, &weight), &importance) in cost.iter_mut().zip(weights).zip(importance) {
            *cost = importance * (variance + weight * weight).sqrt();
        }
        let mut levels = [0; LEN];
        let scale = symmetric::fit(weights, &cost, 8, &mut levels);
        block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
        for (j, pair) in block[2..].iter_mut().enumerate() {
            *pair = levels[j] | levels[j + LEN / 2] << 4;
        }
    }
}
