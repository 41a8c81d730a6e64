//! Blocks of 64 weights in 2 bits, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 four weights each, the lowest bits first. A weight is
//! `(q - 1) * scale`, so -1, 0 or 1 times the scale; the encoder never writes the fourth level.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, round_away};
use super::scale::Scale;
use crate::dtype::DTypeName;

const LEN: usize = 64;
const BYTES: usize = 18;

/// The codec of [`DTypeName::Q20`].
pub(super) struct Q2_0;

impl Codec for Q2_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q20
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (out, &four) in out.as_chunks_mut::<4>().0.iter_mut().zip(&block[2..]) {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = (i32::from(four >> (2 * i) & 3) - 1) as f32 * scale;
                }
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
        encode_each(
            weights,
            out,
            |weights: &[f32; LEN], block: &mut [u8; BYTES]| {
                let scale = first_peak(weights).abs();
                let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
                block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
                for (four, weights) in block[2..].iter_mut().zip(weights.as_chunks::<4>().0) {
                    *four = 0;
                    for (i, weight) in weights.iter().enumerate() {
                        let level = (round_away(weight * inverse) + 1).clamp(0, 3);
                        *four |= (level as u8) << (2 * i);
                    }
                }
            },
        );
    }
}
