//! Formats whose levels are floats of 4 bits.

use std::arch::aarch64::*;

use super::blocks::{load, unsigned};
use crate::quant::block::encode_each;
use crate::quant::{e2m1, mxfp4, nvfp4};

/// Encodes as `mxfp4`.
#[target_feature(enable = "neon")]
pub(super) fn mxfp4(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    encode_each(weights, out, |weights: &[f32; 32], block: &mut [u8; 17]| {
        let [exponent, pairs @ ..] = block;
        *exponent = mxfp4::exponent_of(greatest(weights));
        let values = Values::new(mxfp4::half_scale(*exponent));
        let [low, high] = weights.as_chunks().0 else {
            return;
        };
        let codes = vsliq_n_u8::<4>(values.codes(low), values.codes(high));
        // SAFETY: 16 bytes are written, without alignment.
        unsafe { vst1q_u8(pairs.as_mut_ptr(), codes) };
    });
}

/// Encodes as `nvfp4`.
#[target_feature(enable = "neon")]
pub(super) fn nvfp4(weights: &[f32], _row_len: usize, _importance: Option<&[f32]>, out: &mut [u8]) {
    encode_each(weights, out, |weights: &[f32; 64], block: &mut [u8; 36]| {
        let (scales, pairs) = block.split_at_mut(4);
        let groups = weights.as_chunks::<16>().0.iter();
        let places = scales.iter_mut().zip(pairs.as_chunks_mut::<8>().0);
        for (weights, (scale, pairs)) in groups.zip(places) {
            *scale = nvfp4::scale_code(greatest(weights) / 6.0);
            let codes = Values::new(nvfp4::half_scale(*scale)).codes(weights);
            let codes = vsli_n_u8::<4>(vget_low_u8(codes), vget_high_u8(codes));
            // SAFETY: 8 bytes are written, without alignment.
            unsafe { vst1_u8(pairs.as_mut_ptr(), codes) };
        }
    });
}

/// The greatest magnitude, where every NaN is passed over.
#[inline]
#[target_feature(enable = "neon")]
fn greatest<const LEN: usize>(weights: &[f32; LEN]) -> f32 {
    let mut greatest = vdupq_n_f32(0.0);
    for x in weights.as_chunks().0 {
        let x = vabsq_f32(load(x));
        greatest = vbslq_f32(vcgtq_f32(x, greatest), x, greatest);
    }
    vmaxvq_f32(greatest)
}

/// The eight magnitudes of codes, times a scale.
struct Values([float32x4_t; 8]);

impl Values {
    #[inline]
    #[target_feature(enable = "neon")]
    fn new(scale: f32) -> Self {
        let mut values = [vdupq_n_f32(0.0); 8];
        for (code, value) in (0..).zip(&mut values) {
            *value = vdupq_n_f32(e2m1::doubled(code) * scale);
        }
        Values(values)
    }

    /// The codes that come nearest to 16 weights.
    #[inline]
    #[target_feature(enable = "neon")]
    fn codes(&self, weights: &[f32; 16]) -> uint8x16_t {
        unsigned(weights, |x| self.nearest(x))
    }

    /// The codes that come nearest to four weights; the first of equally near ones.
    ///
    /// A value of the other sign is never nearer than 0, and 0 has its code before all others. So magnitudes are
    /// compared, and the sign is that of the weight where the code is not 0.
    #[inline]
    #[target_feature(enable = "neon")]
    fn nearest(&self, x: float32x4_t) -> uint32x4_t {
        let magnitude = vabsq_f32(x);
        let mut best = vdupq_n_u32(0);
        let mut least = vabdq_f32(self.0[0], magnitude);
        for (code, value) in (1..).zip(&self.0[1..]) {
            let error = vabdq_f32(*value, magnitude);
            let better = vcltq_f32(error, least);
            best = vbslq_u32(better, vdupq_n_u32(code), best);
            least = vbslq_f32(better, error, least);
        }
        let negative = vshlq_n_u32::<3>(vshrq_n_u32::<31>(vreinterpretq_u32_f32(x)));
        vorrq_u32(best, vandq_u32(negative, vtstq_u32(best, best)))
    }
}
