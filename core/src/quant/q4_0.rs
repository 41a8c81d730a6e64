//! Blocks of 32 weights, one `f16` scale each: 18 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–17 the weights as nibbles: the low nibble of byte `2 + j` is
//! weight `j`, the high nibble weight `j + 16`. A weight is `(q - 8) * scale`, exact in `f32`. The
//! scale carries the sign that puts the weight of greatest magnitude at -8.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::by_importance::{self, LEN, Levels, Searched};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, peak_bits, truncate, truncate_small};
use super::scale::Scale;
use super::search::lanes::Plain;
use crate::dtype::DTypeName;

const BYTES: usize = 18;

/// The codec of [`DTypeName::Q40`].
pub(super) struct Q4_0;

impl Codec for Q4_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q40
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let (low, high) = out.split_at_mut(LEN / 2);
            for ((low, high), &pair) in low.iter_mut().zip(high).zip(&block[2..]) {
                *low = (i32::from(pair & 15) - 8) as f32 * scale;
                *high = (i32::from(pair >> 4) - 8) as f32 * scale;
            }
        });
    }

    fn encode_cost(&self, by_importance: bool) -> u64 {
        if by_importance { 30 } else { 2 }
    }

    fn importance_ties_rows(&self) -> bool {
        true
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        match importance {
            None => encode_each(weights, out, encode_block),
            Some(importance) => {
                by_importance::encode::<Self, Plain<8>, BYTES>(weights, importance, out);
            }
        }
    }
}

#[inline(always)]
fn encode_block(weights: &[f32; LEN], block: &mut [u8; BYTES]) {
    let magnitude = peak_bits(weights);
    let scale = peak(weights, magnitude) / -8.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    let (low, high) = weights.split_at(LEN / 2);
    let pairs = block[2..].iter_mut().zip(low.iter().zip(high));
    if magnitude < f32::INFINITY.to_bits() && inverse.is_finite() {
        // Every product is within 8 and a rounding error.
        let level = |x: f32| truncate_small(x + 8.5).min(15);
        pairs.for_each(|(pair, (low, high))| {
            *pair = level(low * inverse) | level(high * inverse) << 4
        });
    } else {
        // The narrowing to a signed byte is part of the arithmetic: what overflows becomes 0.
        let level = |x: f32| (truncate(x + 8.5) as i8).min(15) as u8;
        pairs.for_each(|(pair, (low, high))| {
            *pair = level(low * inverse) | level(high * inverse) << 4
        });
    }
}

/// [`first_peak`], without a branch per weight in the usual case. `magnitude` holds the bits of the
/// greatest magnitude.
#[inline(always)]
fn peak(weights: &[f32; LEN], magnitude: u32) -> f32 {
    let (mut positive, mut negative) = (false, false);
    for weight in weights {
        positive |= weight.to_bits() == magnitude;
        negative |= weight.to_bits() == magnitude | 0x8000_0000;
    }
    // Both signs at the peak, zeros or a NaN: then the first has to be looked for.
    if magnitude == 0 || magnitude > f32::INFINITY.to_bits() || positive == negative {
        return first_peak(weights);
    }
    if negative {
        -f32::from_bits(magnitude)
    } else {
        f32::from_bits(magnitude)
    }
}

impl Searched<BYTES> for Q4_0 {
    const LEVELS: Levels = Levels::Symmetric { reach: 8.0 };

    #[inline(always)]
    fn write(scale: u16, _minimum: u16, levels: &[u8; LEN], block: &mut [u8; BYTES]) {
        block[..2].copy_from_slice(&scale.to_le_bytes());
        let (low, high) = levels.split_at(LEN / 2);
        for ((pair, low), high) in block[2..].iter_mut().zip(low).zip(high) {
            *pair = low | high << 4;
        }
    }
}
