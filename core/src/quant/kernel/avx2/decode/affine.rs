//! Formats whose weights are a level times a scale, and an offset.

use std::arch::x86_64::*;

use super::lanes::{Sink, floats, half, load16, load32, nibbles, shifted, spill, spread};

/// Decodes blocks of `q4_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<20>().0.iter();
    for ([d0, d1, m0, m1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let (scale, minimum) = (half(*d0, *d1), half(*m0, *m1));
        shifted(nibbles(pairs), [scale; 2], [minimum; 2], out);
    }
}

/// Decodes blocks of `q5_1`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q5_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<24>().0.iter();
    for ([d0, d1, m0, m1, h0, h1, h2, h3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let (scale, minimum) = (half(*d0, *d1), half(*m0, *m1));
        let upper = spread(u32::from_le_bytes([*h0, *h1, *h2, *h3]));
        let upper = _mm256_and_si256(upper, _mm256_set1_epi8(16));
        let levels = _mm256_or_si256(nibbles(pairs), upper);
        shifted(levels, [scale; 2], [minimum; 2], out);
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
        let scales = sixteen(_mm_and_si128(pairs, nibble), half(*d0, *d1));
        let mins = _mm_and_si128(_mm_srli_epi16(pairs, 4), nibble);
        let offsets = sixteen(mins, -half(*m0, *m1));
        let groups = scales.as_chunks().0.iter().zip(offsets.as_chunks().0);
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
            shifted(levels, *scales, *offsets, out);
        }
    }
}

/// Sixteen unsigned bytes times a unit.
#[inline]
#[target_feature(enable = "avx2")]
fn sixteen(bytes: __m128i, unit: f32) -> [f32; 16] {
    let unit = _mm256_set1_ps(unit);
    let low = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    let high = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
    let mut all = [0.0; 16];
    all[..8].copy_from_slice(&spill(_mm256_mul_ps(low, unit)));
    all[8..].copy_from_slice(&spill(_mm256_mul_ps(high, unit)));
    all
}

/// Decodes blocks of `q4_k`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q4_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<144>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (head, levels) = block.as_chunks::<16>().0.split_at(1);
        let (scales, offsets) = six_bit(&head[0]);
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
                shifted(levels, [scales[g]; 2], [offsets[g]; 2], out);
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
        let (scales, offsets) = six_bit(&head[0]);
        let (upper, pairs) = levels.as_flattened().as_chunks::<32>().0.split_at(1);
        let upper = load32(&upper[0]);
        let mut bit = _mm256_set1_epi8(1);
        for (p, (pairs, out)) in pairs.iter().zip(out.as_chunks_mut::<16>().0).enumerate() {
            let pairs = load32(pairs);
            let out = out.as_chunks_mut().0;
            for (half, (packed, out)) in [pairs, _mm256_srli_epi16(pairs, 4)]
                .into_iter()
                .zip(out)
                .enumerate()
            {
                let g = 2 * p + half;
                let set = _mm256_cmpeq_epi8(_mm256_and_si256(upper, bit), bit);
                bit = _mm256_add_epi8(bit, bit);
                let levels = _mm256_or_si256(
                    _mm256_and_si256(packed, _mm256_set1_epi8(15)),
                    _mm256_and_si256(set, _mm256_set1_epi8(16)),
                );
                shifted(levels, [scales[g]; 2], [offsets[g]; 2], out);
            }
        }
    }
}

/// Scales and offsets of the groups of `q4_k` and `q5_k`: the minima, negative.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn six_bit(head: &[u8; 16]) -> ([f32; 8], [f32; 8]) {
    let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
    let (first, second, third) = (word(4), word(8), word(12));
    // Four of each stand whole; the others are nibbles, and two bits above the whole ones.
    let join = |whole: u32, nibbles: u32| {
        let low = whole & 0x3f3f_3f3f;
        let high = nibbles & 0x0f0f_0f0f | whole >> 2 & 0x3030_3030;
        (u64::from(low) | u64::from(high) << 32).to_le_bytes()
    };
    let unit = _mm256_set1_ps(half(head[0], head[1]));
    let min_unit = _mm256_set1_ps(-half(head[2], head[3]));
    (
        spill(_mm256_mul_ps(floats(join(first, third)), unit)),
        spill(_mm256_mul_ps(floats(join(second, third >> 4)), min_unit)),
    )
}
