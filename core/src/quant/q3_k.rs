//! Super-blocks of 256 weights of 3 bits in 16 groups of 16, one scale per group: 110 bytes.
//!
//! Bytes 0–31 hold the upper bits of the weights: bit `g` of byte `l` belongs to weight `32 g + l`.
//! Bytes 32–95 hold the lower two: bits `2 k` of byte `32 + 32 n + l` are weight `128 n + 32 k + l`.
//! Bytes 96–107 hold the scales in 6 bits each, bytes 108–109 their `f16` unit. A weight is
//! `(unit * (scale - 32)) * (q - 4)`, exact in `f32`.

use std::array::from_fn;

use super::Codec;
use super::block::{decode_each, encode_each, encode_each_by_importance};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, nearest};
use super::search::lanes::{Lanes, Plain, transpose};
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

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        match importance {
            None => encode_each(weights, out, encode_block),
            Some(importance) => {
                encode_each_by_importance(weights, importance, out, encode_block_by_importance);
            }
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

fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let lanes: [Plain<GROUPS>; GROUP] = transpose(weights);
    let (fit, levels) = sweep::fit(&lanes, REACH as f32);
    let peak = first_peak(&fit.0);
    if peak == 0.0 {
        block[96..].fill(0);
        write(weights, &levels, block);
        return;
    }
    let inverse = -(SCALE_REACH as f32) / peak;
    let level = |scale| nearest(inverse * scale).clamp(-SCALE_REACH, SCALE_REACH - 1);
    write_scales(
        &fit.0.map(|scale| (level(scale) + SCALE_REACH) as u8),
        block,
    );
    block[108..].copy_from_slice(&from_f32(1.0 / inverse).to_le_bytes());
    write(weights, &levels, block);
}

fn encode_block_by_importance(
    weights: &[f32; LEN],
    importance: &[f32; LEN],
    block: &mut [u8; BYTES],
) {
    let squares = weights.iter().fold(0.0, |sum, x| sum + x * x);
    let variance = Plain::all(2.0 * squares / LEN as f32);
    let lanes: [Plain<GROUPS>; GROUP] = transpose(weights);
    let mut cost: [Plain<GROUPS>; GROUP] = transpose(importance);
    let mut group_cost = Plain::all(0.0);
    for (cost, &x) in cost.iter_mut().zip(&lanes) {
        *cost = *cost * (variance + x * x).sqrt();
        group_cost = group_cost + *cost;
    }
    let fit = symmetric::fit(&lanes, &cost, REACH as f32);
    let levels = lanes.map(|x| fit.level(x));

    let scales: [Plain<1>; GROUPS] = fit.scale.0.map(|scale| Plain([scale]));
    let cost: [Plain<1>; GROUPS] = group_cost.0.map(|cost| Plain([cost]));
    let fit = symmetric::fit(&scales, &cost, SCALE_REACH as f32);
    write_scales(&scales.map(|scale| fit.level(scale).0[0] as u8), block);
    block[108..].copy_from_slice(&from_f32(fit.scale.0[0]).to_le_bytes());
    write(weights, &levels, block);
}

/// Writes the levels that come nearest under the scales as stored; where a scale was stored as 0,
/// those of the search.
fn write(weights: &[f32; LEN], found: &[Plain<GROUPS>; GROUP], block: &mut [u8; BYTES]) {
    let scales = scales(block);
    let (upper, lower) = block[..96].split_at_mut(32);
    upper.fill(0);
    lower.fill(0);
    for (group, weights) in weights.as_chunks::<GROUP>().0.iter().enumerate() {
        let scale = scales[group];
        let (g, start) = (group / 2, GROUP * (group % 2));
        let upper = &mut upper[start..][..GROUP];
        let lower = &mut lower[32 * (g / 4) + start..][..GROUP];
        let bits = upper.iter_mut().zip(lower);
        for ((upper, lower), (x, found)) in bits.zip(weights.iter().zip(found)) {
            let level = if scale == 0.0 {
                found.0[group] as u8
            } else {
                (nearest(x / scale).clamp(-REACH, REACH - 1) + REACH) as u8
            };
            *upper |= (level >> 2) << g;
            *lower |= (level & 3) << (2 * (g % 4));
        }
    }
}

/// The scales as floats.
#[inline(always)]
fn scales(block: &[u8; BYTES]) -> [f32; GROUPS] {
    let unit = to_f32(u16::from_le_bytes([block[108], block[109]]));
    let packed: [u8; 12] = from_fn(|i| block[96 + i]);
    from_fn(|j| {
        let low = packed[j % 8] >> (j / 8 * 4) & 15;
        let high = packed[8 + j % 4] >> (j / 4 * 2) & 3;
        unit * (i32::from(low | high << 4) - SCALE_REACH) as f32
    })
}

/// Packs the scales: four bits each in 8 bytes, then the upper two bits in 4 bytes.
fn write_scales(scales: &[u8; GROUPS], block: &mut [u8; BYTES]) {
    let packed = &mut block[96..108];
    packed.fill(0);
    for (j, scale) in scales.iter().enumerate() {
        packed[j % 8] |= (scale & 15) << (j / 8 * 4);
        packed[8 + j % 4] |= (scale >> 4) << (j / 4 * 2);
    }
}
