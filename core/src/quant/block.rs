//! Walks over blocks: a codec says what happens to one, these bring it to all of them.

use std::array::from_fn;

use super::search::lanes::MOST;

/// Calls `decode` with each block and the place of its weights.
#[inline(always)]
pub(super) fn decode_each<const BYTES: usize, const LEN: usize>(
    blocks: &[u8],
    out: &mut [f32],
    decode: impl Fn(&[u8; BYTES], &mut [f32; LEN]),
) {
    let blocks = blocks.as_chunks().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut().0) {
        decode(block, out);
    }
}

/// Calls `encode` with the weights of each block and the place of the block.
#[inline(always)]
pub(super) fn encode_each<const LEN: usize, const BYTES: usize>(
    weights: &[f32],
    out: &mut [u8],
    encode: impl Fn(&[f32; LEN], &mut [u8; BYTES]),
) {
    let weights = weights.as_chunks().0.iter();
    for (weights, block) in weights.zip(out.as_chunks_mut().0) {
        encode(weights, block);
    }
}

/// Calls `encode` with the weights of each block, what they matter, and the place of the block.
#[inline(always)]
pub(super) fn encode_each_by_importance<const LEN: usize, const BYTES: usize>(
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
    encode: impl Fn(&[f32; LEN], &[f32; LEN], &mut [u8; BYTES]),
) {
    // The importance of one row serves all rows.
    let importance = importance.as_chunks().0.iter().cycle();
    let weights = weights.as_chunks().0.iter();
    for ((weights, importance), block) in weights.zip(importance).zip(out.as_chunks_mut().0) {
        encode(weights, importance, block);
    }
}

/// The weights of each block, what they matter, and the place of the block.
#[inline(always)]
pub(super) fn walk<'a, const LEN: usize, const BYTES: usize>(
    weights: &'a [f32],
    importance: Option<&'a [f32]>,
    out: &'a mut [u8],
) -> impl Iterator<Item = (&'a [f32; LEN], Option<&'a [f32; LEN]>, &'a mut [u8; BYTES])> {
    // The importance of one row serves all rows.
    let importance = importance.map(|all| all.as_chunks().0);
    let blocks = weights.as_chunks().0.iter().zip(out.as_chunks_mut().0);
    blocks.enumerate().map(move |(i, (weights, block))| {
        (weights, importance.map(|all| &all[i % all.len()]), block)
    })
}

/// Some blocks of a walk, [`MOST`] at most.
pub(super) struct Batch<'a, const LEN: usize, const BYTES: usize> {
    /// The weights of each block; where there are fewer blocks, those of the last over and over.
    pub weights: [&'a [f32; LEN]; MOST],
    /// What each weight matters.
    pub importance: Option<[&'a [f32; LEN]; MOST]>,
    /// The places of the blocks.
    pub out: &'a mut [[u8; BYTES]],
}

/// All blocks in batches of `count`, the last of which may have fewer.
#[inline(always)]
pub(super) fn batches<'a, const LEN: usize, const BYTES: usize>(
    weights: &'a [f32],
    importance: Option<&'a [f32]>,
    out: &'a mut [u8],
    count: usize,
) -> impl Iterator<Item = Batch<'a, LEN, BYTES>> {
    let weights = weights.as_chunks::<LEN>().0;
    let importance = importance.map(|all| all.as_chunks::<LEN>().0);
    let batches = weights
        .chunks(count)
        .zip(out.as_chunks_mut().0.chunks_mut(count));
    batches.enumerate().map(move |(i, (weights, out))| {
        let place = |k: usize| k.min(weights.len() - 1);
        Batch {
            weights: from_fn(|k| &weights[place(k)]),
            // The importance of one row serves all rows.
            importance: importance.map(|all| from_fn(|k| &all[(i * count + place(k)) % all.len()])),
            out,
        }
    })
}
