//! Super-blocks of 256 weights in 8 groups of 32: per 8 weights a point of a codebook of 2048, per
//! group a scale and a shift: 50 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–33 the lower bits of the numbers of points,
//! bytes 34–49 16 bits per group: 3 upper bits of each of its four points, 3 for the scale, and one
//! for the shift, which is -1/8 where it is set and 1/8 elsewhere. A weight is
//! `unit * (2 * scale + 1) * (value + shift)` with values of -1, 0 and 1, exact in `f32`.

use super::Codec;
use super::block::{decode_each, encode_each_by_importance};
use super::codebook;
use super::float16::{from_f32, to_f32};
use super::iq2_xs::cost;
use super::rounding::{greatest_magnitude, nearest};
use super::scale::Scale;
use super::search::lattice::greatest;
use super::search::points::{Plainly, PointSearch};
use super::search::split::{Split, values};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 50;
const GROUPS: usize = 8;
const GROUP: usize = LEN / GROUPS;
const POINTS: usize = LEN / 8;

/// Magnitudes below this count as zero.
const NOTHING: f32 = 1e-12;

/// What makes up, on average, for the rounding of the scales.
const CORRECTION: f32 = 1.125;

/// The bit of the shift.
const DOWN: u16 = 0x8000;

/// The codec of [`DTypeName::Iq1S`].
pub(super) struct Iq1S;

impl Codec for Iq1S {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq1S
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let (lower, upper) = block[2..].split_at(POINTS);
            let groups = lower.as_chunks::<4>().0.iter().zip(upper.as_chunks().0);
            for ((lower, upper), out) in groups.zip(out.as_chunks_mut::<GROUP>().0) {
                let upper = u16::from_le_bytes(*upper);
                let scale = unit * f32::from(2 * (upper >> 12 & 7) + 1);
                let [_, shift, _] = values(upper & DOWN != 0);
                for (l, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                    let number = u16::from(lower[l]) | (upper >> (3 * l) & 7) << 8;
                    let point = codebook::IQ1[usize::from(number)];
                    *out = point.map(|value| scale * (f32::from(value) + shift));
                }
            }
        });
    }

    fn needs_importance(&self) -> bool {
        true
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        280
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode(Plainly, weights, importance, out);
    }
}

/// Does what [`Codec::encode`] does, with the searches of a kernel.
#[inline(always)]
pub(super) fn encode(
    search: impl PointSearch,
    weights: &[f32],
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    if let Some(importance) = importance {
        encode_each_by_importance(weights, importance, out, |weights, importance, block| {
            encode_block(search, weights, importance, block);
        });
    }
}

#[inline(always)]
fn encode_block(
    search: impl PointSearch,
    weights: &[f32; LEN],
    importance: &[f32; LEN],
    block: &mut [u8; BYTES],
) {
    let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
    let variance = 2.0 * squares / LEN as f32;
    let mut scales = [0.0; GROUPS];
    let mut upper = [0; GROUPS];
    block.fill(0);
    let groups = block[2..].as_chunks_mut::<4>().0.iter_mut();
    let groups = groups.zip(upper.iter_mut().zip(&mut scales));
    let inputs = weights.as_chunks().0.iter().zip(importance.as_chunks().0);
    for ((lower, (upper, scale)), (weights, importance)) in groups.zip(inputs) {
        (*scale, *upper) = encode_group(search, weights, importance, variance, lower);
    }
    let max = greatest(&scales);
    if max == 0.0 {
        block.fill(0);
        return;
    }
    let unit = max / 15.0;
    let inverse = 1.0 / unit;
    block[..2].copy_from_slice(&from_f32(unit * CORRECTION).to_le_bytes());
    let groups = block[2 + POINTS..].as_chunks_mut().0.iter_mut();
    for ((out, upper), scale) in groups.zip(upper).zip(scales) {
        let level = nearest(0.5 * (inverse * scale - 1.0)).clamp(0, 7) as u16;
        *out = (upper | level << 12).to_le_bytes();
    }
}

/// Writes the lower bits of the points, returns the scale and the 16 bits without it.
#[inline(always)]
fn encode_group(
    search: impl PointSearch,
    weights: &[f32; GROUP],
    importance: &[f32; GROUP],
    variance: f32,
    lower: &mut [u8; 4],
) -> (f32, u16) {
    if greatest_magnitude(weights) < NOTHING {
        return (0.0, 0);
    }
    let cost = cost(weights, importance, variance);
    let Some(split) = search.split_together(weights, &cost) else {
        return (0.0, 0);
    };
    let Split {
        mut scale,
        mut levels,
        down: [down, _],
    } = split.positive();
    let values = values(down);
    let mut upper = if down { DOWN } else { 0 };
    let mut all_points = true;
    let parts = levels.as_chunks_mut().0.iter_mut();
    let inputs = weights.as_chunks().0.iter().zip(cost.as_chunks().0);
    for (k, (levels, (weights, cost))) in parts.zip(inputs).enumerate() {
        let (number, found) =
            search.point(levels, weights, cost, values.map(|value| scale * value));
        all_points &= found;
        lower[k] = number as u8;
        upper |= (number >> 8) << (3 * k);
    }
    if !all_points {
        let (mut product, mut square) = (0.0, 0.0);
        for ((&level, &x), &cost) in levels.iter().zip(weights).zip(&cost) {
            let value = values[usize::from(level)];
            product += cost * value * x;
            square += cost * value * value;
        }
        if product > 0.0 && square > 0.0 {
            scale = product / square;
        }
    }
    (scale, upper)
}
