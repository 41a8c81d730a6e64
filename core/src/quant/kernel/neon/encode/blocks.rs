//! What the encoders of blocks share: extremes, levels, and the bits that are stored.

use std::arch::aarch64::*;

use crate::quant::Codec;
use crate::quant::block::encode_each;
use crate::quant::rounding::first_peak;

/// Calls `encode` with each block. Where it says that the block is not an ordinary one, the codec encodes it again.
#[inline(always)]
pub(super) fn each_block<const LEN: usize, const BYTES: usize>(
    codec: &dyn Codec,
    weights: &[f32],
    out: &mut [u8],
    encode: impl Fn(&[f32; LEN], &mut [u8; BYTES]) -> bool,
) {
    encode_each(weights, out, |weights: &[f32; LEN], block| {
        if !encode(weights, block) {
            codec.encode(weights, LEN, None, block);
        }
    });
}

/// Loads four floats.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load(x: &[f32; 4]) -> float32x4_t {
    // SAFETY: four floats are read, without alignment.
    unsafe { vld1q_f32(x.as_ptr()) }
}

/// Stores 16 bytes.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn store16(out: &mut [u8; 16], bytes: uint8x16_t) {
    // SAFETY: 16 bytes are written, without alignment.
    unsafe { vst1q_u8(out.as_mut_ptr(), bytes) };
}

/// The first weight of greatest magnitude, +0 among zeros; `None` where one is not finite.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn peak<const LEN: usize>(weights: &[f32; LEN]) -> Option<f32> {
    let (low, high) = finite_extremes(weights)?;
    Some(if high > -low {
        high
    } else if high < -low {
        low
    } else {
        // Both signs, or zeros: the first has to be looked for.
        first_peak(weights)
    })
}

/// The greatest magnitude; `None` where a weight is not finite.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn magnitude<const LEN: usize>(weights: &[f32; LEN]) -> Option<f32> {
    let mut greatest = vdupq_n_u32(0);
    for x in weights.as_chunks().0 {
        greatest = vmaxq_u32(greatest, vreinterpretq_u32_f32(vabsq_f32(load(x))));
    }
    let bits = vmaxvq_u32(greatest);
    (bits < f32::INFINITY.to_bits()).then_some(f32::from_bits(bits))
}

/// The least and the greatest weight; `None` where one is not finite. Which zero stands for zeros is open.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn finite_extremes<const LEN: usize>(weights: &[f32; LEN]) -> Option<(f32, f32)> {
    let (mut low, mut high) = (vdupq_n_f32(f32::MAX), vdupq_n_f32(-f32::MAX));
    for x in weights.as_chunks().0 {
        // These keep a NaN, unlike the ones with `nm`.
        low = vminq_f32(low, load(x));
        high = vmaxq_f32(high, load(x));
    }
    let (low, high) = (vminvq_f32(low), vmaxvq_f32(high));
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

/// One over a scale that is not 0, or else 0; `None` where that overflows.
#[inline(always)]
pub(super) fn inverse_of(scale: f32) -> Option<f32> {
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    inverse.is_finite().then_some(inverse)
}

/// Sixteen weights, four at a time, as unsigned bytes; what is greater is brought down to 255.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn unsigned(
    weights: &[f32; 16],
    level: impl Fn(float32x4_t) -> uint32x4_t,
) -> uint8x16_t {
    let [a, b, c, d] = *weights.as_chunks::<4>().0 else {
        return vdupq_n_u8(0);
    };
    let low = vqmovn_high_u32(vqmovn_u32(level(load(&a))), level(load(&b)));
    let high = vqmovn_high_u32(vqmovn_u32(level(load(&c))), level(load(&d)));
    vqmovn_high_u16(vqmovn_u16(low), high)
}

/// Sixteen weights, four at a time, as signed bytes; what is beyond them is brought to the ends.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn signed(weights: &[f32; 16], level: impl Fn(float32x4_t) -> int32x4_t) -> int8x16_t {
    let [a, b, c, d] = *weights.as_chunks::<4>().0 else {
        return vdupq_n_s8(0);
    };
    let low = vqmovn_high_s32(vqmovn_s32(level(load(&a))), level(load(&b)));
    let high = vqmovn_high_s32(vqmovn_s32(level(load(&c))), level(load(&d)));
    vqmovn_high_s16(vqmovn_s16(low), high)
}

/// Writes the low nibbles of two times 16 levels, the first in the lower ones.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn nibbles([low, high]: [uint8x16_t; 2], out: &mut [u8; 16]) {
    // What is above the nibble of the first is overwritten.
    store16(out, vsliq_n_u8::<4>(low, high));
}

/// Writes two times 16 levels of five bits: 4 bytes of upper bits and 16 of nibbles.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn five_bits([low, high]: [uint8x16_t; 2], out: &mut [u8; 20]) {
    let [u0, u1, u2, u3, pairs @ ..] = out;
    let sixteen = vdupq_n_u8(16);
    [*u0, *u1] = bits(vtstq_u8(low, sixteen));
    [*u2, *u3] = bits(vtstq_u8(high, sixteen));
    nibbles([low, high], pairs);
}

/// From bytes of ones or zeros to bits, the first one the lowest.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn bits(bytes: uint8x16_t) -> [u8; 2] {
    let each = vcreate_u8(0x8040_2010_0804_0201);
    [
        vaddv_u8(vand_u8(vget_low_u8(bytes), each)),
        vaddv_u8(vand_u8(vget_high_u8(bytes), each)),
    ]
}
