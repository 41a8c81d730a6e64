//! Formats whose weights are a level times a scale plus a minimum.

use std::arch::aarch64::*;

use super::blocks::{each_block, finite_extremes, five_bits, inverse_of, nibbles, unsigned};
use super::searches;
use crate::quant::float16::from_f32;
use crate::quant::{q4_1::Q4_1, q5_1::Q5_1};

/// Encodes as `q4_1`.
#[target_feature(enable = "neon")]
pub(super) fn q4_1(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q4_1, _>(weights, importance, out);
    }
    each_block(&Q4_1, weights, out, |weights: &[f32; 32], block| {
        let Some((start, levels)) = spanned(weights, 15.0) else {
            return false;
        };
        let [d0, d1, m0, m1, pairs @ ..]: &mut [u8; 20] = block;
        [*d0, *d1, *m0, *m1] = start;
        nibbles(levels, pairs);
        true
    });
}

/// Encodes as `q5_1`.
#[target_feature(enable = "neon")]
pub(super) fn q5_1(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q5_1, _>(weights, importance, out);
    }
    each_block(&Q5_1, weights, out, |weights: &[f32; 32], block| {
        let Some((start, levels)) = spanned(weights, 31.0) else {
            return false;
        };
        let [d0, d1, m0, m1, rest @ ..]: &mut [u8; 24] = block;
        [*d0, *d1, *m0, *m1] = start;
        five_bits(levels, rest);
        true
    });
}

/// What stands at the start of a block, and levels from 0 to `top` that span it; `None` for a block that is not an
/// ordinary one.
#[inline]
#[target_feature(enable = "neon")]
fn spanned(weights: &[f32; 32], top: f32) -> Option<([u8; 4], [uint8x16_t; 2])> {
    let (low, high) = finite_extremes(weights)?;
    let scale = (high - low) / top;
    // Which zero the least weight is shows in its sign.
    if low == 0.0 || !scale.is_finite() {
        return None;
    }
    let inverse = inverse_of(scale)?;
    let ([d0, d1], [m0, m1]) = (from_f32(scale).to_le_bytes(), from_f32(low).to_le_bytes());
    let halves = weights.as_chunks().0;
    let (minimum, half) = (vdupq_n_f32(low), vdupq_n_f32(0.5));
    let level = |x| {
        let level = vmulq_n_f32(vsubq_f32(x, minimum), inverse);
        vcvtq_u32_f32(vaddq_f32(level, half))
    };
    Some((
        [d0, d1, m0, m1],
        [unsigned(&halves[0], level), unsigned(&halves[1], level)],
    ))
}
