//! Formats of one bit, two bits, or one of three levels per weight: comparisons give their bits.

use std::arch::x86_64::*;

use super::super::lanes::Sixteen;
use super::registers::load;
use crate::quant::kernel::avx2::encode::batch::{each_batch, encode_again, store16, store32};
use crate::quant::kernel::avx2::encode::ternary::{fives, scales, store_last};
use crate::quant::search::lanes::Lanes;
use crate::quant::{q1_0::Q1_0, q2_0::Q2_0, tq1_0::Tq1_0, tq2_0::Tq2_0};

/// Encodes as `q1_0`, sixteen blocks side by side so that each sum runs from its first weight to its
/// last.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q1_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 128]; 16], out: &mut [[u8; 18]; 16]| {
            let mut sum = _mm512_setzero_ps();
            for column in 0..8 {
                let mut rows = [&[0.0; 16]; 16];
                for ((row, weights), block) in rows.iter_mut().zip(weights).zip(&mut *out) {
                    *row = &weights.as_chunks().0[column];
                    // Both zeros count as positive, NaN does not.
                    let zero = _mm512_setzero_ps();
                    let positive = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(load(row), zero);
                    block[2 + 2 * column..][..2].copy_from_slice(&positive.to_le_bytes());
                }
                let columns: [Sixteen; 16] = Lanes::transpose(&rows);
                for x in columns {
                    sum = _mm512_add_ps(sum, _mm512_abs_ps(x.0));
                }
            }
            let scale = _mm512_mul_ps(sum, _mm512_set1_ps(1.0 / 128.0));
            let mut halves = [[0; 2]; 16];
            store32(
                halves.as_flattened_mut(),
                _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(scale),
            );
            for (block, half) in out.iter_mut().zip(halves) {
                block[..2].copy_from_slice(&half);
            }
            // Sums with an infinity or a NaN.
            let unusual = _mm512_cmp_ps_mask::<_CMP_NLE_UQ>(sum, _mm512_set1_ps(f32::MAX));
            encode_again(&Q1_0, i32::from(unusual), weights, out);
        },
    );
}

/// Encodes as `q2_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q2_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 64]; 8], out: &mut [[u8; 18]; 8]| {
            let (scales, inverses, unusual) = scales(weights);
            let scales = scales.into_iter().zip(inverses);
            for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
                block[..2].copy_from_slice(&scale);
                // Four levels of 2 bits to each 32 bits.
                let levels = trits(weights, inverse);
                let pairs = _mm512_maddubs_epi16(levels, _mm512_set1_epi16(0x0401));
                let fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0010_0001));
                store16(&mut block[2..], _mm512_cvtepi32_epi8(fours));
            }
            encode_again(&Q2_0, unusual, weights, out);
        },
    );
}

/// Encodes as `tq2_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
                    let (first, second) = weights.split_at(64);
                    let first = trits(&first.as_chunks().0[0], inverse);
                    let second = trits(&second.as_chunks().0[0], inverse);
                    // The last weights stand in the upper bits.
                    let all = _mm512_or_si512(first, _mm512_slli_epi16::<4>(second));
                    let [low, high] = halves_of(all);
                    store32(place, _mm256_or_si256(low, _mm256_slli_epi16::<2>(high)));
                }
                block[64..].copy_from_slice(&scale);
            }
            encode_again(&Tq2_0, unusual, weights, out);
        },
    );
}

/// Encodes as `tq1_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn tq1_0(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 256]; 8], out: &mut [[u8; 54]; 8]| {
            let (scales, inverses, unusual) = scales(weights);
            let scales = scales.into_iter().zip(inverses);
            for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
                let mut levels = [[_mm256_setzero_si256(); 2]; 4];
                for (levels, weights) in levels.iter_mut().zip(weights.as_chunks().0) {
                    *levels = halves_of(trits(weights, inverse));
                }
                let [[a, b], [c, d], [e, f], [g, h]] = levels;
                store32(block, fives([a, b, c, d, e]));
                store_last([f, g, h], &mut block[32..52]);
                block[52..].copy_from_slice(&scale);
            }
            encode_again(&Tq1_0, unusual, weights, out);
        },
    );
}

#[inline]
#[target_feature(enable = "avx512f")]
fn halves_of(x: __m512i) -> [__m256i; 2] {
    [_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x)]
}

/// The levels of 64 weights of three levels: 0, 1 or 2.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn trits(weights: &[f32; 64], inverse: f32) -> __m512i {
    let inverse = _mm512_set1_ps(inverse);
    let (mut high, mut low) = (0, 0);
    for (i, x) in weights.as_chunks().0.iter().enumerate() {
        let x = _mm512_mul_ps(load(x), inverse);
        // Within one of zero, rounding is a question of which side of a half.
        let above = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(0.5));
        let below = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(x, _mm512_set1_ps(-0.5));
        high |= u64::from(above) << (16 * i);
        low |= u64::from(below) << (16 * i);
    }
    let levels = _mm512_mask_mov_epi8(_mm512_set1_epi8(1), high, _mm512_set1_epi8(2));
    _mm512_maskz_mov_epi8(!low, levels)
}
