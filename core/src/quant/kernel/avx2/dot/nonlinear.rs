//! Formats whose levels stand for the 16 values of a table.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::super::decode::lanes::{load32, table};
use super::super::decode::nonlinear::{UNEVEN, doubled, nvfp4_scales};
use super::lanes::{
    add_scaled, ahead, eight, group_totals, halves, join_wide, scale_of, signed, signed_products,
    total, unit_of, widen,
};
use super::pairs::{nibbles, products, sums_of_levels};
use crate::quant::dot::Step;

/// Multiplies blocks of `iq4_nl`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq4_nl(blocks: &[u8], steps: &[Step]) -> f32 {
    let values = table(&UNEVEN);
    let mut sum = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<18>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, [low_y, high_y]) in y.levels.as_chunks().0.iter().enumerate() {
            let [low, high] = nibbles(blocks, i, 2);
            let low = _mm256_shuffle_epi8(values, low);
            let high = _mm256_shuffle_epi8(values, high);
            // Values are within ±127: sums of two are too large to be added in 16 bits.
            let low = widen(signed_products(low, signed(low_y)));
            let high = widen(signed_products(high, signed(high_y)));
            four[i] = _mm256_add_epi32(low, high);
        }
        let [a, b, c, d] = four;
        let sums = join_wide(join_wide(a, b), join_wide(c, d));
        let scales = _mm256_mul_ps(halves(blocks, 0), eight(&y.scales));
        sum = add_scaled(sums, scales, sum);
    }
    total(sum)
}

/// Multiplies blocks of `iq4_xs`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn iq4_xs(blocks: &[u8], steps: &[Step]) -> f32 {
    const PLACES: [[i16; 16]; 4] = {
        let mut places = [[0; 16]; 4];
        let mut i = 0;
        while i < 64 {
            // A pair of groups, and which of it.
            let g = 2 * (i / 16) + i % 16 / 8;
            places[i / 16][i % 16] = (2 * g + 256 * (2 * g + 1)) as i16;
            i += 1;
        }
        places
    };
    let values = table(&UNEVEN);
    let places = black_box(&PLACES);
    let mut sum = _mm256_setzero_ps();
    for (block, y) in blocks.as_chunks::<136>().0.iter().zip(steps) {
        ahead(block);
        let (head, pairs) = block.as_chunks::<8>().0.split_at(1);
        let scales = sixteen_times_scales(head[0]);
        let mut all = _mm256_setzero_si256();
        let pairs = pairs.as_flattened().as_chunks().0.iter();
        for ((pairs, y), place) in pairs.zip(y.levels.as_chunks::<2>().0).zip(places) {
            let pairs = load32(pairs);
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_and_si256(pairs, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16(pairs, 4), nibble);
            // Values are within ±127: a sum of products is at most 32258, two of them times a scale
            // 33 million, of which eight are added.
            let low = signed_products(_mm256_shuffle_epi8(values, low), signed(&y[0]));
            let high = signed_products(_mm256_shuffle_epi8(values, high), signed(&y[1]));
            let scale = scale_of(scales, place);
            all = _mm256_add_epi32(all, _mm256_madd_epi16(low, scale));
            all = _mm256_add_epi32(all, _mm256_madd_epi16(high, scale));
        }
        sum = add_scaled(all, unit_of(head[0][0], head[0][1], y), sum);
    }
    0.0625 * total(sum)
}

/// The scales of the eight groups of `iq4_xs` times 16, from -512 to 496, in each half: of each group
/// two bits from two bytes, then four from another four.
#[inline]
#[target_feature(enable = "avx2")]
fn sixteen_times_scales(head: [u8; 8]) -> __m256i {
    let head = _mm256_set1_epi64x(i64::from_le_bytes(head));
    let twice = |bytes: __m128i| _mm256_broadcastsi128_si256(bytes);
    let low = _mm_setr_epi8(4, -1, 4, -1, 5, -1, 5, -1, 6, -1, 6, -1, 7, -1, 7, -1);
    let low = _mm256_shuffle_epi8(head, twice(low));
    // Each to the same place of its 16 bits: nibbles to 4, pairs of bits to 14, then to 8.
    let low = _mm256_mullo_epi16(low, _mm256_set1_epi32(0x0001_0010));
    let high = _mm256_shuffle_epi8(head, _mm256_set1_epi16(0x0302));
    let powers = _mm_setr_epi16(1 << 14, 1 << 12, 1 << 10, 1 << 8, 1 << 6, 1 << 4, 1 << 2, 1);
    let high = _mm256_srli_epi16(_mm256_mullo_epi16(high, twice(powers)), 6);
    let scales = _mm256_or_si256(
        _mm256_and_si256(low, _mm256_set1_epi16(0x00f0)),
        _mm256_and_si256(high, _mm256_set1_epi16(0x0300)),
    );
    _mm256_sub_epi16(scales, _mm256_set1_epi16(512))
}

/// Multiplies blocks of `mxfp4`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn mxfp4(blocks: &[u8], steps: &[Step]) -> f32 {
    // Twice the values, from -12 to 12, and 12 more so that none is negative.
    let values = _mm256_add_epi8(table(&doubled()), _mm256_set1_epi8(12));
    let mut sum = _mm256_setzero_ps();
    let blocks = blocks.as_chunks::<17>().0.as_chunks::<8>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
        let mut four = [_mm256_setzero_si256(); 4];
        for (i, y) in y.levels.as_chunks().0.iter().enumerate() {
            let levels = nibbles(blocks, i, 1).map(|place| _mm256_shuffle_epi8(values, place));
            four[i] = products(levels, y);
        }
        let scales = _mm256_mul_ps(powers(blocks), eight(&y.scales));
        let sums = _mm256_sub_epi32(sums_of_levels(four), group_totals(y, 12));
        sum = add_scaled(sums, scales, sum);
    }
    total(sum)
}

/// Half the scales of eight blocks of `mxfp4`, since the values are doubled: 2^(e - 128). NaN where the
/// greatest value is infinite, which a sum of levels does not tell.
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
    let too_large = _mm256_cmpgt_epi32(exponents, _mm256_set1_epi32(252));
    let scales = _mm256_blendv_epi8(below, normal, is_normal);
    _mm256_castsi256_ps(_mm256_or_si256(scales, too_large))
}

/// Multiplies blocks of `nvfp4`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) fn nvfp4(blocks: &[u8], steps: &[Step]) -> f32 {
    let values = table(&doubled());
    let mut sums = [_mm256_setzero_ps(); 2];
    let twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    let blocks = blocks.as_chunks::<36>().0.as_chunks::<4>().0;
    for (blocks, y) in blocks.iter().zip(steps) {
        ahead(blocks);
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
