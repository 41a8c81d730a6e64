//! Super-blocks of 256 weights of 5 bits in 8 groups of 32, scale and minimum per group: 176 bytes.
//!
//! Bytes 0–15 are those of `q4_k`: units, scales and minima. Bytes 16–47 hold the upper bits of the
//! weights: bit `g` of byte `16 + l` belongs to weight `32 g + l`. Bytes 48–175 hold the lower four
//! bits, again as `q4_k` does. A weight is `(unit * scale) * q - min_unit * min`, rounded once.

use super::Codec;
use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::q4_k;
use super::search::affine::{Deviation, Plan};
use super::six_bit::{GROUP, HEAD, LEN, Scales, encode, encode_by_importance};
use crate::dtype::DTypeName;

const BYTES: usize = 176;

const PLAN: Plan = Plan {
    top: 31.0,
    first: -0.5,
    step: 0.1,
    steps: 15,
    deviation: Deviation::Squared,
};

const PLAN_BY_IMPORTANCE: Plan = Plan {
    first: -0.9,
    step: 0.05,
    steps: 36,
    ..PLAN
};

/// The codec of [`DTypeName::Q5K`].
pub(super) struct Q5K;

impl Codec for Q5K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q5K
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        match importance {
            None => encode_each(weights, out, |weights, block: &mut [u8; BYTES]| {
                let (head, bits) = split(block);
                write(&encode(weights, PLAN, head), bits);
            }),
            Some(importance) => encode_each_by_importance(
                weights,
                importance,
                out,
                |weights, importance, block: &mut [u8; BYTES]| {
                    let (head, bits) = split(block);
                    let plan = PLAN_BY_IMPORTANCE;
                    write(&encode_by_importance(weights, importance, plan, head), bits);
                },
            ),
        }
    }
}

#[inline(always)]
fn decode_block(block: &[u8; BYTES], out: &mut [f32; LEN]) {
    let (head, bits) = block.split_first_chunk().expect("the block is longer");
    let (upper, nibbles) = bits.split_at(GROUP);
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
        let weights = low.iter_mut().zip(high);
        for ((low, high), (&pair, &upper)) in weights.zip(pairs.iter().zip(upper)) {
            let upper = upper >> (2 * p);
            *low = low_scale * f32::from(pair & 15 | (upper & 1) << 4) - low_min;
            *high = high_scale * f32::from(pair >> 4 | (upper & 2) << 3) - high_min;
        }
    }
}

fn split(block: &mut [u8; BYTES]) -> (&mut [u8; HEAD], &mut [u8]) {
    block.split_first_chunk_mut().expect("the block is longer")
}

fn write(levels: &[u8; LEN], bits: &mut [u8]) {
    let (upper, nibbles) = bits.split_at_mut(GROUP);
    upper.fill(0);
    for (g, levels) in levels.as_chunks::<GROUP>().0.iter().enumerate() {
        for (upper, level) in upper.iter_mut().zip(levels) {
            *upper |= (level >> 4) << g;
        }
    }
    q4_k::write(levels, nibbles);
}
