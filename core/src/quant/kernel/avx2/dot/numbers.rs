//! Numbers of points of a codebook, many at a time, and the points that have them.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::super::decode::lanes::load16;

/// Sixteen numbers in memory, where each is read as an index by itself.
///
/// A compiler that knew where they come from would take each out of the register with two instructions.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn apart(numbers: __m256i, memory: &mut [u16; 16]) -> &[u16; 16] {
    // SAFETY: 16 numbers of 16 bits are written, without alignment.
    unsafe { _mm256_storeu_si256(memory.as_mut_ptr().cast(), numbers) };
    black_box(memory)
}

/// The points of a codebook that have these numbers.
///
/// # Safety
/// There are as many points.
#[inline(always)]
pub(super) unsafe fn points<T: Copy, const N: usize, const POINTS: usize>(
    codebook: &[T; POINTS],
    numbers: &[u16; N],
) -> [T; N] {
    // SAFETY: as the caller says.
    numbers.map(|number| unsafe { *codebook.get_unchecked(usize::from(number)) })
}

/// Bytes, and above each some bits of the word beside it: one of four powers moves them up, `DOWN`
/// brings all back to where `mask` says.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn with_upper<const DOWN: i32>(
    lower: &[u8; 16],
    upper: __m256i,
    powers: [i16; 4],
    mask: i16,
) -> __m256i {
    let [a, b, c, d] = powers;
    let powers = _mm256_setr_epi16(a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d);
    let high = _mm256_srli_epi16(_mm256_mullo_epi16(upper, powers), DOWN);
    let high = _mm256_and_si256(high, _mm256_set1_epi16(mask));
    _mm256_or_si256(_mm256_cvtepu8_epi16(load16(lower)), high)
}

/// Each of four words four times.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn four_times(words: [u8; 8]) -> __m256i {
    let places = _mm256_setr_epi8(
        0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 4, 5, 4, 5, 4, 5, 4, 5, 6, 7, 6, 7, 6, 7,
        6, 7,
    );
    _mm256_shuffle_epi8(_mm256_set1_epi64x(i64::from_le_bytes(words)), places)
}
