//! Super-blocks of 256 weights in 16 groups of 16: per 8 weights a point of a codebook of 1024 and 8
//! signs, per group a scale: 82 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–33 the lower bits of the numbers of points,
//! bytes 34–65 the signs, bytes 66–73 the upper two bits of four points each, bytes 74–81 two scales
//! each, the first in the low nibble. A weight is `unit * (0.5 + scale) / 4` times its magnitude,
//! exact in `f32`; see [`signs`].

use std::sync::LazyLock;

use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::iq2_xs::PLAN;
use super::scale::Scale;
use super::search::grid::Grid;
use super::search::lattice::{Groups, scale_levels};
use super::search::points::{Plainly, PointSearch};
use super::{Codec, codebook, signs};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 82;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;
const POINTS: usize = LEN / 8;
const SIGNS: usize = 2 + POINTS;
const UPPER: usize = SIGNS + POINTS;
const SCALES: usize = UPPER + POINTS / 4;

/// Magnitudes below this count as zero.
const NOTHING: f32 = 1e-8;

/// What makes up, on average, for the rounding of the scales.
const CORRECTION: f32 = 0.9875;

static GRID: LazyLock<Grid<8>> = LazyLock::new(|| Grid::new(&codebook::packed::IQ2_S, 1));

/// The codec of [`DTypeName::Iq2S`].
pub(super) struct Iq2S;

impl Codec for Iq2S {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq2S
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let level = block[SCALES + i / 4] >> (i / 2 % 2 * 4) & 15;
                let scale = unit * (0.5 + f32::from(level)) * 0.25;
                let upper = usize::from(block[UPPER + i / 4] >> (i % 4 * 2) & 3);
                let magnitudes = codebook::IQ2_S[usize::from(block[2 + i]) | upper << 8];
                signs::decode(magnitudes, block[SIGNS + i], scale, out);
            }
        });
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        270
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
        None => encode_each(weights, out, |weights, block| {
            encode_block(search, weights, None, block);
        }),
        Some(importance) => {
            encode_each_by_importance(weights, importance, out, |weights, importance, block| {
                encode_block(search, weights, Some(importance), block);
            });
        }
    }
}

#[inline(always)]
fn encode_block(
    search: impl PointSearch,
    weights: &[f32; LEN],
    importance: Option<&[f32; LEN]>,
    block: &mut [u8; BYTES],
) {
    let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
    let variance = 2.0 * squares / LEN as f32;
    let mut groups: Groups<GROUP, GROUPS> = Groups::new();
    let mut signs = [[0; 2]; GROUPS];
    for (g, weights) in weights.as_chunks::<GROUP>().0.iter().enumerate() {
        let importance = importance.map(|importance| &importance.as_chunks().0[g]);
        groups.cost[g] = cost(weights, importance, variance);
        (groups.magnitudes[g], signs[g]) = signs::split_group(weights);
        groups.start(g, NOTHING, GRID.top);
    }
    search.fit(&GRID, &mut groups, PLAN);
    block.fill(0);
    for (g, fit) in groups.found() {
        for (k, levels) in fit.levels.as_chunks().0.iter().enumerate() {
            let (i, sign) = (2 * g + k, signs[g][k]);
            let number = GRID.closest(levels);
            block[2 + i] = number as u8;
            block[UPPER + i / 4] |= ((number >> 8) as u8) << (i % 4 * 2);
            block[SIGNS + i] = if fit.scale < 0.0 { !sign } else { sign };
        }
    }
    let Some((unit, levels)) = scale_levels(&groups.scales()) else {
        block.fill(0);
        return;
    };
    block[..2].copy_from_slice(&from_f32(unit * CORRECTION).to_le_bytes());
    for (g, level) in levels.iter().enumerate() {
        block[SCALES + g / 2] |= level << (g % 2 * 4);
    }
}

/// The price of a squared deviation of each weight. `variance` is twice the mean of the squares in
/// the super-block.
#[inline(always)]
fn cost(weights: &[f32; GROUP], importance: Option<&[f32; GROUP]>, variance: f32) -> [f32; GROUP] {
    let mut cost = weights.map(|x| 0.25 * variance + x * x);
    if let Some(importance) = importance {
        for ((cost, x), importance) in cost.iter_mut().zip(weights).zip(importance) {
            *cost = importance * (variance + x * x).sqrt();
        }
    }
    cost
}
