//! Formats whose magnitudes are points of a codebook, with signs apart: all of `iq2` and `iq3`.
//!
//! A point is widened on its way from the table. The bit of a weight chooses between the scale and its
//! negative; nothing here branches on data. Signs and numbers of points are found for a block at once.

use std::arch::x86_64::*;

use super::lanes::{
    self, Kept, Sink, all, at_signs, half_each, keep, keep_both, load8, load32, negative, number,
    spill, spread, store, table,
};
use crate::quant::codebook;

/// Decodes blocks of `iq2_xxs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq2_xxs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<66>().0.iter();
    for ([d0, d1, groups @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let halves = groups.as_chunks::<32>().0;
        // Of every eight bytes, the upper four.
        let words = _mm256_shuffle_ps(
            _mm256_castsi256_ps(load32(&halves[0])),
            _mm256_castsi256_ps(load32(&halves[1])),
            0xdd,
        );
        let words = _mm256_permute4x64_epi64(_mm256_castps_si256(words), 0b11_01_10_00);
        let scales = top_scales(
            words,
            _mm256_mul_ps(half_each(*d0, *d1), _mm256_set1_ps(0.25)),
        );
        let signs = words_of(even(sevens(words)));
        let groups = groups.as_chunks::<8>().0.iter().zip(&scales.0);
        let groups = groups.zip(&signs.0).zip(out.as_chunks_mut().0);
        for ((([p0, p1, p2, p3, ..], scale), signs), out) in groups {
            let points = [
                widened(&codebook::IQ2_XXS[number(p0)]),
                widened(&codebook::IQ2_XXS[number(p1)]),
                widened(&codebook::IQ2_XXS[number(p2)]),
                widened(&codebook::IQ2_XXS[number(p3)]),
            ];
            signed(points, *signs, [all(scale); 2], out);
        }
    }
}

/// Decodes blocks of `iq2_xs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq2_xs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<74>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (points, packed) = rest.split_at(64);
        let scales = nibble_scales(&packed.as_chunks().0[0], half_each(*d0, *d1));
        let halves = points.as_chunks().0;
        let (first, second) = (load32(&halves[0]), load32(&halves[1]));
        let upper = _mm256_packus_epi16(_mm256_srli_epi16(first, 9), _mm256_srli_epi16(second, 9));
        let signs = words_of(even(_mm256_permute4x64_epi64(upper, 0b11_01_10_00)));
        let lower = _mm256_set1_epi16(511);
        let mut numbers = Kept([0; 32]);
        let first = _mm256_and_si256(first, lower);
        stored(&mut numbers.0, first, _mm256_and_si256(second, lower));
        let numbers = numbers.0.as_chunks().0.iter();
        let groups = numbers.zip(scales.0.as_chunks().0);
        let groups = groups.zip(&signs.0).zip(out.as_chunks_mut().0);
        for (((numbers, scales), signs), out) in groups {
            let [a, b, c, d] = numbers;
            let points = [
                widened(&codebook::IQ2_XS[number(a) & 511]),
                widened(&codebook::IQ2_XS[number(b) & 511]),
                widened(&codebook::IQ2_XS[number(c) & 511]),
                widened(&codebook::IQ2_XS[number(d) & 511]),
            ];
            signed(points, *signs, lanes::both(scales), out);
        }
    }
}

/// Decodes blocks of `iq2_s`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq2_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    // Each byte four times, so that each point has one.
    let copies = _mm256_setr_epi32(
        0,
        0x0101_0101,
        0x0202_0202,
        0x0303_0303,
        0x0404_0404,
        0x0505_0505,
        0x0606_0606,
        0x0707_0707,
    );
    // The two bits of a point at either of two places in a nibble.
    let values = table(&[0, 1, 2, 3, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let blocks = blocks.as_chunks::<82>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (lower, rest) = rest.split_at(32);
        let (signs, rest) = rest.split_at(32);
        let (upper, packed) = rest.split_at(8);
        let scales = nibble_scales(&packed.as_chunks().0[0], half_each(*d0, *d1));
        let all = _mm256_set1_epi64x(i64::from_le_bytes(upper.as_chunks().0[0]));
        let four = _mm256_shuffle_epi8(all, copies);
        let nibbles = _mm256_blend_epi16(four, _mm256_srli_epi16(four, 4), 0b1010_1010);
        let kept = _mm256_and_si256(nibbles, _mm256_set1_epi32(0x0c03_0c03));
        let upper = _mm256_shuffle_epi8(values, kept);
        let mut found = Kept([0; 32]);
        numbers(&mut found.0, load32(&lower.as_chunks().0[0]), upper);
        let numbers = found.0.as_chunks().0.iter();
        let groups = numbers.zip(scales.0.as_chunks().0).zip(signs.as_chunks().0);
        for (((numbers, scales), signs), out) in groups.zip(out.as_chunks_mut().0) {
            let [a, b, c, d] = numbers;
            let points = [
                widened(&codebook::IQ2_S[number(a) & 1023]),
                widened(&codebook::IQ2_S[number(b) & 1023]),
                widened(&codebook::IQ2_S[number(c) & 1023]),
                widened(&codebook::IQ2_S[number(d) & 1023]),
            ];
            signed(points, i32::from_le_bytes(*signs), lanes::both(scales), out);
        }
    }
}

/// The points of `iq3_xxs` as floats: so short that widening would cost more than the room.
static IQ3_XXS: [[f32; 4]; 256] = floats(&codebook::IQ3_XXS);

/// The points of `iq3_s` as floats.
static IQ3_S: [[f32; 4]; 512] = floats(&codebook::IQ3_S);

const fn floats<const N: usize>(points: &[[u8; 4]; N]) -> [[f32; 4]; N] {
    let mut all = [[0.0; 4]; N];
    let mut i = 0;
    while i < 4 * N {
        all[i / 4][i % 4] = points[i / 4][i % 4] as f32;
        i += 1;
    }
    all
}

/// Decodes blocks of `iq3_xxs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq3_xxs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<98>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (points, words) = rest.split_at(64);
        let words = load32(&words.as_chunks().0[0]);
        let scales = top_scales(
            words,
            _mm256_mul_ps(half_each(*d0, *d1), _mm256_set1_ps(0.5)),
        );
        let signs = words_of(even(sevens(words)));
        let groups = points.as_chunks::<8>().0.iter().zip(&scales.0);
        for (((points, scale), signs), out) in groups.zip(&signs.0).zip(out.as_chunks_mut().0) {
            let [a, b, c, d, e, f, g, h] = points;
            let points = [
                both(&IQ3_XXS[number(a)], &IQ3_XXS[number(b)]),
                both(&IQ3_XXS[number(c)], &IQ3_XXS[number(d)]),
                both(&IQ3_XXS[number(e)], &IQ3_XXS[number(f)]),
                both(&IQ3_XXS[number(g)], &IQ3_XXS[number(h)]),
            ];
            signed(points, *signs, [all(scale); 2], out);
        }
    }
}

/// Decodes blocks of `iq3_s`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq3_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<110>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (lower, rest) = rest.as_chunks::<4>().0.split_at(16);
        let (ninth, rest) = rest.split_at(2);
        let (signs, packed) = rest.split_at(8);
        let packed = _mm256_set1_epi32(i32::from_le_bytes(packed[0]));
        let levels = _mm256_srlv_epi32(packed, _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        let levels = _mm256_and_si256(levels, _mm256_set1_epi32(15));
        let scales = keep(odd_times(levels, half_each(*d0, *d1)));
        let lower = lower.as_flattened().as_chunks().0;
        let mut found = Kept([[0; 32]; 2]);
        for ((found, lower), ninth) in found.0.iter_mut().zip(lower).zip(ninth) {
            let ninth = spread(u32::from_le_bytes(*ninth));
            let upper = _mm256_and_si256(ninth, _mm256_set1_epi8(1));
            numbers(found, load32(lower), upper);
        }
        let numbers = found.0.as_flattened().as_chunks().0.iter();
        let groups = numbers.zip(signs).zip(&scales.0).zip(out.as_chunks_mut().0);
        for (((numbers, signs), scale), out) in groups {
            let [a, b, c, d, e, f, g, h] = numbers;
            let points = [
                both(&IQ3_S[number(a) & 511], &IQ3_S[number(b) & 511]),
                both(&IQ3_S[number(c) & 511], &IQ3_S[number(d) & 511]),
                both(&IQ3_S[number(e) & 511], &IQ3_S[number(f) & 511]),
                both(&IQ3_S[number(g) & 511], &IQ3_S[number(h) & 511]),
            ];
            signed(points, i32::from_le_bytes(*signs), [all(scale); 2], out);
        }
    }
}

/// The magnitudes of a point of eight weights.
#[inline]
#[target_feature(enable = "avx2")]
fn widened(point: &[u8; 8]) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(load8(*point)))
}

/// Two points of four weights.
#[inline]
#[target_feature(enable = "avx2")]
fn both(first: &[f32; 4], second: &[f32; 4]) -> __m256 {
    // SAFETY: four floats are read, without alignment.
    let first = unsafe { _mm_loadu_ps(first.as_ptr()) };
    // SAFETY: as above.
    let second = unsafe { _mm_loadu_ps(second.as_ptr()) };
    _mm256_set_m128(second, first)
}

/// Writes 32 magnitudes, each half times its scale, negative where the bit of the weight is set.
#[inline]
#[target_feature(enable = "avx2")]
fn signed<S: Sink>(points: [__m256; 4], signs: i32, scales: [__m256; 2], out: &mut [S; 8]) {
    let signs = _mm256_set1_epi32(signs);
    let places = points.into_iter().zip(out.as_chunks_mut().0);
    for (k, (points, out)) in places.enumerate() {
        let scale = scales[k / 2];
        let scale = _mm256_blendv_ps(scale, negative(scale), at_signs(signs, k));
        store(out, _mm256_mul_ps(points, scale));
    }
}

/// The lower 28 bits of each word as four bytes of seven bits.
#[inline]
#[target_feature(enable = "avx2")]
fn sevens(words: __m256i) -> __m256i {
    let first = _mm256_and_si256(words, _mm256_set1_epi32(0x7f));
    let second = _mm256_and_si256(_mm256_slli_epi32(words, 1), _mm256_set1_epi32(0x7f00));
    let third = _mm256_and_si256(_mm256_slli_epi32(words, 2), _mm256_set1_epi32(0x7f_0000));
    let last = _mm256_and_si256(_mm256_slli_epi32(words, 3), _mm256_set1_epi32(0x7f00_0000));
    _mm256_or_si256(_mm256_or_si256(first, second), _mm256_or_si256(third, last))
}

/// Bytes of seven bits with the eighth that makes the number of ones even.
#[inline]
#[target_feature(enable = "avx2")]
fn even(bytes: __m256i) -> __m256i {
    let odd = table(&[
        0, 128, 128, 0, 128, 0, 0, 128, 128, 0, 0, 128, 0, 128, 128, 0,
    ]);
    let nibbles = _mm256_xor_si256(bytes, _mm256_srli_epi16(bytes, 4));
    let nibbles = _mm256_and_si256(nibbles, _mm256_set1_epi8(15));
    _mm256_or_si256(bytes, _mm256_shuffle_epi8(odd, nibbles))
}

/// Eight words in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx2")]
fn words_of(x: __m256i) -> Kept<[i32; 8]> {
    Kept(spill(_mm256_castsi256_ps(x)).map(|word| word.to_bits().cast_signed()))
}

/// Numbers of 32 points from their lower and upper bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn numbers(place: &mut [u16; 32], lower: __m256i, upper: __m256i) {
    let (low, high) = (
        _mm256_unpacklo_epi8(lower, upper),
        _mm256_unpackhi_epi8(lower, upper),
    );
    let first = _mm256_permute2x128_si256(low, high, 0x20);
    stored(place, first, _mm256_permute2x128_si256(low, high, 0x31));
}

/// 32 numbers in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx2")]
fn stored(place: &mut [u16; 32], first: __m256i, second: __m256i) {
    let place = place.as_mut_ptr().cast::<__m256i>();
    // SAFETY: the first half of 32 numbers of two bytes; this store needs no alignment.
    unsafe { _mm256_storeu_si256(place, first) };
    // SAFETY: the second half of them begins 32 bytes further on.
    let place = unsafe { place.add(1) };
    // SAFETY: as with the first half.
    unsafe { _mm256_storeu_si256(place, second) };
}

/// Twice each level and one, times a unit.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn odd_times(levels: __m256i, unit: __m256) -> __m256 {
    let odd = _mm256_or_si256(_mm256_add_epi32(levels, levels), _mm256_set1_epi32(1));
    _mm256_mul_ps(_mm256_cvtepi32_ps(odd), unit)
}

/// The scales of eight groups from the upper four bits of their words: half more than those count.
#[inline]
#[target_feature(enable = "avx2")]
fn top_scales(words: __m256i, unit: __m256) -> Kept<[f32; 8]> {
    let levels = _mm256_cvtepi32_ps(_mm256_srli_epi32(words, 28));
    let levels = _mm256_add_ps(levels, _mm256_set1_ps(0.5));
    keep(_mm256_mul_ps(unit, levels))
}

/// The scales of the 16 groups of `iq2_xs` and `iq2_s`.
#[inline]
#[target_feature(enable = "avx2")]
fn nibble_scales(packed: &[u8; 8], unit: __m256) -> Kept<[f32; 16]> {
    let packed = load8(*packed);
    let nibble = _mm_set1_epi8(15);
    let low = _mm_and_si128(packed, nibble);
    let high = _mm_and_si128(_mm_srli_epi16(packed, 4), nibble);
    let both = _mm_unpacklo_epi8(low, high);
    keep_both(
        half_more(both, unit),
        half_more(_mm_srli_si128(both, 8), unit),
    )
}

/// A half more than each of eight levels, times a fourth of a unit.
#[inline]
#[target_feature(enable = "avx2")]
fn half_more(levels: __m128i, unit: __m256) -> __m256 {
    let levels = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(levels));
    let levels = _mm256_add_ps(levels, _mm256_set1_ps(0.5));
    let scale = _mm256_mul_ps(unit, levels);
    _mm256_mul_ps(scale, _mm256_set1_ps(0.25))
}
