//! Blocks of 32 weights of 5 bits, one `f16` scale each: 22 bytes.
//!
//! Bytes 0–1 hold the scale, bytes 2–5 the upper bits of the weights, bytes 6–21 the lower four as
//! nibbles: the low nibble of byte `6 + j` is weight `j`, the high nibble weight `j + 16`. A weight
//! is `(q - 16) * scale`, exact in `f32`. The scale carries the sign that puts the weight of
//! greatest magnitude at -16.

use super::Codec;
use super::block::{decode_each, encode_each};
use super::by_importance::{self, LEN, Levels, Searched};
use super::float16::{from_f32, to_f32};
use super::rounding::{first_peak, truncate};
use super::scale::Scale;
use super::search::lanes::Plain;
use crate::dtype::DTypeName;

const BYTES: usize = 22;

/// The codec of [`DTypeName::Q50`].
pub(super) struct Q5_0;

impl Codec for Q5_0 {
    fn dtype(&self) -> DTypeName {
        DTypeName::Q50
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scale = to_f32(u16::from_le_bytes([block[0], block[1]]));
            for (out, q) in out.iter_mut().zip(join(&block[2..])) {
                *out = (i32::from(q) - 16) as f32 * scale;
            }
        });
    }

    fn encode_cost(&self, by_importance: bool) -> u64 {
        if by_importance { 40 } else { 2 }
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
    let scale = first_peak(weights) / -16.0;
    let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(scale).to_le_bytes());
    // The narrowing to a signed byte is part of the arithmetic: what overflows becomes 0.
    let levels = weights.map(|x| (truncate(x * inverse + 16.5) as i8).min(31) as u8);
    split(&levels, &mut block[2..]);
}

impl Searched<BYTES> for Q5_0 {
    const LEVELS: Levels = Levels::Symmetric { reach: 16.0 };

    #[inline(always)]
    fn write(scale: u16, _minimum: u16, levels: &[u8; LEN], block: &mut [u8; BYTES]) {
        block[..2].copy_from_slice(&scale.to_le_bytes());
        split(levels, &mut block[2..]);
    }
}

/// The levels of 32 weights from 4 bytes of upper bits and 16 bytes of nibbles.
#[inline(always)]
pub(super) fn join(bytes: &[u8]) -> [u8; LEN] {
    let upper = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    std::array::from_fn(|j| {
        let pair = bytes[4 + j % 16];
        let nibble = if j < 16 { pair & 15 } else { pair >> 4 };
        nibble | ((upper >> j & 1) << 4) as u8
    })
}

/// Writes what [`join`] reads; bits of a level above the fifth are lost.
#[inline(always)]
pub(super) fn split(levels: &[u8; LEN], bytes: &mut [u8]) {
    let mut upper = 0;
    for (j, &level) in levels.iter().enumerate() {
        upper |= u32::from(level >> 4 & 1) << j;
    }
    bytes[..4].copy_from_slice(&upper.to_le_bytes());
    for (j, pair) in bytes[4..].iter_mut().enumerate() {
        *pair = levels[j] & 15 | levels[j + 16] << 4;
    }
}
