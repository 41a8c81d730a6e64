//! Blocks of 32 weights, one `f16` scale each: 34 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–33 the weights as `i8`. A weight is `q * scale`, exact in
//! `f32`.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::float16::{from_f32, to_f32};
use super::rounding::{greatest_magnitude, peak_bits, round_away, round_away_small};
use super::scale::Scale;
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 34;

/// The codec of [`DTypeName::Q80`].
pub(super) struct Q8_0;

impl Codec for Q8_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q80
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (out, &q) in out.iter_mut().zip(&block[2..]) {
                *out = f32::from(q as i8) * scale;
            }
        });
    }

    fn encode(
        &self,
        weights: &[f32],
        _row_len: usize,
        _importance: Option<&[f32]>,
        out: &mut [u8],
    ) {
        encode_each(weights, out, encode_block);
    }
}

#[inline(always)]
fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let peak = peak_bits(weights);
    let magnitude = greatest_magnitude(weights);
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
