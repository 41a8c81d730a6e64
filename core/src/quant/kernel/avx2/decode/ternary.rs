//! Formats of two or three levels: `q1_0`, `q2_0`, `tq1_0` and `tq2_0`.

use std::arch::x86_64::*;

use super::lanes::{Sink, at_signs, half_each, load16, load32, negative, scaled, store, table};

/// Decodes blocks of `q1_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q1_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, bits @ ..], out) in blocks.zip(out.as_chunks_mut::<32>().0) {
        let scale = half_each(*d0, *d1);
        let groups = bits.as_chunks().0.iter().zip(out.as_chunks_mut::<8>().0);
        for (bits, out) in groups {
            let bits = _mm256_set1_epi32(i32::from_le_bytes(*bits));
            for (k, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                // A bit that is set stands for the scale itself.
                store(
                    out,
                    _mm256_blendv_ps(negative(scale), scale, at_signs(bits, k)),
                );
            }
        }
    }
}

/// Decodes blocks of `q2_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn q2_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    // Each byte four times, so that each weight has one.
    let copies = _mm256_setr_epi32(
        0,
        0x0101_0101,
        0x0202_0202,
        0x0303_0303,
        0x0404_0404,
        0x0505_0505,
        0x0606_0606,
        0x0707_0707,
    );
    let kept = _mm256_set1_epi32(0x0c03_0c03);
    // Of a level at either of two places in a nibble, what it counts.
    let values = table(&[255, 0, 1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, packed @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let scale = half_each(*d0, *d1);
        let halves = packed.as_chunks::<8>().0.iter();
        for (packed, out) in halves.zip(out.as_chunks_mut().0) {
            let all = _mm256_set1_epi64x(i64::from_le_bytes(*packed));
            let four = _mm256_shuffle_epi8(all, copies);
            // Every second pair of weights has its bits in the high nibble.
            let nibbles = _mm256_blend_epi16(four, _mm256_srli_epi16(four, 4), 0b1010_1010);
            let levels = _mm256_shuffle_epi8(values, _mm256_and_si256(nibbles, kept));
            scaled(levels, [scale; 2], out);
        }
    }
}

/// Decodes blocks of `tq2_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn tq2_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<66>().0.iter();
    for ([packed @ .., d0, d1], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let scale = half_each(*d0, *d1);
        let halves = packed.as_chunks::<32>().0.iter();
        for (packed, out) in halves.zip(out.as_chunks_mut::<32>().0) {
            let mut packed = load32(packed);
            for out in out.as_chunks_mut().0 {
                let level = _mm256_and_si256(packed, _mm256_set1_epi8(3));
                scaled(_mm256_sub_epi8(level, _mm256_set1_epi8(1)), [scale; 2], out);
                packed = _mm256_srli_epi16(packed, 2);
            }
        }
    }
}

/// Decodes blocks of `tq1_0`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn tq1_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<54>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let scale = half_each(block[52], block[53]);
        let (first, rest) = out.split_at_mut(40);
        let mut bytes = load32(&block[..32].as_chunks().0[0]);
        for out in first.as_chunks_mut().0 {
            scaled(digit(bytes), [scale; 2], out);
            bytes = times_three(bytes);
        }
        let bytes = load16(&block[32..48].as_chunks().0[0]);
        let mut digits = [bytes; 5];
        for n in 1..5 {
            digits[n] = _mm256_castsi256_si128(times_three(_mm256_castsi128_si256(digits[n - 1])));
        }
        let rest = rest.as_chunks_mut().0;
        for (n, out) in rest[..2].iter_mut().enumerate() {
            let both = _mm256_set_m128i(digits[2 * n + 1], digits[2 * n]);
            scaled(digit(both), [scale; 2], out);
        }
        // The fifth digits of 16 bytes, then four digits of four bytes.
        let bytes = u32::from_le_bytes([block[48], block[49], block[50], block[51]]);
        let [one, three, nine, most] = [1, 3, 9, 27].map(|power| {
            // Each product of a byte is cut to a byte: even and odd ones apart.
            let even = (bytes & 0x00ff_00ff).wrapping_mul(power) & 0x00ff_00ff;
            let odd = (bytes >> 8 & 0x00ff_00ff).wrapping_mul(power) & 0x00ff_00ff;
            (even | odd << 8).cast_signed()
        });
        let four = _mm_setr_epi32(one, three, nine, most);
        let levels = digit(_mm256_set_m128i(four, digits[4]));
        scaled(levels, [scale; 2], &mut rest[2]);
    }
}

/// The first digit to the base 3 of bytes as fractions of 256, less one.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn digit(bytes: __m256i) -> __m256i {
    // A third of 256 is passed from 86, two thirds from 171.
    let passed = |least: i8| {
        let least = _mm256_set1_epi8(least);
        _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, least), bytes)
    };
    let counted = _mm256_add_epi8(passed(86), passed(171u8.cast_signed()));
    _mm256_sub_epi8(_mm256_set1_epi8(-1), counted)
}

/// Three times each byte, cut to a byte.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn times_three(bytes: __m256i) -> __m256i {
    _mm256_add_epi8(bytes, _mm256_add_epi8(bytes, bytes))
}
