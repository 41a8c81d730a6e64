//! Formats of one bit, two bits, or one of three levels per weight.

use std::arch::x86_64::*;

use super::batch::*;
use super::levels::{each_eight, ordered, packed};
use crate::quant::{q1_0::Q1_0, q2_0::Q2_0, tq1_0::Tq1_0, tq2_0::Tq2_0};

/// Encodes as `q1_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q1_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 128]; 8], out: &mut [[u8; 18]; 8]| {
            let mut sum = _mm256_setzero_ps();
            for column in 0..16 {
                let mut rows = [_mm256_setzero_ps(); 8];
                for ((row, weights), block) in rows.iter_mut().zip(weights).zip(&mut *out) {
                    let x = load(&weights.as_chunks().0[column]);
                    // Both zeros count as positive, NaN does not.
                    let positive = _mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_setzero_ps());
                    block[2 + column] = _mm256_movemask_ps(positive) as u8;
                    *row = x;
                }
                // Blocks side by side, so that each sum runs from its first weight to its last.
                for x in transpose(rows) {
                    let x = magnitude_of(_mm256_castps_si256(x));
                    sum = _mm256_add_ps(sum, _mm256_castsi256_ps(x));
                }
            }
            let scale = _mm256_mul_ps(sum, _mm256_set1_ps(1.0 / 128.0));
            for (block, scale) in out.iter_mut().zip(halves(scale)) {
                block[..2].copy_from_slice(&scale);
            }
            let unusual = unusual(_mm256_castps_si256(sum), _mm256_setzero_ps());
            encode_again(&Q1_0, unusual, weights, out);
        },
    );
}

/// Eight registers, of which register `i` becomes lane `i` of each.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose([a, b, c, d, e, f, g, h]: [__m256; 8]) -> [__m256; 8] {
    let (a, b) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let (c, d) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    let (e, f) = (_mm256_unpacklo_ps(e, f), _mm256_unpackhi_ps(e, f));
    let (g, h) = (_mm256_unpacklo_ps(g, h), _mm256_unpackhi_ps(g, h));
    let (a, c) = (
        _mm256_shuffle_ps::<0x44>(a, c),
        _mm256_shuffle_ps::<0xee>(a, c),
    );
    let (b, d) = (
        _mm256_shuffle_ps::<0x44>(b, d),
        _mm256_shuffle_ps::<0xee>(b, d),
    );
    let (e, g) = (
        _mm256_shuffle_ps::<0x44>(e, g),
        _mm256_shuffle_ps::<0xee>(e, g),
    );
    let (f, h) = (
        _mm256_shuffle_ps::<0x44>(f, h),
        _mm256_shuffle_ps::<0xee>(f, h),
    );
    [
        _mm256_permute2f128_ps::<0x20>(a, e),
        _mm256_permute2f128_ps::<0x20>(c, g),
        _mm256_permute2f128_ps::<0x20>(b, f),
        _mm256_permute2f128_ps::<0x20>(d, h),
        _mm256_permute2f128_ps::<0x31>(a, e),
        _mm256_permute2f128_ps::<0x31>(c, g),
        _mm256_permute2f128_ps::<0x31>(b, f),
        _mm256_permute2f128_ps::<0x31>(d, h),
    ]
}

/// Encodes as `q2_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q2_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 64]; 8], out: &mut [[u8; 18]; 8]| {
            let (scales, inverses, unusual) = scales(weights);
            let scales = scales.into_iter().zip(inverses);
            for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
                block[..2].copy_from_slice(&scale);
                let [first, second] = weights.as_chunks().0 else {
                    continue;
                };
                let fours = _mm256_packus_epi32(
                    fours(trits(first, inverse)),
                    fours(trits(second, inverse)),
                );
                // The halves hold every second byte.
                let (even, odd) = (
                    _mm256_castsi256_si128(fours),
                    _mm256_extracti128_si256::<1>(fours),
                );
                store16(
                    &mut block[2..],
                    _mm_or_si128(even, _mm_slli_epi16::<8>(odd)),
                );
            }
            encode_again(&Q2_0, unusual, weights, out);
        },
    );
}

/// Four levels of 2 bits to each 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn fours(levels: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(levels, _mm256_set1_epi16(0x0401));
    _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0010_0001))
}

/// Encodes as `tq2_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn tq2_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 256]; 8], out: &mut [[u8; 66]; 8]| {
            let (scales, inverses, unusual) = scales(weights);
            let scales = scales.into_iter().zip(inverses);
            for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
                let halves = block.as_chunks_mut::<32>().0.iter_mut();
                for (place, weights) in halves.zip(weights.as_chunks::<128>().0) {
                    let mut all = _mm256_setzero_si256();
                    // The last weights stand in the upper bits.
                    for weights in weights.as_chunks().0.iter().rev() {
                        all = _mm256_or_si256(_mm256_slli_epi16::<2>(all), trits(weights, inverse));
                    }
                    store32(place, ordered(all));
                }
                block[64..].copy_from_slice(&scale);
            }
            encode_again(&Tq2_0, unusual, weights, out);
        },
    );
}

/// Encodes as `tq1_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn tq1_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 256]; 8], out: &mut [[u8; 54]; 8]| {
            let (scales, inverses, unusual) = scales(weights);
            let scales = scales.into_iter().zip(inverses);
            for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
                let mut levels = [_mm256_setzero_si256(); 8];
                for (levels, weights) in levels.iter_mut().zip(weights.as_chunks().0) {
                    *levels = trits(weights, inverse);
                }
                let [first @ .., f, g, h] = levels;
                store32(block, ordered(fives(first)));
                store_last([ordered(f), ordered(g), ordered(h)], &mut block[32..52]);
                block[52..].copy_from_slice(&scale);
            }
            encode_again(&Tq1_0, unusual, weights, out);
        },
    );
}

/// Five digits to each byte.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn fives([a, b, c, d, e]: [__m256i; 5]) -> __m256i {
    fraction(digit(digit(digit(digit(a, b), c), d), e))
}

/// Writes the last 96 levels, in their order: 16 bytes of five digits, then 4 of four.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn store_last([f, g, h]: [__m256i; 3], out: &mut [u8]) {
    let (f1, f2) = (_mm256_castsi256_si128(f), _mm256_extracti128_si256::<1>(f));
    let (g1, g2) = (_mm256_castsi256_si128(g), _mm256_extracti128_si256::<1>(g));
    let (h1, h2) = (_mm256_castsi256_si128(h), _mm256_extracti128_si256::<1>(h));
    let wide = |low, high| _mm256_set_m128i(high, low);
    let (b1, b2) = (h2, _mm_shuffle_epi32::<1>(h2));
    let (b3, b4) = (_mm_shuffle_epi32::<2>(h2), _mm_shuffle_epi32::<3>(h2));
    let last = wide(h1, _mm_setzero_si128());
    let bytes = fives([wide(f1, b1), wide(f2, b2), wide(g1, b3), wide(g2, b4), last]);
    store16(out, _mm256_castsi256_si128(bytes));
    let last = _mm_cvtsi128_si32(_mm256_extracti128_si256::<1>(bytes));
    out[16..20].copy_from_slice(&last.to_le_bytes());
}

/// One more digit to the base 3 in each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn digit(number: __m256i, digit: __m256i) -> __m256i {
    let twice = _mm256_add_epi8(number, number);
    _mm256_add_epi8(_mm256_add_epi8(twice, number), digit)
}

/// Bytes below 243 as fractions of 256, rounded up.
#[inline]
#[target_feature(enable = "avx2")]
fn fraction(bytes: __m256i) -> __m256i {
    let zero = _mm256_setzero_si256();
    // b * 256 / 243 is b and b * 13 / 243; 270 / 65536 is near enough to 1 / 243 for all of them.
    let extra = |wide| {
        let scaled = _mm256_mullo_epi16(wide, _mm256_set1_epi16(13));
        _mm256_mulhi_epu16(
            _mm256_add_epi16(scaled, _mm256_set1_epi16(242)),
            _mm256_set1_epi16(270),
        )
    };
    let low = extra(_mm256_unpacklo_epi8(bytes, zero));
    let high = extra(_mm256_unpackhi_epi8(bytes, zero));
    _mm256_add_epi8(bytes, _mm256_packus_epi16(low, high))
}

/// The greatest magnitudes of eight blocks as halves, their inverses, and the blocks that these do
/// not fit.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(in crate::quant::kernel) fn scales<const LEN: usize>(
    weights: &[[f32; LEN]; 8],
) -> ([[u8; 2]; 8], [f32; 8], i32) {
    let magnitude = magnitudes(weights);
    let scale = _mm256_castsi256_ps(magnitude);
    let inverse = inverse_of(scale);
    (halves(scale), spill(inverse), unusual(magnitude, inverse))
}

/// The levels of 32 weights of three levels: 0, 1 or 2, in the order of [`packed`].
#[inline]
#[target_feature(enable = "avx2")]
fn trits(weights: &[f32; 32], inverse: f32) -> __m256i {
    let inverse = _mm256_set1_ps(inverse);
    let levels = each_eight(weights, |x| {
        let x = _mm256_mul_ps(x, inverse);
        // Within one of zero, rounding is a question of which side of a half.
        let high = _mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_set1_ps(0.5));
        let low = _mm256_cmp_ps::<_CMP_LE_OQ>(x, _mm256_set1_ps(-0.5));
        _mm256_sub_epi32(_mm256_castps_si256(low), _mm256_castps_si256(high))
    });
    _mm256_add_epi8(packed(levels), _mm256_set1_epi8(1))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_fraction_of_every_byte_is_rounded_up() {
        for byte in 0..243u32 {
            let exact = (byte * 256).div_ceil(243);
            assert_eq!(byte + (((byte * 13 + 242) * 270) >> 16), exact);
        }
    }
}
