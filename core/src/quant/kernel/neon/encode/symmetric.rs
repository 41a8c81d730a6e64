//! Formats whose weights are a level times a scale.

use std::arch::aarch64::*;

use super::blocks::{
    each_block, five_bits, inverse_of, magnitude, nibbles, peak, signed, store16, unsigned,
};
use super::searches;
use crate::quant::float16::from_f32;
use crate::quant::{q4_0::Q4_0, q5_0::Q5_0, q8_0::Q8_0, q8_1::Q8_1, q8_k::Q8K};

/// Encodes as `q8_0`.
#[target_feature(enable = "neon")]
pub(super) fn q8_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_block(&Q8_0, weights, out, |weights: &[f32; 32], block| {
        let Some((scale, levels)) = eight_bits(weights) else {
            return false;
        };
        let [d0, d1, places @ ..]: &mut [u8; 34] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        for (levels, out) in levels.into_iter().zip(places.as_chunks_mut().0) {
            store16(out, vreinterpretq_u8_s8(levels));
        }
        true
    });
}

/// Encodes as `q8_1`.
#[target_feature(enable = "neon")]
pub(super) fn q8_1(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_block(&Q8_1, weights, out, |weights: &[f32; 32], block| {
        let Some((scale, levels)) = eight_bits(weights) else {
            return false;
        };
        let [d0, d1, s0, s1, places @ ..]: &mut [u8; 36] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        let mut sum = 0;
        for (levels, out) in levels.into_iter().zip(places.as_chunks_mut().0) {
            store16(out, vreinterpretq_u8_s8(levels));
            sum += i32::from(vaddlvq_s8(levels));
        }
        [*s0, *s1] = from_f32(sum as f32 * scale).to_le_bytes();
        true
    });
}

/// Scale and levels of `q8_0` and `q8_1`; `None` for a block that is not an ordinary one.
#[inline]
#[target_feature(enable = "neon")]
fn eight_bits(weights: &[f32; 32]) -> Option<(f32, [int8x16_t; 2])> {
    let scale = magnitude(weights)? / 127.0;
    let inverse = inverse_of(scale)?;
    let halves = weights.as_chunks().0;
    let level = |x| vcvtaq_s32_f32(vmulq_n_f32(x, inverse));
    Some((
        scale,
        [signed(&halves[0], level), signed(&halves[1], level)],
    ))
}

/// Encodes as `q8_k`.
#[target_feature(enable = "neon")]
pub(super) fn q8_k(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_block(&Q8K, weights, out, |weights: &[f32; 256], block| {
        let Some(peak) = peak(weights) else {
            return false;
        };
        let block: &mut [u8; 292] = block;
        if peak == 0.0 {
            block.fill(0);
            return true;
        }
        let inverse = -127.0 / peak;
        if !inverse.is_finite() {
            return false;
        }
        let (scale, rest) = block.split_at_mut(4);
        scale.copy_from_slice(&(1.0 / inverse).to_le_bytes());
        let (levels, sums) = rest.split_at_mut(256);
        let places = levels
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(sums.as_chunks_mut().0);
        for ((out, sum), weights) in places.zip(weights.as_chunks().0) {
            // What was rounded to 128 is brought back to 127.
            let levels = signed(weights, |x| vcvtnq_s32_f32(vmulq_n_f32(x, inverse)));
            store16(out, vreinterpretq_u8_s8(levels));
            *sum = vaddlvq_s8(levels).to_le_bytes();
        }
        true
    });
}

/// Encodes as `q4_0`.
#[target_feature(enable = "neon")]
pub(super) fn q4_0(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q4_0, _>(weights, importance, out);
    }
    each_block(&Q4_0, weights, out, |weights: &[f32; 32], block| {
        let Some((scale, levels)) = cut(weights, 8.0) else {
            return false;
        };
        let [d0, d1, pairs @ ..]: &mut [u8; 18] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        nibbles(levels, pairs);
        true
    });
}

/// Encodes as `q5_0`.
#[target_feature(enable = "neon")]
pub(super) fn q5_0(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q5_0, _>(weights, importance, out);
    }
    each_block(&Q5_0, weights, out, |weights: &[f32; 32], block| {
        let Some((scale, levels)) = cut(weights, 16.0) else {
            return false;
        };
        let [d0, d1, rest @ ..]: &mut [u8; 22] = block;
        [*d0, *d1] = from_f32(scale).to_le_bytes();
        five_bits(levels, rest);
        true
    });
}

/// Scale and levels that put the weight of greatest magnitude at `-reach`; `None` for a block that is not an ordinary
/// one.
#[inline]
#[target_feature(enable = "neon")]
fn cut(weights: &[f32; 32], reach: f32) -> Option<(f32, [uint8x16_t; 2])> {
    let scale = peak(weights)? / -reach;
    let inverse = inverse_of(scale)?;
    let halves = weights.as_chunks().0;
    let offset = vdupq_n_f32(reach + 0.5);
    // Every product is within the reach and a rounding error, so nothing is negative.
    let level = |x| vcvtq_u32_f32(vaddq_f32(vmulq_n_f32(x, inverse), offset));
    let most = vdupq_n_u8((2.0 * reach) as u8 - 1);
    Some((
        scale,
        [
            vminq_u8(unsigned(&halves[0], level), most),
            vminq_u8(unsigned(&halves[1], level), most),
        ],
    ))
}
