//! Loads, stores and turns of registers for the encoders.

use std::arch::x86_64::*;

/// Loads eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn load(x: &[f32; 8]) -> __m256 {
    // SAFETY: 32 bytes are read, without alignment.
    unsafe { _mm256_loadu_ps(x.as_ptr()) }
}

/// Stores eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn store(out: &mut [f32; 8], x: __m256) {
    // SAFETY: 32 bytes are written, without alignment.
    unsafe { _mm256_storeu_ps(out.as_mut_ptr(), x) }
}

/// Loads eight integers.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn load_words(x: &[u32; 8]) -> __m256i {
    // SAFETY: 32 bytes are read, without alignment.
    unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
}

/// Stores eight integers.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn store_words(out: &mut [u32; 8], x: __m256i) {
    // SAFETY: 32 bytes are written, without alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), x) }
}

/// The lanes of `a` that are greater than those of `b`; none where either is NaN.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn above(a: __m256, b: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_GT_OQ>(a, b)
}

/// From a bit for each lane to a lane of ones or zeros.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn lanes_of(bits: u8) -> __m256 {
    let places = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let bits = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), places);
    _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, places))
}

/// Lane `j` of register `i` becomes lane `i` of register `j`.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn transpose(x: [__m256; 8]) -> [__m256; 8] {
    let [a, b, c, d, e, f, g, h] = x;
    let quads = [[a, b, c, d], [e, f, g, h]].map(|[a, b, c, d]| {
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (first, second) = (low_pairs(ab, cd), high_pairs(ab, cd));
        let (ab, cd) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [first, second, low_pairs(ab, cd), high_pairs(ab, cd)]
    });
    let [[a, b, c, d], [e, f, g, h]] = quads;
    [
        _mm256_permute2f128_ps::<0x20>(a, e),
        _mm256_permute2f128_ps::<0x20>(b, f),
        _mm256_permute2f128_ps::<0x20>(c, g),
        _mm256_permute2f128_ps::<0x20>(d, h),
        _mm256_permute2f128_ps::<0x31>(a, e),
        _mm256_permute2f128_ps::<0x31>(b, f),
        _mm256_permute2f128_ps::<0x31>(c, g),
        _mm256_permute2f128_ps::<0x31>(d, h),
    ]
}

/// The lower two lanes of both, in either half.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn low_pairs(a: __m256, b: __m256) -> __m256 {
    _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
}

/// The upper two lanes of both, in either half.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn high_pairs(a: __m256, b: __m256) -> __m256 {
    _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
}

/// The numbers of the ones, the lowest first.
#[inline(always)]
pub(in crate::quant::kernel) fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let one = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (one < 64).then_some(one)
    })
}
