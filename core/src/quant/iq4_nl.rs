//! Blocks of 32 weights of 16 uneven levels, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 the levels: the low nibble of byte `2 + j` is weight `j`,
//! the high nibble weight `j + 16`. A weight is the scale times the value of its level, exact in
//! `f32`; see [`nonlinear`].

use super::Codec;
use super::block::{Batch, batches, decode_each};
use super::float16::{from_f32, to_f32};
use super::nonlinear;
use super::scale::Scale;
use super::search::lanes::{Lanes, Plain, groups, price, squares, sum};
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 18;

/// The codec of [`DTypeName::Iq4Nl`].
pub(super) struct Iq4Nl;

impl Codec for Iq4Nl {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq4Nl
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = u16::from_le_bytes([block[0], block[1]]);
            let pairs = block[2..].first_chunk().expect("16 bytes are left");
            nonlinear::decode(pairs, to_f32(scale), out);
        });
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        70
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode::<Plain<8>>(weights, importance, out);
    }
}

/// Encodes whole blocks.
#[inline(always)]
pub(super) fn encode<L: Lanes>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    for batch in batches(weights, importance, out, L::COUNT) {
        encode_batch::<L>(batch);
    }
}

/// Encodes as many blocks as there are lanes, or fewer.
#[inline(always)]
fn encode_batch<L: Lanes>(batch: Batch<LEN, BYTES>) {
    let weights: [L; LEN] = groups(&batch.weights, 0);
    let cost = match &batch.importance {
        None => squares(&weights),
        Some(importance) => {
            let variance = sum(&squares(&weights)) * L::all(2.0 / LEN as f32);
            price(&groups(importance, 0), &weights, variance)
        }
    };
    let scales = nonlinear::fit(&weights, &cost).spill();
    for ((weights, scale), block) in batch.weights.iter().zip(scales).zip(batch.out) {
        let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
        block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
        let pairs = block[2..].first_chunk_mut().expect("16 bytes are left");
        nonlinear::encode::<L>(weights, inverse, pairs);
    }
}
