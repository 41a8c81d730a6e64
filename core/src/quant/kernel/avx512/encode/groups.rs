//! Formats without a search that look at groups of 16 weights: a register.

use std::arch::x86_64::*;

use super::registers::load;
use crate::quant::kernel::avx2::encode::batch::{
    each_batch, encode_again, first_peaks, inverse_of, spill, store16, unusual,
};
use crate::quant::kernel::avx2::encode::float4::GroupScales;
use crate::quant::kernel::avx2::encode::symmetric::{store_sums, sums_of_four};
use crate::quant::{nvfp4::Nvfp4, q8_k::Q8K};

/// Encodes as `q8_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q8_k(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 292]; 8]| {
        let (peak, magnitude) = first_peaks(weights);
        let zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(peak, _mm256_setzero_ps());
        let inverse = _mm256_andnot_ps(zero, _mm256_div_ps(_mm256_set1_ps(-127.0), peak));
        let scales = spill(inverse_of(inverse)).into_iter().zip(spill(inverse));
        for ((block, weights), (scale, inverse)) in out.iter_mut().zip(weights).zip(scales) {
            let (start, rest) = block.split_at_mut(4);
            start.copy_from_slice(&scale.to_le_bytes());
            let (levels, sums) = rest.split_at_mut(256);
            super_block(weights, inverse, levels, sums);
        }
        encode_again(&Q8K, unusual(magnitude, inverse), weights, out);
    });
}

/// The levels of a block of `q8_k`, and their sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn super_block(weights: &[f32; 256], inverse: f32, levels: &mut [u8], sums: &mut [u8]) {
    let inverse = _mm512_set1_ps(inverse);
    let mut parts = [_mm256_setzero_si256(); 8];
    let places = levels.as_chunks_mut::<32>().0.iter_mut().zip(&mut parts);
    for ((levels, part), weights) in places.zip(weights.as_chunks::<32>().0) {
        let (levels, upper) = levels.split_at_mut(16);
        let mut halves = [_mm_setzero_si128(); 2];
        let inputs = weights.as_chunks().0.iter().zip([levels, upper]);
        for (half, (x, levels)) in halves.iter_mut().zip(inputs) {
            let near = _mm512_cvtps_epi32(_mm512_mul_ps(inverse, load(x)));
            // What was rounded to 128 is brought back to 127 here.
            *half = _mm512_cvtsepi32_epi8(near);
            store16(levels, *half);
        }
        let [low, high] = halves;
        *part = sums_of_four(_mm256_set_m128i(high, low));
    }
    store_sums(parts, sums);
}

/// Encodes as `nvfp4`. See [`crate::quant::kernel::avx2::encode::float4`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn nvfp4(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 36]; 8]| {
        let scales = GroupScales::of(weights);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[..4].copy_from_slice(&scales.bytes(i));
            let groups: &[[f32; 16]] = weights.as_chunks().0;
            for (pair, weights) in groups.as_chunks::<2>().0.iter().enumerate() {
                let [first, second] = weights;
                let first = codes(first, &scales.points(2 * pair, i));
                let second = codes(second, &scales.points(2 * pair + 1, i));
                // The first halves of both groups stand in the lower nibbles.
                let low = _mm512_shuffle_i64x2::<0x44>(first, second);
                let high = _mm512_shuffle_i64x2::<0xee>(first, second);
                let both = _mm512_or_si512(low, _mm512_slli_epi32::<4>(high));
                store16(&mut block[4 + 16 * pair..], _mm512_cvtepi32_epi8(both));
            }
        }
        encode_again(&Nvfp4, scales.unusual, weights, out);
    });
}

/// The codes of 16 weights: how many points are below each magnitude, and a sign.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn codes(weights: &[f32; 16], points: &[f32; 7]) -> __m512i {
    let [a, b, c, d, e, f, g] = *points;
    let table = _mm512_castps256_ps512(_mm256_setr_ps(a, b, c, d, e, f, g, g));
    let x = load(weights);
    let magnitude = _mm512_abs_ps(x);
    let above = |point| _mm512_cmp_ps_mask::<_CMP_GT_OQ>(magnitude, point);
    let add = |code, mask, n| _mm512_mask_add_epi32(code, mask, code, _mm512_set1_epi32(n));
    // The bits of the number, the highest first.
    let code = _mm512_maskz_set1_epi32(above(_mm512_set1_ps(d)), 4);
    let next = _mm512_add_epi32(code, _mm512_set1_epi32(1));
    let code = add(code, above(_mm512_permutexvar_ps(next, table)), 2);
    let code = add(code, above(_mm512_permutexvar_ps(code, table)), 1);
    // What is rounded to zero has no sign.
    let negative = _mm512_movepi32_mask(_mm512_castps_si512(x));
    add(code, _mm512_mask_test_epi32_mask(negative, code, code), 8)
}
