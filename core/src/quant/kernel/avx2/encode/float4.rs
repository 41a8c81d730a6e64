//! Formats whose weights are floats of 4 bits times a scale.
//!
//! The values of the codes are doubled, as in [`crate::quant::e2m1`]: 0 1 2 3 4 6 8 12. The nearest
//! is found by the points halfway between: the distances that the codec compares are exact near
//! these, and of two equal ones it takes the smaller value.

use std::arch::x86_64::*;

use super::batch::*;
use super::levels::{each_eight, in_order, joined, ordered};
use crate::quant::{mxfp4::Mxfp4, nvfp4::Nvfp4};

/// Encodes as `mxfp4`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn mxfp4(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(weights, out, |weights, out: &mut [[u8; 17]; 8]| {
        let scales = PowerScales::of(weights);
        for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
            block[0] = scales.exponents[i] as u8;
            store16(&mut block[1..], codes(weights, scales.factors[i]));
        }
        encode_again(&Mxfp4, scales.unusual, weights, out);
    });
}

/// The scales of eight blocks of `mxfp4`.
pub(in crate::quant::kernel) struct PowerScales {
    /// As they are stored.
    pub(in crate::quant::kernel) exponents: [u32; 8],
    /// What brings half a step between values to one; of blocks of zeros it does not matter.
    pub(in crate::quant::kernel) factors: [f32; 8],
    /// Blocks for the codec.
    pub(in crate::quant::kernel) unusual: i32,
}

impl PowerScales {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn of(weights: &[[f32; 32]; 8]) -> Self {
        let magnitude = magnitudes(weights);
        let exponent = exponents(magnitude);
        let factor = _mm256_slli_epi32::<23>(_mm256_sub_epi32(_mm256_set1_epi32(256), exponent));
        // From 4 on, half a scale and its inverse are normal; above 253 the scale overflows.
        let field = _mm256_srli_epi32::<23>(magnitude);
        let low = _mm256_cmpgt_epi32(_mm256_set1_epi32(4), field);
        let high = _mm256_cmpgt_epi32(field, _mm256_set1_epi32(253));
        let zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
        PowerScales {
            exponents: lanes(exponent),
            factors: spill(_mm256_castsi256_ps(factor)),
            unusual: mask(_mm256_andnot_si256(zero, _mm256_or_si256(low, high))),
        }
    }
}

/// The exponents of the scales that go with magnitudes: that of the magnitude less 2; 0 for zero.
#[inline]
#[target_feature(enable = "avx2")]
fn exponents(magnitude: __m256i) -> __m256i {
    let field = _mm256_srli_epi32::<23>(magnitude);
    let mut ulps = [0; 8];
    for (ulps, field) in ulps.iter_mut().zip(lanes(field)) {
        *ulps = ULPS[field as usize & 0xff];
    }
    // What the logarithm takes for the power of two above it is raised to it.
    let raised = _mm256_add_epi32(magnitude, from_lanes(ulps));
    let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<23>(raised), _mm256_set1_epi32(2));
    let zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
    _mm256_andnot_si256(zero, exponent)
}

/// For each exponent of a float, how many floats below the next power of two have a logarithm that
/// rounds to that of the power.
static ULPS: [u32; 256] = {
    let mut ulps = [0; 256];
    let mut field = 0;
    while field < 256 {
        ulps[field] = ulps_below(field as i32 - 126);
        field += 1;
    }
    ulps
};

/// How many floats below 2^k have a logarithm that rounds to k.
///
/// The logarithm of the n-th is n 2^-24 / ln 2 below k, and rounds to k within half the distance of
/// k to the float below it.
const fn ulps_below(k: i32) -> u32 {
    // That half distance is 2^(places - 24).
    let places = if k > 1 {
        (k as u32 - 1).ilog2()
    } else if k < 0 {
        k.unsigned_abs().ilog2()
    } else {
        // The distances below 1 and 0 are too small.
        return 0;
    };
    // ln 2, times 2^32.
    (0xb172_17f7_u64 >> (32 - places)) as u32
}

/// The codes of 32 weights in units of half a step, as nibbles.
#[inline]
#[target_feature(enable = "avx2")]
fn codes(weights: &[f32; 32], factor: f32) -> __m128i {
    let factor = _mm256_set1_ps(factor);
    let steps = each_eight(weights, |x| {
        let magnitude = _mm256_castsi256_ps(magnitude_of(_mm256_castps_si256(x)));
        // Exact, or too small to matter. Every point halfway is a whole number of half steps.
        let steps = _mm256_ceil_ps(_mm256_mul_ps(magnitude, factor));
        _mm256_sign_epi32(_mm256_cvtps_epi32(steps), _mm256_castps_si256(x))
    });
    let steps = in_order(steps);
    let magnitude = _mm256_min_epi8(_mm256_abs_epi8(steps), _mm256_set1_epi8(21));
    // Half steps up to 15 are looked up; above 14 the code is 6, above 20 it is 7.
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6,
    ));
    let index = _mm256_min_epi8(magnitude, _mm256_set1_epi8(15));
    let code = _mm256_sub_epi8(
        _mm256_shuffle_epi8(table, index),
        _mm256_cmpgt_epi8(magnitude, _mm256_set1_epi8(20)),
    );
    // What is rounded to zero has no sign.
    let negative = _mm256_cmpgt_epi8(_mm256_set1_epi8(-1), steps);
    let sign = _mm256_and_si256(negative, _mm256_set1_epi8(8));
    joined(_mm256_or_si256(code, sign))
}

/// Encodes as `nvfp4`.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn nvfp4(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    each_batch(
        weights,
        out,
        |weights: &[[f32; 64]; 8], out: &mut [[u8; 36]; 8]| {
            let scales = GroupScales::of(weights);
            for (i, (block, weights)) in out.iter_mut().zip(weights).enumerate() {
                block[..4].copy_from_slice(&scales.bytes(i));
                let mut pairs = [_mm256_setzero_si256(); 2];
                for (g, pairs) in pairs.iter_mut().enumerate() {
                    let weights = &weights.as_chunks().0[g];
                    let [first, second] = [2 * g, 2 * g + 1].map(|g| scales.points(g, i));
                    *pairs = two_groups(weights, [&first, &second]);
                }
                let [first, second] = pairs;
                store32(&mut block[4..], ordered(_mm256_packus_epi16(first, second)));
            }
            encode_again(&Nvfp4, scales.unusual, weights, out);
        },
    );
}

/// The scales of the groups of eight blocks of `nvfp4`.
pub(in crate::quant::kernel) struct GroupScales {
    codes: [[u32; 8]; 4],
    halves: [[f32; 8]; 4],
    /// Blocks for the codec.
    pub(in crate::quant::kernel) unusual: i32,
}

impl GroupScales {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn of(weights: &[[f32; 64]; 8]) -> Self {
        let mut codes = [[0; 8]; 4];
        let mut halves = [[0.0; 8]; 4];
        let mut unusual = 0;
        for (g, (code, half)) in codes.iter_mut().zip(&mut halves).enumerate() {
            let scale = _mm256_div_ps(group_magnitudes(weights, g), _mm256_set1_ps(6.0));
            let fits = _mm256_cmp_ps::<_CMP_LT_OQ>(scale, _mm256_set1_ps(448.0));
            unusual |= !_mm256_movemask_ps(fits) & 0xff;
            let scale = scale_codes(scale);
            *code = lanes(scale);
            *half = spill(half_scales(scale));
        }
        GroupScales {
            codes,
            halves,
            unusual,
        }
    }

    /// What stands at the start of a block.
    #[inline]
    pub(in crate::quant::kernel) fn bytes(&self, block: usize) -> [u8; 4] {
        self.codes.map(|codes| codes[block] as u8)
    }

    /// The points halfway between each two magnitudes of a group of a block.
    #[inline]
    pub(in crate::quant::kernel) fn points(&self, group: usize, block: usize) -> [f32; 7] {
        [0.5, 1.5, 2.5, 3.5, 5.0, 7.0, 10.0].map(|x: f32| x * self.halves[group][block])
    }
}

/// The greatest magnitudes of one group of each of eight blocks.
#[inline]
#[target_feature(enable = "avx2")]
fn group_magnitudes(weights: &[[f32; 64]; 8], group: usize) -> __m256 {
    let mut rows = [_mm256_setzero_si256(); 8];
    for (row, weights) in rows.iter_mut().zip(weights) {
        for x in weights.as_chunks::<16>().0[group].as_chunks().0 {
            let x = magnitude_of(_mm256_castps_si256(load(x)));
            *row = _mm256_max_epu32(*row, x);
        }
    }
    _mm256_castsi256_ps(across!(_mm256_max_epu32, rows))
}

/// The codes of the nearest scales, the greater of two.
#[inline]
#[target_feature(enable = "avx2")]
fn scale_codes(scale: __m256) -> __m256i {
    let bits = _mm256_castps_si256(scale);
    // 3 bits of the mantissa and the exponent above them, less the difference of the biases.
    let upper = _mm256_sub_epi32(_mm256_srli_epi32::<20>(bits), _mm256_set1_epi32(120 << 3));
    let carry = _mm256_and_si256(_mm256_srli_epi32::<19>(bits), _mm256_set1_epi32(1));
    let normal = _mm256_add_epi32(upper, carry);
    let greatest = _mm256_cmpgt_epi32(normal, _mm256_set1_epi32(119));
    let normal = _mm256_blendv_epi8(normal, _mm256_set1_epi32(0x7e), greatest);
    // The mantissa of a subnormal counts units of 2^-9; what would be normal stays below.
    let units = _mm256_mul_ps(scale, _mm256_set1_ps(512.0));
    let units = _mm256_cvttps_epi32(_mm256_add_ps(units, _mm256_set1_ps(0.5)));
    let units = _mm256_min_epi32(units, _mm256_set1_epi32(7));
    _mm256_blendv_epi8(
        normal,
        units,
        _mm256_cmpgt_epi32(_mm256_set1_epi32(8), upper),
    )
}

/// Half of each scale, because the values are doubled; infinity for zero, above which is nothing.
#[inline]
#[target_feature(enable = "avx2")]
fn half_scales(code: __m256i) -> __m256 {
    let normal = _mm256_slli_epi32::<20>(_mm256_add_epi32(code, _mm256_set1_epi32(119 << 3)));
    let unit = _mm256_set1_ps(f32::from_bits((127 - 10) << 23));
    let subnormal = _mm256_mul_ps(_mm256_cvtepi32_ps(code), unit);
    let small = _mm256_cmpgt_epi32(_mm256_set1_epi32(8), code);
    let half = _mm256_blendv_ps(
        _mm256_castsi256_ps(normal),
        subnormal,
        _mm256_castsi256_ps(small),
    );
    let zero = _mm256_castsi256_ps(_mm256_cmpeq_epi32(code, _mm256_setzero_si256()));
    _mm256_blendv_ps(half, _mm256_set1_ps(f32::INFINITY), zero)
}

/// The codes of two groups of 16 weights, pairs of nibbles in words in the order that
/// [`_mm256_packs_epi32`] gives.
#[inline]
#[target_feature(enable = "avx2")]
fn two_groups(weights: &[f32; 32], points: [&[f32; 7]; 2]) -> __m256i {
    let mut levels = [_mm256_setzero_si256(); 4];
    let groups = weights.as_chunks::<16>().0.iter().zip(points);
    for (levels, (weights, points)) in levels.as_chunks_mut::<2>().0.iter_mut().zip(groups) {
        for (level, x) in levels.iter_mut().zip(weights.as_chunks().0) {
            let x = _mm256_castps_si256(load(x));
            let magnitude = _mm256_castsi256_ps(magnitude_of(x));
            let mut code = _mm256_setzero_si256();
            for point in points {
                let above = _mm256_cmp_ps::<_CMP_GT_OQ>(magnitude, _mm256_set1_ps(*point));
                code = _mm256_sub_epi32(code, _mm256_castps_si256(above));
            }
            *level = _mm256_sign_epi32(code, x);
        }
    }
    let [a, b, c, d] = levels;
    let low = with_sign(_mm256_packs_epi32(a, c));
    let high = with_sign(_mm256_packs_epi32(b, d));
    _mm256_or_si256(low, _mm256_slli_epi16::<4>(high))
}

/// Codes from numbers of values above and below zero.
#[inline]
#[target_feature(enable = "avx2")]
fn with_sign(codes: __m256i) -> __m256i {
    let negative = _mm256_srai_epi16::<15>(codes);
    let sign = _mm256_and_si256(negative, _mm256_set1_epi16(8));
    _mm256_or_si256(_mm256_abs_epi16(codes), sign)
}

/// Eight integers in memory.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(x: __m256i) -> [u32; 8] {
    spill(_mm256_castsi256_ps(x)).map(f32::to_bits)
}

/// Eight integers from memory.
#[inline]
#[target_feature(enable = "avx2")]
fn from_lanes(x: [u32; 8]) -> __m256i {
    _mm256_castps_si256(load(&x.map(f32::from_bits)))
}
