//! Walks over blocks: a codec says what happens to one, these bring it to all of them.

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

/// Calls `encode` with batches of `L` blocks of a row, and one by one for the rest of the row.
///
/// The first argument is the variance of the row: the mean of the squares of its weights.
#[inline(always)]
pub(super) fn encode_rows_by_importance<const LEN: usize, const BYTES: usize>(
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
    batch: usize,
    encode_batch: impl Fn(f32, &[f32], &[f32], &mut [u8]),
    encode_one: impl Fn(f32, &[f32], &[f32], &mut [u8]),
) {
    let row_len = importance.len();
    let row_bytes = row_len / LEN * BYTES;
    for (row, out) in weights
        .chunks_exact(row_len)
        .zip(out.chunks_exact_mut(row_bytes))
    {
        let squares = row.iter().fold(0.0, |sum, weight| sum + weight * weight);
        let variance = squares / row_len as f32;
        for ((weights, importance), blocks) in row
            .chunks(batch * LEN)
            .zip(importance.chunks(batch * LEN))
            .zip(out.chunks_mut(batch * BYTES))
        {
            if weights.len() == batch * LEN {
                encode_batch(variance, weights, importance, blocks);
                continue;
            }
            for ((weights, importance), block) in weights
                .chunks_exact(LEN)
                .zip(importance.chunks_exact(LEN))
                .zip(blocks.chunks_exact_mut(BYTES))
            {
                encode_one(variance, weights, importance, block);
            }
        }
    }
}
