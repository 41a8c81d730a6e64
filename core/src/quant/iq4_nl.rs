//! Blocks of 32 weights of 16 uneven levels, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 the levels: the low nibble of byte `2 + j` is weight `j`,
//! the high nibble weight `j + 16`. A weight is the scale times the value of its level, exact in
//! `f32`; see [`nonlinear`].

use super::Codec;
use super::block::decode_each;
use super::float16::{from_f32, to_f32};
use super::nonlinear;
use super::search::lanes::{Lanes, Plain, transpose};
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 18;

/// Blocks searched side by side.
const BATCH: usize = 8;

/// The codec of [`DTypeName::Iq4Nl`].
pub(super) struct Iq4Nl;

impl Codec for Iq4Nl {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq4Nl
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = u16::from_le_bytes([block[0], block[1]]);
            let pairs = block[2..].first_chunk().expect("16 bytes are left");
            nonlinear::decode(pairs, to_f32(scale), out);
        });
    }

    fn encode(&self, weights: &[f32], row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        // Without importance, rows are nothing to a block.
        let row_len = if importance.is_some() {
            row_len
        } else {
            weights.len()
        }
        .max(LEN);
        let row_bytes = row_len / LEN * BYTES;
        for (row, out) in weights
            .chunks_exact(row_len)
            .zip(out.chunks_exact_mut(row_bytes))
        {
            let part = |start: usize, len: usize| importance.map(|all| &all[start..][..len]);
            let batches = row.chunks(BATCH * LEN).zip(out.chunks_mut(BATCH * BYTES));
            for (i, (weights, blocks)) in batches.enumerate() {
                let start = i * BATCH * LEN;
                if weights.len() == BATCH * LEN {
                    encode::<BATCH>(weights, part(start, weights.len()), blocks);
                    continue;
                }
                let singles = weights.chunks(LEN).zip(blocks.chunks_mut(BYTES));
                for (j, (weights, block)) in singles.enumerate() {
                    encode::<1>(weights, part(start + j * LEN, LEN), block);
                }
            }
        }
    }
}

/// Encodes `L` blocks at once.
#[inline]
fn encode<const L: usize>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    let lanes: [Plain<L>; LEN] = transpose(weights);
    let squares = lanes.iter().fold(Plain::all(0.0), |sum, &x| sum + x * x);
    let variance = squares * Plain::all(2.0 / LEN as f32);
    let importance = importance.map(transpose);
    let cost = nonlinear::cost(&lanes, importance.as_ref(), variance);
    let scales = nonlinear::fit(&lanes, &cost);
    let blocks = out.as_chunks_mut::<BYTES>().0.iter_mut();
    for ((weights, scale), block) in weights.as_chunks().0.iter().zip(scales.0).zip(blocks) {
        let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
        block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
        let pairs = block[2..].first_chunk_mut().expect("16 bytes are left");
        nonlinear::encode(weights, inverse, pairs);
    }
}
