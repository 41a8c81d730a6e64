//! Formats whose weights are a level times a scale, and an offset.

use std::arch::aarch64::*;

use super::registers::{half_each, in_unit, load8, load16, nibbles, spread};
use super::sink::Sink;
use crate::quant::six_bit::Scales;

/// Unpacks blocks of `q4_1`.
#[target_feature(enable = "neon")]
pub(super) fn q4_1<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<20>().0.iter();
    for (i, [d0, d1, m0, m1, pairs @ ..]) in blocks.enumerate() {
        let (scale, minimum) = (half_each(*d0, *d1), half_each(*m0, *m1));
        for (h, levels) in nibbles(pairs).into_iter().enumerate() {
            sink.shifted(2 * i + h, levels, scale, minimum);
        }
    }
}

/// Unpacks blocks of `q5_1`.
#[target_feature(enable = "neon")]
pub(super) fn q5_1<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<24>().0.iter();
    for (i, block) in blocks.enumerate() {
        let [d0, d1, m0, m1, h0, h1, h2, h3, pairs @ ..] = block;
        let (scale, minimum) = (half_each(*d0, *d1), half_each(*m0, *m1));
        let uppers = [spread(*h0, *h1), spread(*h2, *h3)];
        let halves = nibbles(pairs).into_iter().zip(uppers);
        for (h, (nibbles, upper)) in halves.enumerate() {
            let upper = vandq_u8(upper, vdupq_n_u8(16));
            sink.shifted(2 * i + h, vorrq_u8(nibbles, upper), scale, minimum);
        }
    }
}

/// Unpacks blocks of `q2_k`.
#[target_feature(enable = "neon")]
pub(super) fn q2_k<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<84>().0.iter();
    for (i, block) in blocks.enumerate() {
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
                sink.shifted(
                    16 * i + 8 * n + place,
                    vandq_u8(levels, vdupq_n_u8(3)),
                    vdupq_n_f32(scales[n][place]),
                    vdupq_n_f32(offsets[n][place]),
                );
            }
        }
    }
}

/// Unpacks blocks of `q4_k`.
#[target_feature(enable = "neon")]
pub(super) fn q4_k<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<144>().0.iter();
    for (i, block) in blocks.enumerate() {
        let (head, pairs) = block.as_chunks::<16>().0.split_at(1);
        let [scales, offsets] = six_bit(&head[0]);
        for (part, pairs) in pairs.iter().enumerate() {
            let (p, h) = (part / 2, part % 2);
            for (k, levels) in nibbles(pairs).into_iter().enumerate() {
                let g = 2 * p + k;
                let (scale, offset) = (vdupq_n_f32(scales[g]), vdupq_n_f32(offsets[g]));
                sink.shifted(16 * i + 2 * g + h, levels, scale, offset);
            }
        }
    }
}

/// Unpacks blocks of `q5_k`.
#[target_feature(enable = "neon")]
pub(super) fn q5_k<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<176>().0.iter();
    for (i, block) in blocks.enumerate() {
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let [scales, offsets] = six_bit(&head[0]);
        let (uppers, pairs) = levels.split_at(2);
        let uppers = [load16(&uppers[0]), load16(&uppers[1])];
        for (part, pairs) in pairs.iter().enumerate() {
            let (p, h) = (part / 2, part % 2);
            for (k, nibbles) in nibbles(pairs).into_iter().enumerate() {
                let g = 2 * p + k;
                let set = vtstq_u8(uppers[h], vdupq_n_u8(1 << g));
                let levels = vorrq_u8(nibbles, vandq_u8(set, vdupq_n_u8(16)));
                let (scale, offset) = (vdupq_n_f32(scales[g]), vdupq_n_f32(offsets[g]));
                sink.shifted(16 * i + 2 * g + h, levels, scale, offset);
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
