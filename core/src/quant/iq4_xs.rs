//! Super-blocks of 256 weights of 16 uneven levels in 8 groups of 32, one scale per group: 136 bytes.
//!
//! Bytes 0–1 hold the `f16` unit of the scales, bytes 2–3 their upper two bits, bytes 4–7 their
//! lower four, bytes 8–135 the levels as in `iq4_nl`, 16 bytes per group. A weight is
//! `(unit * (scale - 32))` times the value of its level, exact in `f32`; see [`nonlinear`].

use std::array::from_fn;

use super::Codec;
use super::block::{Batch, batches, decode_each};
use super::float16::{from_f32, to_f32};
use super::nonlinear;
use super::rounding::{first_peak, nearest};
use super::scale::Scale;
use super::search::lanes::{Lanes, MOST, Plain, groups, price, squares, sums_of_squares};
use crate::dtype::DTypeName;

const LEN: usize = 256;
const BYTES: usize = 136;
const GROUPS: usize = 8;
const GROUP: usize = LEN / GROUPS;

/// Scales reach from -32 to 31.
const REACH: i32 = 32;

/// The codec of [`DTypeName::Iq4Xs`].
pub(super) struct Iq4Xs;

impl Codec for Iq4Xs {
    fn dtype(&self) -> DTypeName {
        DTypeName::Iq4Xs
    }

    fn scales(&self) -> &'static [Scale] {
        const { &[Scale::float16("scale `d`", 0)] }
    }

    fn decode(&self, blocks: &[u8], out: &mut [f32]) {
        decode_each(blocks, out, |block: &[u8; BYTES], out: &mut [f32; LEN]| {
            let scales = scales(block);
            let groups = block[8..].as_chunks().0.iter().zip(scales);
            for ((pairs, scale), out) in groups.zip(out.as_chunks_mut().0) {
                nonlinear::decode(pairs, scale, out);
            }
        });
    }

    fn encode_cost(&self, _by_importance: bool) -> u64 {
        70
    }

    fn encode(&self, weights: &[f32], _row_len: usize, importance: Option<&[f32]>, out: &mut [u8]) {
        encode::<Plain<GROUPS>>(weights, importance, out);
    }
}

/// Encodes whole blocks. `L` has lanes for all groups of one or two of them.
#[inline(always)]
pub(super) fn encode<L: Lanes>(weights: &[f32], importance: Option<&[f32]>, out: &mut [u8]) {
    for batch in batches(weights, importance, out, L::COUNT) {
        encode_batch::<L>(batch);
    }
}

/// Encodes as many blocks as there are lanes, or fewer.
#[inline(always)]
fn encode_batch<L: Lanes>(batch: Batch<LEN, BYTES>) {
    let mut variances = [0.0; MOST];
    if batch.importance.is_some() {
        let squares: L = sums_of_squares(&batch.weights.map(|block| block.as_slice()));
        variances = (squares * L::all(2.0 / LEN as f32)).spill();
    }
    let step = L::COUNT / GROUPS;
    for (i, blocks) in batch.out.chunks_mut(step).enumerate() {
        let first = i * step;
        let weights: [L; GROUP] = groups(&batch.weights, first);
        let cost = match &batch.importance {
            None => squares(&weights),
            Some(importance) => {
                let mut variance = [0.0; MOST];
                for (lane, variance) in variance[..L::COUNT].iter_mut().enumerate() {
                    *variance = variances[first + lane / GROUPS];
                }
                price(&groups(importance, first), &weights, L::load(&variance))
            }
        };
        let found = nonlinear::fit(&weights, &cost).spill();
        let inputs = batch.weights[first..].iter().zip(found.as_chunks().0);
        for ((weights, found), block) in inputs.zip(blocks) {
            write::<L>(weights, found, block);
        }
    }
}

/// Writes a block whose scales were found.
#[inline(always)]
fn write<L: Lanes>(weights: &[f32; LEN], found: &[f32; GROUPS], block: &mut [u8; BYTES]) {
    let unit = -first_peak(found) / REACH as f32;
    let inverse = if unit != 0.0 { 1.0 / unit } else { 0.0 };
    block[..2].copy_from_slice(&from_f32(unit).to_le_bytes());
    let mut upper = 0;
    block[4..8].fill(0);
    for (g, weights) in weights.as_chunks().0.iter().enumerate() {
        let scale = nearest(inverse * found[g]).clamp(-REACH, REACH - 1);
        let bits = (scale + REACH) as u8;
        block[4 + g / 2] |= (bits & 15) << (g % 2 * 4);
        upper |= u16::from(bits >> 4) << (2 * g);
        // The unit as it was before rounding.
        let scale = unit * scale as f32;
        let inverse = if scale != 0.0 { 1.0 / scale } else { 0.0 };
        let pairs = block[8 + g * GROUP / 2..].first_chunk_mut();
        nonlinear::encode::<L>(weights, inverse, pairs.expect("16 bytes per group"));
    }
    block[2..4].copy_from_slice(&upper.to_le_bytes());
}

/// The scales as floats.
#[inline(always)]
fn scales(block: &[u8; BYTES]) -> [f32; GROUPS] {
    let unit = to_f32(u16::from_le_bytes([block[0], block[1]]));
    let upper = u16::from_le_bytes([block[2], block[3]]);
    from_fn(|g| {
        let low = block[4 + g / 2] >> (g % 2 * 4) & 15;
        let high = (upper >> (2 * g) & 3) as u8;
        unit * (i32::from(low | high << 4) - REACH) as f32
    })
}
