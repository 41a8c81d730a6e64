//! Formats whose levels are points of a codebook, shifted up or down: `iq1_s` and `iq1_m`.
//!
//! A point is widened on its way from the table; the numbers of the points, the scales and the shifts
//! of a block are found at once.

use std::arch::x86_64::*;

use super::lanes::{Sink, all, half_each, load8, load16, number, store};
use super::points::odd_times;
use crate::quant::codebook;

/// Blocks for which everything is found before the first is written: the way from the bytes of a block to
/// its first weights is long, and the next block would not be begun meanwhile.
const BATCH: usize = 4;

/// What is found for a block, per 32 weights: the numbers of four points, shifts and scales for one part
/// or several.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Found<const SHIFTS: usize, const SCALES: usize> {
    numbers: [[u16; 4]; 8],
    shifts: [[f32; SHIFTS]; 8],
    scales: [[f32; SCALES]; 8],
}

impl<const SHIFTS: usize, const SCALES: usize> Found<SHIFTS, SCALES> {
    const NOTHING: Self = Found {
        numbers: [[0; 4]; 8],
        shifts: [[0.0; SHIFTS]; 8],
        scales: [[0.0; SCALES]; 8],
    };
}

/// Decodes blocks of `iq1_s`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq1_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let batches = blocks.as_chunks::<50>().0.chunks(BATCH);
    let mut found = [Found::<1, 1>::NOTHING; BATCH];
    for (blocks, out) in batches.zip(out.as_chunks_mut().0.chunks_mut(BATCH)) {
        for ([d0, d1, rest @ ..], found) in blocks.iter().zip(&mut found) {
            let (lower, upper) = rest.as_chunks::<16>().0.split_at(2);
            let words = load16(&upper[0]);
            let wide = _mm256_cvtepu16_epi32(words);
            let levels = _mm256_and_si256(_mm256_srli_epi32(wide, 12), _mm256_set1_epi32(7));
            let scales = odd_times(levels, half_each(*d0, *d1));
            keep(
                &mut found.scales.as_flattened_mut().as_chunks_mut().0[0],
                scales,
            );
            let shifts = shifts(_mm256_slli_epi32(wide, 16));
            keep(
                &mut found.shifts.as_flattened_mut().as_chunks_mut().0[0],
                shifts,
            );
            let numbers = found.numbers.as_flattened_mut().as_chunks_mut().0;
            join(&mut numbers[0], load16(&lower[0]), three_bits(words));
            join(
                &mut numbers[1],
                load16(&lower[1]),
                three_bits(_mm_srli_si128(words, 8)),
            );
        }
        write(&found, out);
    }
}

/// Of four words, their four times three lower bits, as words at the places 8 to 10.
#[inline]
#[target_feature(enable = "avx2")]
fn three_bits(words: __m128i) -> __m256i {
    // Each word four times, so that each point has one.
    let copies = _mm256_setr_epi64x(
        0x0100_0100_0100_0100,
        0x0302_0302_0302_0302,
        0x0504_0504_0504_0504,
        0x0706_0706_0706_0706,
    );
    let words = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(words), copies);
    // To the left by 8, 5 and 2 as products; to the right by 1.
    let factors = _mm256_set1_epi64x(0x0000_0004_0020_0100);
    let left = _mm256_mullo_epi16(words, factors);
    let moved = _mm256_blend_epi16(left, _mm256_srli_epi16(words, 1), 0b1000_1000);
    _mm256_and_si256(moved, _mm256_set1_epi16(0x700))
}

/// Decodes blocks of `iq1_m`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq1_m<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let batches = blocks.as_chunks::<56>().0.chunks(BATCH);
    let bits = _mm256_setr_epi32(0, 3, 6, 9, 0, 3, 6, 9);
    let halves = [
        _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1),
        _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3),
    ];
    let mut found = [Found::<4, 2>::NOTHING; BATCH];
    for (blocks, out) in batches.zip(out.as_chunks_mut().0.chunks_mut(BATCH)) {
        for (block, found) in blocks.iter().zip(&mut found) {
            let (points, packed) = block.as_chunks::<16>();
            let [first, second, upper] = [&points[0], &points[1], &points[2]];
            let packed = packed.as_chunks().0[0];
            let unit = four_nibbles(packed);
            // Four times three bits of each of four words.
            let words = _mm256_cvtepu16_epi32(load8(packed));
            let scales = found.scales.as_flattened_mut().as_chunks_mut().0;
            for (scales, half) in scales.iter_mut().zip(halves) {
                let levels = _mm256_srlv_epi32(_mm256_permutevar8x32_epi32(words, half), bits);
                let levels = _mm256_and_si256(levels, _mm256_set1_epi32(7));
                keep(scales, odd_times(levels, unit));
            }
            // A nibble for each point: three upper bits of its number, one for its shift.
            let upper = load16(upper);
            let low = _mm_and_si128(upper, _mm_set1_epi8(15));
            let high = _mm_and_si128(_mm_srli_epi16(upper, 4), _mm_set1_epi8(15));
            let (one, two) = (_mm_unpacklo_epi8(low, high), _mm_unpackhi_epi8(low, high));
            let numbers = found.numbers.as_flattened_mut().as_chunks_mut().0;
            join(&mut numbers[0], load16(first), nibble_bits(one));
            join(&mut numbers[1], load16(second), nibble_bits(two));
            let shifts = found.shifts.as_flattened_mut().as_chunks_mut().0;
            keep(&mut shifts[0], nibble_shifts(one));
            keep(&mut shifts[1], nibble_shifts(_mm_srli_si128(one, 8)));
            keep(&mut shifts[2], nibble_shifts(two));
            keep(&mut shifts[3], nibble_shifts(_mm_srli_si128(two, 8)));
        }
        write(&found, out);
    }
}

/// The unit of a block of `iq1_m`: its nibbles are the upper ones of four words.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn four_nibbles(packed: [u8; 8]) -> __m256 {
    let word = u64::from_le_bytes(packed);
    let unit = word >> 12 & 0xf | word >> 24 & 0xf0 | word >> 36 & 0xf00 | word >> 48 & 0xf000;
    let [d0, d1, ..] = unit.to_le_bytes();
    half_each(d0, d1)
}

/// Of 16 bytes, the lower three bits, as words at the places 8 to 10.
#[inline]
#[target_feature(enable = "avx2")]
fn nibble_bits(nibbles: __m128i) -> __m256i {
    let words = _mm256_slli_epi16(_mm256_cvtepu8_epi16(nibbles), 8);
    _mm256_and_si256(words, _mm256_set1_epi16(0x700))
}

/// The shifts of eight points from the fourth bits of their bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn nibble_shifts(nibbles: __m128i) -> __m256 {
    shifts(_mm256_slli_epi32(_mm256_cvtepu8_epi32(nibbles), 28))
}

/// An eighth, negative where the upper bit is set.
#[inline]
#[target_feature(enable = "avx2")]
fn shifts(bits: __m256i) -> __m256 {
    let sign = _mm256_and_ps(_mm256_castsi256_ps(bits), _mm256_set1_ps(-0.0));
    _mm256_or_ps(sign, _mm256_set1_ps(0.125))
}

/// Keeps eight floats.
#[inline]
#[target_feature(enable = "avx2")]
fn keep(place: &mut [f32; 8], x: __m256) {
    // SAFETY: eight floats; this store needs no alignment.
    unsafe { _mm256_storeu_ps(place.as_mut_ptr(), x) };
}

/// Keeps the numbers of 16 points, from their lower bytes and their upper bits in place.
#[inline]
#[target_feature(enable = "avx2")]
fn join(place: &mut [u16; 16], lower: __m128i, upper: __m256i) {
    let numbers = _mm256_or_si256(_mm256_cvtepu8_epi16(lower), upper);
    // SAFETY: 16 numbers of two bytes; this store needs no alignment.
    unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), numbers) };
}

/// Writes the weights of some blocks: points plus their shifts, times their scales.
#[inline]
#[target_feature(enable = "avx2")]
fn write<S: Sink, const SHIFTS: usize, const SCALES: usize>(
    found: &[Found<SHIFTS, SCALES>; BATCH],
    out: &mut [[S; 64]],
) {
    for (found, out) in found.iter().zip(out) {
        let groups = found.numbers.iter().zip(&found.shifts).zip(&found.scales);
        for (((numbers, shifts), scales), out) in groups.zip(out.as_chunks_mut::<8>().0) {
            for (k, (place, out)) in numbers.iter().zip(out.as_chunks_mut().0).enumerate() {
                let point = codebook::IQ1[number(place) & 2047].map(i8::cast_unsigned);
                let levels = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load8(point)));
                // Exact, as every sum of a level and an eighth is.
                let levels = _mm256_add_ps(levels, all(&shifts[k * SHIFTS / 4]));
                store(out, _mm256_mul_ps(levels, all(&scales[k * SCALES / 4])));
            }
        }
    }
}
