//! Blocks of 256 weights in 2 bits, one `f16` scale each: 66 bytes.
//!
//! Bytes 0–63 hold the weights, bytes 64–65 the scale. Each half of 32 bytes holds 128 weights: bits
//! `2 n` of byte `m` are weight `32 n + m` of that half. A weight is `(q - 1) * scale`, so -1, 0 or
//! 1 times the scale.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::float16::{from_f32, to_f32};
use super::rounding::greatest_magnitude;
use super::scale::Scale;
use super::tq1_0::trit;
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 66;
const HALF: usize = 32;

/// The codec of [`DTypeName::Tq20`].
pub(super) struct Tq2_0;

impl Codec for Tq2_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Tq20
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 64)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[64], block[65]]));
            let halves = block[..64].as_chunks::<HALF>().0.iter();
            for (packed, out) in halves.zip(out.as_chunks_mut::<{ 4 * HALF }>().0) {
                for (n, out) in out.as_chunks_mut::<HALF>().0.iter_mut().enumerate() {
                    for (out, &four) in out.iter_mut().zip(packed) {
                        *out = (i32::from(four >> (2 * n) & 3) - 1) as f32 * scale;
                    }
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
                let scale = greatest_magnitude(weights);
                let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
                block.fill(0);
                block[64..].copy_from_slice(&from_f32(scale).to_le_bytes());
                let halves = block[..64].as_chunks_mut::<HALF>().0.iter_mut();
                for (packed, weights) in halves.zip(weights.as_chunks::<{ 4 * HALF }>().0) {
                    for (n, weights) in weights.as_chunks::<HALF>().0.iter().enumerate() {
                        for (four, weight) in packed.iter_mut().zip(weights) {
                            *four |= (trit(weight * inverse) & 3) << (2 * n);
                        }
                    }
                }
            },
        );
    }
}
