//! Formats whose weights are a level times a scale, and an offset.

use std::arch::aarch64::*;

use super::lanes::{half_each, in_unit, load8, load16, nibbles, shifted, spread};
use crate::quant::six_bit::Scales;

/// Decodes blocks of `q4_1`.
#[target_feature(enable = "neon")]
pub(super) fn q4_1(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<20>().0.iter();
    for ([d0, d1, m0, m1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<32>().0) {
        let (scale, minimum) = (half_each(*d0, *d1), half_each(*m0, *m1));
        let halves = nibbles(pairs).into_iter();
        for (levels, out) in halves.zip(out.as_chunks_mut().0) {
            shifted(levels, scale, minimum, out);
        }
    }
}

/// Decodes blocks of `q5_1`.
#[target_feature(enable = "neon")]
pub(super) fn q5_1(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<24>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<32>().0) {
        let [d0, d1, m0, m1, h0, h1, h2, h3, pairs @ ..] = block;
        let (scale, minimum) = (half_each(*d0, *d1), half_each(*m0, *m1));
        let uppers = [spread(*h0, *h1), spread(*h2, *h3)];
        let halves = nibbles(pairs).into_iter().zip(uppers);
        for ((nibbles, upper), out) in halves.zip(out.as_chunks_mut().0) {
            let upper = vandq_u8(upper, vdupq_n_u8(16));
            shifted(vorrq_u8(nibbles, upper), scale, minimum, out);
        }
    }
}

/// Decodes blocks of `q2_k`.
#[target_feature(enable = "neon")]
pub(super) fn q2_k(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<84>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<256>().0) {
        let [head @ .., d0, d1, m0, m1] = block;
        let (head, levels) = head.as_chunks::<16>().0.split_at(1);
        let (unit, min_unit) = (half_each(*d0, *d1), vnegq_f32(half_each(*m0, *m1)));
        let [scales, mins] = nibbles(&head[0]);
        let scales = [
            in_unit(vget_low_u8(scales), unit),
            in_unit(vget_high_u8(scales), unit),
        ];
        let offsets = [
            in_unit(vget_low_u8(mins), min_unit),
            in_unit(vget_high_u8(mins), min_unit),
        ];
        let groups = out.as_chunks_mut().0;
        // Of each half of the block, every second group.
        for (part, packed) in levels.iter().enumerate() {
            let (n, h) = (part / 2, part % 2);
            let packed = load16(packed);
            let quarters = [
                packed,
                vshrq_n_u8::<2>(packed),
                vshrq_n_u8::<4>(packed),
                vshrq_n_u8::<6>(packed),
            ];
            for (k, levels) in quarters.into_iter().enumerate() {
                let place = 2 * k + h;
                shifted(
                    vandq_u8(levels, vdupq_n_u8(3)),
                    vdupq_n_f32(scales[n][place]),
                    vdupq_n_f32(offsets[n][place]),
                    &mut groups[8 * n + place],
                );
            }
        }
    }
}

/// Decodes blocks of `q4_k`.
#[target_feature(enable = "neon")]
pub(super) fn q4_k(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<144>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<256>().0) {
        let (head, pairs) = block.as_chunks::<16>().0.split_at(1);
        let [scales, offsets] = six_bit(&head[0]);
        let halves = out.as_chunks_mut().0;
        for (i, pairs) in pairs.iter().enumerate() {
            let (p, h) = (i / 2, i % 2);
            for (k, levels) in nibbles(pairs).into_iter().enumerate() {
                let g = 2 * p + k;
                let (scale, offset) = (vdupq_n_f32(scales[g]), vdupq_n_f32(offsets[g]));
                shifted(levels, scale, offset, &mut halves[2 * g + h]);
            }
        }
    }
}

/// Decodes blocks of `q5_k`.
#[target_feature(enable = "neon")]
pub(super) fn q5_k(blocks: &[u8], out: &mut [f32]) {
    let blocks = blocks.as_chunks::<176>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<256>().0) {
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let [scales, offsets] = six_bit(&head[0]);
        let (uppers, pairs) = levels.split_at(2);
        let uppers = [load16(&uppers[0]), load16(&uppers[1])];
        let halves = out.as_chunks_mut().0;
        for (i, pairs) in pairs.iter().enumerate() {
            let (p, h) = (i / 2, i % 2);
            for (k, nibbles) in nibbles(pairs).into_iter().enumerate() {
                let g = 2 * p + k;
                let set = vtstq_u8(uppers[h], vdupq_n_u8(1 << g));
                let levels = vorrq_u8(nibbles, vandq_u8(set, vdupq_n_u8(16)));
                let (scale, offset) = (vdupq_n_f32(scales[g]), vdupq_n_f32(offsets[g]));
                shifted(levels, scale, offset, &mut halves[2 * g + h]);
            }
        }
    }
}

/// Scales and offsets of the groups of `q4_k` and `q5_k`: the minima, negative.
#[inline]
#[target_feature(enable = "neon")]
fn six_bit(head: &[u8; 16]) -> [[f32; 8]; 2] {
    let Scales { scales, mins, .. } = Scales::read(head);
    let unit = half_each(head[0], head[1]);
    let min_unit = vnegq_f32(half_each(head[2], head[3]));
    [
        in_unit(load8(&scales), unit),
        in_unit(load8(&mins), min_unit),
    ]
}
