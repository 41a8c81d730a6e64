//! Blocks of 32 with a scale of their own: nibbles, five bits, and bytes.
//!
//! A register holds the nibbles of a block and of the fourth after it, so the vector is in that order, and what
//! is added up of eight blocks comes out in theirs: one sum for each, as there is one scale. What is subtracted
//! from all levels of a block is subtracted from its sum, as often as the vector says.

use std::arch::x86_64::*;

use super::super::decode::lanes::load32;
use super::lanes::{
    add_scaled, ahead, eight, group_totals, halves, join, join_wide, side_by_side, signed,
    signed_products, total, unsigned_products, widen, window,
};
use crate::quant::dot::Step;

/// The low and the high nibbles at a place in two blocks: one of the first four, and the fourth after it.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn nibbles<const BYTES: usize>(
    blocks: &[[u8; BYTES]; 8],
    block: usize,
    at: usize,
) -> [__m256i; 2] {
    let first = block * BYTES + at;
    let both = side_by_side(blocks.as_flattened(), first, first + 4 * BYTES);
    let nibble = _mm256_set1_epi8(15);
    [
        _mm256_and_si256(both, nibble),
        _mm256_and_si256(_mm256_srli_epi16(both, 4), nibble),
    ]
}

/// The nibbles with a fifth bit above each, from the four bytes before them.
#[inline]
#[target_feature(enable = "avx2")]
fn five_bits<const BYTES: usize>(
    blocks: &[[u8; BYTES]; 8],
    block: usize,
    at: usize,
) -> [__m256i; 2] {
    let bits = |block: usize| {
        let [a, b, c, d] = *window(&blocks[block], at - 4);
        _mm_set1_epi32(i32::from_le_bytes([a, b, c, d]))
    };
    let upper = _mm256_set_m128i(bits(block + 4), bits(block));
    let [low, high] = nibbles(blocks, block, at);
    let first = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0101_0101_0101_0101, 0));
    let second = _mm256_add_epi8(first, _mm256_set1_epi8(2));
    [
        _mm256_or_si256(low, sixteens(upper, first)),
        _mm256_or_si256(high, sixteens(upper, second)),
    ]
}

/// 16 where a bit is set, in the byte at each place.
#[inline]
#[target_feature(enable = "avx2")]
fn sixteens(bits: __m256i, places: __m256i) -> __m256i {
    let each = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let kept = _mm256_and_si256(_mm256_shuffle_epi8(bits, places), each);
    _mm256_and_si256(_mm256_cmpeq_epi8(kept, each), _mm256_set1_epi8(16))
}

/// Sums of four products each of two blocks. At most 31 · 127 · 4 = 15748.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn products([low, high]: [__m256i; 2], y: &[[i8; 32]; 2]) -> __m256i {
    let low = unsigned_products(low, signed(&y[0]));
    let high = unsigned_products(high, signed(&y[1]));
    _mm256_add_epi16(low, high)
}

/// The sum of the products of each of eight blocks, two in each register of [`products`].
///
/// At most 15 · 127 · 16 = 30480 where levels are nibbles.
#[inline]
#[target_feature(enable = "avx2")]
fn sums_of_nibbles([a, b, c, d]: [__m256i; 4]) -> __m256i {
    widen(join(join(a, b), join(c, d)))
}

/// As [`sums_of_nibbles`], for levels up to 31: at most 31496 before they are widened.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sums_of_levels([a, b, c, d]: [__m256i; 4]) -> __m256i {
    join_wide(widen(join(a, b)), widen(join(c, d)))
}

/// Multiplies blocks of `q4_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q4_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, y) in y.levels.as_chunks().0.iter().enumerate() {
            four[i] = products(nibbles(blocks, i, 2), y);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        let sums = _mm256_sub_epi32(sums_of_nibbles(four), group_totals(y, 8));
        sum = add_scaled(sums, scales, sum);
    }
    total(sum)
}

/// Multiplies blocks of `q4_1`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q4_1(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    let mut offset = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<20>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, y) in y.levels.as_chunks().0.iter().enumerate() {
            four[i] = products(nibbles(blocks, i, 4), y);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sum = add_scaled(sums_of_nibbles(four), scales, sum);
        offset = _mm256_fmadd_ps(halves(blocks, 2), eight(&y.sums), offset);
    }
    total(_mm256_add_ps(sum, offset))
}

/// Multiplies blocks of `q5_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q5_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<22>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, y) in y.levels.as_chunks().0.iter().enumerate() {
            four[i] = products(five_bits(blocks, i, 6), y);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        let sums = _mm256_sub_epi32(sums_of_levels(four), group_totals(y, 16));
        sum = add_scaled(sums, scales, sum);
    }
    total(sum)
}

/// Multiplies blocks of `q5_1`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q5_1(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    let mut offset = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<24>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, y) in y.levels.as_chunks().0.iter().enumerate() {
            four[i] = products(five_bits(blocks, i, 8), y);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sum = add_scaled(sums_of_levels(four), scales, sum);
        offset = _mm256_fmadd_ps(halves(blocks, 2), eight(&y.sums), offset);
    }
    total(_mm256_add_ps(sum, offset))
}

/// Multiplies blocks of `q8_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q8_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sum = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<34>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut eight_sums = [_mm256_setzero_si256(); 8];
        for (sums, ([_, _, levels @ ..], y)) in
            eight_sums.iter_mut().zip(blocks.iter().zip(&y.levels))
        {
            *sums = widen(signed_products(load32(levels), signed(y)));
        }
        let [a, b, c, d, e, f, g, h] = eight_sums;
        let first = join_wide(join_wide(a, b), join_wide(c, d));
        let second = join_wide(join_wide(e, f), join_wide(g, h));
        let sums = _mm256_add_epi32(
            _mm256_permute2x128_si256::<0x20>(first, second),
            _mm256_permute2x128_si256::<0x31>(first, second),
        );
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sum = add_scaled(sums, scales, sum);
    }
    total(sum)
}
