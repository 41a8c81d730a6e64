//! Plain floats with a vector of `float64`, added in `float64`.

use std::arch::x86_64::*;

use super::super::decode::lanes::load16;
use super::lanes::ahead;
use crate::dtype::DTypeName as N;
use crate::quant::{bfloat16, float16};

/// The sum of products of packed floats anywhere in memory. The processor has AVX2, FMA and F16C.
pub(in crate::quant::kernel) fn dot_floats(weights: N, row: &[u8], x: &[f64]) -> Option<f64> {
    let kernel: unsafe fn(&[u8], &[[f64; 8]]) -> f64 = match weights {
        N::Float32 => float32,
        N::Float16 => float16,
        N::Bfloat16 => bfloat16,
        _ => return None,
    };
    let (whole, rest_x) = x.as_chunks::<8>();
    // SAFETY: the caller knows that the instructions exist.
    let sum = unsafe { kernel(row, whole) };
    let first = x.len() - rest_x.len();
    let rest = rest_x.iter().enumerate().map(|(i, x)| {
        let weight = match weights {
            N::Float32 => row
                .as_chunks()
                .0
                .get(first + i)
                .map(|w| f32::from_le_bytes(*w)),
            _ => row.as_chunks().0.get(first + i).map(|w| {
                let bits = u16::from_le_bytes(*w);
                match weights {
                    N::Float16 => float16::to_f32(bits),
                    _ => bfloat16::to_f32(bits),
                }
            }),
        };
        f64::from(weight.unwrap_or(0.0)) * x
    });
    Some(sum + rest.sum::<f64>())
}

/// Products of eight `float32` at a time.
#[target_feature(enable = "avx2,fma")]
fn float32(row: &[u8], x: &[[f64; 8]]) -> f64 {
    let mut sums = [_mm256_setzero_pd(); 4];
    for (i, (weights, x)) in row.as_chunks::<32>().0.iter().zip(x).enumerate() {
        ahead(weights);
        let [a, b] = weights.as_chunks().0 else {
            continue;
        };
        let weights = [_mm_castsi128_ps(load16(a)), _mm_castsi128_ps(load16(b))];
        let k = i % 2 * 2;
        let added = add(weights, x, [sums[k], sums[k + 1]]);
        [sums[k], sums[k + 1]] = added;
    }
    total(sums)
}

/// Products of eight `float16` at a time.
#[target_feature(enable = "avx2,fma,f16c")]
fn float16(row: &[u8], x: &[[f64; 8]]) -> f64 {
    let mut sums = [_mm256_setzero_pd(); 4];
    for (i, (weights, x)) in row.as_chunks::<16>().0.iter().zip(x).enumerate() {
        ahead(weights);
        let all = _mm256_cvtph_ps(load16(weights));
        let weights = [_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)];
        let k = i % 2 * 2;
        let added = add(weights, x, [sums[k], sums[k + 1]]);
        [sums[k], sums[k + 1]] = added;
    }
    total(sums)
}

/// Products of eight `bfloat16` at a time.
#[target_feature(enable = "avx2,fma")]
fn bfloat16(row: &[u8], x: &[[f64; 8]]) -> f64 {
    let mut sums = [_mm256_setzero_pd(); 4];
    for (i, (weights, x)) in row.as_chunks::<16>().0.iter().zip(x).enumerate() {
        ahead(weights);
        let all = load16(weights);
        let zero = _mm_setzero_si128();
        let weights = [
            _mm_castsi128_ps(_mm_unpacklo_epi16(zero, all)),
            _mm_castsi128_ps(_mm_unpackhi_epi16(zero, all)),
        ];
        let k = i % 2 * 2;
        let added = add(weights, x, [sums[k], sums[k + 1]]);
        [sums[k], sums[k + 1]] = added;
    }
    total(sums)
}

/// Adds eight products.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add(weights: [__m128; 2], x: &[f64; 8], sums: [__m256d; 2]) -> [__m256d; 2] {
    // SAFETY: four numbers are read, without alignment.
    let low = unsafe { _mm256_loadu_pd(x.as_ptr()) };
    // SAFETY: the second four of eight numbers are read, without alignment.
    let high = unsafe { _mm256_loadu_pd(x[4..].as_ptr()) };
    [
        _mm256_fmadd_pd(_mm256_cvtps_pd(weights[0]), low, sums[0]),
        _mm256_fmadd_pd(_mm256_cvtps_pd(weights[1]), high, sums[1]),
    ]
}

/// The sum of 16 numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn total([a, b, c, d]: [__m256d; 4]) -> f64 {
    let all = _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d));
    let two = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
    _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
}
