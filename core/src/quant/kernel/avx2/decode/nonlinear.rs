//! Formats whose levels stand for the 16 values of a table.

use std::arch::x86_64::*;

use super::lanes::{Sink, all, both, half_each, keep, load32, nibbles, scaled, spill, table};
use crate::quant::{e2m1, nonlinear};

/// The values of `iq4_nl` and `iq4_xs` as bytes.
pub(in crate::quant::kernel::avx2) const UNEVEN: [u8; 16] = {
    let mut bytes = [0; 16];
    let mut i = 0;
    while i < 16 {
        bytes[i] = (nonlinear::VALUES[i] as i8).cast_unsigned();
        i += 1;
    }
    bytes
};

/// Twice the values of a float of 4 bits, as bytes.
#[inline(always)]
pub(in crate::quant::kernel::avx2) fn doubled() -> [u8; 16] {
    std::array::from_fn(|code| (e2m1::doubled(code as u8) as i8).cast_unsigned())
}

/// Decodes blocks of `iq4_nl`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq4_nl<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let values = table(&UNEVEN);
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        let levels = _mm256_shuffle_epi8(values, nibbles(pairs));
        scaled(levels, [half_each(*d0, *d1); 2], out);
    }
}

/// Decodes blocks of `iq4_xs`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn iq4_xs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let values = table(&UNEVEN);
    let blocks = blocks.as_chunks::<136>().0.iter();
    for ([d0, d1, h0, h1, l0, l1, l2, l3, pairs @ ..], out) in
        blocks.zip(out.as_chunks_mut::<64>().0)
    {
        let low = _mm256_set1_epi32(i32::from_le_bytes([*l0, *l1, *l2, *l3]));
        let high = _mm256_set1_epi32(i32::from(u16::from_le_bytes([*h0, *h1])));
        let low = _mm256_srlv_epi32(low, _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
        let high = _mm256_srlv_epi32(high, _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
        let low = _mm256_and_si256(low, _mm256_set1_epi32(15));
        let high = _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(3)), 4);
        let scales = _mm256_sub_epi32(_mm256_or_si256(low, high), _mm256_set1_epi32(32));
        let unit = half_each(*d0, *d1);
        let scales = keep(_mm256_mul_ps(_mm256_cvtepi32_ps(scales), unit));
        let groups = pairs.as_chunks().0.iter().zip(&scales.0);
        for ((pairs, scale), out) in groups.zip(out.as_chunks_mut().0) {
            let levels = _mm256_shuffle_epi8(values, nibbles(pairs));
            scaled(levels, [all(scale); 2], out);
        }
    }
}

/// Decodes blocks of `mxfp4`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn mxfp4<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let values = table(&doubled());
    let blocks = blocks.as_chunks::<17>().0.iter();
    for ([exponent, pairs @ ..], out) in blocks.zip(out.as_chunks_mut().0) {
        // 2^(e - 128), subnormal for the first two.
        let exponent = u32::from(*exponent);
        let scale = f32::from_bits(if exponent < 2 {
            0x0020_0000 << exponent
        } else {
            (exponent - 1) << 23
        });
        let levels = _mm256_shuffle_epi8(values, nibbles(pairs));
        scaled(levels, [_mm256_set1_ps(scale); 2], out);
    }
}

/// Decodes blocks of `nvfp4`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn nvfp4<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let values = table(&doubled());
    let blocks = blocks.as_chunks::<36>().0.iter();
    for ([s0, s1, s2, s3, pairs @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let scales = nvfp4_scales([*s0, *s1, *s2, *s3]);
        let [a, b, c, d, ..] = spill(_mm256_castps128_ps256(scales));
        let pairs = load32(pairs);
        let nibble = _mm256_set1_epi8(15);
        let low = _mm256_and_si256(pairs, nibble);
        let high = _mm256_and_si256(_mm256_srli_epi16(pairs, 4), nibble);
        // Eight low nibbles, then their eight high ones: groups 0 and 2, groups 1 and 3.
        let even = _mm256_shuffle_epi8(values, _mm256_unpacklo_epi64(low, high));
        let odd = _mm256_shuffle_epi8(values, _mm256_unpackhi_epi64(low, high));
        let (first, second) = out.split_at_mut(8);
        scaled(
            _mm256_permute2x128_si256(even, odd, 0x20),
            both(&[a, b]),
            &mut first.as_chunks_mut().0[0],
        );
        scaled(
            _mm256_permute2x128_si256(even, odd, 0x31),
            both(&[c, d]),
            &mut second.as_chunks_mut().0[0],
        );
    }
}

/// Half the scales of the groups of `nvfp4`, since the values are doubled.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(in crate::quant::kernel::avx2) fn nvfp4_scales(codes: [u8; 4]) -> __m128 {
    let codes = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(i32::from_le_bytes(codes)));
    // What stands for NaN counts as 0, but not with the upper bit, which says nothing otherwise.
    let nan = _mm_cmpeq_epi16(codes, _mm_set1_epi16(0x7f));
    let codes = _mm_andnot_si128(nan, _mm_and_si128(codes, _mm_set1_epi16(0x7f)));
    // As bits of a half they are 2^7 too small, counted with the halving.
    _mm_mul_ps(_mm_cvtph_ps(_mm_slli_epi16(codes, 7)), _mm_set1_ps(128.0))
}
