//! Super-blocks of 256 weights in 8 groups of 32, scale and minimum per group: 144 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–3 that of the minima, bytes 4–15 the scales
//! and minima in 6 bits each, bytes 16–143 the weights as nibbles: of byte `16 + 32 p + l` the low
//! nibble is weight `64 p + l`, the high nibble weight `64 p + 32 + l`. A weight is
//! `(unit * scale) * q - min_unit * min`, rounded once.

use std::array::from_fn;

use super::Codec;
use super::affine_groups::{self, AffineGroups, LEN};
use super::block::decode_each;
use super::scale::Scale;
use super::search::affine::{Deviation, Plan};
use super::search::lanes::{Lanes, Plain, each};
use super::six_bit::{self, GROUP, GROUPS, HEAD, Scales};
use crate::dtype::DTypeName;

const BYTES: usize = 144;

/// The codec of [`DTypeName::Q4K`].
pub(super) struct Q4K;

impl Codec for Q4K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q4K
    }

    fn scales(&self) -> &'static [Scale] {
        const {
            &[
                Scale::float16("scale `d`", 0),
                Scale::float16("scale `dmin`", 2),
            ]
        }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode_cost(&self, by_importance: bool) -> u64 {
        if by_importance { 110 } else { 60 }
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode::<Plain<GROUPS>>(weights, importance, out);
    }
}

/// Encodes whole blocks. `L` has lanes for all groups of one or two of them.
#[inline(always)]
pub(super) fn encode<L: Lanes>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    affine_groups::encode::<Q4K, L, GROUPS, GROUP, BYTES>(weights, importance, out);
}

impl AffineGroups<GROUPS, GROUP, BYTES> for Q4K {
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
        ..Self::PLAN
    };
    const TOP: u8 = six_bit::TOP;
    const CAP: u8 = six_bit::TOP;
    const VARIANCE: f32 = 2.0;

    #[inline(always)]
    fn cost<L: Lanes>(weights: &[L; GROUP]) -> [L; GROUP] {
        six_bit::cost(weights)
    }

    #[inline(always)]
    fn write_scales(scales: &Scales, block: &mut [u8; BYTES]) {
        scales.write(split(block).0);
    }

    #[inline(always)]
    fn read_scales(block: &[u8; BYTES]) -> [(f32, f32); GROUPS] {
        let head = block.first_chunk().expect("the block is longer");
        let scales = Scales::read(head);
        from_fn(|group| scales.of(group))
    }

    #[inline(always)]
    fn write_levels(levels: &[u8; LEN], block: &mut [u8; BYTES]) {
        write(levels, split(block).1);
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

#[inline(always)]
fn split(block: &mut [u8; BYTES]) -> (&mut [u8; HEAD], &mut [u8]) {
    block.split_first_chunk_mut().expect("the block is longer")
}

/// Writes the lower four bits of the levels, two groups to 32 bytes.
#[inline(always)]
pub(super) fn write(levels: &[u8; LEN], nibbles: &mut [u8]) {
    for (pairs, levels) in nibbles
        .as_chunks_mut::<GROUP>()
        .0
        .iter_mut()
        .zip(levels.as_chunks::<{ 2 * GROUP }>().0)
    {
        each!(i < GROUP => {
            pairs[i] = levels[i] & 15 | levels[GROUP + i] << 4;
        });
    }
}
