//! A scale for a group of weights of three levels: every split of the sorted weights.
//!
//! As with AVX2, gains are estimated first, and those near the greatest are compared as the codec
//! compares all: see [`avx2::encode::split`](crate::quant::kernel::avx2).

mod apart;
mod together;

use std::arch::x86_64::*;

pub(super) use self::apart::apart;
pub(super) use self::together::together;

/// An estimate of `product² / square`, nearer than that of AVX2.
#[inline]
#[target_feature(enable = "avx512f")]
fn gain(product: __m512, square: __m512) -> __m512 {
    _mm512_mul_ps(_mm512_mul_ps(product, product), _mm512_rcp14_ps(square))
}

/// The lanes that reach the bar.
#[inline]
#[target_feature(enable = "avx512f")]
fn reaches(gains: __m512, bar: f32) -> u16 {
    _mm512_cmp_ps_mask::<_CMP_GT_OQ>(gains, _mm512_set1_ps(bar))
}
