//! Formats whose levels are points of a codebook: all of `iq1`, `iq2` and `iq3`.
//!
//! Magnitudes are unsigned as they stand in the codebook; the signs go to the vector. Scales are odd
//! integers, whose unit is a fraction of that of the block.

use std::arch::x86_64::*;

use super::super::decode::codebooks::{eightfold, eights, fours, negate, sevens, with_even_signs};
use super::super::decode::lanes::{load8, load16, load32};
use super::lanes::{
    add_scaled, ahead, places, scale_of, signed, signed_products, sixteen_scales, total, unit_of,
    unsigned_products,
};
use super::numbers::{apart, four_times, points, with_upper};
use crate::quant::codebook;
use crate::quant::dot::Step;

/// The scale of 16 products twice: an odd number from what is stored.
#[inline]
#[target_feature(enable = "avx2")]
fn odd(stored: u32) -> __m256i {
    _mm256_set1_epi16((2 * (stored & 15) + 1) as i16)
}

/// Multiplies blocks of `iq2_xxs`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq2_xxs(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<66>().0.iter().zip(steps) {
        ahead(block);
        let [d0, d1, groups @ ..] = block;
        let mut all = _mm256_setzero_si256();
        for (group, y) in groups.as_chunks::<8>().0.iter().zip(&y.levels) {
            let [p0, p1, p2, p3, b0, b1, b2, b3] = *group;
            let bits = u32::from_le_bytes([b0, b1, b2, b3]);
            let points = [p0, p1, p2, p3].map(|i| codebook::IQ2_XXS[usize::from(i)]);
            let y = with_even_signs(signed(y), sevens(bits));
            // Magnitudes are at most 43: 10922.
            let products = unsigned_products(eights(points), y);
            all = _mm256_add_epi32(all, _mm256_madd_epi16(products, odd(bits >> 28)));
        }
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    0.125 * total(sum)
}

/// Multiplies blocks of `iq2_xs`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq2_xs(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<74>().0.iter().zip(steps) {
        ahead(block);
        let [d0, d1, rest @ ..] = block;
        let (words, packed) = rest.split_at(64);
        let scales = odd_nibbles(packed.as_chunks().0[0]);
        let mut all = _mm256_setzero_si256();
        for (h, words) in words.as_chunks().0.iter().enumerate() {
            let words = load32(words);
            let (mut numbers, mut signs) = ([0; 16], [0; 16]);
            let low = _mm256_and_si256(words, _mm256_set1_epi16(511));
            let numbers = apart(low, &mut numbers).as_chunks::<4>().0.iter();
            let signs = apart(_mm256_srli_epi16(words, 9), &mut signs)
                .as_chunks::<4>()
                .0;
            for (k, (numbers, signs)) in numbers.zip(signs).enumerate() {
                let g = 4 * h + k;
                // SAFETY: nine bits number 512 points.
                let points = unsafe { points(&codebook::IQ2_XS, numbers) };
                let y = with_even_signs(signed(&y.levels[g]), signs.map(usize::from));
                // Magnitudes are at most 43: 10922.
                let products = unsigned_products(eights(points), y);
                let scale = scale_of(scales, &places[g]);
                all = _mm256_add_epi32(all, _mm256_madd_epi16(products, scale));
            }
        }
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    0.125 * total(sum)
}

/// Multiplies blocks of `iq2_s`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq2_s(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<82>().0.iter().zip(steps) {
        ahead(block);
        let [d0, d1, rest @ ..] = block;
        let (lower, rest) = rest.split_at(32);
        let (signs, rest) = rest.split_at(32);
        let (upper, packed) = rest.split_at(8);
        let scales = odd_nibbles(packed.as_chunks().0[0]);
        let (lower, upper) = (lower.as_chunks().0, upper.as_chunks::<4>().0);
        let mut all = _mm256_setzero_si256();
        for (h, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            let mut numbers = [0; 16];
            let [a, b, c, d] = *upper;
            let upper = four_times([a, 0, b, 0, c, 0, d, 0]);
            // Two bits of each byte to places 8 and 9.
            let all_numbers =
                with_upper::<1>(lower, upper, [1 << 9, 1 << 7, 1 << 5, 1 << 3], 0x300);
            let numbers = apart(all_numbers, &mut numbers).as_chunks::<4>().0;
            for (k, numbers) in numbers.iter().enumerate() {
                let g = 4 * h + k;
                // SAFETY: ten bits number 1024 points.
                let points = unsafe { points(&codebook::IQ2_S, numbers) };
                let signs = u32::from_le_bytes(signs.as_chunks().0[g]);
                let y = negate(signed(&y.levels[g]), signs);
                // Magnitudes are at most 43: 10922.
                let products = unsigned_products(eights(points), y);
                let scale = scale_of(scales, &places[g]);
                all = _mm256_add_epi32(all, _mm256_madd_epi16(products, scale));
            }
        }
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    0.125 * total(sum)
}

/// The scales of the 16 groups of `iq2_xs` and `iq2_s`, for [`scale_of`].
#[inline]
#[target_feature(enable = "avx2")]
fn odd_nibbles(packed: [u8; 8]) -> __m256i {
    let packed = load8(packed);
    let nibble = _mm_set1_epi8(15);
    let low = _mm_and_si128(packed, nibble);
    let high = _mm_and_si128(_mm_srli_epi16(packed, 4), nibble);
    let both = _mm_unpacklo_epi8(low, high);
    sixteen_scales(_mm_add_epi8(_mm_add_epi8(both, both), _mm_set1_epi8(1)))
}

/// Multiplies blocks of `iq3_xxs`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq3_xxs(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<98>().0.iter().zip(steps) {
        ahead(block);
        let [d0, d1, rest @ ..] = block;
        let (points, bits) = rest.split_at(64);
        let points = points.as_chunks::<8>().0.iter().zip(bits.as_chunks().0);
        let mut all = _mm256_setzero_si256();
        for ((points, bits), y) in points.zip(&y.levels) {
            let bits = u32::from_le_bytes(*bits);
            let points = points.map(|i| codebook::IQ3_XXS[usize::from(i)]);
            let y = with_even_signs(signed(y), sevens(bits));
            // Magnitudes are at most 62: 15748.
            let products = unsigned_products(fours(points), y);
            all = _mm256_add_epi32(all, _mm256_madd_epi16(products, odd(bits >> 28)));
        }
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    0.25 * total(sum)
}

/// Multiplies blocks of `iq3_s`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq3_s(blocks: &[u8], steps: &[Step]) -> f32 {
    let bit = |i: u32| (1u16 << i).cast_signed();
    let bits = _mm256_setr_epi16(
        bit(0),
        bit(1),
        bit(2),
        bit(3),
        bit(4),
        bit(5),
        bit(6),
        bit(7),
        bit(8),
        bit(9),
        bit(10),
        bit(11),
        bit(12),
        bit(13),
        bit(14),
        bit(15),
    );
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<110>().0.iter().zip(steps) {
        ahead(block);
        let [d0, d1, rest @ ..] = block;
        let (lower, rest) = rest.split_at(64);
        let (ninth, rest) = rest.split_at(8);
        let (signs, packed) = rest.split_at(32);
        let (lower, ninth) = (lower.as_chunks().0, ninth.as_chunks().0);
        let mut all = _mm256_setzero_si256();
        for (h, (lower, ninth)) in lower.iter().zip(ninth).enumerate() {
            // A bit for each of 16 points, to place 8.
            let ninth = _mm256_set1_epi16(i16::from_le_bytes(*ninth));
            let is_set = _mm256_cmpeq_epi16(_mm256_and_si256(ninth, bits), bits);
            let high = _mm256_and_si256(is_set, _mm256_set1_epi16(256));
            let mut numbers = [0; 16];
            let low = _mm256_cvtepu8_epi16(load16(lower));
            let numbers = apart(_mm256_or_si256(low, high), &mut numbers);
            for (k, numbers) in numbers.as_chunks::<8>().0.iter().enumerate() {
                let g = 2 * h + k;
                let scale = odd(u32::from(packed[h] >> (4 * k)));
                // SAFETY: nine bits number 512 points.
                let points = unsafe { points(&codebook::IQ3_S, numbers) };
                let signs = u32::from_le_bytes(signs.as_chunks().0[g]);
                let y = negate(signed(&y.levels[g]), signs);
                // Magnitudes are at most 15: 3810.
                let products = unsigned_products(fours(points), y);
                all = _mm256_add_epi32(all, _mm256_madd_epi16(products, scale));
            }
        }
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    total(sum)
}

/// Multiplies blocks of `iq1_s`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq1_s(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<50>().0.iter().zip(steps) {
        ahead(block);
        let [d0, d1, rest @ ..] = block;
        let (lower, upper) = rest.split_at(32);
        let (lower, upper) = (lower.as_chunks().0, upper.as_chunks::<8>().0);
        let mut all = _mm256_setzero_si256();
        for (h, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            let mut numbers = [0; 16];
            // Three bits of each word to place 8.
            let powers = [1 << 9, 1 << 6, 1 << 3, 1];
            let all_numbers = with_upper::<1>(lower, four_times(*upper), powers, 0x700);
            let numbers = apart(all_numbers, &mut numbers).as_chunks::<4>().0;
            for (k, (numbers, upper)) in numbers.iter().zip(upper.as_chunks().0).enumerate() {
                let upper = u16::from_le_bytes(*upper);
                let scale = odd(u32::from(upper >> 12 & 7));
                // SAFETY: eleven bits number 2048 points.
                let points = unsafe { points(&codebook::IQ1, numbers) };
                // Levels count eighths and are within ±9.
                let shift = _mm256_set1_epi8(if upper & 0x8000 != 0 { -1 } else { 1 });
                let levels = _mm256_add_epi8(eightfold(points), shift);
                let products = signed_products(levels, signed(&y.levels[4 * h + k]));
                all = _mm256_add_epi32(all, _mm256_madd_epi16(products, scale));
            }
        }
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    0.125 * total(sum)
}

/// Multiplies blocks of `iq1_m`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq1_m(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<56>().0.iter().zip(steps) {
        ahead(block);
        let (lower, rest) = block.split_at(32);
        let (upper, packed) = rest.split_at(16);
        let packed = u64::from_le_bytes(packed.as_chunks().0[0]);
        let piece = |i: u32| (packed >> (16 * i + 12) & 15) << (4 * i);
        let [d0, d1, ..] = (piece(0) | piece(1) | piece(2) | piece(3)).to_le_bytes();
        let (lower, upper) = (lower.as_chunks().0, upper.as_chunks::<8>().0);
        let mut all = _mm256_setzero_si256();
        for (h, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            let mut numbers = [0; 16];
            // Four nibbles a word: three upper bits of the number, to place 8, one for the shift.
            let powers = [1 << 12, 1 << 8, 1 << 4, 1];
            let all_numbers = with_upper::<4>(lower, four_times(*upper), powers, 0x700);
            let numbers = apart(all_numbers, &mut numbers).as_chunks::<4>().0;
            for (k, (numbers, upper)) in numbers.iter().zip(upper.as_chunks().0).enumerate() {
                let g = 4 * h + k;
                let bits = packed >> (16 * (g / 2) + 6 * (g % 2));
                let (first, second) = (2 * (bits & 7) + 1, 2 * (bits >> 3 & 7) + 1);
                let scale =
                    _mm256_set_m128i(_mm_set1_epi16(second as i16), _mm_set1_epi16(first as i16));
                // SAFETY: eleven bits number 2048 points.
                let points = unsafe { points(&codebook::IQ1, numbers) };
                let bits_of_shifts = _mm256_setr_epi64x(0x0008, 0x0080, 0x0800, 0x8000);
                let upper = i64::from(u16::from_le_bytes(*upper));
                let down = _mm256_and_si256(_mm256_set1_epi64x(upper), bits_of_shifts);
                let down = _mm256_cmpeq_epi64(down, bits_of_shifts);
                // All ones are -1 already. Levels count eighths and are within ±9.
                let shift = _mm256_or_si256(down, _mm256_set1_epi8(1));
                let levels = _mm256_add_epi8(eightfold(points), shift);
                let products = signed_products(levels, signed(&y.levels[g]));
                all = _mm256_add_epi32(all, _mm256_madd_epi16(products, scale));
            }
        }
        let unit = unit_of(d0, d1, y);
        sum = add_scaled(all, unit, sum);
    }
    0.125 * total(sum)
}
