//! Formats whose weights are a level times a scale.

use std::arch::x86_64::*;

use super::lanes::{
    Kept, Sink, both, half_each, keep_both, load16, load32, nibbles, scaled, scaled_bytes, split,
    spread, store,
};

/// Decodes blocks of `q8_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q8_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<34>().0.iter();
    for ([d0, d1, levels @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        scaled_bytes(levels, [half_each(*d0, *d1); 2], out);
    }
}

/// Decodes blocks of `q4_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<8>().0) {
        let scale = half_each(*d0, *d1);
        for (k, pairs) in pairs.as_chunks().0.iter().enumerate() {
            for (half, levels) in split(pairs).into_iter().enumerate() {
                let levels = _mm256_sub_epi32(levels, _mm256_set1_epi32(8));
                let out = &mut out.as_chunks_mut().0[2 * half + k];
                store(out, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(levels)));
            }
        }
    }
}

/// Decodes blocks of `q5_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q5_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<22>().0.iter();
    for ([d0, d1, h0, h1, h2, h3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let upper = spread(u32::from_le_bytes([*h0, *h1, *h2, *h3]));
        // The upper bit counts 16 of an offset of 16: it is there, or 16 are missing.
        let missing = _mm256_andnot_si256(upper, _mm256_set1_epi8(16));
        let levels = _mm256_sub_epi8(nibbles(pairs), missing);
        scaled(levels, [half_each(*d0, *d1); 2], out);
    }
}

/// Decodes blocks of `q8_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q8_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<36>().0.iter();
    for ([d0, d1, _, _, levels @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        scaled_bytes(levels, [half_each(*d0, *d1); 2], out);
    }
}

/// Decodes blocks of `q8_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q8_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<292>().0.iter();
    for ([d0, d1, d2, d3, levels @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let scale = _mm256_set1_ps(f32::from_le_bytes([*d0, *d1, *d2, *d3]));
        let groups = levels.as_chunks().0.iter();
        for (levels, out) in groups.zip(out.as_chunks_mut().0) {
            scaled_bytes(levels, [scale; 2], out);
        }
    }
}

/// Decodes blocks of `q3_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q3_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<110>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let [levels @ .., d0, d1] = block;
        let (levels, packed) = levels.split_at(96);
        let scales = signed_sixteen(three_bit_scales(packed), half_each(*d0, *d1));
        let levels = levels.as_chunks().0;
        let upper = load32(&levels[0]);
        let mut lower = _mm256_setzero_si256();
        let mut bit = _mm256_set1_epi8(1);
        let groups = scales.0.as_chunks().0.iter().zip(out.as_chunks_mut().0);
        for (g, (scales, out)) in groups.enumerate() {
            lower = if g % 4 == 0 {
                load32(&levels[1 + g / 4])
            } else {
                // Bits of the neighbour come in, but above those that are looked at.
                _mm256_srli_epi16(lower, 2)
            };
            let zero = _mm256_setzero_si256();
            let unset = _mm256_cmpeq_epi8(_mm256_and_si256(upper, bit), zero);
            bit = _mm256_add_epi8(bit, bit);
            let missing = _mm256_and_si256(unset, _mm256_set1_epi8(4));
            let low = _mm256_and_si256(lower, _mm256_set1_epi8(3));
            scaled(_mm256_sub_epi8(low, missing), both(scales), out);
        }
    }
}

/// The 16 scales of a block of `q3_k` in their unit, from their 12 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn three_bit_scales(packed: &[u8]) -> __m128i {
    let word = |i: usize| u32::from_le_bytes(packed.as_chunks().0[i]);
    let nibbles = u64::from(word(0)) | u64::from(word(1)) << 32;
    let tops = word(2);
    let scales = _mm_set_epi64x(six_bits(nibbles >> 4, tops >> 4), six_bits(nibbles, tops));
    _mm_sub_epi8(scales, _mm_set1_epi8(32))
}

/// Eight bytes of the low nibbles given, and above them two bits from the lowest four of each of
/// four bytes.
#[inline(always)]
fn six_bits(nibbles: u64, tops: u32) -> i64 {
    let tops = u64::from(tops & 0x0303_0303) | u64::from(tops >> 2 & 0x0303_0303) << 32;
    (nibbles & 0x0f0f_0f0f_0f0f_0f0f | tops << 4).cast_signed()
}

/// Sixteen signed bytes times a unit.
#[inline]
#[target_feature(enable = "avx2")]
fn signed_sixteen(bytes: __m128i, unit: __m256) -> Kept<[f32; 16]> {
    let low = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
    let high = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)));
    keep_both(_mm256_mul_ps(low, unit), _mm256_mul_ps(high, unit))
}

/// Decodes blocks of `q6_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q6_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<210>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let [levels @ .., d0, d1] = block;
        let (levels, scales) = levels.split_at(192);
        let scales = signed_sixteen(load16(&scales.as_chunks().0[0]), half_each(*d0, *d1));
        let (lower, upper) = levels.as_chunks().0.split_at(4);
        let halves = scales
            .0
            .as_chunks::<8>()
            .0
            .iter()
            .zip(out.as_chunks_mut::<32>().0);
        for (n, (scales, out)) in halves.enumerate() {
            let (first, second) = (load32(&lower[2 * n]), load32(&lower[2 * n + 1]));
            let upper = load32(&upper[n]);
            // The upper bits to the places above a nibble; what comes along is cleared.
            let quarters = [
                (first, _mm256_slli_epi16(upper, 4)),
                (second, _mm256_slli_epi16(upper, 2)),
                (_mm256_srli_epi16(first, 4), upper),
                (_mm256_srli_epi16(second, 4), _mm256_srli_epi16(upper, 2)),
            ];
            let out = out.as_chunks_mut().0.iter_mut();
            let places = scales.as_chunks().0.iter().zip(out);
            for ((lower, upper), (scales, out)) in quarters.into_iter().zip(places) {
                let level = _mm256_or_si256(
                    _mm256_and_si256(lower, _mm256_set1_epi8(15)),
                    _mm256_and_si256(upper, _mm256_set1_epi8(0x30)),
                );
                scaled(
                    _mm256_sub_epi8(level, _mm256_set1_epi8(32)),
                    both(scales),
                    out,
                );
            }
        }
    }
}
