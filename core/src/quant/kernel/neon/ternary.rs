//! Formats of few levels, several in a byte.

use std::arch::aarch64::*;

use super::registers::{half_each, load16, spread};
use super::sink::Sink;

/// Unpacks blocks of `q1_0`.
#[target_feature(enable = "neon")]
pub(super) fn q1_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<18>().0.iter();
    for (i, [d0, d1, bits @ ..]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        for (p, [first, second]) in bits.as_chunks().0.iter().enumerate() {
            let twice = vandq_u8(spread(*first, *second), vdupq_n_u8(2));
            sink.scaled(8 * i + p, less_one(twice), scale);
        }
    }
}

/// Unpacks blocks of `q2_0`.
#[target_feature(enable = "neon")]
pub(super) fn q2_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    const PLACES: [u8; 16] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
    const SHIFTS: [u8; 16] = {
        let mut shifts = [0u8; 16];
        let mut i = 0;
        while i < 16 {
            // To the right.
            shifts[i] = (2 * (i % 4) as u8).wrapping_neg();
            i += 1;
        }
        shifts
    };
    let (places, shifts) = (load16(&PLACES), vreinterpretq_s8_u8(load16(&SHIFTS)));
    let blocks = blocks.as_chunks::<18>().0.iter();
    for (i, [d0, d1, fours @ ..]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        for (p, fours) in fours.as_chunks().0.iter().enumerate() {
            let fours = vreinterpretq_u8_u32(vdupq_n_u32(u32::from_le_bytes(*fours)));
            let levels = vshlq_u8(vqtbl1q_u8(fours, places), shifts);
            sink.scaled(4 * i + p, less_one(vandq_u8(levels, vdupq_n_u8(3))), scale);
        }
    }
}

/// Unpacks blocks of `tq1_0`.
#[target_feature(enable = "neon")]
pub(super) fn tq1_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    const LAST: [u8; 16] = [1, 1, 1, 1, 3, 3, 3, 3, 9, 9, 9, 9, 27, 27, 27, 27];
    let blocks = blocks.as_chunks::<54>().0.iter();
    for (i, [bytes @ .., e0, e1, e2, e3, d0, d1]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        // Bytes and the number of the first part that they hold digits of.
        let parts = bytes.as_chunks().0.iter().zip([(0, 2), (1, 2), (10, 1)]);
        for (bytes, (first, step)) in parts {
            let mut bytes = load16(bytes);
            for digit in 0..5 {
                sink.scaled(16 * i + first + step * digit, first_digit(bytes), scale);
                bytes = vmulq_u8(bytes, vdupq_n_u8(3));
            }
        }
        let last = vdupq_n_u32(u32::from_le_bytes([*e0, *e1, *e2, *e3]));
        let last = vmulq_u8(vreinterpretq_u8_u32(last), load16(&LAST));
        sink.scaled(16 * i + 15, first_digit(last), scale);
    }
}

/// The first digits to the base of 3 of fractions of 256, less one.
#[inline]
#[target_feature(enable = "neon")]
fn first_digit(bytes: uint8x16_t) -> int8x16_t {
    let low = vmull_u8(vget_low_u8(bytes), vdup_n_u8(3));
    let high = vmull_high_u8(bytes, vdupq_n_u8(3));
    less_one(vshrn_high_n_u16::<8>(vshrn_n_u16::<8>(low), high))
}

/// Unpacks blocks of `tq2_0`.
#[target_feature(enable = "neon")]
pub(super) fn tq2_0<S: Sink>(blocks: &[u8], sink: &mut S) {
    let blocks = blocks.as_chunks::<66>().0.iter();
    for (i, [fours @ .., d0, d1]) in blocks.enumerate() {
        let scale = half_each(*d0, *d1);
        for (part, fours) in fours.as_chunks().0.iter().enumerate() {
            let (n, h) = (part / 2, part % 2);
            let mut fours = load16(fours);
            for k in 0..4 {
                let levels = less_one(vandq_u8(fours, vdupq_n_u8(3)));
                sink.scaled(16 * i + 8 * n + 2 * k + h, levels, scale);
                fours = vshrq_n_u8::<2>(fours);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn less_one(levels: uint8x16_t) -> int8x16_t {
    vreinterpretq_s8_u8(vsubq_u8(levels, vdupq_n_u8(1)))
}
