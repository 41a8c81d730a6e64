//! Formats whose weights are a level times a scale.

use std::arch::aarch64::*;

use super::lanes::{half, half_each, load16, nibbles, scaled, spread};

/// Decodes blocks of `q8_0`.
#[target_feature(enable = "neon")]
pub(super) fn q8_0(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<34>().0.iter();
    for ([d0, d1, levels @ ..], out) in blocks.zip(out.as_chunks_mut::<32>().0) {
        let scale = half_each(*d0, *d1);
        let halves = levels.as_chunks().0.iter();
        for (levels, out) in halves.zip(out.as_chunks_mut().0) {
            scaled(vreinterpretq_s8_u8(load16(levels)), scale, out);
        }
    }
}

/// Decodes blocks of `q4_0`.
#[target_feature(enable = "neon")]
pub(super) fn q4_0(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<32>().0) {
        let scale = half_each(*d0, *d1);
        let halves = nibbles(pairs).into_iter();
        for (levels, out) in halves.zip(out.as_chunks_mut().0) {
            let levels = vsubq_u8(levels, vdupq_n_u8(8));
            scaled(vreinterpretq_s8_u8(levels), scale, out);
        }
    }
}

/// Decodes blocks of `q5_0`.
#[target_feature(enable = "neon")]
pub(super) fn q5_0(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<22>().0.iter();
    for ([d0, d1, h0, h1, h2, h3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<32>().0) {
        let scale = half_each(*d0, *d1);
        let uppers = [spread(*h0, *h1), spread(*h2, *h3)];
        let halves = nibbles(pairs).into_iter().zip(uppers);
        for ((nibbles, upper), out) in halves.zip(out.as_chunks_mut().0) {
            // The upper bit counts 16 of an offset of 16: it is there, or 16 are missing.
            let levels = vsubq_u8(nibbles, vbicq_u8(vdupq_n_u8(16), upper));
            scaled(vreinterpretq_s8_u8(levels), scale, out);
        }
    }
}

/// Decodes blocks of `q6_k`.
#[target_feature(enable = "neon")]
pub(super) fn q6_k(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<210>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<256>().0) {
        let [levels @ .., d0, d1] = block;
        let unit = half(*d0, *d1);
        let (levels, scales) = levels.split_at(192);
        let (lower, upper) = levels.as_chunks::<16>().0.split_at(8);
        let groups = out.as_chunks_mut().0;
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
                scaled(level, vdupq_n_f32(scale), &mut groups[group]);
            }
        }
    }
}
