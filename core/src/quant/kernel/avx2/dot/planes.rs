//! Weights of one or two bits, taken out of their bytes by shifts.
//!
//! A shift brings every eighth or fourth weight to its place at once, so the vector is in that order.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::super::decode::lanes::load16;
use super::lanes::{
    add_scaled, ahead, eight, group_totals, join, side_by_side, signed, total, two_halves,
    unsigned_products, widen, window,
};
use crate::quant::dot::Step;

/// Multiplies blocks of `q1_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q1_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sums = _mm256_setzero_ps();
    let mut offset = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<2>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let [[a0, a1, ..], [b0, b1, ..]] = blocks;
        let mut bits = side_by_side(blocks.as_flattened(), 2, 20);
        // Bits are 0 or 1: at most 8 · 2 · 127 = 2032.
        let mut ones = _mm256_setzero_si256();
        for y in &y.levels {
            let bit = _mm256_and_si256(bits, _mm256_set1_epi8(1));
            ones = _mm256_add_epi16(ones, unsigned_products(bit, signed(y)));
            bits = _mm256_srli_epi16(bits, 1);
        }
        // Four bytes are 32 weights: each sum has a scale of the vector.
        let scales = two_halves([*a0, *a1], [*b0, *b1]);
        sums = add_scaled(widen(ones), _mm256_mul_ps(scales, eight(&y.scales)), sums);
        offset = _mm256_fmadd_ps(scales, eight(&y.sums), offset);
    }
    // A one counts 1 and a zero -1, so ones count twice what zeros leave.
    total(_mm256_fmsub_ps(_mm256_set1_ps(2.0), sums, offset))
}

/// Multiplies blocks of `q2_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q2_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    // A compiler that knew it would make several instructions of the shuffle.
    let twice = load16(black_box(&TWICE));
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<4>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let bytes = blocks.as_flattened();
        let around = |i: usize| load16(window(bytes, 16 * i));
        let four = _mm_blend_epi16::<0b0010>(around(0), around(1));
        let four = _mm_blend_epi16::<0b0100>(four, around(2));
        let four = _mm_blend_epi16::<0b1000>(four, around(3));
        // A block has two scales of the vector.
        let scales = _mm256_cvtph_ps(_mm_shuffle_epi8(four, twice));
        let scales = _mm256_mul_ps(scales, eight(&y.scales));
        let y_levels = y.levels.as_chunks().0;
        let first = quarters(side_by_side(bytes, 2, 38), &y_levels[0]);
        let second = quarters(side_by_side(bytes, 20, 56), &y_levels[1]);
        // Levels are one too large.
        let sums = _mm256_sub_epi32(widen(join(first, second)), group_totals(y, 1));
        sum = add_scaled(sums, scales, sum);
    }
    total(sum)
}

/// Each of the first four words twice.
const TWICE: [u8; 16] = [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7];

/// Sums of eight products each of a block of `q2_0` and the second after it. At most 3 · 127 · 8 = 3048.
#[inline]
#[target_feature(enable = "avx2")]
fn quarters(bits: __m256i, y: &[[i8; 32]; 4]) -> __m256i {
    // Two of the four are left where they stand, four times as large: at most 12 · 127 · 4 = 6096.
    let (in_place, above) = (_mm256_set1_epi8(0b11), _mm256_set1_epi8(0b1100));
    let upper = _mm256_srli_epi16(bits, 4);
    let products = |bits: __m256i, mask: __m256i, y: &[i8; 32]| {
        unsigned_products(_mm256_and_si256(bits, mask), signed(y))
    };
    let once = _mm256_add_epi16(
        products(bits, in_place, &y[0]),
        products(upper, in_place, &y[2]),
    );
    let four_times = _mm256_add_epi16(products(bits, above, &y[1]), products(upper, above, &y[3]));
    _mm256_add_epi16(once, _mm256_srai_epi16(four_times, 2))
}
