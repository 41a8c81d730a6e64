//! Levels: from floats to integers, and from integers to the bits that are stored.
//!
//! All that is packed saturates, where the codecs keep the low byte; the two differ only in blocks
//! that are encoded again, see [`super::batch::unusual`].

use std::arch::x86_64::*;

use super::batch::{load, store16};

/// The levels of 32 weights, eight at a time.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn each_eight(weights: &[f32; 32], level: impl Fn(__m256) -> __m256i) -> [__m256i; 4] {
    let mut levels = [_mm256_setzero_si256(); 4];
    for (place, x) in levels.iter_mut().zip(weights.as_chunks().0) {
        *place = level(load(x));
    }
    levels
}

/// Rounds halves away from zero.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn round_away(x: __m256) -> __m256i {
    let sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0));
    // The largest float below one half: adding one half itself would carry 0.49999997 up to 1.
    let half = _mm256_or_ps(sign, _mm256_set1_ps(0.499_999_97));
    _mm256_cvttps_epi32(_mm256_add_ps(x, half))
}

/// 32 integers as signed bytes, with the order of 32 bits that [`_mm256_packs_epi32`] gives.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn packed([a, b, c, d]: [__m256i; 4]) -> __m256i {
    _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d))
}

/// Brings what [`packed`] gives into the order of the weights.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ordered(bytes: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}

/// 32 integers as signed bytes, in their order.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn in_order(levels: [__m256i; 4]) -> __m256i {
    ordered(packed(levels))
}

/// 32 levels, kept within 0 and 15, as nibbles: the first 16 in the lower ones.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn nibbles([a, b, c, d]: [__m256i; 4]) -> __m128i {
    let most = _mm256_set1_epi16(15);
    let low = _mm256_min_epu16(_mm256_packus_epi32(a, b), most);
    let high = _mm256_min_epu16(_mm256_packus_epi32(c, d), most);
    let pairs = _mm256_or_si256(low, _mm256_slli_epi16::<4>(high));
    let pairs = _mm256_permute4x64_epi64::<0b11_01_10_00>(pairs);
    _mm_packus_epi16(
        _mm256_castsi256_si128(pairs),
        _mm256_extracti128_si256::<1>(pairs),
    )
}

/// Writes 32 levels, brought down to 31, as 4 bytes of upper bits and 16 of nibbles.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn five_bits(levels: [__m256i; 4], out: &mut [u8]) {
    let levels = in_order(levels);
    let levels = _mm256_min_epi8(levels, _mm256_set1_epi8(31));
    // Only the fifth bit of each byte gets to the top of it.
    let upper = _mm256_movemask_epi8(_mm256_slli_epi16::<3>(levels));
    out[..4].copy_from_slice(&upper.to_le_bytes());
    store16(&mut out[4..], joined(levels));
}

/// The low nibbles of 32 bytes: the first 16 below the others.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn joined(levels: __m256i) -> __m128i {
    let nibbles = _mm256_and_si256(levels, _mm256_set1_epi8(15));
    _mm_or_si128(
        _mm256_castsi256_si128(nibbles),
        _mm_slli_epi16::<4>(_mm256_extracti128_si256::<1>(nibbles)),
    )
}
