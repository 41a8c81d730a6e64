//! Formats whose levels are points of a codebook: all of `iq1`, `iq2` and `iq3`.
//!
//! A point is one load of its bytes. Signs are spread to masks of bytes; nothing here branches on data.

use std::arch::x86_64::*;

use bytemuck::{Pod, cast};

use super::lanes::{Sink, half, load8, load32, scaled, spill, spread};
use crate::quant::codebook;

/// Decodes blocks of `iq2_xxs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq2_xxs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<66>().0.iter();
    for ([d0, d1, groups @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let halves = groups.as_chunks::<32>().0;
        let unit = half(*d0, *d1) * 0.25;
        // Of every eight bytes, the upper four.
        let bits = _mm256_shuffle_ps(
            _mm256_castsi256_ps(load32(&halves[0])),
            _mm256_castsi256_ps(load32(&halves[1])),
            0xdd,
        );
        let bits = _mm256_permute4x64_epi64(_mm256_castps_si256(bits), 0b11_01_10_00);
        let scales = top_scales(bits, unit);
        let groups = groups.as_chunks::<8>().0.iter().zip(scales);
        for ((group, scale), out) in groups.zip(out.as_chunks_mut().0) {
            let [p0, p1, p2, p3, b0, b1, b2, b3] = *group;
            let bits = u32::from_le_bytes([b0, b1, b2, b3]);
            let points = [p0, p1, p2, p3].map(|i| codebook::IQ2_XXS[usize::from(i)]);
            let levels = with_even_signs(eights(points), sevens(bits));
            scaled(levels, [scale; 2], out);
        }
    }
}

/// Decodes blocks of `iq2_xs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq2_xs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<74>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (points, packed) = rest.split_at(64);
        let scales = nibble_scales(&packed.as_chunks().0[0], half(*d0, *d1));
        let groups = points.as_chunks::<8>().0.iter().zip(scales.as_chunks().0);
        for ((points, scales), out) in groups.zip(out.as_chunks_mut().0) {
            let four = u64::from_le_bytes(*points);
            let numbers = [0, 16, 32, 48].map(|shift| (four >> shift) as usize & 511);
            let signs = [9, 25, 41, 57].map(|shift| (four >> shift) as usize & 127);
            let points = numbers.map(|i| codebook::IQ2_XS[i]);
            let levels = with_even_signs(eights(points), signs);
            scaled(levels, *scales, out);
        }
    }
}

/// Decodes blocks of `iq2_s`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq2_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<82>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (lower, rest) = rest.split_at(32);
        let (signs, rest) = rest.split_at(32);
        let (upper, packed) = rest.split_at(8);
        let scales = nibble_scales(&packed.as_chunks().0[0], half(*d0, *d1));
        let points = lower.as_chunks::<4>().0.iter().zip(upper);
        let groups = points.zip(signs.as_chunks().0).zip(scales.as_chunks().0);
        for ((((lower, upper), signs), scales), out) in groups.zip(out.as_chunks_mut().0) {
            let upper = usize::from(*upper);
            let points = [0, 1, 2, 3].map(|l: usize| {
                let high = upper << (8 - 2 * l) & 0x300;
                codebook::IQ2_S[usize::from(lower[l]) | high]
            });
            let levels = negate(eights(points), u32::from_le_bytes(*signs));
            scaled(levels, *scales, out);
        }
    }
}

/// Decodes blocks of `iq3_xxs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq3_xxs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<98>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let unit = half(*d0, *d1);
        let (points, bits) = rest.split_at(64);
        let scales = top_scales(load32(&bits.as_chunks().0[0]), unit * 0.5);
        let points = points.as_chunks::<8>().0.iter().zip(bits.as_chunks().0);
        let groups = points.zip(scales).zip(out.as_chunks_mut().0);
        for (((points, bits), scale), out) in groups {
            let bits = u32::from_le_bytes(*bits);
            let points = points.map(|i| codebook::IQ3_XXS[usize::from(i)]);
            let levels = with_even_signs(fours(points), sevens(bits));
            scaled(levels, [scale; 2], out);
        }
    }
}

/// Decodes blocks of `iq3_s`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq3_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<110>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let unit = half(*d0, *d1);
        let (lower, rest) = rest.split_at(64);
        let (ninth, rest) = rest.split_at(8);
        let (signs, packed) = rest.split_at(32);
        let points = lower.as_chunks::<8>().0.iter().zip(ninth);
        let groups = points.zip(signs.as_chunks().0);
        for (g, (((lower, ninth), signs), out)) in groups.zip(out.as_chunks_mut().0).enumerate() {
            let level = packed[g / 2] >> (g % 2 * 4) & 15;
            let scale = unit * f32::from(1 + 2 * level);
            let ninth = usize::from(*ninth);
            let points = [0, 1, 2, 3, 4, 5, 6, 7]
                .map(|i: usize| codebook::IQ3_S[usize::from(lower[i]) | ninth << (8 - i) & 256]);
            let levels = negate(fours(points), u32::from_le_bytes(*signs));
            scaled(levels, [scale; 2], out);
        }
    }
}

/// Decodes blocks of `iq1_s`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq1_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<50>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        // Levels count eighths.
        let unit = half(*d0, *d1) * 0.125;
        let (lower, upper) = rest.split_at(32);
        let groups = lower.as_chunks::<4>().0.iter().zip(upper.as_chunks().0);
        for ((lower, upper), out) in groups.zip(out.as_chunks_mut().0) {
            let upper = usize::from(u16::from_le_bytes(*upper));
            let scale = unit * (2 * (upper >> 12 & 7) + 1) as f32;
            let points = [0, 1, 2, 3].map(|l: usize| {
                let high = upper >> (3 * l) << 8 & 0x700;
                codebook::IQ1[usize::from(lower[l]) | high]
            });
            let shift = _mm256_set1_epi8(if upper & 0x8000 != 0 { -1 } else { 1 });
            scaled(_mm256_add_epi8(eightfold(points), shift), [scale; 2], out);
        }
    }
}

/// Decodes blocks of `iq1_m`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq1_m<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<56>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<64>().0) {
        let (lower, rest) = block.split_at(32);
        let (upper, packed) = rest.split_at(16);
        let packed = u64::from_le_bytes(packed.as_chunks().0[0]);
        let piece = |i: u32| (packed >> (16 * i + 12) & 15) << (4 * i);
        let [d0, d1, ..] = (piece(0) | piece(1) | piece(2) | piece(3)).to_le_bytes();
        let unit = half(d0, d1) * 0.125;
        let groups = lower.as_chunks::<4>().0.iter().zip(upper.as_chunks().0);
        for (g, ((lower, upper), out)) in groups.zip(out.as_chunks_mut().0).enumerate() {
            let bits = packed >> (16 * (g / 2) + 6 * (g % 2));
            let scale = |bits: u64| unit * (2 * (bits & 7) + 1) as f32;
            // Four nibbles: three upper bits of the number, one for the shift.
            let upper = usize::from(u16::from_le_bytes(*upper));
            let points = [0, 1, 2, 3].map(|l: usize| {
                let high = upper >> (4 * l) << 8 & 0x700;
                codebook::IQ1[usize::from(lower[l]) | high]
            });
            let bits_of_shifts = _mm256_setr_epi64x(0x0008, 0x0080, 0x0800, 0x8000);
            let all = _mm256_set1_epi64x(upper as i64);
            let down = _mm256_and_si256(all, bits_of_shifts);
            let down = _mm256_cmpeq_epi64(down, bits_of_shifts);
            // All ones are -1 already.
            let shift = _mm256_or_si256(down, _mm256_set1_epi8(1));
            let levels = _mm256_add_epi8(eightfold(points), shift);
            scaled(levels, [scale(bits), scale(bits >> 3)], out);
        }
    }
}

/// Four points of eight levels.
#[inline]
#[target_feature(enable = "avx2")]
fn eights<T: Pod>([a, b, c, d]: [T; 4]) -> __m256i {
    // Written out: a closure in `map` would not inherit the instructions.
    _mm256_setr_epi64x(cast(a), cast(b), cast(c), cast(d))
}

/// Eight points of four levels.
#[inline]
#[target_feature(enable = "avx2")]
fn fours([a, b, c, d, e, f, g, h]: [[u8; 4]; 8]) -> __m256i {
    _mm256_setr_epi32(
        cast(a),
        cast(b),
        cast(c),
        cast(d),
        cast(e),
        cast(f),
        cast(g),
        cast(h),
    )
}

/// Four points of levels of -1, 0 and 1, times eight.
#[inline]
#[target_feature(enable = "avx2")]
fn eightfold(points: [[i8; 8]; 4]) -> __m256i {
    // What comes in from the neighbour is cleared.
    _mm256_and_si256(_mm256_slli_epi16(eights(points), 3), _mm256_set1_epi8(-8))
}

/// The levels, negative where the bit is set.
#[inline]
#[target_feature(enable = "avx2")]
fn negate(levels: __m256i, signs: u32) -> __m256i {
    let mask = spread(signs);
    _mm256_sub_epi8(_mm256_xor_si256(levels, mask), mask)
}

/// The levels with the signs whose numbers are given, for eight of them each.
#[inline]
#[target_feature(enable = "avx2")]
fn with_even_signs(levels: __m256i, [a, b, c, d]: [usize; 4]) -> __m256i {
    let signs = [EVEN_SIGNS[a], EVEN_SIGNS[b], EVEN_SIGNS[c], EVEN_SIGNS[d]];
    _mm256_sign_epi8(levels, eights(signs))
}

/// Four times seven bits.
#[inline(always)]
fn sevens(bits: u32) -> [usize; 4] {
    [0, 7, 14, 21].map(|shift| (bits >> shift) as usize & 127)
}

/// The signs of eight weights, of which an even number is negative, by the bits of the first seven.
static EVEN_SIGNS: [[i8; 8]; 128] = {
    let mut all = [[1; 8]; 128];
    let mut bits = 0;
    while bits < 128u8 {
        let eight = bits | (bits.count_ones() as u8 & 1) << 7;
        let mut i = 0;
        while i < 8 {
            if eight >> i & 1 == 1 {
                all[bits as usize][i] = -1;
            }
            i += 1;
        }
        bits += 1;
    }
    all
};

/// The scales of eight groups from the upper four bits of their words: half more than those count.
#[inline]
#[target_feature(enable = "avx2")]
fn top_scales(words: __m256i, unit: f32) -> [f32; 8] {
    let levels = _mm256_cvtepi32_ps(_mm256_srli_epi32(words, 28));
    let levels = _mm256_add_ps(levels, _mm256_set1_ps(0.5));
    spill(_mm256_mul_ps(_mm256_set1_ps(unit), levels))
}

/// The scales of the 16 groups of `iq2_xs` and `iq2_s`.
#[inline]
#[target_feature(enable = "avx2")]
fn nibble_scales(packed: &[u8; 8], unit: f32) -> [f32; 16] {
    let packed = load8(*packed);
    let nibble = _mm_set1_epi8(15);
    let low = _mm_and_si128(packed, nibble);
    let high = _mm_and_si128(_mm_srli_epi16(packed, 4), nibble);
    let both = _mm_unpacklo_epi8(low, high);
    let scale = |levels: __m128i| {
        let levels = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(levels));
        let levels = _mm256_add_ps(levels, _mm256_set1_ps(0.5));
        let scale = _mm256_mul_ps(_mm256_set1_ps(unit), levels);
        spill(_mm256_mul_ps(scale, _mm256_set1_ps(0.25)))
    };
    let halves = [both, _mm_srli_si128(both, 8)].map(scale);
    let mut all = [0.0; 16];
    all.copy_from_slice(halves.as_flattened());
    all
}
