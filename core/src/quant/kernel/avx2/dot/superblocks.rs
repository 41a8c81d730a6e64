//! Super-blocks of 256 with scales of integers: `q2_k` to `q6_k`.
//!
//! Sums of products in 16 bits are multiplied with the scale of their group and added in one
//! instruction. What is subtracted from all levels of a group, or its minimum, is multiplied with the
//! sum of the vector there.

use std::arch::x86_64::*;

use super::super::decode::affine::six_bit_levels;
use super::super::decode::lanes::{load8, load16, load32};
use super::super::decode::symmetric::three_bit_scales;
use super::lanes::{
    add_scaled, ahead, eight_scales, places, scale_of, signed, sixteen_scales, total, totals,
    unit_of, unsigned_products,
};
use crate::quant::dot::Step;

/// Adds the products of a group, of at most 32512, times its scales.
#[inline]
#[target_feature(enable = "avx2")]
fn add_group(to: __m256i, levels: __m256i, y: &[i8; 32], scales: __m256i) -> __m256i {
    let products = unsigned_products(levels, signed(y));
    _mm256_add_epi32(to, _mm256_madd_epi16(products, scales))
}

/// Multiplies blocks of `q2_k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q2_k(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let (mut sum, mut offset) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    for (block, y) in blocks.as_chunks::<84>().0.iter().zip(steps) {
        ahead(block);
        let [head @ .., d0, d1, m0, m1] = block;
        let (head, levels) = head.split_at(16);
        let pairs = load16(&head.as_chunks().0[0]);
        let nibble = _mm_set1_epi8(15);
        let scales = sixteen_scales(_mm_and_si128(pairs, nibble));
        let mins = _mm256_cvtepu8_epi16(_mm_and_si128(_mm_srli_epi16(pairs, 4), nibble));
        let mut all = _mm256_setzero_si256();
        for (n, packed) in levels.as_chunks().0.iter().enumerate() {
            let mut packed = load32(packed);
            for k in 0..4 {
                let g = 4 * n + k;
                let levels = _mm256_and_si256(packed, _mm256_set1_epi8(3));
                all = add_group(all, levels, &y.levels[g], scale_of(scales, &places[g]));
                packed = _mm256_srli_epi16(packed, 2);
            }
        }
        let unit = unit_of(*d0, *d1, y);
        let min_unit = unit_of(*m0, *m1, y);
        sum = add_scaled(all, unit, sum);
        offset = add_scaled(_mm256_madd_epi16(mins, totals(y)), min_unit, offset);
    }
    total(_mm256_sub_ps(sum, offset))
}

/// Multiplies blocks of `q3_k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q3_k(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<110>().0.iter().zip(steps) {
        ahead(block);
        let [levels @ .., d0, d1] = block;
        let (levels, packed) = levels.split_at(96);
        let bytes = three_bit_scales(packed);
        let scales = sixteen_scales(bytes);
        let levels = levels.as_chunks().0;
        // The upper bit of each group to where 4 counts.
        let upper = load32(&levels[0]);
        let upper = [
            _mm256_slli_epi16(upper, 2),
            _mm256_slli_epi16(upper, 1),
            upper,
            _mm256_srli_epi16(upper, 1),
            _mm256_srli_epi16(upper, 2),
            _mm256_srli_epi16(upper, 3),
            _mm256_srli_epi16(upper, 4),
            _mm256_srli_epi16(upper, 5),
        ];
        let mut all = _mm256_setzero_si256();
        for (n, packed) in levels[1..].iter().enumerate() {
            let mut packed = load32(packed);
            for k in 0..4 {
                let g = 4 * n + k;
                let level = _mm256_or_si256(
                    _mm256_and_si256(packed, _mm256_set1_epi8(3)),
                    _mm256_and_si256(upper[g], _mm256_set1_epi8(4)),
                );
                all = add_group(all, level, &y.levels[g], scale_of(scales, &places[g]));
                packed = _mm256_srli_epi16(packed, 2);
            }
        }
        // Levels are 4 too large.
        let more = _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), totals(y));
        let all = _mm256_sub_epi32(all, _mm256_slli_epi32(more, 2));
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    total(sum)
}

/// Multiplies blocks of `q4_k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q4_k(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let (mut sum, mut offset) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    for (block, y) in blocks.as_chunks::<144>().0.iter().zip(steps) {
        ahead(block);
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let [scales, mins] = six_bit_levels(&head[0]);
        let scales = eight_scales(load8(scales));
        let pairs = levels.as_flattened().as_chunks::<32>().0;
        let nibble = _mm256_set1_epi8(15);
        let mut all = _mm256_setzero_si256();
        for (p, pairs) in pairs.iter().enumerate() {
            let pairs = load32(pairs);
            let low = _mm256_and_si256(pairs, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16(pairs, 4), nibble);
            let g = 2 * p;
            all = add_group(all, low, &y.levels[g], scale_of(scales, &places[g]));
            all = add_group(
                all,
                high,
                &y.levels[g + 1],
                scale_of(scales, &places[g + 1]),
            );
        }
        sum = add_scaled(all, unit_of(head[0][0], head[0][1], y), sum);
        offset = add_scaled(minima(mins, y), unit_of(head[0][2], head[0][3], y), offset);
    }
    total(_mm256_sub_ps(sum, offset))
}

/// Multiplies blocks of `q5_k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q5_k(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let (mut sum, mut offset) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    for (block, y) in blocks.as_chunks::<176>().0.iter().zip(steps) {
        ahead(block);
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let [scales, mins] = six_bit_levels(&head[0]);
        let scales = eight_scales(load8(scales));
        let (upper, pairs) = levels.as_flattened().as_chunks::<32>().0.split_at(1);
        // The upper bit of each group to where 16 counts.
        let upper = load32(&upper[0]);
        let upper = [
            _mm256_slli_epi16(upper, 4),
            _mm256_slli_epi16(upper, 3),
            _mm256_slli_epi16(upper, 2),
            _mm256_slli_epi16(upper, 1),
            upper,
            _mm256_srli_epi16(upper, 1),
            _mm256_srli_epi16(upper, 2),
            _mm256_srli_epi16(upper, 3),
        ];
        let (nibble, sixteen) = (_mm256_set1_epi8(15), _mm256_set1_epi8(16));
        let mut all = _mm256_setzero_si256();
        for (p, pairs) in pairs.iter().enumerate() {
            let pairs = load32(pairs);
            let low = _mm256_and_si256(pairs, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16(pairs, 4), nibble);
            let g = 2 * p;
            let low = _mm256_or_si256(low, _mm256_and_si256(upper[g], sixteen));
            let high = _mm256_or_si256(high, _mm256_and_si256(upper[g + 1], sixteen));
            all = add_group(all, low, &y.levels[g], scale_of(scales, &places[g]));
            all = add_group(
                all,
                high,
                &y.levels[g + 1],
                scale_of(scales, &places[g + 1]),
            );
        }
        sum = add_scaled(all, unit_of(head[0][0], head[0][1], y), sum);
        offset = add_scaled(minima(mins, y), unit_of(head[0][2], head[0][3], y), offset);
    }
    total(_mm256_sub_ps(sum, offset))
}

/// Minima of groups of 32 times the sums of the vector there.
#[inline]
#[target_feature(enable = "avx2")]
fn minima(mins: [u8; 8], y: &Step) -> __m256i {
    let mins = load8(mins);
    let twice = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(mins, mins));
    _mm256_madd_epi16(twice, totals(y))
}

/// Multiplies blocks of `q6_k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q6_k(blocks: &[u8], steps: &[Step]) -> f32 {
    let places = places();
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<210>().0.iter().zip(steps) {
        ahead(block);
        let [levels @ .., d0, d1] = block;
        let (levels, scales) = levels.split_at(192);
        let bytes = load16(&scales.as_chunks().0[0]);
        let scales = sixteen_scales(bytes);
        let (lower, upper) = levels.as_chunks().0.split_at(4);
        // A product is at most 2 · 63 · 127 = 16002, with its scale 2048256, 16 times 33 million.
        let mut all = _mm256_setzero_si256();
        for (n, upper) in upper.iter().enumerate() {
            let (first, second) = (load32(&lower[2 * n]), load32(&lower[2 * n + 1]));
            let upper = load32(upper);
            // The upper bits to the places above a nibble; what comes along is cleared.
            let quarters = [
                (first, _mm256_slli_epi16(upper, 4)),
                (second, _mm256_slli_epi16(upper, 2)),
                (_mm256_srli_epi16(first, 4), upper),
                (_mm256_srli_epi16(second, 4), _mm256_srli_epi16(upper, 2)),
            ];
            for (k, (lower, upper)) in quarters.into_iter().enumerate() {
                let level = _mm256_or_si256(
                    _mm256_and_si256(lower, _mm256_set1_epi8(15)),
                    _mm256_and_si256(upper, _mm256_set1_epi8(0x30)),
                );
                let g = 4 * n + k;
                all = add_group(all, level, &y.levels[g], scale_of(scales, &places[g]));
            }
        }
        // Levels are 32 too large.
        let more = _mm256_madd_epi16(_mm256_cvtepi8_epi16(bytes), totals(y));
        let all = _mm256_sub_epi32(all, _mm256_slli_epi32(more, 5));
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    total(sum)
}
