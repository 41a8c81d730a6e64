//! Blocks of 32 weights, one `f16` scale each: 34 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–33 the weights as `i8`. A weight is `q * scale`, exact in
//! `f32`.

use super::Codec;
use super::float16::{from_f32, to_f32};
use super::rounding::{round_away, round_away_small};
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 34;

/// The codec of [`DTypeName::Q80`].
pub(super) struct Q8_0;

impl Codec for Q8_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q80
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        for (block, out) in blocks
            .as_chunks::<BYTES>()
            .0
            .iter()
            .zip(out.as_chunks_mut::<LEN>().0)
        {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (out, &q) in out.iter_mut().zip(&block[2..]) {
                *out = f32::from(q as i8) * scale;
            }
        }
    }

    fn encode(
        &self,
        weights: &[f32],
        _row_len: usize,
        _importance: Option<&[f32]>,
        out: &mut [u8],
    ) {
        for (weights, block) in weights
            .as_chunks::<LEN>()
            .0
            .iter()
            .zip(out.as_chunks_mut::<BYTES>().0)
        {
            encode_block(weights, block);
        }
    }
}

#[inline(always)]
fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    // Magnitudes order as their bits do, and a maximum of integers vectorizes. NaN is above
    // infinity.
    let peak = weights
        .iter()
        .fold(0, |max, weight| max.max(weight.to_bits() & 0x7fff_ffff));
    let magnitude = if peak > f32::INFINITY.to_bits() {
        // As in C, a NaN is forgotten when a number follows it.
        weights.iter().fold(0.0, |max, weight| {
            if max > weight.abs() {
                max
            } else {
                weight.abs()
            }
        })
    } else {
        f32::from_bits(peak)
    };
    let scale = magnitude / 127.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    let levels = block[2..].iter_mut().zip(weights);
    if peak < f32::INFINITY.to_bits() && inverse < f32::INFINITY {
        // Every product is within 127 and a rounding error.
        levels.for_each(|(q, &weight)| *q = round_away_small(weight * inverse));
    } else {
        levels.for_each(|(q, &weight)| *q = round_away(weight * inverse) as u8);
    }
}
