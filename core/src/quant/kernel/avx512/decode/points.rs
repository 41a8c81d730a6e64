//! Points of codebooks, their signs and their scales, for the formats in [`super::codebooks`].

use std::arch::x86_64::*;

use super::lanes::{looked_up, numbers, spill, times};

/// Where the levels of two points of eight stand.
static TWO_BITS: [i32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
/// Where the levels of a point of four stand.
static THREE_BITS: [i32; 16] = [0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9];
/// The point that a lane takes its level from.
static FOURTHS: [i32; 16] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];

/// Two points of eight levels.
#[inline(always)]
pub(super) fn two(first: u16, second: u16) -> u32 {
    u32::from(first) | u32::from(second) << 16
}

/// The values of the levels of two points of eight.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn eights(points: u32, values: __m512) -> __m512 {
    let all = _mm512_set1_epi32(points.cast_signed());
    looked_up(_mm512_srlv_epi32(all, numbers(&TWO_BITS)), values)
}

/// The values of the levels of four points of four, of 32 points.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn fours(points: __m512i, fourth: usize, values: __m512) -> __m512 {
    let places = _mm512_add_epi32(numbers(&FOURTHS), _mm512_set1_epi32(4 * fourth as i32));
    let points = _mm512_permutexvar_epi16(places, points);
    looked_up(_mm512_srlv_epi32(points, numbers(&THREE_BITS)), values)
}

/// Floats, negative where the bit is set.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn signed(x: __m512, signs: u16) -> __m512 {
    _mm512_mask_xor_ps(x, signs, x, _mm512_set1_ps(-0.0))
}

/// A book in registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn book<const N: usize>(points: &[[u16; 32]]) -> [__m512i; N] {
    let mut book = [_mm512_setzero_si512(); N];
    for (part, points) in book.iter_mut().zip(points) {
        // SAFETY: 64 bytes are read, without alignment.
        *part = unsafe { _mm512_loadu_si512(points.as_ptr().cast()) };
    }
    book
}

/// 32 of 256 points, by the lowest eight bits of their numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn lookup(book: &[__m512i; 8], numbers: __m512i) -> __m512i {
    let [a, b, c, d, e, f, g, h] = *book;
    let upper = _mm512_test_epi16_mask(numbers, _mm512_set1_epi16(64));
    let last = _mm512_test_epi16_mask(numbers, _mm512_set1_epi16(128));
    let first = _mm512_mask_blend_epi16(
        upper,
        _mm512_permutex2var_epi16(a, numbers, b),
        _mm512_permutex2var_epi16(c, numbers, d),
    );
    let second = _mm512_mask_blend_epi16(
        upper,
        _mm512_permutex2var_epi16(e, numbers, f),
        _mm512_permutex2var_epi16(g, numbers, h),
    );
    _mm512_mask_blend_epi16(last, first, second)
}

/// 32 of 512 points, by the lowest nine bits of their numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn lookup_of_two(book: &[[__m512i; 8]; 2], numbers: __m512i) -> __m512i {
    let second = _mm512_test_epi16_mask(numbers, _mm512_set1_epi16(256));
    let [low, high] = book;
    _mm512_mask_blend_epi16(second, lookup(low, numbers), lookup(high, numbers))
}

/// Words in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn dwords(x: __m512i) -> [u32; 16] {
    spill(_mm512_castsi512_ps(x)).map(f32::to_bits)
}

/// The signs of 32 weights from each word of four times seven bits: an even number is negative.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn sevens(bits: __m256i) -> __m256i {
    let seven = |x: __m256i, byte: i32| _mm256_and_si256(x, _mm256_set1_epi32(0x7f << (8 * byte)));
    let low = _mm256_or_si256(seven(bits, 0), seven(_mm256_slli_epi32(bits, 1), 1));
    let high = _mm256_or_si256(
        seven(_mm256_slli_epi32(bits, 2), 2),
        seven(_mm256_slli_epi32(bits, 3), 3),
    );
    even(_mm256_or_si256(low, high))
}

/// Bytes of seven bits with an eighth that makes the number of ones even.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn even(bytes: __m256i) -> __m256i {
    // What comes in from a neighbour does not reach the lowest bit.
    let fold = _mm256_xor_si256(bytes, _mm256_srli_epi32(bytes, 4));
    let fold = _mm256_xor_si256(fold, _mm256_srli_epi32(fold, 2));
    let fold = _mm256_xor_si256(fold, _mm256_srli_epi32(fold, 1));
    let odd = _mm256_and_si256(fold, _mm256_set1_epi8(1));
    _mm256_or_si256(bytes, _mm256_slli_epi32(odd, 7))
}

/// The scales of eight groups from the upper four bits of their words: half more than those count.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn top_scales(words: __m256i, unit: f32) -> [f32; 16] {
    let levels = _mm256_cvtepi32_ps(_mm256_srli_epi32(words, 28));
    let levels = _mm256_add_ps(levels, _mm256_set1_ps(0.5));
    spill(times(_mm512_zextps256_ps512(levels), unit))
}

/// The scales of the 16 groups of `iq2_xs` and `iq2_s`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn nibble_scales(packed: &[u8], unit: f32) -> [f32; 16] {
    let packed = u64::from_le_bytes(packed.as_chunks().0[0]);
    let bits = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(packed.cast_signed()));
    // Each byte in the two lanes of its nibbles.
    let twice = _mm512_or_si512(bits, _mm512_slli_epi64(bits, 28));
    let levels = _mm512_and_si512(twice, _mm512_set1_epi32(15));
    let levels = _mm512_add_ps(_mm512_cvtepi32_ps(levels), _mm512_set1_ps(0.5));
    spill(times(times(levels, unit), 0.25))
}
