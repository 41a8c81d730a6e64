//! Super-blocks of 256 weights in 16 groups of 16: per 8 weights a point of a codebook of 512 and 7
//! signs, per group a scale: 74 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–65 32 times 16 bits: 9 for the number of a
//! point, 7 for its signs. Bytes 66–73 hold two scales each, the first in the low nibble. A weight
//! is `unit * (0.5 + scale) / 4` times its magnitude, exact in `f32`; see [`signs`].

use std::sync::LazyLock;

use super::block::{decode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::scale::Scale;
use super::search::grid::Grid;
use super::search::lattice::{Again, Groups, Plan, scale_levels};
use super::search::points::{Plainly, PointSearch};
use super::{Codec, codebook, signs};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 74;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;
const SCALES: usize = 66;

/// Magnitudes below this count as zero.
const NOTHING: f32 = 1e-15;

/// The search of `iq2_xs` and `iq2_s`.
pub(super) const PLAN: Plan = Plan {
    steps: 9,
    step: 0.1,
    again: Again::OffGrid,
};

static GRID: LazyLock<Grid<8>> = LazyLock::new(|| Grid::new(&codebook::packed::IQ2_XS, 2));

/// The codec of [`DTypeName::Iq2Xs`].
pub(super) struct Iq2Xs;

impl Codec for Iq2Xs {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq2Xs
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let points = block[2..SCALES].as_chunks::<2>().0.iter();
            for (i, (point, out)) in points.zip(out.as_chunks_mut().0).enumerate() {
                let level = block[SCALES + i / 4] >> (i / 2 % 2 * 4) & 15;
                let scale = unit * (0.5 + f32::from(level)) * 0.25;
                let point = u16::from_le_bytes(*point);
                let magnitudes = codebook::IQ2_XS[usize::from(point & 511)];
                signs::decode(magnitudes, signs::even((point >> 9) as u8), scale, out);
            }
        });
    }

    fn needs_importance(&self) -> bool {
        true
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        800
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
    let variance = squares / LEN as f32;
    let mut groups: Groups<GROUP, GROUPS> = Groups::new();
    let mut signs = [[0; 2]; GROUPS];
    let inputs = weights.as_chunks::<GROUP>().0.iter();
    for (g, (weights, importance)) in inputs.zip(importance.as_chunks().0).enumerate() {
        groups.cost[g] = cost(weights, importance, variance);
        (groups.magnitudes[g], signs[g]) = signs::split_group_even(weights, &groups.cost[g]);
        groups.start(g, NOTHING, GRID.top);
    }
    search.fit(&GRID, &mut groups, PLAN);
    block.fill(0);
    for (g, fit) in groups.found() {
        let points = block[2 + 4 * g..].as_chunks_mut().0.iter_mut();
        for ((point, sign), levels) in points.zip(signs[g]).zip(fit.levels.as_chunks().0) {
            let sign = if fit.scale < 0.0 { !sign } else { sign };
            *point = (GRID.closest(levels) | u16::from(sign & 127) << 9).to_le_bytes();
        }
    }
    let Some((unit, levels)) = scale_levels(&groups.scales()) else {
        block.fill(0);
        return;
    };
    block[..2].copy_from_slice(&from_f32(unit).to_le_bytes());
    for (ib, level) in levels.iter().enumerate() {
        block[SCALES + ib / 2] |= level << (ib % 2 * 4);
    }
}

/// The price of a squared deviation of each weight. `variance` is the mean of the squares in the
/// super-block, or twice that, as the format has it.
#[inline(always)]
pub(super) fn cost<const N: usize>(
    weights: &[f32; N],
    importance: &[f32; N],
    variance: f32,
) -> [f32; N] {
    let mut cost = *importance;
    for (cost, x) in cost.iter_mut().zip(weights) {
        *cost *= (variance + x * x).sqrt();
    }
    cost
}
