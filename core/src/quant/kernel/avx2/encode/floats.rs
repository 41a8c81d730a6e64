//! Small floats, one by one.

use std::arch::x86_64::*;

use super::batch::{load, magnitude_of, store16, store32};
use super::levels::{each_eight, ordered, packed};
use crate::quant::float8::{E4M3FN, E5M2, Float8};
use crate::quant::{bfloat16, float16};

/// Rounds to `float16`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn float16(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    let (weights, rest) = weights.as_chunks();
    let (out, places) = out.as_chunks_mut::<16>();
    for (x, out) in weights.iter().zip(out) {
        let x = load(x);
        // Every NaN becomes the same but for its sign; the instruction would keep more.
        let sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0));
        let nan = _mm256_or_ps(sign, _mm256_set1_ps(f32::NAN));
        let x = _mm256_blendv_ps(x, nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x));
        store16(out, _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x));
    }
    for (x, out) in rest.iter().zip(places.as_chunks_mut().0) {
        *out = float16::from_f32(*x).to_le_bytes();
    }
}

/// Rounds to `bfloat16`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn bfloat16(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    let (weights, rest) = weights.as_chunks();
    let (out, places) = out.as_chunks_mut::<16>();
    for (x, out) in weights.iter().zip(out) {
        let bits = _mm256_castps_si256(load(x));
        let upper = _mm256_srli_epi32::<16>(bits);
        // Half of what is dropped, less one where the kept part is even.
        let even = _mm256_add_epi32(
            _mm256_and_si256(upper, _mm256_set1_epi32(1)),
            _mm256_set1_epi32(0x7fff),
        );
        let rounded = _mm256_srli_epi32::<16>(_mm256_add_epi32(bits, even));
        let quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
        let infinity = _mm256_set1_epi32(f32::INFINITY.to_bits().cast_signed());
        let nan = _mm256_cmpgt_epi32(magnitude_of(bits), infinity);
        let halves = _mm256_blendv_epi8(rounded, quiet, nan);
        store16(
            out,
            _mm_packus_epi32(
                _mm256_castsi256_si128(halves),
                _mm256_extracti128_si256::<1>(halves),
            ),
        );
    }
    for (x, out) in rest.iter().zip(places.as_chunks_mut().0) {
        *out = bfloat16::from_f32(*x).to_le_bytes();
    }
}

/// Rounds to `float8_e4m3fn`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn e4m3fn(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    const { assert!(E4M3FN.beyond == E4M3FN.nan) };
    each_thirty_two(&E4M3FN, weights, out, |x| narrowed(&E4M3FN, x));
}

/// Rounds to `float8_e5m2`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn e5m2(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    each_thirty_two(&E5M2, weights, out, |x| {
        let infinity = _mm256_set1_epi32(f32::INFINITY.to_bits().cast_signed());
        let is_nan = _mm256_cmpgt_epi32(magnitude_of(_mm256_castps_si256(x)), infinity);
        let nan = _mm256_set1_epi32(i32::from(E5M2.nan));
        _mm256_blendv_epi8(narrowed(&E5M2, x), nan, is_nan)
    });
}

/// Narrows to bytes with the signs of the floats.
#[inline]
#[target_feature(enable = "avx2")]
fn each_thirty_two(
    format: &Float8,
    weights: &[f32],
    out: &mut [u8],
    narrow: impl Fn(__m256) -> __m256i,
) {
    let (weights, rest) = weights.as_chunks();
    let (out, places) = out.as_chunks_mut::<32>();
    for (weights, out) in weights.iter().zip(out) {
        let codes = packed(each_eight(weights, &narrow));
        // Saturation leaves the least byte of everything negative.
        let signs = packed(each_eight(weights, |x| _mm256_castps_si256(x)));
        let signs = _mm256_and_si256(signs, _mm256_set1_epi8(i8::MIN));
        store32(out, ordered(_mm256_or_si256(codes, signs)));
    }
    for (x, out) in rest.iter().zip(places) {
        *out = format.from_f32(*x);
    }
}

/// The codes of the magnitudes, as [`Float8::from_f32`] finds them; that of a NaN is `beyond`.
#[inline]
#[target_feature(enable = "avx2")]
fn narrowed(format: &Float8, x: __m256) -> __m256i {
    const { assert!(E4M3FN.largest + 1 == E4M3FN.beyond && E5M2.largest + 1 == E5M2.beyond) };
    let all = |x: u32| _mm256_set1_epi32(x.cast_signed());
    let magnitude = magnitude_of(_mm256_castps_si256(x));
    let dropped = 23 - format.mantissa;
    let rebias = 127 - format.bias;
    let anchor = all((rebias + 1 + dropped) << 23);
    let sum = _mm256_add_ps(_mm256_castsi256_ps(magnitude), _mm256_castsi256_ps(anchor));
    let subnormal = _mm256_sub_epi32(_mm256_castps_si256(sum), anchor);
    let even = _mm256_and_si256(_mm256_srlv_epi32(magnitude, all(dropped)), all(1));
    let half = all(((1 << (dropped - 1)) - 1_u32).wrapping_sub(rebias << 23));
    let rounded = _mm256_add_epi32(_mm256_add_epi32(magnitude, half), even);
    let normal = _mm256_srlv_epi32(rounded, all(dropped));
    let small = _mm256_cmpgt_epi32(all((rebias + 1) << 23), magnitude);
    let code = _mm256_blendv_epi8(normal, subnormal, small);
    _mm256_min_epu32(code, all(u32::from(format.beyond)))
}
