//! Small floats, sixteen at a time.

use std::arch::x86_64::*;

use super::registers::load;
use crate::quant::float8::{E4M3FN, E5M2, Float8};
use crate::quant::kernel::avx2::encode::batch::{store16, store32};
use crate::quant::{bfloat16, float16};

/// Rounds to `float16`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn float16(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    let (weights, rest) = weights.as_chunks();
    let (out, places) = out.as_chunks_mut::<32>();
    for (x, out) in weights.iter().zip(out) {
        let x = load(x);
        // Every NaN becomes the same but for its sign; the instruction would keep more.
        let sign = _mm512_and_ps(x, _mm512_set1_ps(-0.0));
        let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        let x = _mm512_mask_or_ps(x, is_nan, sign, _mm512_set1_ps(f32::NAN));
        store32(out, _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x));
    }
    for (x, out) in rest.iter().zip(places.as_chunks_mut().0) {
        *out = float16::from_f32(*x).to_le_bytes();
    }
}

/// Rounds to `bfloat16`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn bfloat16(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    let (weights, rest) = weights.as_chunks();
    let (out, places) = out.as_chunks_mut::<32>();
    for (x, out) in weights.iter().zip(out) {
        let x = load(x);
        let bits = _mm512_castps_si512(x);
        let upper = _mm512_srli_epi32::<16>(bits);
        // Half of what is dropped, less one where the kept part is even.
        let even = _mm512_add_epi32(
            _mm512_and_si512(upper, _mm512_set1_epi32(1)),
            _mm512_set1_epi32(0x7fff),
        );
        let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, even));
        let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        let halves = _mm512_mask_or_epi32(rounded, is_nan, upper, _mm512_set1_epi32(0x40));
        store32(out, _mm512_cvtepi32_epi16(halves));
    }
    for (x, out) in rest.iter().zip(places.as_chunks_mut().0) {
        *out = bfloat16::from_f32(*x).to_le_bytes();
    }
}

/// Rounds to `float8_e4m3fn`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn e4m3fn(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    each_sixteen(&E4M3FN, weights, out);
}

/// Rounds to `float8_e5m2`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn e5m2(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    each_sixteen(&E5M2, weights, out);
}

/// Narrows to bytes with the signs of the floats.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn each_sixteen(format: &Float8, weights: &[f32], out: &mut [u8]) {
    let (weights, rest) = weights.as_chunks();
    let (out, places) = out.as_chunks_mut::<16>();
    for (x, out) in weights.iter().zip(out) {
        store16(out, _mm512_cvtepi32_epi8(narrowed(format, load(x))));
    }
    for (x, out) in rest.iter().zip(places) {
        *out = format.from_f32(*x);
    }
}

/// The codes, as [`Float8::from_f32`] finds them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn narrowed(format: &Float8, x: __m512) -> __m512i {
    const { assert!(E4M3FN.largest + 1 == E4M3FN.beyond && E5M2.largest + 1 == E5M2.beyond) };
    let all = |x: u32| _mm512_set1_epi32(x.cast_signed());
    let magnitude = _mm512_castps_si512(_mm512_abs_ps(x));
    let dropped = 23 - format.mantissa;
    let rebias = 127 - format.bias;
    let anchor = all((rebias + 1 + dropped) << 23);
    let sum = _mm512_add_ps(_mm512_castsi512_ps(magnitude), _mm512_castsi512_ps(anchor));
    let subnormal = _mm512_sub_epi32(_mm512_castps_si512(sum), anchor);
    let even = _mm512_and_si512(_mm512_srlv_epi32(magnitude, all(dropped)), all(1));
    let half = all(((1 << (dropped - 1)) - 1_u32).wrapping_sub(rebias << 23));
    let rounded = _mm512_add_epi32(_mm512_add_epi32(magnitude, half), even);
    let normal = _mm512_srlv_epi32(rounded, all(dropped));
    let small = _mm512_cmplt_epi32_mask(magnitude, all((rebias + 1) << 23));
    let code = _mm512_mask_mov_epi32(normal, small, subnormal);
    let code = _mm512_min_epu32(code, all(u32::from(format.beyond)));
    let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
    let code = _mm512_mask_mov_epi32(code, is_nan, all(u32::from(format.nan)));
    let sign = _mm512_srli_epi32::<24>(_mm512_castps_si512(x));
    // The sign of the first, the other bits of the second.
    _mm512_ternarylogic_epi32::<0xca>(all(0x80), sign, code)
}
