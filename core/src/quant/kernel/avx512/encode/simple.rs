//! Formats without a search whose blocks are 32 weights: two registers.
//!
//! Scales are found eight blocks at a time as with AVX2. What differs is the second look at the
//! weights: sixteen levels become as many low bytes in one instruction.

use std::arch::x86_64::*;

use super::searches;
use crate::quant::kernel::avx2::encode::affine::Fit;
use crate::quant::kernel::avx2::encode::batch::*;
use crate::quant::kernel::avx2::encode::float4::PowerScales;
use crate::quant::{
    mxfp4::Mxfp4, q4_0::Q4_0, q4_1::Q4_1, q5_0::Q5_0, q5_1::Q5_1, q8_0::Q8_0, q8_1::Q8_1,
};

/// The levels of a block.
type Levels = [__m512i; 2];

/// Encodes as `q8_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q8_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 34]; 8]| {
        let magnitude = magnitudes(weights);
        let scale = _mm256_div_ps(_mm256_castsi256_ps(magnitude), _mm256_set1_ps(127.0));
        let inverse = inverse_of(scale);
        let scales = halves(scale).into_iter().zip(spill(inverse));
        for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
            block[..2].copy_from_slice(&scale);
            let [low, high] = rounded(weights, inverse);
            store16(&mut block[2..], _mm512_cvtepi32_epi8(low));
            store16(&mut block[18..], _mm512_cvtepi32_epi8(high));
        }
        encode_again(&Q8_0, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q8_1`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q8_1(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 36]; 8]| {
        let magnitude = magnitudes(weights);
        let scale = _mm256_div_ps(_mm256_castsi256_ps(magnitude), _mm256_set1_ps(127.0));
        let inverse = inverse_of(scale);
        let mut sums = [_mm256_setzero_si256(); 8];
        let scales = halves(scale).into_iter().zip(spill(inverse));
        let places = out.iter_mut().zip(&mut sums);
        for (((block, sum), weights), (scale, inverse)) in places.zip(weights).zip(scales) {
            let [low, high] = rounded(weights, inverse);
            block[..2].copy_from_slice(&scale);
            store16(&mut block[4..], _mm512_cvtepi32_epi8(low));
            store16(&mut block[20..], _mm512_cvtepi32_epi8(high));
            let both = _mm512_add_epi32(low, high);
            *sum = _mm256_add_epi32(
                _mm512_castsi512_si256(both),
                _mm512_extracti64x4_epi64::<1>(both),
            );
        }
        let sum = _mm256_cvtepi32_ps(across!(_mm256_add_epi32, sums));
        for (block, sum) in out.iter_mut().zip(halves(_mm256_mul_ps(sum, scale))) {
            block[2..4].copy_from_slice(&sum);
        }
        encode_again(&Q8_1, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q4_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
            let levels = at_most(15, cut(weights, 0.0, inverse, 8.5));
            store16(&mut block[2..], nibbles(levels));
        }
        encode_again(&Q4_0, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q5_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
            let levels = at_most(31, cut(weights, 0.0, inverse, 16.5));
            five_bits(levels, &mut block[2..]);
        }
        encode_again(&Q5_0, unusual(magnitude, inverse), weights, out);
    });
}

/// Encodes as `q4_1`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q4_1(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q4_1, _>(weights, importance, out);
    }
    each_batch(weights, out, |weights, out: &mut [[u8; 20]; 8]| {
        let fit = Fit::of(weights, 15.0);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[..4].copy_from_slice(&fit.bytes(i));
            let levels = cut(weights, fit.minimum[i], fit.inverse[i], 0.5);
            store16(&mut block[4..], nibbles(at_most(15, levels)));
        }
        encode_again(&Q4_1, fit.unusual, weights, out);
    });
}

/// Encodes as `q5_1`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q5_1(weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
    if let Some(importance) = importance {
        return searches::by_importance::<Q5_1, _>(weights, importance, out);
    }
    each_batch(weights, out, |weights, out: &mut [[u8; 24]; 8]| {
        let fit = Fit::of(weights, 31.0);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[..4].copy_from_slice(&fit.bytes(i));
            let levels = cut(weights, fit.minimum[i], fit.inverse[i], 0.5);
            five_bits(at_most(31, levels), &mut block[4..]);
        }
        encode_again(&Q5_1, fit.unusual, weights, out);
    });
}

/// Encodes as `mxfp4`. See [`crate::quant::kernel::avx2::encode::float4`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn mxfp4(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    // The code of each number of half steps; above 20 it is 7.
    let first = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6);
    let second = _mm512_setr_epi32(6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7);
    each_batch(weights, out, |weights, out: &mut [[u8; 17]; 8]| {
        let scales = PowerScales::of(weights);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[0] = scales.exponents[i] as u8;
            let factor = _mm512_set1_ps(scales.factors[i]);
            let levels = each_sixteen(weights, |x| {
                let steps = _mm512_mul_ps(_mm512_abs_ps(x), factor);
                let steps = _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(
                    steps,
                );
                let steps = _mm512_min_epi32(steps, _mm512_set1_epi32(31));
                let code = _mm512_permutex2var_epi32(first, steps, second);
                // What is rounded to zero has no sign.
                let negative = _mm512_movepi32_mask(_mm512_castps_si512(x));
                let signed = _mm512_mask_test_epi32_mask(negative, code, code);
                _mm512_mask_or_epi32(code, signed, code, _mm512_set1_epi32(8))
            });
            store16(&mut block[1..], nibbles(levels));
        }
        encode_again(&Mxfp4, scales.unusual, weights, out);
    });
}

/// The levels of 32 weights, sixteen at a time.
#[inline]
#[target_feature(enable = "avx512f")]
fn each_sixteen(weights: &[f32; 32], level: impl Fn(__m512) -> __m512i) -> Levels {
    let mut levels = [_mm512_setzero_si512(); 2];
    for (place, x) in levels.iter_mut().zip(weights.as_chunks::<16>().0) {
        // SAFETY: sixteen floats are read, without alignment.
        *place = level(unsafe { _mm512_loadu_ps(x.as_ptr()) });
    }
    levels
}

/// Levels of 8 bits, halves rounded away from zero.
#[inline]
#[target_feature(enable = "avx512f")]
fn rounded(weights: &[f32; 32], inverse: f32) -> Levels {
    let inverse = _mm512_set1_ps(inverse);
    each_sixteen(weights, |x| {
        let x = _mm512_mul_ps(x, inverse);
        // The largest float below one half, with the sign of x: one bit of the first where the
        // third has one, else one of the second.
        let half = _mm512_set1_epi32(0.499_999_97_f32.to_bits().cast_signed());
        let sign = _mm512_set1_epi32(i32::MIN);
        let half = _mm512_ternarylogic_epi32::<0xca>(sign, _mm512_castps_si512(x), half);
        _mm512_cvttps_epi32(_mm512_add_ps(x, _mm512_castsi512_ps(half)))
    })
}

/// The whole part of each weight above the minimum in units of the scale, plus an offset.
#[inline]
#[target_feature(enable = "avx512f")]
fn cut(weights: &[f32; 32], minimum: f32, inverse: f32, offset: f32) -> Levels {
    let (minimum, inverse) = (_mm512_set1_ps(minimum), _mm512_set1_ps(inverse));
    each_sixteen(weights, |x| {
        let x = _mm512_mul_ps(_mm512_sub_ps(x, minimum), inverse);
        _mm512_cvttps_epi32(_mm512_add_ps(x, _mm512_set1_ps(offset)))
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn at_most(most: i32, [low, high]: Levels) -> Levels {
    let most = _mm512_set1_epi32(most);
    [_mm512_min_epi32(low, most), _mm512_min_epi32(high, most)]
}

/// Pairs of levels below 16; of the least integer the low bits count, which are 0.
#[inline]
#[target_feature(enable = "avx512f")]
fn nibbles([low, high]: Levels) -> __m128i {
    _mm512_cvtepi32_epi8(_mm512_or_si512(low, _mm512_slli_epi32::<4>(high)))
}

/// Writes levels below 32 as 4 bytes of upper bits and 16 of nibbles.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn five_bits([low, high]: Levels, out: &mut [u8]) {
    let bit = _mm512_set1_epi32(16);
    let upper = [low, high].map(|x| _mm512_test_epi32_mask(x, bit));
    out[..2].copy_from_slice(&upper[0].to_le_bytes());
    out[2..4].copy_from_slice(&upper[1].to_le_bytes());
    let low = _mm512_and_si512(low, _mm512_set1_epi32(15));
    store16(&mut out[4..], nibbles([low, high]));
}
