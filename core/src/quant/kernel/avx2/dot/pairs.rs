//! Blocks of 32 with a scale of their own: nibbles, five bits, and bytes.
//!
//! Two blocks of nibbles lie in a register side by side, so the vector has its halves exchanged. What
//! is subtracted from all levels of a block is subtracted from the sums, as often as the vector says.

use std::arch::x86_64::*;

use super::super::decode::lanes::{load16, load32, spill};
use super::lanes::{
    add_scaled, ahead, columns, eight, halves, signed, signed_products, total, unsigned_products,
    widen,
};
use crate::quant::dot::Step;

/// The low and the high nibbles of two blocks.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn nibbles(a: &[u8; 16], b: &[u8; 16]) -> [__m256i; 2] {
    let both = _mm256_set_m128i(load16(b), load16(a));
    let nibble = _mm256_set1_epi8(15);
    [
        _mm256_and_si256(both, nibble),
        _mm256_and_si256(_mm256_srli_epi16(both, 4), nibble),
    ]
}

/// The nibbles with a fifth bit above each.
#[inline]
#[target_feature(enable = "avx2")]
fn five_bits(nibbles: [__m256i; 2], a: [u8; 4], b: [u8; 4]) -> [__m256i; 2] {
    let upper = _mm256_set_m128i(
        _mm_set1_epi32(i32::from_le_bytes(b)),
        _mm_set1_epi32(i32::from_le_bytes(a)),
    );
    let [low, high] = nibbles;
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

/// Adds up what belongs to a block: of eight blocks, two in each register, then four.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn join([a, b, c, d]: [__m256i; 4]) -> [__m256i; 2] {
    // Twice the bound of `products`: 31496.
    [
        _mm256_add_epi16(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
        _mm256_add_epi16(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)),
    ]
}

/// As [`join`], with `times` the levels of the vector subtracted.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn join_without(sums: [__m256i; 4], y: &Step, times: i16) -> [__m256i; 2] {
    let [a, c] = join(sums);
    [
        _mm256_sub_epi16(a, columns(y, 0, times)),
        _mm256_sub_epi16(c, columns(y, 1, times)),
    ]
}

/// Adds what [`join`] gives, times the scales of the blocks.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn add_blocks(sums: [__m256i; 2], scales: __m256, to: [__m256; 2]) -> [__m256; 2] {
    let first = _mm256_setr_epi32(0, 0, 2, 2, 1, 1, 3, 3);
    let second = _mm256_setr_epi32(4, 4, 6, 6, 5, 5, 7, 7);
    [
        add_scaled(
            widen(sums[0]),
            _mm256_permutevar8x32_ps(scales, first),
            to[0],
        ),
        add_scaled(
            widen(sums[1]),
            _mm256_permutevar8x32_ps(scales, second),
            to[1],
        ),
    ]
}

/// Multiplies blocks of `q4_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q4_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 2];
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, two) in blocks.as_chunks::<2>().0.iter().enumerate() {
            let [[_, _, a @ ..], [_, _, b @ ..]] = two;
            four[i] = products(nibbles(a, b), &y.levels.as_chunks().0[i]);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sums = add_blocks(join_without(four, y, 8), scales, sums);
    }
    total(_mm256_add_ps(sums[0], sums[1]))
}

/// Multiplies blocks of `q4_1`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q4_1(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 2];
    let mut offset = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<20>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, two) in blocks.as_chunks::<2>().0.iter().enumerate() {
            let [[_, _, _, _, a @ ..], [_, _, _, _, b @ ..]] = two;
            four[i] = products(nibbles(a, b), &y.levels.as_chunks().0[i]);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sums = add_blocks(join(four), scales, sums);
        offset = _mm256_fmadd_ps(halves(blocks, 2), eight(&y.sums), offset);
    }
    total(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), offset))
}

/// Multiplies blocks of `q5_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q5_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 2];
    let blocks = blocks.as_chunks::<22>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, two) in blocks.as_chunks::<2>().0.iter().enumerate() {
            let [
                [_, _, a0, a1, a2, a3, a @ ..],
                [_, _, b0, b1, b2, b3, b @ ..],
            ] = two;
            let levels = five_bits(nibbles(a, b), [*a0, *a1, *a2, *a3], [*b0, *b1, *b2, *b3]);
            four[i] = products(levels, &y.levels.as_chunks().0[i]);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sums = add_blocks(join_without(four, y, 16), scales, sums);
    }
    total(_mm256_add_ps(sums[0], sums[1]))
}

/// Multiplies blocks of `q5_1`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q5_1(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 2];
    let mut offset = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<24>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, two) in blocks.as_chunks::<2>().0.iter().enumerate() {
            let [
                [_, _, _, _, a0, a1, a2, a3, a @ ..],
                [_, _, _, _, b0, b1, b2, b3, b @ ..],
            ] = two;
            let levels = five_bits(nibbles(a, b), [*a0, *a1, *a2, *a3], [*b0, *b1, *b2, *b3]);
            four[i] = products(levels, &y.levels.as_chunks().0[i]);
        }
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sums = add_blocks(join(four), scales, sums);
        offset = _mm256_fmadd_ps(halves(blocks, 2), eight(&y.sums), offset);
    }
    total(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), offset))
}

/// Multiplies blocks of `q8_0`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn q8_0(blocks: &[u8], steps: &[Step]) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 4];
    let blocks = blocks.as_chunks::<34>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let scales = spill(_mm256_mul_ps(halves(blocks, 0), eight(&y.scales)));
        for (i, [_, _, levels @ ..]) in blocks.iter().enumerate() {
            let products = signed_products(load32(levels), signed(&y.levels[i]));
            let scale = _mm256_set1_ps(scales[i]);
            sums[i % 4] = add_scaled(widen(products), scale, sums[i % 4]);
        }
    }
    let [a, b, c, d] = sums;
    total(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d)))
}
