//! Super-blocks of 256 weights in 16 groups of 16: per 8 weights a point of a codebook of 2048 and a
//! shift, per group a scale: 56 bytes.
//!
//! Bytes 0–31 hold the lower bits of the numbers of points, bytes 32–47 a nibble per point: 3 upper
//! bits and one for the shift, which is -1/8 where it is set and 1/8 elsewhere. Bytes 48–55 are four
//! times 16 bits: the scales of four groups, 3 bits each, and in the upper 4 bits a piece of the
//! `f16` unit of the scales, the lowest first. A weight is `unit * (2 * scale + 1) * (value + shift)`
//! with values of -1, 0 and 1, exact in `f32`.

use super::Codec;
use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::codebook;
use super::float16::{from_f32, to_f32};
use super::iq2_xs::cost;
use super::rounding::{greatest_magnitude, nearest};
use super::scale::{Scale, Stored};
use super::search::lattice::greatest;
use super::search::points::{Plainly, PointSearch};
use super::search::split::{Split, values};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 56;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;
const UPPER: usize = LEN / 8;
const SCALES: usize = UPPER + GROUPS;

/// Magnitudes below this count as zero.
const NOTHING: f32 = 1e-7;

/// What makes up, on average, for the rounding of the scales.
const CORRECTION: f32 = 1.1125;

/// The bits of the shifts of the two points of a group.
const DOWN: [u8; 2] = [0x08, 0x80];

/// What stands for a group of zeros.
const NOTHING_FOUND: Split<GROUP> = Split {
    scale: 0.0,
    levels: [0; GROUP],
    down: [false; 2],
};

/// The codec of [`DTypeName::Iq1M`].
pub(super) struct Iq1M;

impl Codec for Iq1M {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq1M
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::new("scale `d`", 48, Stored::SplitFloat16)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let packed: [u16; 4] =
                std::array::from_fn(|i| u16::from_le_bytes([block[48 + 2 * i], block[49 + 2 * i]]));
            let unit = packed
                .iter()
                .rev()
                .fold(0, |unit, packed| unit << 4 | packed >> 12);
            let unit = to_f32(unit);
            for (i, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let scale = packed[i / 8] >> (i / 2 % 4 * 3) & 7;
                let scale = unit * f32::from(2 * scale + 1);
                let upper = block[UPPER + i / 2] >> (i % 2 * 4);
                let [_, shift, _] = values(upper & 8 != 0);
                let number = usize::from(block[i]) | usize::from(upper & 7) << 8;
                *out = codebook::IQ1[number].map(|value| scale * (f32::from(value) + shift));
            }
        });
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        350
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
    match importance {
        None => encode_each(weights, out, |weights: &[f32; LEN], block| {
            encode_block(search, weights, &weights.map(|x| x * x), block);
        }),
        Some(importance) => {
            encode_each_by_importance(weights, importance, out, |weights, importance, block| {
                let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
                let cost = cost(weights, importance, 2.0 * squares / LEN as f32);
                encode_block(search, weights, &cost, block);
            });
        }
    }
}

#[inline(always)]
fn encode_block(
    search: impl PointSearch,
    weights: &[f32; LEN],
    cost: &[f32; LEN],
    block: &mut [u8; BYTES],
) {
    let mut groups = [NOTHING_FOUND; GROUPS];
    block.fill(0);
    let inputs = weights.as_chunks().0.iter().zip(cost.as_chunks().0);
    for (g, (group, (weights, cost))) in groups.iter_mut().zip(inputs).enumerate() {
        *group = encode_group(search, weights, cost, g, block);
    }
    let max = greatest(&groups.map(|group| group.scale));
    if max == 0.0 {
        block.fill(0);
        return;
    }
    let mut unit = max / 15.0;
    let inverse = 1.0 / unit;
    let mut packed = [0; 4];
    let (mut product, mut square) = (0.0, 0.0);
    let inputs = weights
        .as_chunks::<GROUP>()
        .0
        .iter()
        .zip(cost.as_chunks::<GROUP>().0);
    for (g, (group, (weights, cost))) in groups.iter().zip(inputs).enumerate() {
        let scale = nearest(0.5 * (inverse * group.scale - 1.0)).clamp(0, 7);
        packed[g / 4] |= (scale as u16) << (g % 4 * 3);
        for (i, (&x, &cost)) in weights.iter().zip(cost).enumerate() {
            let value = values(group.down[i / 8])[usize::from(group.levels[i])];
            let value = value * (2 * scale + 1) as f32;
            product += cost * value * x;
            square += cost * value * value;
        }
        for (down, bit) in group.down.iter().zip(DOWN) {
            block[UPPER + g] |= if *down { bit } else { 0 };
        }
    }
    if square > 0.0 {
        unit = product / square;
    }
    let unit = from_f32(unit * CORRECTION);
    let out = block[SCALES..].as_chunks_mut().0.iter_mut();
    for (i, (out, packed)) in out.zip(packed).enumerate() {
        *out = (packed | unit >> (4 * i) << 12).to_le_bytes();
    }
}

/// Writes the points of group `g`.
#[inline(always)]
fn encode_group(
    search: impl PointSearch,
    weights: &[f32; GROUP],
    cost: &[f32; GROUP],
    g: usize,
    block: &mut [u8; BYTES],
) -> Split<GROUP> {
    if greatest_magnitude(weights) < NOTHING {
        return NOTHING_FOUND;
    }
    let Some(split) = search.split_apart(weights, cost) else {
        return NOTHING_FOUND;
    };
    let mut group = split.positive();
    let mut all_points = true;
    let parts = group.levels.as_chunks_mut().0.iter_mut();
    let inputs = weights.as_chunks().0.iter().zip(cost.as_chunks().0);
    for (k, (levels, (weights, cost))) in parts.zip(inputs).enumerate() {
        let values = values(group.down[k]).map(|value| group.scale * value);
        let (number, found) = search.point(levels, weights, cost, values);
        all_points &= found;
        block[2 * g + k] = number as u8;
        block[UPPER + g] |= ((number >> 8) as u8) << (4 * k);
    }
    if !all_points {
        let (mut product, mut square) = (0.0, 0.0);
        for (i, (&x, &cost)) in weights.iter().zip(cost).enumerate() {
            let value = values(group.down[i / 8])[usize::from(group.levels[i])];
            product += cost * value * x;
            square += cost * value * value;
        }
        if product > 0.0 && square > 0.0 {
            group.scale = product / square;
        }
    }
    group
}
