//! Super-blocks of 256 weights, an `f32` scale and 16 sums each: 292 bytes.
//!
//! Bytes 0–3 hold the scale, bytes 4–259 the weights as `i8`, bytes 260–291 the sums of each 16 of
//! them as `i16`. A weight is `q * scale`, rounded once. The sums serve products with formats that
//! have a minimum; decoding does not look at them.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::rounding::{first_peak, nearest};
use super::scale::{Scale, Stored};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 292;
const SUMS: usize = 4 + LEN;

/// The codec of [`DTypeName::Q8K`].
pub(super) struct Q8K;

impl Codec for Q8K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q8K
    }

    fn partner(&self) -> Option<DTypeName> {
        None
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::new("scale `d`", 0, Stored::Float32)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
            for (out, &q) in out.iter_mut().zip(&block[4..SUMS]) {
                *out = scale * f32::from(q as i8);
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

fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let peak = first_peak(weights);
    if peak == 0.0 {
        // GGML leaves the sums of such a block as they were in memory.
        block.fill(0);
        return;
    }
    let inverse = -127.0 / peak;
    block[..4].copy_from_slice(&(1.0 / inverse).to_le_bytes());
    let (levels, sums) = block[4..].split_at_mut(LEN);
    for (q, weight) in levels.iter_mut().zip(weights) {
        *q = nearest(inverse * weight).min(127) as u8;
    }
    for (sum, levels) in sums
        .as_chunks_mut::<2>()
        .0
        .iter_mut()
        .zip(levels.as_chunks::<16>().0)
    {
        let total: i16 = levels.iter().map(|&q| i16::from(q as i8)).sum();
        *sum = total.to_le_bytes();
    }
}
