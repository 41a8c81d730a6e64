//! Formats whose weights are a level times a scale.

use std::arch::x86_64::*;

use super::batch::*;
use super::levels::{each_eight, five_bits, in_order, nibbles, round_away};
use super::searches;
use crate::quant::{q4_0::Q4_0, q5_0::Q5_0, q8_0::Q8_0, q8_1::Q8_1, q8_k::Q8K};

/// Encodes as `q8_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q8_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 34]; 8]| {
        let magnitude = magnitudes(weights);
        let scale = _mm256_div_ps(_mm256_castsi256_ps(magnitude), _mm256_set1_ps(127.0));
        let inverse = inverse_of(scale);
        let scales = halves(scale).into_iter().zip(spill(inverse));
        for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
            block[..2].copy_from_slice(&scale);
            store32(&mut block[2..], rounded(weights, inverse));
        }
        encode_again(&Q8_0, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q8_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q8_1(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 36]; 8]| {
        let magnitude = magnitudes(weights);
        let scale = _mm256_div_ps(_mm256_castsi256_ps(magnitude), _mm256_set1_ps(127.0));
        let inverse = inverse_of(scale);
        let mut sums = [_mm256_setzero_si256(); 8];
        let scales = halves(scale).into_iter().zip(spill(inverse));
        let places = out.iter_mut().zip(&mut sums);
        for (((block, sum), weights), (scale, inverse)) in places.zip(weights).zip(scales) {
            let levels = rounded(weights, inverse);
            block[..2].copy_from_slice(&scale);
            store32(&mut block[4..], levels);
            *sum = sums_of_four(levels);
        }
        let sum = _mm256_cvtepi32_ps(across!(_mm256_add_epi32, sums));
        for (block, sum) in out.iter_mut().zip(halves(_mm256_mul_ps(sum, scale))) {
            block[2..4].copy_from_slice(&sum);
        }
        encode_again(&Q8_1, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q8_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q8_k(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 292]; 8]| {
        let (peak, magnitude) = first_peaks(weights);
        let zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(peak, _mm256_setzero_ps());
        let inverse = _mm256_andnot_ps(zero, _mm256_div_ps(_mm256_set1_ps(-127.0), peak));
        let scales = spill(inverse_of(inverse)).into_iter().zip(spill(inverse));
        for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
            let (start, rest) = block.split_at_mut(4);
            start.copy_from_slice(&scale.to_le_bytes());
            let (levels, sums) = rest.split_at_mut(256);
            super_block(weights, inverse, levels, sums);
        }
        encode_again(&Q8K, unusual(magnitude, inverse), weights, out);
    });
}

/// The levels of a block of `q8_k`, and their sums.
#[inline]
#[target_feature(enable = "avx2")]
fn super_block(weights: &[f32; 256], inverse: f32, levels: &mut [u8], sums: &mut [u8]) {
    let inverse = _mm256_set1_ps(inverse);
    let mut parts = [_mm256_setzero_si256(); 8];
    let places = levels.as_chunks_mut::<32>().0.iter_mut().zip(&mut parts);
    for ((levels, part), weights) in places.zip(weights.as_chunks::<32>().0) {
        let near = each_eight(weights, |x| _mm256_cvtps_epi32(_mm256_mul_ps(inverse, x)));
        // What was rounded to 128 is brought back to 127 here.
        let bytes = in_order(near);
        store32(levels, bytes);
        *part = sums_of_four(bytes);
    }
    store_sums(parts, sums);
}

/// Writes the sums of each 16 levels of `q8_k`, given those of four.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn store_sums(parts: [__m256i; 8], sums: &mut [u8]) {
    // Four sums of each half of each register become one.
    let [a, b, c, d, e, f, g, h] = parts;
    let first = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    let second = _mm256_hadd_epi32(_mm256_hadd_epi32(e, f), _mm256_hadd_epi32(g, h));
    let all = _mm256_packs_epi32(first, second);
    let (low, high) = (
        _mm256_castsi256_si128(all),
        _mm256_extracti128_si256::<1>(all),
    );
    store16(&mut sums[..16], _mm_unpacklo_epi16(low, high));
    store16(&mut sums[16..], _mm_unpackhi_epi16(low, high));
}

/// Encodes as `q4_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_0(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q4_0, _>(weights, importance, out);
    }
    each_batch(weights, out, |weights, out: &mut [[u8; 18]; 8]| {
        let (peak, magnitude) = first_peaks(weights);
        let scale = _mm256_mul_ps(peak, _mm256_set1_ps(-1.0 / 8.0));
        let inverse = inverse_of(scale);
        let scales = halves(scale).into_iter().zip(spill(inverse));
        for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
            block[..2].copy_from_slice(&scale);
            store16(&mut block[2..], nibbles(cut(weights, inverse, 8.5)));
        }
        encode_again(&Q4_0, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q5_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q5_0(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q5_0, _>(weights, importance, out);
    }
    each_batch(weights, out, |weights, out: &mut [[u8; 22]; 8]| {
        let (peak, magnitude) = first_peaks(weights);
        let scale = _mm256_mul_ps(peak, _mm256_set1_ps(-1.0 / 16.0));
        let inverse = inverse_of(scale);
        let scales = halves(scale).into_iter().zip(spill(inverse));
        for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
            block[..2].copy_from_slice(&scale);
            five_bits(cut(weights, inverse, 16.5), &mut block[2..]);
        }
        encode_again(&Q5_0, unusual(magnitude, inverse), weights, out);
    });
}

/// Levels of 8 bits, halves rounded away from zero.
#[inline]
#[target_feature(enable = "avx2")]
fn rounded(weights: &[f32; 32], inverse: f32) -> __m256i {
    let inverse = _mm256_set1_ps(inverse);
    let levels = each_eight(weights, |x| round_away(_mm256_mul_ps(x, inverse)));
    in_order(levels)
}

/// The whole part of each weight in units of the scale, plus something that makes it positive.
#[inline]
#[target_feature(enable = "avx2")]
fn cut(weights: &[f32; 32], inverse: f32, offset: f32) -> [__m256i; 4] {
    let (inverse, offset) = (_mm256_set1_ps(inverse), _mm256_set1_ps(offset));
    each_eight(weights, |x| {
        _mm256_cvttps_epi32(_mm256_add_ps(_mm256_mul_ps(x, inverse), offset))
    })
}

/// Sums of each four signed bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn sums_of_four(bytes: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
    _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))
}
