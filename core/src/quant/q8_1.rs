//! Blocks of 32 weights, an `f16` scale and an `f16` sum each: 36 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–3 the scale times the sum of the integers, bytes 4–35 the
//! weights as `i8`. A weight is `q * scale`. The sum serves products with formats that have a
//! minimum; decoding does not look at it.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::float16::{from_f32, to_f32};
use super::rounding::{greatest_magnitude, round_away};
use super::scale::Scale;
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 36;

/// The codec of [`DTypeName::Q81`].
pub(super) struct Q8_1;

impl Codec for Q8_1 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q81
    }

    fn partner(&self) -> Option<DTypeName> {
        None
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0), Scale::float16("sum `s`", 2)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (out, &q) in out.iter_mut().zip(&block[4..]) {
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
        encode_each(
            weights,
            out,
            |weights: &[f32; LEN], block: &mut [u8; BYTES]| {
                let scale = greatest_magnitude(weights) / 127.0;
                let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
                let mut sum = 0;
                for (q, weight) in block[4..].iter_mut().zip(weights) {
                    *q = round_away(weight * inverse) as u8;
                    sum += i32::from(*q as i8);
                }
                block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
                block[2..4].copy_from_slice(&from_f32(sum as f32 * scale).to_le_bytes());
            },
        );
    }
}
