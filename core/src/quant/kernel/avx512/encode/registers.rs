//! Loads, stores and turns of registers of sixteen for the encoders.

use std::arch::x86_64::*;

/// Loads sixteen floats.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load(x: &[f32; 16]) -> __m512 {
    // SAFETY: 64 bytes are read, without alignment.
    unsafe { _mm512_loadu_ps(x.as_ptr()) }
}

/// Stores sixteen floats.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store(out: &mut [f32; 16], x: __m512) {
    // SAFETY: 64 bytes are written, without alignment.
    unsafe { _mm512_storeu_ps(out.as_mut_ptr(), x) }
}

/// Sixteen floats in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn spill(x: __m512) -> [f32; 16] {
    let mut floats = [0.0; 16];
    store(&mut floats, x);
    floats
}

/// Loads sixteen integers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_words(x: &[u32; 16]) -> __m512i {
    // SAFETY: 64 bytes are read, without alignment.
    unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
}

/// Stores sixteen integers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_words(out: &mut [u32; 16], x: __m512i) {
    // SAFETY: 64 bytes are written, without alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), x) }
}

/// The lanes of `a` that are greater than those of `b`; none where either is NaN.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn above(a: __m512, b: __m512) -> __mmask16 {
    _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b)
}

/// The lower half, twice.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn lower_twice(x: __m512) -> __m512 {
    _mm512_shuffle_f32x4::<0x44>(x, x)
}

/// The upper half, twice.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn upper_twice(x: __m512) -> __m512 {
    _mm512_shuffle_f32x4::<0xee>(x, x)
}
