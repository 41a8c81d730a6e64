//! Super-blocks of 256 weights of 3 bits in 16 groups of 16, one scale per group: 110 bytes.
//!
//! Bytes 0–31 hold the upper bits of the weights: bit `g` of byte `l` belongs to weight `32 g + l`.
//! Bytes 32–95 hold the lower two: bits `2 k` of byte `32 + 32 n + l` are weight `128 n + 32 k + l`.
//! Bytes 96–107 hold the scales in 6 bits each, bytes 108–109 their `f16` unit. A weight is
//! `(unit * (scale - 32)) * (q - 4)`, exact in `f32`.

use std::array::from_fn;

use super::Codec;
use super::block::{Batch, batches, decode_each, walk};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, nearest};
use super::scale::Scale;
use super::search::lanes::{
    self, Lanes, MOST, Plain, Rounding, each, groups, price, sum, sums_of_squares,
};
use super::search::{sweep, symmetric};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 110;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;

/// Levels reach from -4 to 3.
const REACH: i32 = 4;
/// Scales reach from -32 to 31.
const SCALE_REACH: i32 = 32;

/// The codec of [`DTypeName::Q3K`].
pub(super) struct Q3K;

impl Codec for Q3K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q3K
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 108)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode_cost(&self, by_importance: bool) -> u64 {
        if by_importance { 40 } else { 35 }
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode::<Plain<GROUPS>>(weights, importance, out);
    }
}

/// Encodes whole blocks. `L` has a lane for each group.
#[inline(always)]
pub(super) fn encode<L: Lanes>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    if importance.is_some() {
        for batch in batches(weights, importance, out, L::COUNT) {
            encode_by_importance::<L>(batch);
        }
    } else {
        for (weights, _, block) in walk(weights, None, out) {
            encode_block::<L>(weights, block);
        }
    }
}

#[inline(always)]
fn decode_block(block: &[u8; BYTES], out: &mut [f32; LEN]) {
    let scales = scales(block);
    let (upper, lower) = block[..96].split_at(32);
    let (upper, lower) = (upper.as_chunks().0, lower.as_chunks().0);
    for (group, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        let (g, h) = (group / 2, group % 2);
        let (upper, lower) = (&upper[h], &lower[g / 4 * 2 + h]);
        decode_group(upper, g, lower, 2 * (g % 4), scales[group], out);
    }
}

#[inline(always)]
fn decode_group(
    upper: &[u8; GROUP],
    upper_bit: usize,
    lower: &[u8; GROUP],
    lower_bit: usize,
    scale: f32,
    out: &mut [f32; GROUP],
) {
    for ((out, &upper), &lower) in out.iter_mut().zip(upper).zip(lower) {
        let level = lower >> lower_bit & 3 | (upper >> upper_bit & 1) << 2;
        *out = scale * (i32::from(level) - REACH) as f32;
    }
}

/// Encodes a block without importance.
#[inline(always)]
fn encode_block<L: Lanes>(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let lanes: [L; GROUP] = groups(&[weights; MOST], 0);
    let (fit, found) = sweep::fit(&lanes, REACH as f32);
    let fit = fit.spill();
    let peak = first_peak(&fit);
    if peak == 0.0 {
        block[96..].fill(0);
    } else {
        let inverse = -(SCALE_REACH as f32) / peak;
        let level = |scale| nearest(inverse * scale).clamp(-SCALE_REACH, SCALE_REACH - 1);
        write_scales(&fit.map(|scale| (level(scale) + SCALE_REACH) as u8), block);
        block[108..].copy_from_slice(&from_f32(1.0 / inverse).to_le_bytes());
    }
    let scales = scales(block);
    let mut levels = [0; LEN];
    requantize::<L>(weights, &scales, &mut levels);
    for (group, levels) in levels.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        if scales[group] == 0.0 {
            for (level, found) in levels.iter_mut().zip(&found) {
                *level = found.spill()[group] as u8;
            }
        }
    }
    write_levels(&levels, block);
}

/// Encodes as many blocks as there are lanes, or fewer.
#[inline(always)]
fn encode_by_importance<L: Lanes>(batch: Batch<LEN, BYTES>) {
    let importance = batch.importance.unwrap_or(batch.weights);
    let squares: L = sums_of_squares(&batch.weights.map(|block| block.as_slice()));
    let variances = (L::all(2.0) * squares / L::all(LEN as f32)).spill();
    let mut found = [[0.0; GROUPS]; MOST];
    let mut prices = [[0.0; GROUPS]; MOST];
    let mut fits = [None; MOST];
    for k in 0..batch.out.len() {
        let weights: [L; GROUP] = groups(&[batch.weights[k]; MOST], 0);
        let importance = groups(&[importance[k]; MOST], 0);
        let cost = price(&importance, &weights, L::all(variances[k]));
        let fit = symmetric::fit(&weights, &cost, REACH as f32);
        found[k] = fit.scale.spill();
        prices[k] = sum(&cost).spill();
        fits[k] = Some(fit);
    }
    let found: [L; GROUPS] = L::transpose(&from_fn(|k| &found[k]));
    let prices = L::transpose(&from_fn(|k| &prices[k]));
    let fit = symmetric::fit(&found, &prices, SCALE_REACH as f32);
    let units = fit.scale.spill();
    let mut scale_levels = [[0; MOST]; GROUPS];
    for (levels, &scale) in scale_levels.iter_mut().zip(&found) {
        *levels = fit.level(scale).spill().map(|level| level as u8);
    }
    for (k, (weights, block)) in batch.weights.iter().zip(batch.out).enumerate() {
        write_scales(&scale_levels.map(|levels| levels[k]), block);
        block[108..].copy_from_slice(&from_f32(units[k]).to_le_bytes());
        let scales = scales(block);
        let mut levels = [0; LEN];
        requantize::<L>(weights, &scales, &mut levels);
        let inputs = levels.as_chunks_mut::<GROUP>().0.iter_mut();
        let inputs = inputs.zip(weights.as_chunks::<GROUP>().0);
        for (g, (levels, weights)) in inputs.enumerate() {
            if let (Some(fit), true) = (&fits[k], scales[g] == 0.0) {
                let group = fit.group(g);
                for (level, &x) in levels.iter_mut().zip(weights) {
                    *level = group.level(x);
                }
            }
        }
        write_levels(&levels, block);
    }
}

/// The levels that come nearest under the scales as stored; whatever under a scale of 0.
#[inline(always)]
fn requantize<L: Lanes>(weights: &[f32; LEN], scales: &[f32; GROUPS], levels: &mut [u8; LEN]) {
    let groups = weights.as_chunks::<GROUP>().0.iter().zip(scales);
    for ((weights, &scale), levels) in groups.zip(levels.as_chunks_mut::<GROUP>().0) {
        let rounding = Rounding {
            add: 0.0,
            scale,
            bottom: -(REACH as f32),
            top: (REACH - 1) as f32,
        };
        *levels = lanes::levels::<L, GROUP>(weights, rounding);
    }
}

#[inline(always)]
fn write_levels(levels: &[u8; LEN], block: &mut [u8; BYTES]) {
    let (upper, lower) = block[..96].split_at_mut(32);
    each!(l < 32 => {
        let mut bits = 0;
        each!(g < 8 => {
            bits |= (levels[32 * g + l] >> 2) << g;
        });
        upper[l] = bits;
    });
    let halves = lower.as_chunks_mut::<32>().0.iter_mut();
    for (lower, levels) in halves.zip(levels.as_chunks::<128>().0) {
        each!(l < 32 => {
            lower[l] = levels[l] & 3
                | (levels[l + 32] & 3) << 2
                | (levels[l + 64] & 3) << 4
                | (levels[l + 96] & 3) << 6;
        });
    }
}

/// The scales as floats.
#[inline(always)]
pub(super) fn scales(block: &[u8; BYTES]) -> [f32; GROUPS] {
    let unit = to_f32(u16::from_le_bytes([block[108], block[109]]));
    let packed: [u8; 12] = from_fn(|i| block[96 + i]);
    from_fn(|j| {
        let low = packed[j % 8] >> (j / 8 * 4) & 15;
        let high = packed[8 + j % 4] >> (j / 4 * 2) & 3;
        unit * (i32::from(low | high << 4) - SCALE_REACH) as f32
    })
}

/// Packs the scales: four bits each in 8 bytes, then the upper two bits in 4 bytes.
#[inline(always)]
fn write_scales(scales: &[u8; GROUPS], block: &mut [u8; BYTES]) {
    let packed = &mut block[96..108];
    packed.fill(0);
    for (j, scale) in scales.iter().enumerate() {
        packed[j % 8] |= (scale & 15) << (j / 8 * 4);
        packed[8 + j % 4] |= (scale >> 4) << (j / 4 * 2);
    }
}
