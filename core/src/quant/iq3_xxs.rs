//! Super-blocks of 256 weights in 8 groups of 32: per 4 weights a point of a codebook of 256, per 8
//! weights 7 signs, per group a scale: 98 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–65 the numbers of points, bytes 66–97 32 bits
//! per group, 7 for the signs of each 8 weights, and 4 for the scale. A weight is
//! `unit * (0.5 + scale) / 2` times its magnitude, exact in `f32`; see [`signs`].

use std::sync::LazyLock;

use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::scale::Scale;
use super::search::grid::Grid;
use super::search::lattice::{Again, Groups, Plan, scale_levels};
use super::search::points::{Plainly, PointSearch};
use super::{Codec, codebook, signs};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 98;
const GROUPS: usize = 8;
const GROUP: usize = LEN / GROUPS;
const SIGNS: usize = 2 + LEN / 4;

/// Magnitudes below this count as zero.
const NOTHING: f32 = 1e-8;

/// What makes up, on average, for the rounding of the scales.
const CORRECTION: f32 = 1.0125;

const PLAN: Plan = Plan {
    steps: 15,
    step: 0.2,
    again: Again::OffGrid,
};

static GRID: LazyLock<Grid<4>> = LazyLock::new(|| Grid::new(&codebook::packed::IQ3_XXS, 2));

/// The codec of [`DTypeName::Iq3Xxs`].
pub(super) struct Iq3Xxs;

impl Codec for Iq3Xxs {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq3Xxs
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let points = block[2..SIGNS].as_chunks::<8>().0.iter();
            let groups = points.zip(block[SIGNS..].as_chunks::<4>().0);
            for ((points, bits), out) in groups.zip(out.as_chunks_mut::<GROUP>().0) {
                let bits = u32::from_le_bytes(*bits);
                let scale = unit * (0.5 + (bits >> 28) as f32) * 0.5;
                for (l, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                    let point = |i: usize| codebook::IQ3_XXS[usize::from(points[2 * l + i])];
                    let ([a, b, c, d], [e, f, g, h]) = (point(0), point(1));
                    let signs = signs::even((bits >> (7 * l)) as u8);
                    signs::decode([a, b, c, d, e, f, g, h], signs, scale, out);
                }
            }
        });
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        550
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
    let mut signs = [[0; 4]; GROUPS];
    for (g, weights) in weights.as_chunks::<GROUP>().0.iter().enumerate() {
        let importance = importance.map(|importance| &importance.as_chunks().0[g]);
        groups.cost[g] = cost(weights, importance, variance);
        (groups.magnitudes[g], signs[g]) = signs::split_group_even(weights, &groups.cost[g]);
        groups.start(g, NOTHING, GRID.top);
    }
    search.fit(&GRID, &mut groups, PLAN);
    block.fill(0);
    let (points, bits) = block[2..].split_at_mut(LEN / 4);
    for (g, fit) in groups.found() {
        let points = points[8 * g..].iter_mut();
        for (point, levels) in points.zip(fit.levels.as_chunks().0) {
            *point = GRID.closest(levels) as u8;
        }
        let signs = signs::pack_sevens(&signs[g], fit.scale < 0.0);
        bits[4 * g..][..4].copy_from_slice(&signs.to_le_bytes());
    }
    let Some((unit, levels)) = scale_levels(&groups.scales()) else {
        block.fill(0);
        return;
    };
    block[..2].copy_from_slice(&from_f32(unit * CORRECTION).to_le_bytes());
    for (bits, level) in block[SIGNS..].as_chunks_mut::<4>().0.iter_mut().zip(levels) {
        bits[3] |= level << 4;
    }
}

/// The price of a squared deviation of each weight: its square, or what it matters. `variance` is
/// twice the mean of the squares in the super-block.
pub(super) fn cost(
    weights: &[f32; GROUP],
    importance: Option<&[f32; GROUP]>,
    variance: f32,
) -> [f32; GROUP] {
    let mut cost = weights.map(|x| x * x);
    if let Some(importance) = importance {
        for ((cost, x), importance) in cost.iter_mut().zip(weights).zip(importance) {
            *cost = importance * (variance + x * x).sqrt();
        }
    }
    cost
}
