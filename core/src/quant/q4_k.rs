//! Super-blocks of 256 weights in 8 groups of 32, scale and minimum per group: 144 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–3 that of the minima, bytes 4–15 the scales
//! and minima in 6 bits each, bytes 16–143 the weights as nibbles: of byte `16 + 32 p + l` the low
//! nibble is weight `64 p + l`, the high nibble weight `64 p + 32 + l`. A weight is
//! `(unit * scale) * q - min_unit * min`, rounded once.

use super::Codec;
use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::search::affine::{Deviation, Plan};
use super::six_bit::{GROUP, HEAD, LEN, Scales, encode, encode_by_importance};
use crate::dtype::DTypeName;

const BYTES: usize = 144;

const PLAN: Plan = Plan {
    top: 15.0,
    first: -1.0,
    step: 0.1,
    steps: 20,
    deviation: Deviation::Squared,
};

const PLAN_BY_IMPORTANCE: Plan = Plan {
    first: -0.9,
    step: 0.05,
    steps: 36,
    ..PLAN
};

/// The codec of [`DTypeName::Q4K`].
pub(super) struct Q4K;

impl Codec for Q4K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q4K
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        match importance {
            None => encode_each(weights, out, |weights, block: &mut [u8; BYTES]| {
                let (head, nibbles) = split(block);
                write(&encode(weights, PLAN, head), nibbles);
            }),
            Some(importance) => encode_each_by_importance(
                weights,
                importance,
                out,
                |weights, importance, block: &mut [u8; BYTES]| {
                    let (head, nibbles) = split(block);
                    let plan = PLAN_BY_IMPORTANCE;
                    write(
                        &encode_by_importance(weights, importance, plan, head),
                        nibbles,
                    );
                },
            ),
        }
    }
}

#[inline(always)]
fn decode_block(block: &[u8; BYTES], out: &mut [f32; LEN]) {
    let (head, nibbles) = block.split_first_chunk().expect("the block is longer");
    let scales = Scales::read(head);
    for (p, (pairs, out)) in nibbles
        .as_chunks::<GROUP>()
        .0
        .iter()
        .zip(out.as_chunks_mut::<{ 2 * GROUP }>().0)
        .enumerate()
    {
        let (low_scale, low_min) = scales.of(2 * p);
        let (high_scale, high_min) = scales.of(2 * p + 1);
        let (low, high) = out.split_at_mut(GROUP);
        for ((low, high), &pair) in low.iter_mut().zip(high).zip(pairs) {
            *low = low_scale * f32::from(pair & 15) - low_min;
            *high = high_scale * f32::from(pair >> 4) - high_min;
        }
    }
}

fn split(block: &mut [u8; BYTES]) -> (&mut [u8; HEAD], &mut [u8]) {
    block.split_first_chunk_mut().expect("the block is longer")
}

/// Writes the lower four bits of the levels, two groups to 32 bytes.
pub(super) fn write(levels: &[u8; LEN], nibbles: &mut [u8]) {
    for (pairs, levels) in nibbles
        .as_chunks_mut::<GROUP>()
        .0
        .iter_mut()
        .zip(levels.as_chunks::<{ 2 * GROUP }>().0)
    {
        let (low, high) = levels.split_at(GROUP);
        for ((pair, low), high) in pairs.iter_mut().zip(low).zip(high) {
            *pair = low & 15 | high << 4;
        }
    }
}
