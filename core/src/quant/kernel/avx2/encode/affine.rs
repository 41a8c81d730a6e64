//! Formats whose weights are a level times a scale plus a minimum.

use std::arch::x86_64::*;

use super::batch::*;
use super::levels::{each_eight, five_bits, nibbles};
use super::searches;
use crate::quant::{q4_1::Q4_1, q5_1::Q5_1};

/// Encodes as `q4_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_1(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q4_1, _>(weights, importance, out);
    }
    each_batch(weights, out, |weights, out: &mut [[u8; 20]; 8]| {
        let fit = Fit::of(weights, 15.0);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[..4].copy_from_slice(&fit.bytes(i));
            store16(&mut block[4..], nibbles(fit.levels(i, weights)));
        }
        encode_again(&Q4_1, fit.unusual, weights, out);
    });
}

/// Encodes as `q5_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q5_1(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q5_1, _>(weights, importance, out);
    }
    each_batch(weights, out, |weights, out: &mut [[u8; 24]; 8]| {
        let fit = Fit::of(weights, 31.0);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[..4].copy_from_slice(&fit.bytes(i));
            five_bits(fit.levels(i, weights), &mut block[4..]);
        }
        encode_again(&Q5_1, fit.unusual, weights, out);
    });
}

/// The scales and minima of eight blocks.
pub(in crate::quant::kernel) struct Fit {
    scales: [[u8; 2]; 8],
    minima: [[u8; 2]; 8],
    pub(in crate::quant::kernel) minimum: [f32; 8],
    pub(in crate::quant::kernel) inverse: [f32; 8],
    /// Blocks whose inverse overflows. Those with an infinity or a NaN are right: what is no number
    /// becomes the least integer, and that 0.
    pub(in crate::quant::kernel) unusual: i32,
}

impl Fit {
    /// Levels from 0 to `top` span each block.
    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(in crate::quant::kernel) fn of(weights: &[[f32; 32]; 8], top: f32) -> Fit {
        let (low, high) = extremes(weights);
        let scale = _mm256_div_ps(_mm256_sub_ps(high, low), _mm256_set1_ps(top));
        let inverse = inverse_of(scale);
        Fit {
            scales: halves(scale),
            minima: halves(low),
            minimum: spill(low),
            inverse: spill(inverse),
            unusual: unusual(_mm256_setzero_si256(), inverse),
        }
    }

    /// What stands at the start of a block.
    #[inline]
    pub(in crate::quant::kernel) fn bytes(&self, i: usize) -> [u8; 4] {
        let ([a, b], [c, d]) = (self.scales[i], self.minima[i]);
        [a, b, c, d]
    }

    /// The levels of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn levels(&self, i: usize, weights: &[f32; 32]) -> [__m256i; 4] {
        let minimum = _mm256_set1_ps(self.minimum[i]);
        let inverse = _mm256_set1_ps(self.inverse[i]);
        each_eight(weights, |x| {
            let x = _mm256_mul_ps(_mm256_sub_ps(x, minimum), inverse);
            _mm256_cvttps_epi32(_mm256_add_ps(x, _mm256_set1_ps(0.5)))
        })
    }
}
