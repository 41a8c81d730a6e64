//! Blocks of 64 floats of 4 bits in 4 groups of 16, one scale per group: 36 bytes.
//!
//! Bytes 0–3 hold the scales as floats of 4 exponent and 3 mantissa bits without sign, bytes 4–35
//! the codes: of byte `4 + 8 g + j` the low nibble is weight `16 g + j`, the high nibble weight
//! `16 g + 8 + j`. A weight is a product of the two. The scale of the tensor that goes with this
//! format is no part of its blocks.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::e2m1;
use super::rounding::first_peak;
use super::scale::{Scale, Stored};
use crate::dtype::DTypeName;

const LEN: usize = 64;
const BYTES: usize = 36;
const GROUP: usize = 16;

/// The codec of [`DTypeName::Nvfp4`].
pub(super) struct Nvfp4;

impl Codec for Nvfp4 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Nvfp4
    }

    fn scales(&self) -> &'static [Scale] {
        const {
            &[
                Scale::new("scale `d[0]`", 0, Stored::Ue4m3),
                Scale::new("scale `d[1]`", 1, Stored::Ue4m3),
                Scale::new("scale `d[2]`", 2, Stored::Ue4m3),
                Scale::new("scale `d[3]`", 3, Stored::Ue4m3),
            ]
        }
    }

    fn largest(&self) -> f32 {
        // The greatest level times the greatest scale; what lies above is stored as that.
        6.0 * 448.0
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let (scales, pairs) = block.split_at(LEN / GROUP);
            let groups = pairs.as_chunks::<{ GROUP / 2 }>().0.iter();
            let out = out.as_chunks_mut::<GROUP>().0;
            for ((pairs, &scale), out) in groups.zip(scales).zip(out) {
                e2m1::decode(pairs, half_scale(scale), out);
            }
        });
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        5
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
                let (scales, pairs) = block.split_at_mut(LEN / GROUP);
                let groups = weights.as_chunks::<GROUP>().0.iter();
                let pairs = pairs.as_chunks_mut::<{ GROUP / 2 }>().0;
                for ((weights, scale), pairs) in groups.zip(scales).zip(pairs) {
                    *scale = scale_code(first_peak(weights).abs() / 6.0);
                    e2m1::encode(weights, half_scale(*scale), pairs);
                }
            },
        );
    }
}

/// The code of 448, the greatest scale.
const GREATEST: u8 = 0x7e;

/// Half the scale, because the values are doubled. `0x7f` stands for NaN and counts as 0.
#[inline(always)]
pub(super) fn half_scale(code: u8) -> f32 {
    if code == 0x7f {
        return 0.0;
    }
    // The bit for the sign is not looked at.
    let (exponent, mantissa) = (u32::from(code >> 3 & 15), u32::from(code & 7));
    if exponent == 0 {
        return mantissa as f32 * f32::from_bits((127 - 10) << 23);
    }
    f32::from_bits((exponent + 119) << 23 | mantissa << 20)
}

/// The code of the nearest scale, the greater of two.
#[inline(always)]
pub(super) fn scale_code(scale: f32) -> u8 {
    if scale <= 0.0 || scale.is_nan() {
        return 0;
    }
    let scale = if scale < 448.0 { scale } else { 448.0 };
    let bits = scale.to_bits();
    let exponent = (bits >> 23) as i32 - 127 + 7;
    if exponent <= 0 {
        // The mantissa of a subnormal counts units of 2^-9; what would be normal stays below.
        return ((scale * 512.0 + 0.5) as u8).min(7);
    }
    if exponent >= 15 {
        return GREATEST;
    }
    // A carry out of the mantissa raises the exponent.
    let code = (exponent as u32) << 3 | bits >> 20 & 7;
    let code = code + (bits >> 19 & 1);
    if code >= 15 << 3 {
        GREATEST
    } else {
        code as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scale_but_the_greatest_binade_leads_back_to_its_code() {
        for code in 1..15 << 3 {
            assert_eq!(scale_code(2.0 * half_scale(code)), code);
        }
        assert_eq!(2.0 * half_scale(GREATEST), 448.0);
        assert_eq!(scale_code(247.0), 0x77);
        assert_eq!(scale_code(248.0), GREATEST);
        assert_eq!(scale_code(256.0), GREATEST);
        assert_eq!(scale_code(f32::INFINITY), GREATEST);
        assert_eq!(scale_code(f32::NAN), 0);
        assert_eq!(scale_code(-1.0), 0);
    }
}
