//! What all kernels share: products of levels, scales and sums.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::super::decode::lanes::{half_each, load16, load32};
use crate::quant::dot::Step;

/// 32 levels of the vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn signed(levels: &[i8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read, without alignment.
    unsafe { _mm256_loadu_si256(levels.as_ptr().cast()) }
}

/// Eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn eight(floats: &[f32; 8]) -> __m256 {
    // SAFETY: eight floats are read, without alignment.
    unsafe { _mm256_loadu_ps(floats.as_ptr()) }
}

/// The sums of the levels of each 16 elements.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn totals(step: &Step) -> __m256i {
    // SAFETY: 16 numbers of 16 bits are read, without alignment.
    unsafe { _mm256_loadu_si256(step.totals.as_ptr().cast()) }
}

/// The sum of the levels of each group of 32, so many times.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn group_totals(step: &Step, times: i16) -> __m256i {
    _mm256_madd_epi16(totals(step), _mm256_set1_epi16(times))
}

/// What all groups add up in each place.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn columns(step: &Step) -> __m256i {
    // SAFETY: 16 numbers of 16 bits are read, without alignment.
    unsafe { _mm256_loadu_si256(step.columns.as_ptr().cast()) }
}

/// Sums of two products each of unsigned levels and those of the vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn unsigned_products(levels: __m256i, y: __m256i) -> __m256i {
    _mm256_maddubs_epi16(levels, y)
}

/// Sums of two products each of signed levels and those of the vector.
///
/// The magnitudes are at most 128 and 127, so two products are at most 32512. Had the vector a level
/// of -128, its sign could not be changed.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn signed_products(levels: __m256i, y: __m256i) -> __m256i {
    _mm256_maddubs_epi16(_mm256_abs_epi8(levels), _mm256_sign_epi8(y, levels))
}

/// Sums of two neighbours each.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn widen(sums: __m256i) -> __m256i {
    _mm256_madd_epi16(sums, _mm256_set1_epi16(1))
}

/// Sums of neighbours of 32 bits, of each half the first register's, then the second's; added in 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn join(a: __m256i, b: __m256i) -> __m256i {
    let [even, odd] = evens_and_odds(a, b);
    _mm256_add_epi16(even, odd)
}

/// As [`join`], added in 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn join_wide(a: __m256i, b: __m256i) -> __m256i {
    let [even, odd] = evens_and_odds(a, b);
    _mm256_add_epi32(even, odd)
}

#[inline]
#[target_feature(enable = "avx2")]
fn evens_and_odds(a: __m256i, b: __m256i) -> [__m256i; 2] {
    let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
    [
        _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b)),
        _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(a, b)),
    ]
}

/// Adds integers times scales.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn add_scaled(sums: __m256i, scales: __m256, to: __m256) -> __m256 {
    _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), scales, to)
}

/// Bytes between the weights that are multiplied and those that are asked for.
///
/// The processor by itself follows rows no further than to the end of a page, and asks too late for
/// kernels that take little longer than the memory.
const AHEAD: usize = 4096;

/// Asks for the memory behind a piece of the weights, where the next of them are likely to stand.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unused_unsafe, reason = "older compilers call the hint unsafe")]
pub(super) fn ahead<T>(piece: &T) {
    let start = (&raw const *piece).cast::<i8>();
    for line in (0..size_of::<T>()).step_by(64) {
        // SAFETY: a hint about any address at all, which reads nothing and cannot fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(AHEAD + line)) };
    }
}

/// The `float16` of the block times the scale of the vector, which is that of the whole step.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn unit_of(low: u8, high: u8, y: &Step) -> __m256 {
    _mm256_mul_ps(half_each(low, high), eight(&y.scales))
}

/// A `float16` four times, and another four times.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn two_halves(a: [u8; 2], b: [u8; 2]) -> __m256 {
    let a = _mm_set1_epi16(i16::from_le_bytes(a));
    let b = _mm_set1_epi16(i16::from_le_bytes(b));
    _mm256_cvtph_ps(_mm_unpacklo_epi64(a, b))
}

/// The 16 bytes from a place on, and those from a later one that do not overlap with them.
///
/// The second are loaded with what stands before them, since a blend is cheaper than to insert half a register.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn side_by_side(bytes: &[u8], first: usize, second: usize) -> __m256i {
    let low = _mm256_castsi128_si256(load16(window(bytes, first)));
    _mm256_blend_epi32::<0b1111_0000>(low, load32(window(bytes, second - 16)))
}

/// The bytes from a place on, which the compiler sees to be there.
#[inline(always)]
pub(super) fn window<const LEN: usize>(bytes: &[u8], at: usize) -> &[u8; LEN] {
    let bytes = bytes[at..].first_chunk();
    bytes.expect("kernels read within the blocks of a step")
}

/// The `float16` at a place in each of eight blocks.
///
/// Each is loaded where it belongs, with what stands around it, and blended with the others: to insert it
/// costs a shuffle more.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn halves<const BYTES: usize>(blocks: &[[u8; BYTES]; 8], at: usize) -> __m256 {
    let bytes = blocks.as_flattened();
    let around = |i: usize| load16(window(bytes, i * (BYTES - 2) + at));
    let all = _mm_blend_epi16::<0b0000_0010>(around(0), around(1));
    let all = _mm_blend_epi16::<0b0000_0100>(all, around(2));
    let all = _mm_blend_epi16::<0b0000_1000>(all, around(3));
    let all = _mm_blend_epi16::<0b0001_0000>(all, around(4));
    let all = _mm_blend_epi16::<0b0010_0000>(all, around(5));
    let all = _mm_blend_epi16::<0b0100_0000>(all, around(6));
    let all = _mm_blend_epi16::<0b1000_0000>(all, around(7));
    _mm256_cvtph_ps(all)
}

/// Where [`scale_of`] finds the scales of each group.
pub(super) type Places = [[i16; 16]; 8];

/// The places of scales of 16 products each: those of first halves of 32 are found below, those of
/// second halves above; see [`sixteen_scales`] and [`eight_scales`].
///
/// A compiler that knew them would make two instructions of each shuffle.
#[inline(always)]
pub(super) fn places() -> &'static Places {
    const PLACES: Places = {
        let mut places = [[0; 16]; 8];
        let mut g = 0;
        while g < 8 {
            places[g] = [(2 * g + 256 * (2 * g + 1)) as i16; 16];
            g += 1;
        }
        places
    };
    black_box(&PLACES)
}

/// The scale of a group for each of its 32 products in pairs, from where one of [`Places`] says.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn scale_of(scales: __m256i, place: &[i16; 16]) -> __m256i {
    // SAFETY: 16 numbers of 16 bits are read, without alignment.
    let place = unsafe { _mm256_loadu_si256(place.as_ptr().cast()) };
    _mm256_shuffle_epi8(scales, place)
}

/// The scales of 16 groups of 16, for [`scale_of`], from signed bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sixteen_scales(bytes: __m128i) -> __m256i {
    let apart = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    _mm256_cvtepi8_epi16(_mm_shuffle_epi8(bytes, apart))
}

/// The scales of eight groups of 32, for [`scale_of`], from signed bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn eight_scales(bytes: __m128i) -> __m256i {
    _mm256_cvtepi8_epi16(_mm_unpacklo_epi64(bytes, bytes))
}

/// The sum of eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn total(x: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
}
