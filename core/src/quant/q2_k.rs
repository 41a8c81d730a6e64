//! Super-blocks of 256 weights of 2 bits in 16 groups of 16, scale and minimum per group: 84 bytes.
//!
//! Bytes 0–15 hold a group each: scale in the low nibble, minimum in the high one. Bytes 16–79 hold
//! the weights: bits `2 k` of byte `16 + 32 n + l` are weight `128 n + 32 k + l`. Bytes 80–81 hold
//! the `f16` unit of the scales, bytes 82–83 that of the minima. A weight is
//! `(unit * scale) * q - min_unit * min`, rounded once.

use std::array::from_fn;

use super::Codec;
use super::affine_groups::{self, AffineGroups, LEN, Scales};
use super::block::decode_each;
use super::float16::to_f32;
use super::scale::Scale;
use super::search::affine::{Deviation, Plan};
use super::search::lanes::{Lanes, Plain, each};
use crate::dtype::DTypeName;

const BYTES: usize = 84;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;

/// The codec of [`DTypeName::Q2K`].
pub(super) struct Q2K;

impl Codec for Q2K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q2K
    }

    fn scales(&self) -> &'static [Scale] {
        const {
            &[
                Scale::float16("scale `d`", 80),
                Scale::float16("scale `dmin`", 82),
            ]
        }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode_cost(&self, by_importance: bool) -> u64 {
        if by_importance { 120 } else { 60 }
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode::<Plain<GROUPS>>(weights, importance, out);
    }
}

/// Encodes whole blocks. `L` has a lane for each group.
#[inline(always)]
pub(super) fn encode<L: Lanes>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    affine_groups::encode::<Q2K, L, GROUPS, GROUP, BYTES>(weights, importance, out);
}

impl AffineGroups<GROUPS, GROUP, BYTES> for Q2K {
    const PLAN: Plan = Plan {
        top: 3.0,
        first: -0.5,
        step: 0.1,
        steps: 15,
        deviation: Deviation::Absolute,
    };
    const PLAN_BY_IMPORTANCE: Plan = Plan {
        first: -0.9,
        step: 0.05,
        steps: 36,
        deviation: Deviation::Squared,
        ..Self::PLAN
    };
    const TOP: u8 = 15;
    const CAP: u8 = u8::MAX;
    const VARIANCE: f32 = 1.0;

    #[inline(always)]
    fn cost<L: Lanes>(weights: &[L; GROUP]) -> [L; GROUP] {
        let mut cost = *weights;
        for x in &mut cost {
            *x = x.abs();
        }
        cost
    }

    #[inline(always)]
    fn write_scales(scales: &Scales<GROUPS>, block: &mut [u8; BYTES]) {
        for ((pair, scale), min) in block.iter_mut().zip(scales.scales).zip(scales.mins) {
            *pair = scale | min << 4;
        }
        block[80..82].copy_from_slice(&scales.unit.to_le_bytes());
        block[82..].copy_from_slice(&scales.min_unit.to_le_bytes());
    }

    #[inline(always)]
    fn read_scales(block: &[u8; BYTES]) -> [(f32, f32); GROUPS] {
        let units = Units::read(block);
        from_fn(|group| units.of(block[group]))
    }

    #[inline(always)]
    fn write_levels(levels: &[u8; LEN], block: &mut [u8; BYTES]) {
        let halves = block[16..80].as_chunks_mut::<32>().0.iter_mut();
        for (packed, levels) in halves.zip(levels.as_chunks::<128>().0) {
            each!(l < 32 => {
                packed[l] = levels[l]
                    | levels[l + 32] << 2
                    | levels[l + 64] << 4
                    | levels[l + 96] << 6;
            });
        }
    }
}

#[inline(always)]
fn decode_block(block: &[u8; BYTES], out: &mut [f32; LEN]) {
    let units = Units::read(block);
    let halves = block[16..80].as_chunks::<32>().0.iter();
    for (n, (packed, out)) in halves.zip(out.as_chunks_mut::<128>().0).enumerate() {
        for (k, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let groups = out.as_chunks_mut::<GROUP>().0.iter_mut();
            for (h, (out, packed)) in groups.zip(packed.as_chunks::<GROUP>().0).enumerate() {
                let (scale, min) = units.of(block[8 * n + 2 * k + h]);
                for (out, &four) in out.iter_mut().zip(packed) {
                    *out = scale * f32::from(four >> (2 * k) & 3) - min;
                }
            }
        }
    }
}

/// The units of the scales and minima.
struct Units {
    scale: f32,
    min: f32,
}

impl Units {
    #[inline(always)]
    fn read(block: &[u8; BYTES]) -> Self {
        Units {
            scale: to_f32(u16::from_le_bytes([block[80], block[81]])),
            min: to_f32(u16::from_le_bytes([block[82], block[83]])),
        }
    }

    /// Scale and minimum of a group from their nibbles.
    #[inline(always)]
    fn of(&self, pair: u8) -> (f32, f32) {
        (
            self.scale * f32::from(pair & 15),
            self.min * f32::from(pair >> 4),
        )
    }
}
