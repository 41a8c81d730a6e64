//! Formats whose levels are points of a codebook: all of `iq1`, `iq2` and `iq3`.

use std::arch::aarch64::*;

use super::registers::{half, load8, spread};
use super::sink::Sink;
use crate::quant::{codebook, signs};

/// Unpacks blocks of `iq2_xxs`.
#[target_feature(enable = "neon")]
pub(super) fn iq2_xxs<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<66>().0.iter();
    for (i, [d0, d1, groups @ ..]) in blocks.enumerate() {
        let unit = half(*d0, *d1);
        for (g, [points @ .., b0, b1, b2, b3]) in groups.as_chunks::<8>().0.iter().enumerate() {
            let bits = u32::from_le_bytes([*b0, *b1, *b2, *b3]);
            let scale = vdupq_n_f32(unit * (0.5 + (bits >> 28) as f32) * 0.25);
            for (h, [first, second]) in points.as_chunks().0.iter().enumerate() {
                let bits = bits >> (14 * h);
                let levels = signed(
                    &codebook::IQ2_XXS[usize::from(*first)],
                    &codebook::IQ2_XXS[usize::from(*second)],
                    signs::even(bits as u8),
                    signs::even((bits >> 7) as u8),
                );
                sink.scaled(16 * i + 2 * g + h, levels, scale);
            }
        }
    }
}

/// Unpacks blocks of `iq2_xs`.
#[target_feature(enable = "neon")]
pub(super) fn iq2_xs<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<74>().0.iter();
    for (i, [d0, d1, rest @ ..]) in blocks.enumerate() {
        let unit = half(*d0, *d1);
        let (points, scales) = rest.split_at(64);
        for (g, [a, b, c, d]) in points.as_chunks().0.iter().enumerate() {
            let level = scales[g / 2] >> (4 * (g % 2)) & 15;
            let (first, second) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
            let levels = signed(
                &codebook::IQ2_XS[usize::from(first & 511)],
                &codebook::IQ2_XS[usize::from(second & 511)],
                signs::even((first >> 9) as u8),
                signs::even((second >> 9) as u8),
            );
            sink.scaled(16 * i + g, levels, in_eighths(unit, level));
        }
    }
}

/// Unpacks blocks of `iq2_s`.
#[target_feature(enable = "neon")]
pub(super) fn iq2_s<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<82>().0.iter();
    for (i, [d0, d1, rest @ ..]) in blocks.enumerate() {
        let unit = half(*d0, *d1);
        let (points, rest) = rest.split_at(32);
        let (signs, rest) = rest.split_at(32);
        let (uppers, scales) = rest.split_at(8);
        let pairs = points.as_chunks().0.iter().zip(signs.as_chunks().0);
        for (g, ([first, second], [minus, more])) in pairs.enumerate() {
            let level = scales[g / 2] >> (4 * (g % 2)) & 15;
            let upper = uppers[g / 2] >> (4 * (g % 2));
            let first = usize::from(*first) | usize::from(upper & 3) << 8;
            let second = usize::from(*second) | usize::from(upper >> 2 & 3) << 8;
            let (first, second) = (&codebook::IQ2_S[first], &codebook::IQ2_S[second]);
            let levels = signed(first, second, *minus, *more);
            sink.scaled(16 * i + g, levels, in_eighths(unit, level));
        }
    }
}

/// Unpacks blocks of `iq3_xxs`.
#[target_feature(enable = "neon")]
pub(super) fn iq3_xxs<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<98>().0.iter();
    for (i, [d0, d1, rest @ ..]) in blocks.enumerate() {
        let unit = half(*d0, *d1);
        let (points, groups) = rest.split_at(64);
        let groups = points.as_chunks::<8>().0.iter().zip(groups.as_chunks().0);
        for (g, (points, bits)) in groups.enumerate() {
            let bits = u32::from_le_bytes(*bits);
            let scale = vdupq_n_f32(unit * (0.5 + (bits >> 28) as f32) * 0.5);
            for (h, points) in points.as_chunks::<4>().0.iter().enumerate() {
                let [a, b, c, d] = points.map(|point| codebook::IQ3_XXS[usize::from(point)]);
                let bits = bits >> (14 * h);
                let levels = signed(
                    &joined(a, b),
                    &joined(c, d),
                    signs::even(bits as u8),
                    signs::even((bits >> 7) as u8),
                );
                sink.scaled(16 * i + 2 * g + h, levels, scale);
            }
        }
    }
}

/// Unpacks blocks of `iq3_s`.
#[target_feature(enable = "neon")]
pub(super) fn iq3_s<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<110>().0.iter();
    for (i, [d0, d1, rest @ ..]) in blocks.enumerate() {
        let unit = half(*d0, *d1);
        let (points, rest) = rest.split_at(64);
        let (ninths, rest) = rest.split_at(8);
        let (signs, scales) = rest.split_at(32);
        let parts = points.as_chunks().0.iter().zip(signs.as_chunks().0);
        for (part, ([a, b, c, d], [minus, more])) in parts.enumerate() {
            let level = scales[part / 4] >> (part / 2 % 2 * 4) & 15;
            let scale = vdupq_n_f32(unit * f32::from(1 + 2 * level));
            let ninth = usize::from(ninths[part / 2] >> (part % 2 * 4)) << 8;
            let point = |low: u8, k: usize| codebook::IQ3_S[usize::from(low) | ninth >> k & 256];
            let levels = signed(
                &joined(point(*a, 0), point(*b, 1)),
                &joined(point(*c, 2), point(*d, 3)),
                *minus,
                *more,
            );
            sink.scaled(16 * i + part, levels, scale);
        }
    }
}

/// Unpacks blocks of `iq1_s`.
#[target_feature(enable = "neon")]
pub(super) fn iq1_s<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<50>().0.iter();
    for (i, [d0, d1, rest @ ..]) in blocks.enumerate() {
        let unit = half(*d0, *d1);
        let (lowers, uppers) = rest.split_at(32);
        let groups = lowers.as_chunks::<4>().0.iter().zip(uppers.as_chunks().0);
        for (g, (lower, upper)) in groups.enumerate() {
            let upper = u16::from_le_bytes(*upper);
            let scale = vdupq_n_f32(unit * f32::from(2 * (upper >> 12 & 7) + 1) * 0.125);
            let down = upper >> 15 != 0;
            for (h, [first, second]) in lower.as_chunks().0.iter().enumerate() {
                let upper = usize::from(upper) >> (6 * h);
                let first = shifted(usize::from(*first) | (upper & 7) << 8, down);
                let second = shifted(usize::from(*second) | (upper >> 3 & 7) << 8, down);
                sink.scaled(16 * i + 2 * g + h, vcombine_s8(first, second), scale);
            }
        }
    }
}

/// Unpacks blocks of `iq1_m`.
#[target_feature(enable = "neon")]
pub(super) fn iq1_m<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<56>().0.iter();
    for (i, block) in blocks.enumerate() {
        let (lowers, rest) = block.split_at(32);
        let (uppers, scales) = rest.split_at(16);
        let scales = |k: usize| u16::from_le_bytes([scales[2 * k], scales[2 * k + 1]]);
        let unit = (0..4).rev().fold(0, |unit, k| unit << 4 | scales(k) >> 12);
        let [low, high] = unit.to_le_bytes();
        let unit = half(low, high);
        for (g, ([first, second], upper)) in lowers.as_chunks().0.iter().zip(uppers).enumerate() {
            let level = scales(g / 4) >> (g % 4 * 3) & 7;
            let scale = vdupq_n_f32(unit * f32::from(2 * level + 1) * 0.125);
            let upper = usize::from(*upper);
            let first = shifted(usize::from(*first) | (upper & 7) << 8, upper & 8 != 0);
            let second = usize::from(*second) | (upper >> 4 & 7) << 8;
            let second = shifted(second, upper & 128 != 0);
            sink.scaled(16 * i + g, vcombine_s8(first, second), scale);
        }
    }
}

/// Two times eight magnitudes, negative where a bit is set.
#[inline]
#[target_feature(enable = "neon")]
fn signed(first: &[u8; 8], second: &[u8; 8], minus: u8, more: u8) -> int8x16_t {
    let negative = spread(minus, more);
    let magnitudes = vcombine_u8(load8(first), load8(second));
    vreinterpretq_s8_u8(vsubq_u8(veorq_u8(magnitudes, negative), negative))
}

/// Two points of four weights.
#[inline(always)]
fn joined([a, b, c, d]: [u8; 4], [e, f, g, h]: [u8; 4]) -> [u8; 8] {
    [a, b, c, d, e, f, g, h]
}

/// Scales of magnitudes that are counted in eighths.
#[inline]
#[target_feature(enable = "neon")]
fn in_eighths(unit: f32, level: u8) -> float32x4_t {
    vdupq_n_f32(unit * (0.5 + f32::from(level)) * 0.25)
}

/// The levels of a point of `iq1`, shifted by an eighth up or down, in eighths: whole numbers, so that a weight is
/// rounded as seldom as in the codec, which is never.
#[inline]
#[target_feature(enable = "neon")]
fn shifted(point: usize, down: bool) -> int8x8_t {
    let levels = &codebook::IQ1[point % codebook::IQ1.len()];
    // SAFETY: 8 bytes are read, without alignment.
    let levels = unsafe { vld1_s8(levels.as_ptr()) };
    vadd_s8(vshl_n_s8::<3>(levels), vdup_n_s8(if down { -1 } else { 1 }))
}
