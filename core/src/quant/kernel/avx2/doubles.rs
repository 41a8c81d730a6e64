//! Doubles on their way to floats of fewer bits.

use std::arch::x86_64::*;

use crate::quant::float16::round_to_odd;

/// See [`crate::quant::kernel::narrow_to_odd`]. The processor has AVX2.
pub(in crate::quant::kernel) fn narrow_to_odd(doubles: &[[u8; 8]], out: &mut [f32]) {
    let (fours, rest) = doubles.as_chunks::<4>();
    let (places, rest_places) = out.as_chunks_mut::<4>();
    // SAFETY: the caller knows that the instructions exist.
    unsafe { fours_to_odd(fours, places) };
    for (x, out) in rest.iter().zip(rest_places) {
        *out = round_to_odd(f64::from_le_bytes(*x));
    }
}

#[target_feature(enable = "avx2")]
fn fours_to_odd(doubles: &[[[u8; 8]; 4]], out: &mut [[f32; 4]]) {
    for (doubles, out) in doubles.iter().zip(out) {
        // SAFETY: 32 bytes are read, without alignment.
        let x = unsafe { _mm256_loadu_pd(doubles.as_ptr().cast()) };
        let near = _mm256_cvtpd_ps(x);
        let back = _mm256_cvtps_pd(near);
        // A NaN is neither inexact nor too great.
        let sign = _mm256_set1_pd(-0.0);
        let (size, wanted) = (_mm256_andnot_pd(sign, back), _mm256_andnot_pd(sign, x));
        let outward = halves(_mm256_cmp_pd::<_CMP_GT_OQ>(size, wanted));
        let inexact = halves(_mm256_cmp_pd::<_CMP_NEQ_OQ>(back, x));
        // One less where rounding went outward, from infinity too; then the last bit.
        let bits = _mm_add_epi32(_mm_castps_si128(near), outward);
        let odd = _mm_castsi128_ps(_mm_or_si128(bits, _mm_srli_epi32::<31>(inexact)));
        // SAFETY: four floats are written, without alignment.
        unsafe { _mm_storeu_ps(out.as_mut_ptr(), odd) };
    }
}

/// The lower halves of four masks.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(mask: __m256d) -> __m128i {
    let mask = _mm256_castpd_ps(mask);
    let (low, high) = (
        _mm256_castps256_ps128(mask),
        _mm256_extractf128_ps::<1>(mask),
    );
    _mm_castps_si128(_mm_shuffle_ps::<0x88>(low, high))
}
