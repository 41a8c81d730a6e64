//! Super-blocks of 256 weights in 8 groups of 32, scale and minimum per group: 144 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–3 that of the minima, bytes 4–15 the scales
//! and minima in 6 bits each, bytes 16–143 the weights as nibbles: of byte `16 + 32 p + l` the low
//! nibble is weight `64 p + l`, the high nibble weight `64 p + 32 + l`. A weight is
//! `(unit * scale) * q - min_unit * min`, rounded once.

use super::Codec;
use super::float16::{from_f32, to_f32};
use super::rounding::nearest;
use super::search::affine::{self, Fit, Plan};
use super::search::lanes::{Lanes, transpose};
use super::search::positive;
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 144;
const GROUPS: usize = 8;
const GROUP: usize = LEN / GROUPS;
const TOP: f32 = 15.0;

/// The codec of [`DTypeName::Q4K`].
pub(super) struct Q4K;

impl Codec for Q4K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q4K
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        for (block, out) in blocks
            .as_chunks::<BYTES>()
            .0
            .iter()
            .zip(out.as_chunks_mut::<LEN>().0)
        {
            let scales = Scales::read(block);
            let pairs = block[16..].as_chunks::<GROUP>().0;
            for (p, (pairs, out)) in pairs
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
    }

    fn encode(&self, weights: &[f32], row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        let blocks = weights
            .as_chunks::<LEN>()
            .0
            .iter()
            .zip(out.as_chunks_mut::<BYTES>().0);
        match importance {
            None => blocks.for_each(|(weights, block)| encode_block(weights, block)),
            Some(importance) => {
                let importance = importance
                    .as_chunks::<LEN>()
                    .0
                    .iter()
                    .cycle()
                    .take(weights.len() / LEN);
                debug_assert!(row_len.is_multiple_of(LEN));
                for ((weights, block), importance) in blocks.zip(importance) {
                    encode_block_by_importance(weights, importance, block);
                }
            }
        }
    }
}

fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let lanes: [Lanes<GROUPS>; GROUP] = transpose(weights);
    let squares = lanes.iter().fold(Lanes::all(0.0), |sum, &x| sum + x * x);
    let average = (squares / Lanes::all(GROUP as f32)).sqrt();
    let cost = lanes.map(|x| average + x.abs());
    let fit = affine::fit(
        &lanes,
        &cost,
        Plan {
            top: TOP,
            first: -1.0,
            step: 0.1,
            steps: 20,
        },
    );

    let (scales, unit) = levels_of(&fit.scale.0);
    let (mins, min_unit) = levels_of(&fit.minimum.0);
    Scales {
        unit,
        min_unit,
        scales,
        mins,
    }
    .write(block);
    write_weights(weights, &lanes, &fit, block);
}

fn encode_block_by_importance(
    weights: &[f32; LEN],
    importance: &[f32; LEN],
    block: &mut [u8; BYTES],
) {
    let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
    let variance = Lanes::all(2.0 * squares / LEN as f32);
    let lanes: [Lanes<GROUPS>; GROUP] = transpose(weights);
    let mut cost: [Lanes<GROUPS>; GROUP] = transpose(importance);
    let mut group_cost = Lanes::all(0.0);
    for (cost, &x) in cost.iter_mut().zip(&lanes) {
        *cost = *cost * (variance + x * x).sqrt();
        group_cost = group_cost + *cost;
    }
    let fit = affine::fit(
        &lanes,
        &cost,
        Plan {
            top: TOP,
            first: -0.9,
            step: 0.05,
            steps: 36,
        },
    );

    let (mut scales, mut mins) = ([0; GROUPS], [0; GROUPS]);
    let unit = from_f32(positive::fit(&fit.scale.0, &group_cost.0, 63, &mut scales));
    let min_unit = from_f32(positive::fit(&fit.minimum.0, &group_cost.0, 63, &mut mins));
    Scales {
        unit,
        min_unit,
        scales,
        mins,
    }
    .write(block);
    write_weights(weights, &lanes, &fit, block);
}

/// Levels from 0 to 63 in units of 1/63 of the greatest value, and that unit as `f16`.
fn levels_of(values: &[f32; GROUPS]) -> ([u8; GROUPS], u16) {
    let max = values
        .iter()
        .fold(0.0, |max, &value| if value > max { value } else { max });
    let inverse = if max > 0.0 { 63.0 / max } else { 0.0 };
    // A negative level wraps to a large byte, so the cap makes 63 of it.
    let levels = values.map(|value| (nearest(inverse * value) as u8).min(63));
    (levels, from_f32(max / 63.0))
}

/// Writes the nibbles that come nearest under the scales as stored; where a scale was stored as 0,
/// those of the search.
fn write_weights(
    weights: &[f32; LEN],
    lanes: &[Lanes<GROUPS>; GROUP],
    fit: &Fit<GROUPS>,
    block: &mut [u8; BYTES],
) {
    let scales = Scales::read(block);
    let mut levels = [0u8; LEN];
    for (group, (weights, levels)) in weights
        .as_chunks::<GROUP>()
        .0
        .iter()
        .zip(levels.as_chunks_mut::<GROUP>().0)
        .enumerate()
    {
        let (scale, min) = scales.of(group);
        if scale == 0.0 {
            for (level, &x) in levels.iter_mut().zip(lanes) {
                *level = fit.level(x).0[group] as u8;
            }
            continue;
        }
        for (level, &x) in levels.iter_mut().zip(weights) {
            *level = nearest((x + min) / scale).clamp(0, TOP as i32) as u8;
        }
    }
    for (pairs, levels) in block[16..]
        .as_chunks_mut::<GROUP>()
        .0
        .iter_mut()
        .zip(levels.as_chunks::<{ 2 * GROUP }>().0)
    {
        let (low, high) = levels.split_at(GROUP);
        for ((pair, low), high) in pairs.iter_mut().zip(low).zip(high) {
            *pair = low | high << 4;
        }
    }
}

/// The scales and minima of a super-block, and their `f16` units: its first 16 bytes.
struct Scales {
    unit: u16,
    min_unit: u16,
    scales: [u8; GROUPS],
    mins: [u8; GROUPS],
}

impl Scales {
    fn read(block: &[u8; BYTES]) -> Self {
        let packed: [u8; 12] = std::array::from_fn(|i| block[4 + i]);
        let (mut scales, mut mins) = ([0; GROUPS], [0; GROUPS]);
        for j in 0..4 {
            scales[j] = packed[j] & 63;
            mins[j] = packed[j + 4] & 63;
            scales[j + 4] = packed[j + 8] & 15 | packed[j] >> 6 << 4;
            mins[j + 4] = packed[j + 8] >> 4 | packed[j + 4] >> 6 << 4;
        }
        Scales {
            unit: u16::from_le_bytes([block[0], block[1]]),
            min_unit: u16::from_le_bytes([block[2], block[3]]),
            scales,
            mins,
        }
    }

    /// The first four are stored whole; the upper two bits of the others go above them.
    fn write(&self, block: &mut [u8; BYTES]) {
        block[..2].copy_from_slice(&self.unit.to_le_bytes());
        block[2..4].copy_from_slice(&self.min_unit.to_le_bytes());
        let packed = &mut block[4..16];
        for j in 0..4 {
            packed[j] = self.scales[j] | self.scales[j + 4] >> 4 << 6;
            packed[j + 4] = self.mins[j] | self.mins[j + 4] >> 4 << 6;
            packed[j + 8] = self.scales[j + 4] & 15 | self.mins[j + 4] << 4;
        }
    }

    /// Scale and minimum of a group as floats.
    fn of(&self, group: usize) -> (f32, f32) {
        (
            to_f32(self.unit) * f32::from(self.scales[group]),
            to_f32(self.min_unit) * f32::from(self.mins[group]),
        )
    }
}
