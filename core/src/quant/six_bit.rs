//! Super-blocks of 8 groups of 32 weights, with scales and minima of 6 bits: what `q4_k` and `q5_k`
//! have in common.
//!
//! Both begin with the same 16 bytes: the `f16` unit of the scales, the `f16` unit of the minima,
//! then 8 scales and 8 minima, packed. They differ in the bits of a weight, so in the greatest level.

use super::float16::{from_f32, to_f32};
use super::rounding::nearest;
use super::search::affine::{self, Fit, Plan};
use super::search::lanes::{Lanes, Plain, transpose};
use super::search::positive;

/// Weights of a super-block.
pub(super) const LEN: usize = 256;
/// Groups of a super-block.
pub(super) const GROUPS: usize = 8;
/// Weights of a group.
pub(super) const GROUP: usize = LEN / GROUPS;
/// Bytes of scales and minima.
pub(super) const HEAD: usize = 16;

/// Writes the scales and minima and returns the levels of the weights. `plan` without importance.
pub(super) fn encode(weights: &[f32; LEN], plan: Plan, head: &mut [u8; HEAD]) -> [u8; LEN] {
    let lanes: [Plain<GROUPS>; GROUP] = transpose(weights);
    let squares = lanes.iter().fold(Plain::all(0.0), |sum, &x| sum + x * x);
    let average = (squares / Plain::all(GROUP as f32)).sqrt();
    let cost = lanes.map(|x| average + x.abs());
    let fit = affine::fit(&lanes, &cost, plan);

    let (scales, unit) = levels_of(&fit.scale.0);
    let (mins, min_unit) = levels_of(&fit.minimum.0);
    Scales {
        unit,
        min_unit,
        scales,
        mins,
    }
    .write(head);
    levels(weights, &lanes, &fit, plan.top, head)
}

/// As [`encode`], by what each weight matters.
pub(super) fn encode_by_importance(
    weights: &[f32; LEN],
    importance: &[f32; LEN],
    plan: Plan,
    head: &mut [u8; HEAD],
) -> [u8; LEN] {
    let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
    let variance = Plain::all(2.0 * squares / LEN as f32);
    let lanes: [Plain<GROUPS>; GROUP] = transpose(weights);
    let mut cost: [Plain<GROUPS>; GROUP] = transpose(importance);
    let mut group_cost = Plain::all(0.0);
    for (cost, &x) in cost.iter_mut().zip(&lanes) {
        *cost = *cost * (variance + x * x).sqrt();
        group_cost = group_cost + *cost;
    }
    let fit = affine::fit(&lanes, &cost, plan);

    let (mut scales, mut mins) = ([0; GROUPS], [0; GROUPS]);
    let unit = from_f32(positive::fit(&fit.scale.0, &group_cost.0, 63, &mut scales));
    let min_unit = from_f32(positive::fit(&fit.minimum.0, &group_cost.0, 63, &mut mins));
    Scales {
        unit,
        min_unit,
        scales,
        mins,
    }
    .write(head);
    levels(weights, &lanes, &fit, plan.top, head)
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

/// The levels that come nearest under the scales as stored; where a scale was stored as 0, those of
/// the search.
fn levels(
    weights: &[f32; LEN],
    lanes: &[Plain<GROUPS>; GROUP],
    fit: &Fit<Plain<GROUPS>>,
    top: f32,
    head: &[u8; HEAD],
) -> [u8; LEN] {
    let scales = Scales::read(head);
    let mut levels = [0; LEN];
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
            *level = nearest((x + min) / scale).clamp(0, top as i32) as u8;
        }
    }
    levels
}

/// The scales and minima of a super-block, and their `f16` units.
pub(super) struct Scales {
    unit: u16,
    min_unit: u16,
    scales: [u8; GROUPS],
    mins: [u8; GROUPS],
}

impl Scales {
    /// Unpacks the first bytes of a super-block.
    #[inline(always)]
    pub fn read(head: &[u8; HEAD]) -> Self {
        let packed: [u8; 12] = std::array::from_fn(|i| head[4 + i]);
        let (mut scales, mut mins) = ([0; GROUPS], [0; GROUPS]);
        for j in 0..4 {
            scales[j] = packed[j] & 63;
            mins[j] = packed[j + 4] & 63;
            scales[j + 4] = packed[j + 8] & 15 | packed[j] >> 6 << 4;
            mins[j + 4] = packed[j + 8] >> 4 | packed[j + 4] >> 6 << 4;
        }
        Scales {
            unit: u16::from_le_bytes([head[0], head[1]]),
            min_unit: u16::from_le_bytes([head[2], head[3]]),
            scales,
            mins,
        }
    }

    /// The first four are stored whole; the upper two bits of the others go above them.
    fn write(&self, head: &mut [u8; HEAD]) {
        head[..2].copy_from_slice(&self.unit.to_le_bytes());
        head[2..4].copy_from_slice(&self.min_unit.to_le_bytes());
        let packed = &mut head[4..];
        for j in 0..4 {
            packed[j] = self.scales[j] | self.scales[j + 4] >> 4 << 6;
            packed[j + 4] = self.mins[j] | self.mins[j + 4] >> 4 << 6;
            packed[j + 8] = self.scales[j + 4] & 15 | self.mins[j + 4] << 4;
        }
    }

    /// Scale and minimum of a group as floats.
    #[inline(always)]
    pub fn of(&self, group: usize) -> (f32, f32) {
        (
            to_f32(self.unit) * f32::from(self.scales[group]),
            to_f32(self.min_unit) * f32::from(self.mins[group]),
        )
    }
}
