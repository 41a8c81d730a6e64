//! Formats whose weights are a level times a scale, and an offset.

use std::arch::x86_64::*;

use super::lanes::{
    Kept, Sink, all, both, floats, half_each, keep, keep_both, load16, load32, negative, shifted,
    sixteens, split, store,
};

/// Decodes blocks of `q4_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<20>().0.iter();
    for ([d0, d1, m0, m1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<8>().0) {
        let (scale, minimum) = (half_each(*d0, *d1), half_each(*m0, *m1));
        for (k, pairs) in pairs.as_chunks().0.iter().enumerate() {
            for (half, levels) in split(pairs).into_iter().enumerate() {
                let product = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(levels));
                let out = &mut out.as_chunks_mut().0[2 * half + k];
                store(out, _mm256_add_ps(product, minimum));
            }
        }
    }
}

/// Decodes blocks of `q5_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q5_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<24>().0.iter();
    for ([d0, d1, m0, m1, h0, h1, h2, h3, pairs @ ..], out) in
        blocks.zip(out.as_chunks_mut::<8>().0)
    {
        let (scale, minimum) = (half_each(*d0, *d1), half_each(*m0, *m1));
        let upper = _mm256_set1_epi32(i32::from_le_bytes([*h0, *h1, *h2, *h3]));
        for (k, pairs) in pairs.as_chunks().0.iter().enumerate() {
            for (half, levels) in split(pairs).into_iter().enumerate() {
                let levels = _mm256_or_si256(levels, sixteens(upper, 2 * half + k));
                let product = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(levels));
                let out = &mut out.as_chunks_mut().0[2 * half + k];
                store(out, _mm256_add_ps(product, minimum));
            }
        }
    }
}

/// Decodes blocks of `q2_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q2_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<84>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let [head @ .., d0, d1, m0, m1] = block;
        let (head, levels) = head.split_at(16);
        let pairs = load16(&head.as_chunks().0[0]);
        let nibble = _mm_set1_epi8(15);
        let scales = sixteen(_mm_and_si128(pairs, nibble), half_each(*d0, *d1));
        let mins = _mm_and_si128(_mm_srli_epi16(pairs, 4), nibble);
        let offsets = sixteen(mins, negative(half_each(*m0, *m1)));
        let groups = scales.0.as_chunks().0.iter().zip(offsets.0.as_chunks().0);
        let groups = groups.zip(out.as_chunks_mut().0);
        let mut packed = _mm256_setzero_si256();
        for (i, ((scales, offsets), out)) in groups.enumerate() {
            packed = if i % 4 == 0 {
                load32(&levels.as_chunks().0[i / 4])
            } else {
                // Bits of the neighbour come in, but above those that are looked at.
                _mm256_srli_epi16(packed, 2)
            };
            let levels = _mm256_and_si256(packed, _mm256_set1_epi8(3));
            shifted(levels, both(scales), both(offsets), out);
        }
    }
}

/// Sixteen unsigned bytes times a unit.
#[inline]
#[target_feature(enable = "avx2")]
fn sixteen(bytes: __m128i, unit: __m256) -> Kept<[f32; 16]> {
    let low = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    let high = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
    keep_both(_mm256_mul_ps(low, unit), _mm256_mul_ps(high, unit))
}

/// Decodes blocks of `q4_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<144>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let [Kept(scales), Kept(offsets)] = &six_bit(&head[0]);
        let pairs = levels.as_flattened().as_chunks::<32>().0.iter();
        for (p, (pairs, out)) in pairs.zip(out.as_chunks_mut::<16>().0).enumerate() {
            let pairs = load32(pairs);
            let out = out.as_chunks_mut().0;
            for (half, (packed, out)) in [pairs, _mm256_srli_epi16(pairs, 4)]
                .into_iter()
                .zip(out)
                .enumerate()
            {
                let g = 2 * p + half;
                let levels = _mm256_and_si256(packed, _mm256_set1_epi8(15));
                shifted(levels, [all(&scales[g]); 2], [all(&offsets[g]); 2], out);
            }
        }
    }
}

/// Decodes blocks of `q5_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q5_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<176>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let [Kept(scales), Kept(offsets)] = &six_bit(&head[0]);
        let (upper, pairs) = levels.as_flattened().as_chunks::<32>().0.split_at(1);
        let upper = load32(&upper[0]);
        // The bit of each group where it stands above a nibble; those of neighbours come in beside it.
        let fifths = [
            _mm256_slli_epi16(upper, 4),
            _mm256_slli_epi16(upper, 3),
            _mm256_slli_epi16(upper, 2),
            _mm256_slli_epi16(upper, 1),
            upper,
            _mm256_srli_epi16(upper, 1),
            _mm256_srli_epi16(upper, 2),
            _mm256_srli_epi16(upper, 3),
        ];
        for (p, (pairs, out)) in pairs.iter().zip(out.as_chunks_mut::<16>().0).enumerate() {
            let pairs = load32(pairs);
            let out = out.as_chunks_mut().0;
            for (half, (packed, out)) in [pairs, _mm256_srli_epi16(pairs, 4)]
                .into_iter()
                .zip(out)
                .enumerate()
            {
                let g = 2 * p + half;
                let levels = _mm256_or_si256(
                    _mm256_and_si256(packed, _mm256_set1_epi8(15)),
                    _mm256_and_si256(fifths[g], _mm256_set1_epi8(16)),
                );
                shifted(levels, [all(&scales[g]); 2], [all(&offsets[g]); 2], out);
            }
        }
    }
}

/// Scales and offsets of the groups of `q4_k` and `q5_k`: the minima, negative.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn six_bit(head: &[u8; 16]) -> [Kept<[f32; 8]>; 2] {
    let [scales, mins] = six_bit_levels(head);
    let unit = half_each(head[0], head[1]);
    let min_unit = negative(half_each(head[2], head[3]));
    [
        keep(_mm256_mul_ps(floats(scales), unit)),
        keep(_mm256_mul_ps(floats(mins), min_unit)),
    ]
}

/// Scales and minima of the groups of `q4_k` and `q5_k`, from 0 to 63.
#[inline(always)]
pub(in crate::quant::kernel::avx2) fn six_bit_levels(head: &[u8; 16]) -> [[u8; 8]; 2] {
    let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
    let (first, second, third) = (word(4), word(8), word(12));
    // Four of each stand whole; the others are nibbles, and two bits above the whole ones.
    let join = |whole: u32, nibbles: u32| {
        let low = whole & 0x3f3f_3f3f;
        let high = nibbles & 0x0f0f_0f0f | whole >> 2 & 0x3030_3030;
        (u64::from(low) | u64::from(high) << 32).to_le_bytes()
    };
    [join(first, third), join(second, third >> 4)]
}
