//! Blocks of 32 weights, an `f16` scale and an `f16` minimum each: 20 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–3 the minimum, bytes 4–19 the weights as nibbles: the low
//! nibble of byte `4 + j` is weight `j`, the high nibble weight `j + 16`. A weight is
//! `q * scale + minimum`, rounded once.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::by_importance::{self, LEN, Levels, Searched};
use super::float16::{from_f32, to_f32};
use super::rounding::{extremes, truncate};
use super::scale::Scale;
use super::search::lanes::Plain;
use crate::dtype::DTypeName;

const BYTES: usize = 20;

/// The codec of [`DTypeName::Q41`].
pub(super) struct Q4_1;

impl Codec for Q4_1 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q41
    }

    fn partner(&self) -> Option<DTypeName> {
        Some(DTypeName::Q81)
    }

    fn scales(&self) -> &'static [Scale] {
        const {
            &[
                Scale::float16("scale `d`", 0),
                Scale::float16("minimum `m`", 2),
            ]
        }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            let minimum = to_f32(u16::from_le_bytes([block[2], block[3]]));
            let (low, high) = out.split_at_mut(LEN / 2);
            for ((low, high), &pair) in low.iter_mut().zip(high).zip(&block[4..]) {
                *low = f32::from(pair & 15) * scale + minimum;
                *high = f32::from(pair >> 4) * scale + minimum;
            }
        });
    }

    fn encode_cost(&self, by_importance: bool) -> u64 {
        if by_importance { 90 } else { 2 }
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
    let (minimum, maximum) = extremes(weights);
    let scale = (maximum - minimum) / 15.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    block[2..4].copy_from_slice(&from_f32(minimum).to_le_bytes());
    // The narrowing to a signed byte is part of the arithmetic: what overflows becomes 0.
    let level = |x: f32| (truncate((x - minimum) * inverse + 0.5) as i8).min(15) as u8;
    let (low, high) = weights.split_at(LEN / 2);
    for ((pair, &low), &high) in block[4..].iter_mut().zip(low).zip(high) {
        *pair = level(low) | level(high) << 4;
    }
}

impl Searched<BYTES> for Q4_1 {
    const LEVELS: Levels = Levels::Affine { top: 15.0 };

    #[inline(always)]
    fn write(scale: u16, minimum: u16, levels: &[u8; LEN], block: &mut [u8; BYTES]) {
        block[..2].copy_from_slice(&scale.to_le_bytes());
        block[2..4].copy_from_slice(&minimum.to_le_bytes());
        let (low, high) = levels.split_at(LEN / 2);
        for ((pair, low), high) in block[4..].iter_mut().zip(low).zip(high) {
            *pair = low | high << 4;
        }
    }
}
