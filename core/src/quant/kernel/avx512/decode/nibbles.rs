//! Formats whose levels have four bits, or five.

use std::arch::x86_64::*;

use super::lanes::{
    Sink, chosen, codes, half, load32, looked_up, numbers, shifted, spill, store, times, values,
};
use crate::quant::{e2m1, nonlinear};

/// Each code itself.
static PLAIN: [f32; 16] = [
    0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
];

/// Lanes of the second half have their code in the upper nibble.
static SECOND_UPPER: [i32; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4];

/// Decodes blocks of `q4_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q4_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = _mm512_sub_ps(values(&PLAIN), _mm512_set1_ps(8.0));
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        fours(pairs, times(levels, half(*d0, *d1)), out);
    }
}

/// Decodes blocks of `q4_1`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q4_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&PLAIN);
    let blocks = blocks.as_chunks::<20>().0.iter();
    for ([d0, d1, m0, m1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let values = shifted(levels, half(*d0, *d1), half(*m0, *m1));
        fours(pairs, values, out);
    }
}

/// Decodes blocks of `q5_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q5_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let upper = values(&PLAIN);
    let lower = _mm512_sub_ps(upper, _mm512_set1_ps(16.0));
    let blocks = blocks.as_chunks::<22>().0.iter();
    for ([d0, d1, h0, h1, h2, h3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let scale = half(*d0, *d1);
        let bits = u32::from_le_bytes([*h0, *h1, *h2, *h3]);
        fives(pairs, bits, [times(lower, scale), times(upper, scale)], out);
    }
}

/// Decodes blocks of `q5_1`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q5_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let lower = values(&PLAIN);
    let upper = _mm512_add_ps(lower, _mm512_set1_ps(16.0));
    let blocks = blocks.as_chunks::<24>().0.iter();
    for ([d0, d1, m0, m1, h0, h1, h2, h3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let (scale, minimum) = (half(*d0, *d1), half(*m0, *m1));
        let bits = u32::from_le_bytes([*h0, *h1, *h2, *h3]);
        let values = [
            shifted(lower, scale, minimum),
            shifted(upper, scale, minimum),
        ];
        fives(pairs, bits, values, out);
    }
}

/// Decodes blocks of `iq4_nl`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq4_nl<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&nonlinear::VALUES);
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        fours(pairs, times(levels, half(*d0, *d1)), out);
    }
}

/// Decodes blocks of `iq4_xs`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq4_xs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&nonlinear::VALUES);
    let blocks = blocks.as_chunks::<136>().0.iter();
    for ([d0, d1, h0, h1, l0, l1, l2, l3, pairs @ ..], out) in
        blocks.zip(out.as_chunks_mut::<16>().0)
    {
        let low = _mm256_set1_epi32(i32::from_le_bytes([*l0, *l1, *l2, *l3]));
        let high = _mm256_set1_epi32(i32::from(u16::from_le_bytes([*h0, *h1])));
        let low = _mm256_srlv_epi32(low, _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        let high = _mm256_srlv_epi32(high, _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
        let low = _mm256_and_si256(low, _mm256_set1_epi32(15));
        let high = _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(3)), 4);
        let scales = _mm256_sub_epi32(_mm256_or_si256(low, high), _mm256_set1_epi32(32));
        let scales = _mm512_zextps256_ps512(_mm256_cvtepi32_ps(scales));
        let scales = spill(times(scales, half(*d0, *d1)));
        let groups = pairs.as_chunks().0.iter().zip(scales);
        for ((pairs, scale), out) in groups.zip(out.as_chunks_mut().0) {
            fours(pairs, times(levels, scale), out);
        }
    }
}

/// Twice the values of a float of 4 bits.
#[inline(always)]
fn doubled() -> [f32; 16] {
    std::array::from_fn(|code| e2m1::doubled(code as u8))
}

/// Decodes blocks of `mxfp4`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn mxfp4<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&doubled());
    let blocks = blocks.as_chunks::<17>().0.iter();
    for ([exponent, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        // 2^(e - 128), subnormal for the first two.
        let exponent = u32::from(*exponent);
        let scale = f32::from_bits(if exponent < 2 {
            0x0020_0000 << exponent
        } else {
            (exponent - 1) << 23
        });
        fours(pairs, times(levels, scale), out);
    }
}

/// Decodes blocks of `nvfp4`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn nvfp4<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&doubled());
    let places = numbers(&SECOND_UPPER);
    let blocks = blocks.as_chunks::<36>().0.iter();
    for ([s0, s1, s2, s3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<4>().0) {
        let scales = nvfp4_scales([*s0, *s1, *s2, *s3]);
        let groups = pairs.as_chunks().0.iter().zip(scales);
        for ((pairs, scale), out) in groups.zip(out) {
            // Eight low nibbles, then their eight high ones.
            let twice = _mm_set1_epi64x(i64::from_le_bytes(*pairs));
            let codes = _mm512_srlv_epi32(_mm512_cvtepu8_epi32(twice), places);
            store(out, times(looked_up(codes, levels), scale));
        }
    }
}

/// Half the scales of the groups of `nvfp4`, since the values are doubled.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn nvfp4_scales(codes: [u8; 4]) -> [f32; 4] {
    let codes = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(i32::from_le_bytes(codes)));
    // What stands for NaN counts as 0, but not with the upper bit, which says nothing otherwise.
    let nan = _mm_cmpeq_epi16(codes, _mm_set1_epi16(0x7f));
    let codes = _mm_andnot_si128(nan, _mm_and_si128(codes, _mm_set1_epi16(0x7f)));
    // As bits of a half they are 2^7 too small, counted with the halving.
    let scales = _mm_cvtph_ps(_mm_slli_epi16(codes, 7));
    let [a, b, c, d, ..] = spill(times(_mm512_zextps128_ps512(scales), 128.0));
    [a, b, c, d]
}

/// Decodes blocks of `q4_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q4_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&PLAIN);
    let blocks = blocks.as_chunks::<144>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let (head, pairs) = block.as_chunks::<16>().0.split_at(1);
        let scales = six_bit(&head[0]);
        let pairs = pairs.as_chunks::<2>().0.iter();
        for (p, ([first, second], out)) in pairs.zip(out.as_chunks_mut::<4>().0).enumerate() {
            let (first, second) = (codes(first), codes(second));
            let low = shifted(levels, scales[2 * p], scales[2 * p + 8]);
            let high = shifted(levels, scales[2 * p + 1], scales[2 * p + 9]);
            store(&mut out[0], looked_up(first, low));
            store(&mut out[1], looked_up(second, low));
            store(&mut out[2], looked_up(_mm512_srli_epi32(first, 4), high));
            store(&mut out[3], looked_up(_mm512_srli_epi32(second, 4), high));
        }
    }
}

/// Decodes blocks of `q5_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q5_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let lower = values(&PLAIN);
    let upper = _mm512_add_ps(lower, _mm512_set1_ps(16.0));
    let blocks = blocks.as_chunks::<176>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let (head, rest) = block.split_at(16);
        let scales = six_bit(&head.as_chunks().0[0]);
        let (fifths, pairs) = rest.split_at(32);
        let fifths = load32(&fifths.as_chunks().0[0]);
        let mut bit = _mm256_set1_epi8(1);
        let pairs = pairs.as_chunks::<16>().0.as_chunks::<2>().0.iter();
        for (p, ([first, second], out)) in pairs.zip(out.as_chunks_mut::<4>().0).enumerate() {
            let (mut first, mut second) = (codes(first), codes(second));
            let out: &mut [S; 4] = out;
            for (half, out) in out.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let g = 2 * p + half;
                let values = [
                    shifted(lower, scales[g], scales[g + 8]),
                    shifted(upper, scales[g], scales[g + 8]),
                ];
                let bits = _mm256_test_epi8_mask(fifths, bit);
                bit = _mm256_add_epi8(bit, bit);
                store(&mut out[0], chosen(first, bits as u16, values));
                store(&mut out[1], chosen(second, (bits >> 16) as u16, values));
                first = _mm512_srli_epi32(first, 4);
                second = _mm512_srli_epi32(second, 4);
            }
        }
    }
}

/// The eight scales of the groups of `q4_k` and `q5_k`, then their offsets: the minima, negative.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn six_bit(head: &[u8; 16]) -> [f32; 16] {
    static PLACES: [i32; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4];
    static KEPT: [i32; 16] = [
        63, 63, 63, 63, 15, 15, 15, 15, 63, 63, 63, 63, 15, 15, 15, 15,
    ];
    let word = |i: usize| i32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
    let (scales, minima, nibbles) = (word(4), word(8), word(12));
    // Four of each stand whole; the others are nibbles, and two bits above the whole ones.
    let low = _mm512_cvtepu8_epi32(_mm_setr_epi32(scales, nibbles, minima, nibbles));
    let low = _mm512_srlv_epi32(low, numbers(&PLACES));
    let low = _mm512_and_si512(low, numbers(&KEPT));
    let top = _mm512_cvtepu8_epi32(_mm_setr_epi32(0, scales, 0, minima));
    let top = _mm512_and_si512(_mm512_srli_epi32(top, 2), _mm512_set1_epi32(0x30));
    let levels = _mm512_cvtepi32_ps(_mm512_or_si512(low, top));
    let units = _mm512_mask_blend_ps(
        0xff00,
        _mm512_set1_ps(half(head[0], head[1])),
        _mm512_set1_ps(-half(head[2], head[3])),
    );
    spill(_mm512_mul_ps(levels, units))
}

/// Writes the values of 16 low nibbles, then those of the high ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn fours<S: Sink>(pairs: &[u8; 16], values: __m512, out: &mut [S; 2]) {
    let [low, high] = out;
    let codes = codes(pairs);
    store(low, looked_up(codes, values));
    store(high, looked_up(_mm512_srli_epi32(codes, 4), values));
}

/// Writes the values of 16 low nibbles, then those of the high ones, from the second table where
/// the bit of the weight is set.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn fives<S: Sink>(pairs: &[u8; 16], bits: u32, values: [__m512; 2], out: &mut [S; 2]) {
    let [low, high] = out;
    let codes = codes(pairs);
    store(low, chosen(codes, bits as u16, values));
    let codes = _mm512_srli_epi32(codes, 4);
    store(high, chosen(codes, (bits >> 16) as u16, values));
}
