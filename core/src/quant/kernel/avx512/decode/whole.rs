//! Formats whose levels are bytes, or have six bits, and floats of 16 bits.

use std::arch::x86_64::*;

use super::lanes::{Sink, half, load16, load32, load64, spill, store, times, widened};

/// Decodes blocks of `q8_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q8_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<34>().0.iter();
    for ([d0, d1, levels @ ..], out) in blocks.zip(out.as_chunks_mut::<2>().0) {
        scaled(levels, half(*d0, *d1), out);
    }
}

/// Decodes blocks of `q8_1`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q8_1<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<36>().0.iter();
    for ([d0, d1, _, _, levels @ ..], out) in blocks.zip(out.as_chunks_mut::<2>().0) {
        scaled(levels, half(*d0, *d1), out);
    }
}

/// Decodes blocks of `q8_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q8_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<292>().0.iter();
    for ([d0, d1, d2, d3, levels @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        scaled(levels, f32::from_le_bytes([*d0, *d1, *d2, *d3]), out);
    }
}

/// Writes signed bytes times a scale.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn scaled<S: Sink>(levels: &[u8], scale: f32, out: &mut [S]) {
    for (levels, out) in levels.as_chunks().0.iter().zip(out) {
        store(out, times(widened(load16(levels)), scale));
    }
}

/// Decodes blocks of `q6_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q6_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<210>().0.iter();
    // The upper bits of two quarters stand in the same bytes, two places apart.
    let [left, right] = [
        _mm512_mask_blend_epi16(0xffff_0000, _mm512_set1_epi16(4), _mm512_set1_epi16(2)),
        _mm512_mask_blend_epi16(0xffff_0000, _mm512_set1_epi16(0), _mm512_set1_epi16(2)),
    ];
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let [levels @ .., d0, d1] = block;
        let (levels, scales) = levels.split_at(192);
        let scales = widened(load16(&scales.as_chunks().0[0]));
        let scales = spill(times(scales, half(*d0, *d1)));
        let (lower, upper) = levels.split_at(128);
        let halves = lower.as_chunks().0.iter().zip(upper.as_chunks().0);
        let places = scales.as_chunks::<8>().0.iter().zip(out.as_chunks_mut().0);
        for ((lower, upper), (scales, out)) in halves.zip(places) {
            let lower = load64(lower);
            let upper = _mm512_broadcast_i64x4(load32(upper));
            // What comes along from the neighbour is cleared.
            let first = six_bits(lower, _mm512_sllv_epi16(upper, left));
            let second = six_bits(_mm512_srli_epi16(lower, 4), _mm512_srlv_epi16(upper, right));
            let out: &mut [S; 8] = out;
            let (out, more) = out.split_at_mut(4);
            quarters(first, &scales[..4], out);
            quarters(second, &scales[4..], more);
        }
    }
}

/// Levels from the nibble of each byte and two bits that stand above the place of a nibble.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn six_bits(lower: __m512i, upper: __m512i) -> __m512i {
    let level = _mm512_or_si512(
        _mm512_and_si512(lower, _mm512_set1_epi8(15)),
        _mm512_and_si512(upper, _mm512_set1_epi8(0x30)),
    );
    _mm512_sub_epi8(level, _mm512_set1_epi8(32))
}

/// Writes 64 signed levels, each quarter times its scale.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn quarters<S: Sink>(levels: __m512i, scales: &[f32], out: &mut [S]) {
    let quarters = [
        _mm512_castsi512_si128(levels),
        _mm512_extracti32x4_epi32(levels, 1),
        _mm512_extracti32x4_epi32(levels, 2),
        _mm512_extracti32x4_epi32(levels, 3),
    ];
    for ((levels, scale), out) in quarters.into_iter().zip(scales).zip(out) {
        store(out, times(widened(levels), *scale));
    }
}

/// Widens `float16`, 16 at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn float16<S: Sink>(halves: &[u8], out: &mut [S]) {
    for (halves, out) in halves.as_chunks().0.iter().zip(out) {
        store(out, _mm512_cvtph_ps(load32(halves)));
    }
}

/// Widens `bfloat16`, 16 at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn bfloat16<S: Sink>(halves: &[u8], out: &mut [S]) {
    for (halves, out) in halves.as_chunks().0.iter().zip(out) {
        let bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(load32(halves)), 16);
        store(out, _mm512_castsi512_ps(bits));
    }
}
