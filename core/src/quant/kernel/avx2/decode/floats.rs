//! Formats without blocks: halves and bytes that are widened.

use std::arch::x86_64::*;

use super::lanes::{Sink, load16, store};

/// Widens `float16`, eight at a time.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn float16<S: Sink>(halves: &[u8], out: &mut [S]) {
    for (halves, out) in halves.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
        store(out, _mm256_cvtph_ps(load16(halves)));
    }
}

/// Widens `bfloat16`, eight at a time.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn bfloat16<S: Sink>(halves: &[u8], out: &mut [S]) {
    for (halves, out) in halves.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
        let bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(load16(halves)), 16);
        store(out, _mm256_castsi256_ps(bits));
    }
}

/// Widens `float8_e5m2`, sixteen at a time: each is the upper byte of a half.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn float8_e5m2<S: Sink>(bytes: &[u8], out: &mut [S]) {
    for (bytes, out) in bytes.as_chunks().0.iter().zip(pairs(out)) {
        let (bytes, zero) = (load16(bytes), _mm_setzero_si128());
        store(&mut out[0], _mm256_cvtph_ps(_mm_unpacklo_epi8(zero, bytes)));
        store(&mut out[1], _mm256_cvtph_ps(_mm_unpackhi_epi8(zero, bytes)));
    }
}

/// Widens `float8_e4m3fn`, sixteen at a time.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn float8_e4m3fn<S: Sink>(bytes: &[u8], out: &mut [S]) {
    let magnitude = _mm_set1_epi8(0x7f);
    // The sign, and as a half the exponent and the mantissa one place below it.
    let kept = _mm_set1_epi16(0xbf80_u16.cast_signed());
    // The bias of a half is greater by 8, subnormal or not.
    let rebias = _mm256_set1_ps(256.0);
    for (bytes, out) in bytes.as_chunks().0.iter().zip(pairs(out)) {
        let (bytes, zero) = (load16(bytes), _mm_setzero_si128());
        // All ones are NaN here, not the next number; as a half they are NaN too.
        let nan = _mm_cmpeq_epi8(_mm_and_si128(bytes, magnitude), magnitude);
        let low = _mm_srai_epi16(_mm_unpacklo_epi8(zero, bytes), 1);
        let low = _mm_or_si128(_mm_and_si128(low, kept), _mm_unpacklo_epi8(nan, nan));
        let high = _mm_srai_epi16(_mm_unpackhi_epi8(zero, bytes), 1);
        let high = _mm_or_si128(_mm_and_si128(high, kept), _mm_unpackhi_epi8(nan, nan));
        store(&mut out[0], _mm256_mul_ps(_mm256_cvtph_ps(low), rebias));
        store(&mut out[1], _mm256_mul_ps(_mm256_cvtph_ps(high), rebias));
    }
}

/// Places for sixteen floats each, as two for eight.
#[inline(always)]
fn pairs<S: Sink>(out: &mut [S]) -> std::slice::IterMut<'_, [[S; 2]; 2]> {
    out.as_chunks_mut().0.as_chunks_mut().0.iter_mut()
}
