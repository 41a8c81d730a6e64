//! Super-blocks of 256 weights in 8 groups of 32: per 8 weights a point of a codebook of 256 and 7
//! signs, per group a scale: 66 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales. Each group has 8 bytes: 4 numbers of points, then 32
//! bits, 7 for the signs of each point, and 4 for the scale. A weight is
//! `unit * (0.5 + scale) / 4` times its magnitude, exact in `f32`; see [`signs`].

use std::sync::LazyLock;

use super::block::{decode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::iq2_xs::cost;
use super::scale::Scale;
use super::search::grid::Grid;
use super::search::lattice::{Again, Groups, Plan, scale_levels};
use super::search::points::{Plainly, PointSearch};
use super::{Codec, codebook, signs};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 66;
const GROUPS: usize = 8;
const GROUP: usize = LEN / GROUPS;

const PLAN: Plan = Plan {
    steps: 6,
    step: 0.1,
    again: Again::All,
};

static GRID: LazyLock<Grid<8>> = LazyLock::new(|| Grid::new(&codebook::packed::IQ2_XXS, 2));

/// The codec of [`DTypeName::Iq2Xxs`].
pub(super) struct Iq2Xxs;

impl Codec for Iq2Xxs {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq2Xxs
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let groups = block[2..].as_chunks::<8>().0.iter();
            for (group, out) in groups.zip(out.as_chunks_mut::<GROUP>().0) {
                let [points @ .., b0, b1, b2, b3] = *group;
                let bits = u32::from_le_bytes([b0, b1, b2, b3]);
                let scale = unit * (0.5 + (bits >> 28) as f32) * 0.25;
                for (l, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                    let magnitudes = codebook::IQ2_XXS[usize::from(points[l])];
                    let signs = signs::even((bits >> (7 * l)) as u8);
                    signs::decode(magnitudes, signs, scale, out);
                }
            }
        });
    }

    fn needs_importance(&self) -> bool {
        true
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        500
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
    let mut signs = [[0; 4]; GROUPS];
    let inputs = weights.as_chunks::<GROUP>().0.iter();
    for (g, (weights, importance)) in inputs.zip(importance.as_chunks().0).enumerate() {
        groups.cost[g] = cost(weights, importance, variance);
        (groups.magnitudes[g], signs[g]) = signs::split_group_even(weights, &groups.cost[g]);
    }
    // The magnitudes that matter come near 3 units of a scale found for 0 to 4 units.
    search.start(&mut groups, 4.0, 3.0);
    search.fit(&GRID, &mut groups, PLAN);
    block.fill(0);
    for (g, fit) in groups.found() {
        let out = &mut block[2 + 8 * g..][..8];
        for (point, levels) in out.iter_mut().zip(fit.levels.as_chunks().0) {
            *point = GRID.closest(levels) as u8;
        }
        let signs = signs::pack_sevens(&signs[g], fit.scale < 0.0);
        out[4..].copy_from_slice(&signs.to_le_bytes());
    }
    let Some((unit, levels)) = scale_levels(&groups.scales()) else {
        block.fill(0);
        return;
    };
    block[..2].copy_from_slice(&from_f32(unit).to_le_bytes());
    for (group, level) in block[2..].as_chunks_mut::<8>().0.iter_mut().zip(levels) {
        group[7] |= level << 4;
    }
}
