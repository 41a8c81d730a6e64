//! Super-blocks of 256 weights of three levels: `tq1_0` and `tq2_0`.

use std::arch::x86_64::*;

use super::super::decode::lanes::{load16, load32};
use super::super::decode::ternary::{digit, times_three};
use super::lanes::{add_scaled, ahead, columns, signed, total, unit_of, unsigned_products, widen};
use crate::quant::dot::Step;

/// Multiplies blocks of `tq2_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn tq2_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<66>().0.iter().zip(steps) {
        ahead(block);
        let [packed @ .., d0, d1] = block;
        // Levels are 0 to 3: at most 8 · 2 · 3 · 127 = 6096. The sum of the vector is at most 2032.
        let mut all = _mm256_setzero_si256();
        let halves = packed.as_chunks::<32>().0.iter();
        for (packed, y) in halves.zip(y.levels.as_chunks::<4>().0) {
            let mut packed = load32(packed);
            for y in y {
                let level = _mm256_and_si256(packed, _mm256_set1_epi8(3));
                all = _mm256_add_epi16(all, unsigned_products(level, signed(y)));
                packed = _mm256_srli_epi16(packed, 2);
            }
        }
        let all = widen(_mm256_sub_epi16(all, columns(y)));
        let unit = unit_of(*d0, *d1, y);
        sum = add_scaled(all, unit, sum);
    }
    total(sum)
}

/// Multiplies blocks of `tq1_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn tq1_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<54>().0.iter().zip(steps) {
        ahead(block);
        // Levels are -1 to 1: at most 8 · 2 · 127 = 2032.
        let mut all = _mm256_setzero_si256();
        let mut bytes = load32(&block[..32].as_chunks().0[0]);
        for y in &y.levels[..5] {
            all = _mm256_add_epi16(all, products(digit(bytes), y));
            bytes = times_three(bytes);
        }
        let bytes = load16(&block[32..48].as_chunks().0[0]);
        let mut digits = [bytes; 5];
        for n in 1..5 {
            digits[n] = _mm256_castsi256_si128(times_three(_mm256_castsi128_si256(digits[n - 1])));
        }
        // The fifth digits of 16 bytes, then four digits of four bytes.
        let bytes = [block[48], block[49], block[50], block[51]];
        let one = _mm256_castsi128_si256(_mm_cvtsi32_si128(i32::from_le_bytes(bytes)));
        let three = times_three(one);
        let nine = times_three(three);
        let low = _mm256_unpacklo_epi32(one, three);
        let high = _mm256_unpacklo_epi32(nine, times_three(nine));
        let four = _mm256_castsi256_si128(_mm256_unpacklo_epi64(low, high));
        let rest = [
            _mm256_set_m128i(digits[1], digits[0]),
            _mm256_set_m128i(digits[3], digits[2]),
            _mm256_set_m128i(four, digits[4]),
        ];
        for (bytes, y) in rest.into_iter().zip(&y.levels[5..]) {
            all = _mm256_add_epi16(all, products(digit(bytes), y));
        }
        let unit = unit_of(block[52], block[53], y);
        sum = add_scaled(widen(all), unit, sum);
    }
    total(sum)
}

/// Sums of two products each of levels of -1, 0 and 1.
#[inline]
#[target_feature(enable = "avx2")]
fn products(levels: __m256i, y: &[i8; 32]) -> __m256i {
    _mm256_maddubs_epi16(_mm256_set1_epi8(1), _mm256_sign_epi8(signed(y), levels))
}
