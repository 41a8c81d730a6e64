//! Formats of few levels, several in a byte.

use std::arch::aarch64::*;

use super::super::lanes::Eight;
use super::blocks::{bits, each_block, inverse_of, magnitude, signed, store16};
use crate::quant::block::batches;
use crate::quant::float16::from_f32;
use crate::quant::search::lanes::{Lanes, MOST, each};
use crate::quant::{q2_0::Q2_0, tq1_0, tq1_0::Tq1_0, tq2_0::Tq2_0};

/// Encodes as `q1_0`.
#[target_feature(enable = "neon")]
pub(super) fn q1_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    for batch in batches::<128, 18>(weights, None, out, Eight::COUNT) {
        let scales = mean_magnitudes(&batch.weights).spill();
        for (([d0, d1, places @ ..], weights), scale) in
            batch.out.iter_mut().zip(batch.weights).zip(scales)
        {
            [*d0, *d1] = from_f32(scale).to_le_bytes();
            let parts = weights.as_chunks::<16>().0.iter();
            for (place, weights) in places.as_chunks_mut().0.iter_mut().zip(parts) {
                *place = bits(not_negative(weights));
            }
        }
    }
}

/// The mean magnitude of each block, added from the first weight to the last.
#[inline(always)]
fn mean_magnitudes(blocks: &[&[f32; 128]; MOST]) -> Eight {
    let mut sum = Eight::all(0.0);
    each!(part < 16 => {
        let mut rows = [&[0.0; 8]; MOST];
        each!(i < Eight::COUNT => {
            rows[i] = &blocks[i].as_chunks().0[part];
        });
        let columns: [Eight; 8] = Eight::transpose(&rows);
        each!(n < 8 => {
            sum = sum + columns[n].abs();
        });
    });
    sum / Eight::all(128.0)
}

/// Bytes of ones where a weight is not below zero; both zeros are not, a NaN is nothing.
#[inline]
#[target_feature(enable = "neon")]
fn not_negative(weights: &[f32; 16]) -> uint8x16_t {
    let answers = |x| vreinterpretq_s32_u32(vcgezq_f32(x));
    // All ones stay all ones where a number is cut to fewer bits.
    vreinterpretq_u8_s8(signed(weights, answers))
}

/// Encodes as `q2_0`.
#[target_feature(enable = "neon")]
pub(super) fn q2_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_block(&Q2_0, weights, out, |weights: &[f32; 64], block| {
        let Some((scale, inverse)) = scale_of(weights) else {
            return false;
        };
        let [d0, d1, places @ ..]: &mut [u8; 18] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        for (out, weights) in places
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip(weights.as_chunks().0)
        {
            // Each level to the bits above those of its neighbours, in the lowest byte of four.
            let four = vreinterpretq_u32_u8(trits(weights, inverse));
            let four = vorrq_u32(four, vshrq_n_u32::<6>(four));
            let four = vmovn_u32(vorrq_u32(four, vshrq_n_u32::<12>(four)));
            let bytes = vmovn_u16(vcombine_u16(four, four));
            *out = vget_lane_u32::<0>(vreinterpret_u32_u8(bytes)).to_le_bytes();
        }
        true
    });
}

/// Encodes as `tq1_0`.
#[target_feature(enable = "neon")]
pub(super) fn tq1_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_block(&Tq1_0, weights, out, |weights: &[f32; 256], block| {
        let Some((scale, inverse)) = scale_of(weights) else {
            return false;
        };
        let [bytes @ .., e0, e1, e2, e3, d0, d1]: &mut [u8; 54] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        let parts = weights.as_chunks::<16>().0;
        // Bytes and the number of the first part that they hold digits of.
        let places = bytes.as_chunks_mut().0.iter_mut();
        for (out, (first, step)) in places.zip([(0, 2), (1, 2), (10, 1)]) {
            let mut number = vdupq_n_u8(0);
            for digit in 0..5 {
                let trits = trits(&parts[first + step * digit], inverse);
                number = vmlaq_u8(trits, number, vdupq_n_u8(3));
            }
            store16(out, fraction(number));
        }
        // The last 16 weights are four digits of four bytes.
        let mut last = [0; 16];
        store16(&mut last, trits(&parts[15], inverse));
        for (i, byte) in [e0, e1, e2, e3].into_iter().enumerate() {
            let number = (0..4).fold(0, |number, digit| 3 * number + last[4 * digit + i]);
            *byte = tq1_0::fraction(3 * number);
        }
        true
    });
}

/// Numbers below 243 as fractions of 256, rounded up so that their digits come out.
#[inline]
#[target_feature(enable = "neon")]
fn fraction(numbers: uint8x16_t) -> uint8x16_t {
    // `x * 256 / 243` is `x + x * 13 / 243`. What is added, rounded up, is the number of multiples of 243 / 13 below x.
    let mut fractions = numbers;
    for multiple in 0..13 {
        let above = vcgtq_u8(numbers, vdupq_n_u8((243 * multiple / 13) as u8));
        fractions = vsubq_u8(fractions, above);
    }
    fractions
}

/// Encodes as `tq2_0`.
#[target_feature(enable = "neon")]
pub(super) fn tq2_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_block(&Tq2_0, weights, out, |weights: &[f32; 256], block| {
        let Some((scale, inverse)) = scale_of(weights) else {
            return false;
        };
        let [places @ .., d0, d1]: &mut [u8; 66] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        let parts = weights.as_chunks::<16>().0;
        for (place, out) in places.as_chunks_mut().0.iter_mut().enumerate() {
            let (n, h) = (place / 2, place % 2);
            let part = |k: usize| trits(&parts[8 * n + 2 * k + h], inverse);
            let fours = vsliq_n_u8::<2>(part(0), part(1));
            let fours = vsliq_n_u8::<4>(fours, part(2));
            store16(out, vsliq_n_u8::<6>(fours, part(3)));
        }
        true
    });
}

/// The greatest magnitude and one over it; `None` for a block that is not an ordinary one.
#[inline]
#[target_feature(enable = "neon")]
fn scale_of<const LEN: usize>(weights: &[f32; LEN]) -> Option<(f32, f32)> {
    let scale = magnitude(weights)?;
    Some((scale, inverse_of(scale)?))
}

/// The levels 0, 1 and 2 of weights in units of the scale.
#[inline]
#[target_feature(enable = "neon")]
fn trits(weights: &[f32; 16], inverse: f32) -> uint8x16_t {
    let levels = signed(weights, |x| vcvtaq_s32_f32(vmulq_n_f32(x, inverse)));
    vaddq_u8(vreinterpretq_u8_s8(levels), vdupq_n_u8(1))
}
