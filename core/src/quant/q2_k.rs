//! Super-blocks of 256 weights of 2 bits in 16 groups of 16, scale and minimum per group: 84 bytes.
//!
//! Bytes 0–15 hold a group each: scale in the low nibble, minimum in the high one. Bytes 16–79 hold
//! the weights: bits `2 k` of byte `16 + 32 n + l` are weight `128 n + 32 k + l`. Bytes 80–81 hold
//! the `f16` unit of the scales, bytes 82–83 that of the minima. A weight is
//! `(unit * scale) * q - min_unit * min`, rounded once.

use super::Codec;
use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::rounding::nearest;
use super::search::affine::{self, Deviation, Fit, Plan};
use super::search::lanes::{Lanes, Plain, transpose};
use super::search::positive;
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 84;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;
const TOP: i32 = 3;

const PLAN: Plan = Plan {
    top: TOP as f32,
    first: -0.5,
    step: 0.1,
    steps: 15,
    deviation: Deviation::Absolute,
};

const PLAN_BY_IMPORTANCE: Plan = Plan {
    top: TOP as f32,
    first: -0.9,
    step: 0.05,
    steps: 36,
    deviation: Deviation::Squared,
};

/// The codec of [`DTypeName::Q2K`].
pub(super) struct Q2K;

impl Codec for Q2K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q2K
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        match importance {
            None => encode_each(weights, out, encode_block),
            Some(importance) => {
                encode_each_by_importance(weights, importance, out, encode_block_by_importance);
            }
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

fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let lanes: [Plain<GROUPS>; GROUP] = transpose(weights);
    let cost = lanes.map(Plain::abs);
    let fit = affine::fit(&lanes, &cost, PLAN);
    let (scales, unit) = levels_of(&fit.scale.0);
    let (mins, min_unit) = levels_of(&fit.minimum.0);
    for ((pair, scale), min) in block.iter_mut().zip(scales).zip(mins) {
        *pair = scale | min << 4;
    }
    write(weights, &lanes, &fit, [unit, min_unit], block);
}

fn encode_block_by_importance(
    weights: &[f32; LEN],
    importance: &[f32; LEN],
    block: &mut [u8; BYTES],
) {
    let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
    let variance = Plain::all(squares / LEN as f32);
    let lanes: [Plain<GROUPS>; GROUP] = transpose(weights);
    let mut cost: [Plain<GROUPS>; GROUP] = transpose(importance);
    let mut group_cost = Plain::all(0.0);
    for (cost, &x) in cost.iter_mut().zip(&lanes) {
        *cost = *cost * (variance + x * x).sqrt();
        group_cost = group_cost + *cost;
    }
    let fit = affine::fit(&lanes, &cost, PLAN_BY_IMPORTANCE);
    let (mut scales, mut mins) = ([0; GROUPS], [0; GROUPS]);
    let unit = from_f32(positive::fit(&fit.scale.0, &group_cost.0, 15, &mut scales));
    let min_unit = from_f32(positive::fit(&fit.minimum.0, &group_cost.0, 15, &mut mins));
    for ((pair, scale), min) in block.iter_mut().zip(scales).zip(mins) {
        *pair = scale | min << 4;
    }
    write(weights, &lanes, &fit, [unit, min_unit], block);
}

/// Levels from 0 to 15 in units of 1/15 of the greatest value, and that unit as `f16`.
fn levels_of(values: &[f32; GROUPS]) -> ([u8; GROUPS], u16) {
    let max = values
        .iter()
        .fold(0.0, |max, &value| if value > max { value } else { max });
    if max <= 0.0 {
        return ([0; GROUPS], 0);
    }
    let inverse = 15.0 / max;
    (
        values.map(|value| nearest(inverse * value) as u8),
        from_f32(max / 15.0),
    )
}

/// Writes the units and the levels that come nearest under the scales as stored; where a scale was
/// stored as 0, the levels of the search.
fn write(
    weights: &[f32; LEN],
    lanes: &[Plain<GROUPS>; GROUP],
    fit: &Fit<Plain<GROUPS>>,
    units: [u16; 2],
    block: &mut [u8; BYTES],
) {
    block[80..82].copy_from_slice(&units[0].to_le_bytes());
    block[82..].copy_from_slice(&units[1].to_le_bytes());
    let units = Units::read(block);
    block[16..80].fill(0);
    for (group, weights) in weights.as_chunks::<GROUP>().0.iter().enumerate() {
        let (scale, min) = units.of(block[group]);
        let (n, k, h) = (group / 8, group / 2 % 4, group % 2);
        let packed = &mut block[16 + 32 * n + GROUP * h..][..GROUP];
        for ((four, &x), lanes) in packed.iter_mut().zip(weights).zip(lanes) {
            let level = if scale == 0.0 {
                fit.level(*lanes).0[group] as u8
            } else {
                nearest((x + min) / scale).clamp(0, TOP) as u8
            };
            *four |= level << (2 * k);
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
