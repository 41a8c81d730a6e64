//! Blocks of 32 weights of 5 bits, an `f16` scale and an `f16` minimum each: 24 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–3 the minimum, bytes 4–7 the upper bits of the weights, bytes
//! 8–23 the lower four as nibbles: the low nibble of byte `8 + j` is weight `j`, the high nibble
//! weight `j + 16`. A weight is `q * scale + minimum`, rounded once.

use super::Codec;
use super::block::{decode_each, encode_each, encode_rows_by_importance};
use super::float16::{from_f32, to_f32};
use super::q4_1::fit_by_importance;
use super::q5_0::{join, split};
use super::rounding::{extremes, truncate};
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 24;

/// Blocks searched side by side.
const BATCH: usize = 8;

/// The codec of [`DTypeName::Q51`].
pub(super) struct Q5_1;

impl Codec for Q5_1 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q51
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let minimum = to_f32(u16::from_le_bytes([block[2], block[3]]));
            for (out, q) in out.iter_mut().zip(join(&block[4..])) {
                *out = f32::from(q) * scale + minimum;
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
    let (minimum, maximum) = extremes(weights);
    let scale = (maximum - minimum) / 31.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    block[2..4].copy_from_slice(&from_f32(minimum).to_le_bytes());
    let levels = weights.map(|x| truncate((x - minimum) * inverse + 0.5) as u8);
    split(&levels, &mut block[4..]);
}

/// Encodes `L` blocks at once. `variance` is that of the whole row.
#[inline]
fn encode_by_importance<const L: usize>(
    variance: f32,
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
) {
    let (fit, levels) = fit_by_importance::<L>(variance, weights, importance, 31.0);
    for (lane, block) in out.as_chunks_mut::<BYTES>().0.iter_mut().enumerate() {
        block[..2].copy_from_slice(&from_f32(fit.scale.0[lane]).to_le_bytes());
        block[2..4].copy_from_slice(&from_f32(-fit.minimum.0[lane]).to_le_bytes());
        let levels = levels.map(|level| level.0[lane] as u8);
        split(&levels, &mut block[4..]);
    }
}
