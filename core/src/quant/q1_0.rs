//! Blocks of 128 signs, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 a bit per weight, the lowest of a byte first. A weight is
//! `scale` where its bit is set and `-scale` elsewhere.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::float16::{from_f32, to_f32};
use super::scale::Scale;
use crate::dtype::DTypeName;

const LEN: usize = 128;
const BYTES: usize = 18;

/// The codec of [`DTypeName::Q10`].
pub(super) struct Q1_0;

impl Codec for Q1_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q10
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]])).to_bits();
            for (out, &bits) in out.as_chunks_mut::<8>().0.iter_mut().zip(&block[2..]) {
                for (i, out) in out.iter_mut().enumerate() {
                    let negative = !u32::from(bits) >> i & 1;
                    *out = f32::from_bits(scale ^ negative << 31);
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
                let sum = weights.iter().fold(0.0, |sum, weight| sum + weight.abs());
                let scale: f32 = sum / LEN as f32;
                block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
                for (bits, weights) in block[2..].iter_mut().zip(weights.as_chunks::<8>().0) {
                    *bits = 0;
                    for (i, &weight) in weights.iter().enumerate() {
                        // Both zeros count as positive, NaN does not.
                        *bits |= u8::from(weight >= 0.0) << i;
                    }
                }
            },
        );
    }
}
