//! Formats whose levels stand for the 16 values of a table.

use std::arch::x86_64::*;

use super::super::decode::lanes::{half, load32, nibbles as natural, table};
use super::super::decode::nonlinear::{UNEVEN, doubled, nvfp4_scales};
use super::lanes::{
    add_scaled, eight, eight_scales, halves, scale_of, signed, signed_products, total, widen,
};
use super::pairs::{add_blocks, join_without, nibbles, products};
use crate::quant::dot::Step;

/// Multiplies blocks of `iq4_nl`.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq4_nl(blocks: &[u8], steps: &[Step]) -> f32 {
    let values = table(&UNEVEN);
    let mut sums = [_mm256_setzero_ps(); 2];
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        let mut places = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
        for (i, two) in blocks.as_chunks::<2>().0.iter().enumerate() {
            let [[_, _, a @ ..], [_, _, b @ ..]] = two;
            let [low, high] = nibbles(a, b);
            let low = _mm256_shuffle_epi8(values, low);
            let high = _mm256_shuffle_epi8(values, high);
            // Values are within ±127.
            let low = widen(signed_products(low, signed(&y.levels[2 * i])));
            let high = widen(signed_products(high, signed(&y.levels[2 * i + 1])));
            let scale = _mm256_permutevar8x32_ps(scales, places);
            sums[i % 2] = add_scaled(_mm256_add_epi32(low, high), scale, sums[i % 2]);
            places = _mm256_add_epi32(places, _mm256_set1_epi32(2));
        }
    }
    total(_mm256_add_ps(sums[0], sums[1]))
}

/// Multiplies blocks of `iq4_xs`.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq4_xs(blocks: &[u8], steps: &[Step]) -> f32 {
    let values = table(&UNEVEN);
    let mut sum = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<136>().0;
    for ([d0, d1, h0, h1, l0, l1, l2, l3, pairs @ ..], y) in blocks.iter().zip(steps) {
        let low = u64::from(u32::from_le_bytes([*l0, *l1, *l2, *l3]));
        let high = u64::from(u16::from_le_bytes([*h0, *h1]));
        // Four bits of each from here and two from there, in bytes.
        let low = spread_pairs(low, 16, 0x0000_ffff_0000_ffff);
        let low = spread_pairs(low, 8, 0x00ff_00ff_00ff_00ff);
        let low = spread_pairs(low, 4, 0x0f0f_0f0f_0f0f_0f0f);
        let high = spread_pairs(high, 24, 0x0000_00ff_0000_00ff);
        let high = spread_pairs(high, 12, 0x000f_000f_000f_000f);
        let high = spread_pairs(high, 6, 0x0303_0303_0303_0303);
        let bytes = _mm_cvtsi64_si128((low | high << 4).cast_signed());
        let scales = eight_scales(_mm_sub_epi8(bytes, _mm_set1_epi8(32)));
        let mut all = _mm256_setzero_si256();
        for (g, pairs) in pairs.as_chunks().0.iter().enumerate() {
            let levels = _mm256_shuffle_epi8(values, natural(pairs));
            // Values are within ±127.
            let products = signed_products(levels, signed(&y.levels[g]));
            all = _mm256_add_epi32(all, _mm256_madd_epi16(products, scale_of(scales, g)));
        }
        let unit = _mm256_set1_ps(half(*d0, *d1) * y.scales[0]);
        sum = add_scaled(all, unit, sum);
    }
    total(sum)
}

/// Moves the upper half of each piece up, where `mask` is what pieces then hold.
#[inline(always)]
fn spread_pairs(bits: u64, by: u32, mask: u64) -> u64 {
    (bits | bits << by) & mask
}

/// Multiplies blocks of `mxfp4`.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn mxfp4(blocks: &[u8], steps: &[Step]) -> f32 {
    // Twice the values, from -12 to 12, and 12 more so that none is negative.
    let values = _mm256_add_epi8(table(&doubled()), _mm256_set1_epi8(12));
    let mut sums = [_mm256_setzero_ps(); 2];
    let blocks = blocks.as_chunks::<17>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, two) in blocks.as_chunks::<2>().0.iter().enumerate() {
            let [[_, a @ ..], [_, b @ ..]] = two;
            let [low, high] = nibbles(a, b);
            let levels = [
                _mm256_shuffle_epi8(values, low),
                _mm256_shuffle_epi8(values, high),
            ];
            four[i] = products(levels, &y.levels.as_chunks().0[i]);
        }
        // At most 24 · 127 · 8 = 24384 before what is subtracted.
        let scales = _mm256_mul_ps(powers(blocks), eight(&y.scales));
        sums = add_blocks(join_without(four, y, 12), scales, sums);
    }
    total(_mm256_add_ps(sums[0], sums[1]))
}

/// Half the scales of eight blocks of `mxfp4`, since the values are doubled: 2^(e - 128).
#[inline]
#[target_feature(enable = "avx2")]
fn powers(blocks: &[[u8; 17]; 8]) -> __m256 {
    let [a, b, c, d, e, f, g, h] = blocks;
    let bytes = u64::from_le_bytes([a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]]);
    let exponents = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes.cast_signed()));
    let one = _mm256_set1_epi32(1);
    let normal = _mm256_slli_epi32(_mm256_sub_epi32(exponents, one), 23);
    // The first two are below the normal numbers.
    let below = _mm256_sllv_epi32(_mm256_set1_epi32(0x0020_0000), exponents);
    let is_normal = _mm256_cmpgt_epi32(exponents, one);
    _mm256_castsi256_ps(_mm256_blendv_epi8(below, normal, is_normal))
}

/// Multiplies blocks of `nvfp4`.
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn nvfp4(blocks: &[u8], steps: &[Step]) -> f32 {
    let values = table(&doubled());
    let mut sums = [_mm256_setzero_ps(); 2];
    let twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    let blocks = blocks.as_chunks::<36>().0.as_chunks::<4>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        for (i, [s0, s1, s2, s3, pairs @ ..]) in blocks.iter().enumerate() {
            let pairs = load32(pairs);
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_and_si256(pairs, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16(pairs, 4), nibble);
            let low = _mm256_shuffle_epi8(values, low);
            let high = _mm256_shuffle_epi8(values, high);
            // Values are within ±12: two sums of two products are at most 6096.
            let low = signed_products(low, signed(&y.levels[2 * i]));
            let high = signed_products(high, signed(&y.levels[2 * i + 1]));
            let all = widen(_mm256_add_epi16(low, high));
            // Of eight sums, two belong to each 16 weights, four to each scale of the vector.
            let (first, second) = (y.scales[2 * i], y.scales[2 * i + 1]);
            let y = _mm_setr_ps(first, first, second, second);
            let four = _mm_mul_ps(nvfp4_scales([*s0, *s1, *s2, *s3]), y);
            let scales = _mm256_permutevar8x32_ps(_mm256_castps128_ps256(four), twice);
            sums[i % 2] = add_scaled(all, scales, sums[i % 2]);
        }
    }
    total(_mm256_add_ps(sums[0], sums[1]))
}
