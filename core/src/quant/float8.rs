//! One-byte floats: 4 exponent and 3 mantissa bits ([`E4M3FN`]), or 5 and 2 ([`E5M2`]).
//!
//! Both keep subnormals and round to nearest even without saturating. What is too large becomes
//! infinity in `e5m2`; `e4m3fn` has none, so there it becomes NaN. Bytes are those of the OCP 8-bit
//! floating point specification, results those of `ml_dtypes`.

use super::Codec;
use super::float16::round_to_odd;
use crate::dtype::DTypeName;

/// 4 exponent bits, 3 mantissa bits, no infinity, greatest value 448.
pub const E4M3FN: Float8 = Float8 {
    name: DTypeName::Float8E4m3fn,
    mantissa: 3,
    bias: 7,
    largest: 0x7e,
    beyond: 0x7f,
    nan: 0x7f,
};

/// 5 exponent bits, 2 mantissa bits, greatest value 57344.
pub const E5M2: Float8 = Float8 {
    name: DTypeName::Float8E5m2,
    mantissa: 2,
    bias: 15,
    largest: 0x7b,
    beyond: 0x7c,
    nan: 0x7e,
};

/// A layout of one-byte floats, and the codec of its dtype.
#[derive(Debug, Clone, Copy)]
pub struct Float8 {
    name: DTypeName,
    /// Bits after the point.
    pub(super) mantissa: u32,
    pub(super) bias: u32,
    /// The greatest finite magnitude.
    pub(super) largest: u8,
    /// What a number of greater magnitude becomes: infinity, or NaN.
    pub(super) beyond: u8,
    pub(super) nan: u8,
}

impl Float8 {
    /// Widens one byte; exact.
    #[inline(always)]
    pub const fn to_f32(&self, byte: u8) -> f32 {
        let sign = (byte as u32 & 0x80) << 24;
        let code = byte & 0x7f;
        let rebias = 127 - self.bias;
        let bits = if code > self.largest {
            if code == self.beyond && self.beyond != self.nan {
                0x7f80_0000
            } else {
                0x7fc0_0000
            }
        } else if code >> self.mantissa == 0 {
            let unit = f32::from_bits((rebias + 1 - self.mantissa) << 23);
            (code as f32 * unit).to_bits()
        } else {
            ((code as u32) << (23 - self.mantissa)) + (rebias << 23)
        };
        f32::from_bits(sign | bits)
    }

    /// Rounds to the nearest byte.
    #[inline(always)]
    pub const fn from_f32(&self, x: f32) -> u8 {
        let sign = (x.to_bits() >> 24) as u8 & 0x80;
        let magnitude = x.to_bits() & 0x7fff_ffff;
        let dropped = 23 - self.mantissa;
        let rebias = 127 - self.bias;
        // Below the least normal number: rounds at the last place of this power of two, the unit of
        // the subnormals.
        let anchor = (rebias + 1 + dropped) << 23;
        let subnormal = (f32::from_bits(magnitude) + f32::from_bits(anchor))
            .to_bits()
            .wrapping_sub(anchor);
        let half = (1 << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1);
        let normal = (magnitude + half).wrapping_sub(rebias << 23) >> dropped;
        let code = if magnitude < (rebias + 1) << 23 {
            subnormal
        } else {
            normal
        };
        let code = if code > self.largest as u32 {
            self.beyond as u32
        } else {
            code
        };
        sign | if magnitude > 0x7f80_0000 {
            self.nan
        } else {
            code as u8
        }
    }

    /// Rounds a double to the nearest byte, once.
    #[inline]
    pub fn from_f64(&self, x: f64) -> u8 {
        self.from_f32(round_to_odd(x))
    }
}

impl Codec for Float8 {
    fn dtype(&self) -> DTypeName {
        self.name
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        for (&byte, out) in blocks.iter().zip(out) {
            *out = self.to_f32(byte);
        }
    }

    fn encode(
        &self,
        weights: &[f32],
        _row_len: usize,
        _importance: Option<&[f32]>,
        out: &mut [u8],
    ) {
        for (&weight, byte) in weights.iter().zip(out) {
            *byte = self.from_f32(weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_through_wider_types() {
        for format in [E4M3FN, E5M2] {
            for byte in 0..=u8::MAX {
                let wide = format.to_f32(byte);
                let expected = if wide.is_nan() {
                    byte & 0x80 | format.nan
                } else {
                    byte
                };
                assert_eq!(
                    format.from_f32(wide),
                    expected,
                    "{byte:#x} of {:?}",
                    format.name
                );
                if !wide.is_nan() {
                    assert_eq!(format.from_f64(f64::from(wide)), byte);
                }
            }
        }
    }

    #[test]
    fn ties_go_to_the_even_neighbour_and_a_trace_more_goes_up() {
        for format in [E4M3FN, E5M2] {
            for code in 0..format.largest {
                let tie =
                    (f64::from(format.to_f32(code)) + f64::from(format.to_f32(code + 1))) / 2.0;
                let even = code + (code & 1);
                assert_eq!(format.from_f64(tie), even);
                assert_eq!(format.from_f32(tie as f32), even);
                assert_eq!(format.from_f64(tie * (1.0 + 1e-15)), code + 1);
                assert_eq!(format.from_f64(-tie * (1.0 - 1e-15)), code | 0x80);
            }
        }
    }

    #[test]
    fn e5m2_is_the_upper_half_of_a_half() {
        for byte in 0..=u8::MAX {
            let (ours, half) = (
                E5M2.to_f32(byte),
                crate::quant::float16::to_f32(u16::from(byte) << 8),
            );
            assert!(ours == half || (ours.is_nan() && half.is_nan()));
        }
    }
}
