//! Weights of one or two bits, taken out of their bytes by shifts.
//!
//! A shift brings every eighth or fourth weight to its place at once, so the vector is in that order.

use std::arch::x86_64::*;

use super::super::decode::lanes::load16;
use super::lanes::{
    add_scaled, ahead, columns, eight, signed, total, two_halves, unsigned_products, widen,
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
        let [[a0, a1, a @ ..], [b0, b1, b @ ..]] = blocks;
        let mut bits = _mm256_set_m128i(load16(b), load16(a));
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
    let mut sums = [_mm256_setzero_ps(); 2];
    let first = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    let second = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<4>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let [a, b, c, d] = blocks;
        // A block has two scales of the vector.
        let scales = eight(&y.scales);
        let low = _mm256_mul_ps(
            two_halves([a[0], a[1]], [b[0], b[1]]),
            _mm256_permutevar8x32_ps(scales, first),
        );
        let high = _mm256_mul_ps(
            two_halves([c[0], c[1]], [d[0], d[1]]),
            _mm256_permutevar8x32_ps(scales, second),
        );
        sums = [
            add_scaled(widen(quarters(a, b, y, 0)), low, sums[0]),
            add_scaled(widen(quarters(c, d, y, 1)), high, sums[1]),
        ];
    }
    total(_mm256_add_ps(sums[0], sums[1]))
}

/// Sums of eight products each of two blocks of `q2_0`, with half a step. At most 3 · 127 · 8 = 3048
/// before the levels, which are one too large, are brought down.
#[inline]
#[target_feature(enable = "avx2")]
fn quarters(a: &[u8; 18], b: &[u8; 18], y: &Step, half: usize) -> __m256i {
    let ([_, _, a @ ..], [_, _, b @ ..]) = (a, b);
    let mut bits = _mm256_set_m128i(load16(b), load16(a));
    let mut sums = _mm256_setzero_si256();
    for y in &y.levels[4 * half..][..4] {
        let level = _mm256_and_si256(bits, _mm256_set1_epi8(3));
        sums = _mm256_add_epi16(sums, unsigned_products(level, signed(y)));
        bits = _mm256_srli_epi16(bits, 2);
    }
    _mm256_sub_epi16(sums, columns(y, half, 1))
}
