//! Blocks of 32 floats of 4 bits, one power of two each: 17 bytes.
//!
//! Byte 0 holds the exponent of the scale, bytes 1–16 the codes: the low nibble of byte `1 + j` is
//! weight `j`, the high nibble weight `j + 16`. The scale of exponent `e` is 2^(e - 127). 255 stands
//! for NaN in the standard of this format; here, as in GGML, it is one more power of two.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::e2m1;
use super::rounding::{first_peak, truncate};
use super::scale::{Scale, Stored};
use crate::dtype::DTypeName;

const LEN: usize = 32;
const BYTES: usize = 17;

/// The codec of [`DTypeName::Mxfp4`].
pub(super) struct Mxfp4;

impl Codec for Mxfp4 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Mxfp4
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::new("exponent `e`", 0, Stored::E8m0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let [exponent, pairs @ ..] = block;
            e2m1::decode::<{ LEN / 2 }>(pairs, half_scale(*exponent), out);
        });
    }

    fn encode(
        &self,
        weights: &[f32],
        _row_len: usize,
        _importance: Option<&[f32]>,
        out: &mut [u8],
    ) {
        encode_each(
            weights,
            out,
            |weights: &[f32; LEN], block: &mut [u8; BYTES]| {
                let [exponent, pairs @ ..] = block;
                *exponent = exponent_of(first_peak(weights).abs());
                e2m1::encode::<{ LEN / 2 }>(weights, half_scale(*exponent), pairs);
            },
        );
    }
}

/// Half the scale, because the values are doubled: 2^(e - 128). The first two are subnormal.
#[inline(always)]
pub(super) fn half_scale(exponent: u8) -> f32 {
    let exponent = u32::from(exponent);
    f32::from_bits(if exponent < 2 {
        0x0020_0000 << exponent
    } else {
        (exponent - 1) << 23
    })
}

/// The exponent that brings a magnitude near the greatest value, 6: that of the magnitude less 2.
///
/// It comes from a logarithm rounded to `f32`, so magnitudes a few units in the last place below a
/// power of two count as that power. Below 2^-125 it wraps.
#[inline(always)]
pub(super) fn exponent_of(magnitude: f32) -> u8 {
    if magnitude > 0.0 {
        let log = f64::from(magnitude).log2() as f32;
        truncate(log.floor() - 2.0 + 127.0) as u8
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_is_that_of_the_logarithm() {
        assert_eq!(exponent_of(1.0), 125);
        assert_eq!(exponent_of(1f32.next_down()), 124);
        assert_eq!(exponent_of(8f32.next_down()), 128);
        assert_eq!(exponent_of(0.125f32.next_down()), 122);
        assert_eq!(exponent_of(0.0), 0);
    }

    #[test]
    fn scales_are_powers_of_two() {
        for exponent in 0..=u8::MAX {
            let exact = 2f64.powi(i32::from(exponent) - 128);
            assert_eq!(f64::from(half_scale(exponent)), exact);
        }
    }
}
