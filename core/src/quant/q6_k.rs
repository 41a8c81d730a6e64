//! Super-blocks of 256 weights of 6 bits in 16 groups of 16, one scale per group: 210 bytes.
//!
//! Bytes 0–127 hold the lower four bits of the weights, bytes 128–191 the upper two, bytes 192–207
//! the scales as `i8`, bytes 208–209 their `f16` unit. The halves of 128 weights have 64 bytes of
//! nibbles and 32 of upper bits each: weight `32 k + l` of a half has nibble `k / 2` of byte
//! `32 (k % 2) + l` and bits `2 k` of byte `l`. A weight is `(unit * scale) * (q - 32)`, exact in
//! `f32`.

use super::Codec;
use super::block::{decode_each, walk};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, nearest};
use super::scale::Scale;
use super::search::lanes::{self, Lanes, MOST, Plain, Rounding, each, groups, squares};
use super::search::symmetric;
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 210;
const GROUPS: usize = 16;
const GROUP: usize = LEN / GROUPS;

/// Levels reach from -32 to 31.
const REACH: i32 = 32;

/// Scales below this count as zero.
const NOTHING: f32 = 1e-15;

/// The codec of [`DTypeName::Q6K`].
pub(super) struct Q6K;

impl Codec for Q6K {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q6K
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 208)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, decode_block);
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        30
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode::<Plain<GROUPS>>(weights, importance, out);
    }
}

#[inline(always)]
fn decode_block(block: &[u8; BYTES], out: &mut [f32; LEN]) {
    let unit = to_f32(u16::from_le_bytes([block[208], block[209]]));
    let (lower, upper) = (block[..128].as_chunks().0, block[128..192].as_chunks().0);
    for (group, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
        let (n, k, h) = (group / 8, group / 2 % 4, group % 2);
        let scale = unit * f32::from(block[192 + group] as i8);
        let lower: &[u8; GROUP] = &lower[4 * n + 2 * (k % 2) + h];
        let upper: &[u8; GROUP] = &upper[2 * n + h];
        let out: &mut [f32; GROUP] = out;
        for ((out, &lower), &upper) in out.iter_mut().zip(lower).zip(upper) {
            let level = lower >> (k / 2 * 4) & 15 | (upper >> (2 * k) & 3) << 4;
            *out = scale * (i32::from(level) - REACH) as f32;
        }
    }
}

/// Encodes whole blocks. `L` has a lane for each group.
#[inline(always)]
pub(super) fn encode<L: Lanes>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    for (weights, importance, block) in walk(weights, importance, out) {
        encode_block::<L>(weights, importance, block);
    }
}

#[inline(always)]
fn encode_block<L: Lanes>(
    weights: &[f32; LEN],
    importance: Option<&[f32; LEN]>,
    block: &mut [u8; BYTES],
) {
    let lanes: [L; GROUP] = groups(&[weights; MOST], 0);
    let cost = match importance {
        None => squares(&lanes),
        Some(importance) => groups(&[importance; MOST], 0),
    };
    let fit = symmetric::fit(&lanes, &cost, REACH as f32);
    let found = fit.scale.spill();
    let peak = first_peak(&found);
    block.fill(0);
    if peak.abs() < NOTHING {
        return;
    }
    let inverse = -128.0 / peak;
    let stored = from_f32(1.0 / inverse);
    block[208..].copy_from_slice(&stored.to_le_bytes());
    let mut levels = [0; LEN];
    let groups = weights.as_chunks::<GROUP>().0.iter();
    for (group, (weights, levels)) in groups.zip(levels.as_chunks_mut::<GROUP>().0).enumerate() {
        let level = nearest(inverse * found[group]).min(127) as i8;
        block[192 + group] = level as u8;
        let scale = to_f32(stored) * f32::from(level);
        if scale == 0.0 {
            let group = fit.group(group);
            each!(i < GROUP => {
                levels[i] = group.level(weights[i]);
            });
        } else {
            let rounding = Rounding {
                add: 0.0,
                scale,
                bottom: -(REACH as f32),
                top: (REACH - 1) as f32,
            };
            *levels = lanes::levels::<L, GROUP>(weights, rounding);
        }
    }
    write_levels(&levels, block);
}

#[inline(always)]
fn write_levels(levels: &[u8; LEN], block: &mut [u8; BYTES]) {
    let (lower, upper) = block[..192].split_at_mut(128);
    let halves = lower.as_chunks_mut::<64>().0.iter_mut();
    let halves = halves.zip(upper.as_chunks_mut::<32>().0);
    for ((lower, upper), levels) in halves.zip(levels.as_chunks::<128>().0) {
        each!(l < 64 => {
            lower[l] = levels[l] & 15 | levels[64 + l] << 4;
        });
        each!(l < 32 => {
            upper[l] = levels[l] >> 4
                | (levels[32 + l] >> 4) << 2
                | (levels[64 + l] >> 4) << 4
                | (levels[96 + l] >> 4) << 6;
        });
    }
}
