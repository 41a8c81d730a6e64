//! Formats whose weights are a level times a scale.

use std::arch::aarch64::*;

use super::registers::{half, half_each, load16, nibbles, spread};
use super::sink::Sink;
use crate::quant::q3_k;

/// Unpacks blocks of `q8_0`.
#[target_feature(enable = "neon")]
pub(super) fn q8_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<34>().0.iter();
    for (i, [d0, d1, levels @ ..]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        for (h, levels) in levels.as_chunks().0.iter().enumerate() {
            sink.scaled(2 * i + h, vreinterpretq_s8_u8(load16(levels)), scale);
        }
    }
}

/// Unpacks blocks of `q4_0`.
#[target_feature(enable = "neon")]
pub(super) fn q4_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<18>().0.iter();
    for (i, [d0, d1, pairs @ ..]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        for (h, levels) in nibbles(pairs).into_iter().enumerate() {
            let levels = vsubq_u8(levels, vdupq_n_u8(8));
            sink.scaled(2 * i + h, vreinterpretq_s8_u8(levels), scale);
        }
    }
}

/// Unpacks blocks of `q5_0`.
#[target_feature(enable = "neon")]
pub(super) fn q5_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<22>().0.iter();
    for (i, [d0, d1, h0, h1, h2, h3, pairs @ ..]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        let uppers = [spread(*h0, *h1), spread(*h2, *h3)];
        let halves = nibbles(pairs).into_iter().zip(uppers);
        for (h, (nibbles, upper)) in halves.enumerate() {
            // The upper bit counts 16 of an offset of 16: it is there, or 16 are missing.
            let levels = vsubq_u8(nibbles, vbicq_u8(vdupq_n_u8(16), upper));
            sink.scaled(2 * i + h, vreinterpretq_s8_u8(levels), scale);
        }
    }
}

/// Unpacks blocks of `q6_k`.
#[target_feature(enable = "neon")]
pub(super) fn q6_k<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<210>().0.iter();
    for (i, block) in blocks.enumerate() {
        let [levels @ .., d0, d1] = block;
        let unit = half(*d0, *d1);
        let (levels, scales) = levels.split_at(192);
        let (lower, upper) = levels.as_chunks::<16>().0.split_at(8);
        // Of each half of the block, every second group.
        for part in 0..4 {
            let (n, h) = (part / 2, part % 2);
            let (first, second) = (load16(&lower[4 * n + h]), load16(&lower[4 * n + 2 + h]));
            let upper = load16(&upper[2 * n + h]);
            // The upper bits to the places above a nibble; what comes along is cleared.
            let quarters = [
                (first, vshlq_n_u8::<4>(upper)),
                (second, vshlq_n_u8::<2>(upper)),
                (vshrq_n_u8::<4>(first), upper),
                (vshrq_n_u8::<4>(second), vshrq_n_u8::<2>(upper)),
            ];
            for (k, (lower, upper)) in quarters.into_iter().enumerate() {
                let group = 8 * n + 2 * k + h;
                let level = vorrq_u8(
                    vandq_u8(lower, vdupq_n_u8(15)),
                    vandq_u8(upper, vdupq_n_u8(0x30)),
                );
                let level = vreinterpretq_s8_u8(vsubq_u8(level, vdupq_n_u8(32)));
                let scale = unit * f32::from(scales[group].cast_signed());
                sink.scaled(16 * i + group, level, vdupq_n_f32(scale));
            }
        }
    }
}

/// Unpacks blocks of `q8_1`.
#[target_feature(enable = "neon")]
pub(super) fn q8_1<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<36>().0.iter();
    for (i, [d0, d1, _, _, levels @ ..]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        for (h, levels) in levels.as_chunks().0.iter().enumerate() {
            sink.scaled(2 * i + h, vreinterpretq_s8_u8(load16(levels)), scale);
        }
    }
}

/// Unpacks blocks of `q8_k`.
#[target_feature(enable = "neon")]
pub(super) fn q8_k<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<292>().0.iter();
    for (i, [d0, d1, d2, d3, levels @ ..]) in blocks.enumerate() {
        let scale = vdupq_n_f32(f32::from_le_bytes([*d0, *d1, *d2, *d3]));
        for (g, levels) in levels.as_chunks().0.iter().take(16).enumerate() {
            sink.scaled(16 * i + g, vreinterpretq_s8_u8(load16(levels)), scale);
        }
    }
}

/// Unpacks blocks of `q3_k`.
#[target_feature(enable = "neon")]
pub(super) fn q3_k<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<110>().0.iter();
    for (i, block) in blocks.enumerate() {
        let scales = q3_k::scales(block);
        let (uppers, lowers) = block[..96].as_chunks::<16>().0.split_at(2);
        let uppers = [load16(&uppers[0]), load16(&uppers[1])];
        // Of each half of the block, every second group.
        for (part, lower) in lowers.iter().enumerate() {
            let (n, h) = (part / 2, part % 2);
            let lower = load16(lower);
            let quarters = [
                lower,
                vshrq_n_u8::<2>(lower),
                vshrq_n_u8::<4>(lower),
                vshrq_n_u8::<6>(lower),
            ];
            for (k, lower) in quarters.into_iter().enumerate() {
                // The upper bit counts 4 of an offset of 4: it is there, or 4 are missing.
                let set = vtstq_u8(uppers[h], vdupq_n_u8(1 << (4 * n + k)));
                let missing = vbicq_u8(vdupq_n_u8(4), set);
                let levels = vsubq_u8(vandq_u8(lower, vdupq_n_u8(3)), missing);
                let group = 8 * n + 2 * k + h;
                let scale = vdupq_n_f32(scales[group]);
                sink.scaled(16 * i + group, vreinterpretq_s8_u8(levels), scale);
            }
        }
    }
}
