//! The upper half of a `float32`: 8 exponent bits, 7 mantissa bits, 2 bytes.
//!
//! Rounding is to nearest even, overflow goes to infinity, subnormals are kept. A NaN keeps its
//! sign and the upper part of its payload and becomes quiet.

use super::Codec;
use super::float16::round_to_odd;
use crate::dtype::DTypeName;

/// The codec of [`DTypeName::Bfloat16`].
pub(super) struct Bfloat16;

impl Codec for Bfloat16 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Bfloat16
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

/// Widens the bits of a `bfloat16`; exact, NaNs untouched.
#[inline(always)]
pub const fn to_f32(half: u16) -> f32 {
    f32::from_bits((half as u32) << 16)
}

/// Rounds to the bits of the nearest `bfloat16`.
#[inline(always)]
pub const fn from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let quiet = (bits >> 16) | 0x40;
    (if bits & 0x7fff_ffff > 0x7f80_0000 {
        quiet
    } else {
        rounded
    }) as u16
}

/// Rounds a double to the bits of the nearest `bfloat16`, once.
#[inline]
pub fn from_f64(x: f64) -> u16 {
    from_f32(round_to_odd(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_survives_the_way_through_wider_types() {
        for half in 0..=u16::MAX {
            let wide = to_f32(half);
            let quiet = if wide.is_nan() { 0x40 } else { 0 };
            assert_eq!(from_f32(wide), half | quiet);
            if !wide.is_nan() {
                assert_eq!(from_f64(f64::from(wide)), half);
            }
        }
    }

    #[test]
    fn a_double_is_rounded_once() {
        let above = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
        assert_eq!(from_f64(above), 0x3f81);
        assert_eq!(from_f32(above as f32), 0x3f80);
        assert_eq!(from_f64(f64::MAX), 0x7f80);
        assert_eq!(from_f64(f64::from(f32::MAX)), 0x7f80);
    }
}
