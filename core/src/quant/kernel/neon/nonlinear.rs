//! Formats whose levels stand for the 16 values of a table.

use std::arch::aarch64::*;

use super::registers::{half, half_each, load8, load16, nibbles};
use super::sink::Sink;
use crate::quant::{e2m1, mxfp4, nonlinear, nvfp4};

/// The values of `iq4_nl` and `iq4_xs`.
#[inline]
#[target_feature(enable = "neon")]
fn uneven() -> int8x16_t {
    let values = nonlinear::VALUES.map(|value| (value as i8).cast_unsigned());
    vreinterpretq_s8_u8(load16(&values))
}

/// Twice the values of a float of 4 bits.
#[inline]
#[target_feature(enable = "neon")]
fn doubled() -> int8x16_t {
    let values = std::array::from_fn(|code| (e2m1::doubled(code as u8) as i8).cast_unsigned());
    vreinterpretq_s8_u8(load16(&values))
}

/// Hands on the values of 16 pairs, the low nibbles first, and their scale.
#[inline]
#[target_feature(enable = "neon")]
fn looked_up<S: Sink>(
    values: int8x16_t,
    pairs: &[u8; 16],
    scale: float32x4_t,
    first: usize,
    sink: &mut S,
) {
    for (h, levels) in nibbles(pairs).into_iter().enumerate() {
        sink.scaled(first + h, vqtbl1q_s8(values, levels), scale);
    }
}

/// Unpacks blocks of `iq4_nl`.
#[target_feature(enable = "neon")]
pub(super) fn iq4_nl<S: Sink>(blocks: &[u8], sink: &mut S) {
    let values = uneven();
    let blocks = blocks.as_chunks::<18>().0.iter();
    for (i, [d0, d1, pairs @ ..]) in blocks.enumerate() {
        looked_up(values, pairs, half_each(*d0, *d1), 2 * i, sink);
    }
}

/// Unpacks blocks of `iq4_xs`.
#[target_feature(enable = "neon")]
pub(super) fn iq4_xs<S: Sink>(blocks: &[u8], sink: &mut S) {
    let values = uneven();
    let blocks = blocks.as_chunks::<136>().0.iter();
    for (i, block) in blocks.enumerate() {
        let [d0, d1, h0, h1, l0, l1, l2, l3, pairs @ ..] = block;
        let unit = half(*d0, *d1);
        let low = u32::from_le_bytes([*l0, *l1, *l2, *l3]);
        let high = u32::from(u16::from_le_bytes([*h0, *h1]));
        for (g, pairs) in pairs.as_chunks().0.iter().enumerate() {
            let level = low >> (4 * g) & 15 | (high >> (2 * g) & 3) << 4;
            let scale = unit * (level.cast_signed() - 32) as f32;
            looked_up(values, pairs, vdupq_n_f32(scale), 16 * i + 2 * g, sink);
        }
    }
}

/// Unpacks blocks of `mxfp4`.
#[target_feature(enable = "neon")]
pub(super) fn mxfp4<S: Sink>(blocks: &[u8], sink: &mut S) {
    let values = doubled();
    let blocks = blocks.as_chunks::<17>().0.iter();
    for (i, [exponent, pairs @ ..]) in blocks.enumerate() {
        // The greatest values overflow under the greatest scales, which a sum of levels does not tell.
        let scale = match S::ADDS_LEVELS && *exponent > 252 {
            true => f32::NAN,
            false => mxfp4::half_scale(*exponent),
        };
        looked_up(values, pairs, vdupq_n_f32(scale), 2 * i, sink);
    }
}

/// Unpacks blocks of `nvfp4`.
#[target_feature(enable = "neon")]
pub(super) fn nvfp4<S: Sink>(blocks: &[u8], sink: &mut S) {
    let values = doubled();
    let blocks = blocks.as_chunks::<36>().0.iter();
    for (i, [s0, s1, s2, s3, pairs @ ..]) in blocks.enumerate() {
        let groups = pairs.as_chunks().0.iter().zip([s0, s1, s2, s3]);
        for (g, (pairs, scale)) in groups.enumerate() {
            let pairs = load8(pairs);
            // Eight low nibbles, then their eight high ones.
            let levels = vcombine_u8(vand_u8(pairs, vdup_n_u8(15)), vshr_n_u8::<4>(pairs));
            let scale = vdupq_n_f32(nvfp4::half_scale(*scale));
            sink.scaled(4 * i + g, vqtbl1q_s8(values, levels), scale);
        }
    }
}
