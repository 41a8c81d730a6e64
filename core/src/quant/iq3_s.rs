//! Super-blocks of 256 weights in 8 groups of 32: per 4 weights a point of a codebook of 512, per
//! weight a sign, per group a scale: 110 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–65 the lower bits of the numbers of points,
//! bytes 66–73 the ninth bit of eight points each, bytes 74–105 the signs, bytes 106–109 two scales
//! each, the first in the low nibble. A weight is `unit * (1 + 2 * scale)` times its magnitude,
//! exact in `f32`; see [`signs`].
//!
//! After a group of zeros, GGML's encoder writes the points and signs of the groups that follow in
//! the same super-block into the places of the groups before them. Decoded, such a super-block has
//! its weights in wrong places. This encoder writes them where decoders look for them; for all
//! other super-blocks it gives the same bytes as GGML.

use std::sync::LazyLock;

use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::iq3_xxs::cost;
use super::scale::Scale;
use super::search::grid::Grid;
use super::search::lattice::{Again, Groups, Plan, scale_levels};
use super::search::points::{Plainly, PointSearch};
use super::{Codec, codebook, signs};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 110;
const GROUPS: usize = 8;
const GROUP: usize = LEN / GROUPS;
const POINTS: usize = LEN / 4;
const NINTH: usize = 2 + POINTS;
const SIGNS: usize = NINTH + POINTS / 8;
const SCALES: usize = SIGNS + LEN / 8;

/// What makes up, on average, for the rounding of the scales.
const CORRECTION: f32 = 1.033;

const PLAN: Plan = Plan {
    steps: 9,
    step: 0.2,
    again: Again::AllIfOffGrid,
};

static GRID: LazyLock<Grid<4>> = LazyLock::new(|| Grid::new(&codebook::packed::IQ3_S, 3));

/// The codec of [`DTypeName::Iq3S`].
pub(super) struct Iq3S;

impl Codec for Iq3S {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq3S
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let level = block[SCALES + i / 8] >> (i / 4 % 2 * 4) & 15;
                let scale = unit * f32::from(1 + 2 * level);
                let ninth = usize::from(block[NINTH + i / 4] >> (i % 4 * 2)) << 8;
                let first = codebook::IQ3_S[usize::from(block[2 + 2 * i]) | ninth & 256];
                let second = codebook::IQ3_S[usize::from(block[3 + 2 * i]) | ninth >> 1 & 256];
                let ([a, b, c, d], [e, f, g, h]) = (first, second);
                signs::decode([a, b, c, d, e, f, g, h], block[SIGNS + i], scale, out);
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
        (groups.magnitudes[g], signs[g]) = signs::split_group(weights);
        groups.start(g, 0.0, GRID.top);
        // Where no candidate is better than none, everything is rounded with the scale of the start.
        groups.fits[g].off_grid = u32::MAX;
    }
    search.fit(&GRID, &mut groups, PLAN);
    block.fill(0);
    for (g, fit) in groups.found() {
        for (k, levels) in fit.levels.as_chunks().0.iter().enumerate() {
            let number = GRID.closest(levels);
            block[2 + 8 * g + k] = number as u8;
            block[NINTH + g] |= ((number >> 8) as u8) << k;
        }
        for (out, sign) in block[SIGNS + 4 * g..].iter_mut().zip(signs[g]) {
            *out = if fit.scale < 0.0 { !sign } else { sign };
        }
    }
    // Points and signs that a scale of zero has made meaningless stay, as in GGML.
    let Some((unit, levels)) = scale_levels(&groups.scales()) else {
        return;
    };
    block[..2].copy_from_slice(&from_f32(unit * CORRECTION).to_le_bytes());
    for (g, level) in levels.iter().enumerate() {
        block[SCALES + g / 2] |= level << (g % 2 * 4);
    }
}
