//! IEEE 754 half precision: 5 exponent bits, 10 mantissa bits, 2 bytes.
//!
//! Rounding is to nearest even, overflow goes to infinity, subnormals are kept. Every NaN becomes
//! `0x7e00` with its sign; widening keeps the payload and makes the NaN quiet. The functions have
//! no branches, so loops over them vectorize on any target, and none of them depends on whether the
//! processor has a conversion instruction.

use super::Codec;
use crate::dtype::DTypeName;

/// The codec of [`DTypeName::Float16`].
pub(super) struct Float16;

impl Codec for Float16 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Float16
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        for (half, out) in blocks.as_chunks::<2>().0.iter().zip(out) {
            *out = to_f32(u16::from_le_bytes(*half));
        }
    }

    fn encode(
        &self,
        weights: &[f32],
        _row_len: usize,
        _importance: Option<&[f32]>,
        out: &mut [u8],
    ) {
        for (&weight, half) in weights.iter().zip(out.as_chunks_mut::<2>().0) {
            *half = from_f32(weight).to_le_bytes();
        }
    }
}

/// Widens the bits of a half; exact.
#[inline(always)]
pub const fn to_f32(half: u16) -> f32 {
    let sign = (half as u32 & 0x8000) << 16;
    let magnitude = half as u32 & 0x7fff;
    // A subnormal counts units of 2⁻²⁴, which is the last place of 0.5.
    let subnormal = f32::from_bits(magnitude | 0x3f00_0000) - 0.5;
    // Everything else only moves the exponent: by 112, or for infinity and NaN by twice that.
    let rebias = if magnitude >= 0x7c00 {
        0x7000_0000
    } else {
        0x3800_0000
    };
    let quiet = if magnitude > 0x7c00 { 0x0040_0000 } else { 0 };
    let normal = ((magnitude << 13) + rebias) | quiet;
    f32::from_bits(
        sign | if magnitude < 0x0400 {
            subnormal.to_bits()
        } else {
            normal
        },
    )
}

/// Rounds to the bits of the nearest half.
#[inline(always)]
pub const fn from_f32(x: f32) -> u16 {
    let sign = (x.to_bits() >> 16) & 0x8000;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // Below 2⁻¹⁴ the addition rounds at 2⁻²⁴, the last place of 0.5.
    let subnormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0x3f00_0000);
    // Half of the dropped part, less one when the kept part is even; a carry runs on into the
    // exponent, up to infinity.
    let rounded = magnitude.wrapping_add(0x0fff + ((magnitude >> 13) & 1));
    let normal = rounded.wrapping_sub(0x3800_0000) >> 13;
    let half = if magnitude > 0x7f80_0000 {
        0x7e00
    } else if magnitude >= 0x4780_0000 {
        0x7c00
    } else if magnitude < 0x3880_0000 {
        subnormal
    } else {
        normal
    };
    (sign | half) as u16
}

/// Rounds a double to the bits of the nearest half, once.
#[inline]
pub fn from_f64(x: f64) -> u16 {
    from_f32(round_to_odd(x))
}

/// The double, cut to `f32` such that a second rounding to fewer bits gives what one rounding
/// would.
///
/// What was dropped is noted in the last bit, so nothing inexact looks like a tie.
#[inline]
pub(super) fn round_to_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    if back == x || x.is_nan() {
        return near;
    }
    // Step back to the truncated value where rounding went outward, from infinity too.
    let outward = u32::from(back.abs() > x.abs());
    f32::from_bits((near.to_bits() - outward) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_through_wider_types() {
        for half in 0..=u16::MAX {
            let wide = to_f32(half);
            if wide.is_nan() {
                assert_eq!(from_f32(wide), half & 0x8000 | 0x7e00);
            } else {
                assert_eq!(from_f32(wide), half);
                assert_eq!(from_f64(f64::from(wide)), half);
                assert_eq!(wide, half::f16::from_bits(half).to_f32_const());
            }
        }
    }

    #[test]
    fn a_double_is_rounded_once() {
        // Just above the tie between 1 and its successor: by way of the nearest float it would fall
        // on the tie.
        let above = 1.0 + f64::from(2f32.powi(-11)) + 2f64.powi(-40);
        assert_eq!(from_f64(above), 0x3c01);
        assert_eq!(from_f32(above as f32), 0x3c00);
        assert_eq!(from_f64(1e300), 0x7c00);
        assert_eq!(from_f64(-65_519.999_999), 0xfbff);
        assert_eq!(from_f64(2f64.powi(-25)), 0);
        assert_eq!(from_f64(2f64.powi(-25) * (1.0 + 2f64.powi(-50))), 1);
        assert_eq!(from_f64(-1e-300), 0x8000);
        assert_eq!(from_f64(f64::NEG_INFINITY), 0xfc00);
    }
}
