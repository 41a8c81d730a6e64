//! Blocks of 256 weights of three levels, five to a byte, one `f16` scale each: 54 bytes.
//!
//! Bytes 0–47 hold five weights each, bytes 48–51 four, bytes 52–53 the scale. A byte is a fraction
//! of 256: its weights are the first digits of that fraction to the base 3. The first digits of 32
//! bytes (then of 16, then of 4) stand together, then their second digits, and so on. A weight is
//! `(digit - 1) * scale`.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::float16::{from_f32, to_f32};
use super::rounding::{greatest_magnitude, round_away};
use super::scale::Scale;
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 54;

/// Powers of 3: multiplying by one moves that many digits out of the byte.
const POWERS: [u8; 5] = [1, 3, 9, 27, 81];

/// The codec of [`DTypeName::Tq10`].
pub(super) struct Tq1_0;

impl Codec for Tq1_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Tq10
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 52)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[52], block[53]]));
            let (first, rest) = out.split_at_mut(160);
            let (second, third) = rest.split_at_mut(80);
            unpack(&block[..32], first, scale);
            unpack(&block[32..48], second, scale);
            unpack(&block[48..52], third, scale);
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
                let scale = greatest_magnitude(weights);
                let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
                pack(&weights[..160], inverse, &mut block[..32]);
                pack(&weights[160..240], inverse, &mut block[32..48]);
                pack(&weights[240..], inverse, &mut block[48..52]);
                block[52..].copy_from_slice(&from_f32(scale).to_le_bytes());
            },
        );
    }
}

#[inline(always)]
fn unpack(bytes: &[u8], out: &mut [f32], scale: f32) {
    for (out, power) in out.chunks_exact_mut(bytes.len()).zip(POWERS) {
        for (out, byte) in out.iter_mut().zip(bytes) {
            let digit = (u16::from(byte.wrapping_mul(power)) * 3) >> 8;
            *out = (i32::from(digit) - 1) as f32 * scale;
        }
    }
}

#[inline(always)]
fn pack(weights: &[f32], inverse: f32, bytes: &mut [u8]) {
    bytes.fill(0);
    for (weights, power) in weights.chunks_exact(bytes.len()).zip(POWERS.iter().rev()) {
        for (byte, weight) in bytes.iter_mut().zip(weights) {
            *byte = byte.wrapping_add(trit(weight * inverse).wrapping_mul(*power));
        }
    }
    for byte in bytes {
        *byte = fraction(*byte);
    }
}

/// A number below 243 as a fraction of 256, rounded up so that its digits come out.
#[inline(always)]
pub(super) fn fraction(number: u8) -> u8 {
    (u16::from(number) * 256).div_ceil(243) as u8
}

/// The level of a weight in units of the scale: 0, 1 or 2.
#[inline(always)]
pub(super) fn trit(x: f32) -> u8 {
    (round_away(x) as u8).wrapping_add(1)
}
