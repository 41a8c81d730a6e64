//! Blocks of 32 weights that a search encodes where it is told what each weight matters: `q4_0`,
//! `q4_1`, `q5_0` and `q5_1`.

use super::block::batches;
use super::float16::from_f32;
use super::search::lanes::{Lanes, MOST, each, groups, price, sums_of_squares};
use super::search::{affine, symmetric};

/// Weights of a block.
pub(super) const LEN: usize = 32;

/// The candidates for a scale and a minimum, but for the greatest level.
const PLAN: affine::Plan = affine::Plan {
    top: 0.0,
    first: -0.9,
    step: 0.05,
    steps: 36,
    deviation: affine::Deviation::Squared,
};

/// A format whose blocks have `BYTES` bytes.
pub(super) trait Searched<const BYTES: usize> {
    /// How its levels stand for weights.
    const LEVELS: Levels;

    /// Writes a block.
    fn write(scale: u16, minimum: u16, levels: &[u8; LEN], block: &mut [u8; BYTES]);
}

/// How levels stand for weights.
pub(super) enum Levels {
    /// `scale * (level - reach)`.
    Symmetric { reach: f32 },
    /// `scale * level + minimum`, up to the level `top`.
    Affine { top: f32 },
}

/// Encodes whole rows as long as `importance`.
#[inline(always)]
pub(super) fn encode<F: Searched<BYTES>, L: Lanes, const BYTES: usize>(
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
) {
    let row_len = importance.len();
    let row_blocks = row_len / LEN;
    for (weights, out) in weights
        .chunks(L::COUNT * row_len)
        .zip(out.chunks_mut(L::COUNT * row_blocks * BYTES))
    {
        let mut rows = [&weights[..row_len]; MOST];
        for (row, weights) in rows.iter_mut().zip(weights.chunks(row_len)) {
            *row = weights;
        }
        let squares: L = sums_of_squares(&rows);
        let variances = (squares / L::all(row_len as f32)).spill();
        for (i, batch) in batches(weights, Some(importance), out, L::COUNT).enumerate() {
            let mut variance = [0.0; MOST];
            for (lane, variance) in variance[..L::COUNT].iter_mut().enumerate() {
                let block = i * L::COUNT + lane.min(batch.out.len() - 1);
                *variance = variances[block / row_blocks];
            }
            let lanes = groups(&batch.weights, 0);
            let importance = groups(&batch.importance.unwrap_or(batch.weights), 0);
            let cost = price(&importance, &lanes, L::load(&variance));
            search::<F, L, BYTES>(&lanes, &cost, &batch.weights, batch.out);
        }
    }
}

/// Encodes as many blocks as there are lanes, or fewer.
#[inline(always)]
fn search<F: Searched<BYTES>, L: Lanes, const BYTES: usize>(
    lanes: &[L; LEN],
    cost: &[L; LEN],
    weights: &[&[f32; LEN]; MOST],
    out: &mut [[u8; BYTES]],
) {
    match F::LEVELS {
        Levels::Symmetric { reach } => {
            let fit = symmetric::fit(lanes, cost, reach);
            let scales = fit.scale.spill();
            for (lane, (weights, block)) in weights.iter().zip(out).enumerate() {
                let group = fit.group(lane);
                let mut levels = [0; LEN];
                each!(n < LEN => {
                    levels[n] = group.level(weights[n]);
                });
                F::write(from_f32(scales[lane]), 0, &levels, block);
            }
        }
        Levels::Affine { top } => {
            let fit = affine::fit(lanes, cost, affine::Plan { top, ..PLAN });
            let (scales, minima) = (fit.scale.spill(), fit.minimum.spill());
            for (lane, (weights, block)) in weights.iter().zip(out).enumerate() {
                let group = fit.group(lane);
                let mut levels = [0; LEN];
                each!(n < LEN => {
                    levels[n] = group.level(weights[n]);
                });
                let minimum = from_f32(-minima[lane]);
                F::write(from_f32(scales[lane]), minimum, &levels, block);
            }
        }
    }
}
