//! One scale for numbers that are not negative: the scales and minima of a super-block.

use super::lanes::{Lanes, Mask, NO_BOTTOM};

/// Values up to this count as zero.
const NOTHING: f32 = 1e-15;

/// Sweeps over the values at most.
const SWEEPS: usize = 5;

/// Finds the scale with which `scale * level` comes nearest to the values of each group, and the
/// levels, from 0 to `top`. `cost` is the price of a squared deviation.
///
/// The level of a slightly negative value wraps to 255 when it is stored, and the sweeps go on with
/// that number, as they do in GGML.
#[inline(always)]
pub(in crate::quant) fn fit<L: Lanes, const N: usize>(
    values: &[L; N],
    cost: &[L; N],
    top: f32,
) -> (L, [L; N]) {
    let zero = L::all(0.0);
    // A NaN is forgotten when a number follows it.
    let mut max = zero;
    for &value in values {
        max = max.greater(value);
    }
    let nothing = max.below(L::all(NOTHING));
    let inverse = best_inverse(values, cost, top, max);
    let (mut product, mut square) = (zero, zero);
    let mut levels = *values;
    for (level, &w) in levels.iter_mut().zip(cost) {
        let value = *level;
        let capped = (inverse * value).level(NO_BOTTOM, top);
        *level = capped.low_byte();
        product = product + w * value * capped;
        square = square + w * capped * capped;
    }
    // A lane without a move in one sweep has none in the next, so all may go on while one does.
    for _ in 0..SWEEPS {
        let mut changed = false;
        for ((level, &value), &w) in levels.iter_mut().zip(values).zip(cost) {
            let others_product = product - w * value * *level;
            let others_square = square - w * *level * *level;
            let moved = (value * others_square / others_product).level(NO_BOTTOM, top);
            let new_product = others_product + w * value * moved;
            let new_square = others_square + w * moved * moved;
            let better = zero
                .below(others_product)
                .and(zero.below(others_square))
                .and(moved.equals(*level).not())
                .and((product * product * new_square).below(new_product * new_product * square));
            *level = better.choose(moved.low_byte(), *level);
            product = better.choose(new_product, product);
            square = better.choose(new_square, square);
            changed |= better.any();
        }
        if !changed {
            break;
        }
    }
    for level in &mut levels {
        *level = nothing.choose(zero, *level);
    }
    let scale = zero.below(square).choose(product / square, zero);
    (nothing.choose(zero, scale), levels)
}

/// The best of nine inverse scales that bring the greatest value near `top`.
#[inline(always)]
fn best_inverse<L: Lanes, const N: usize>(values: &[L; N], cost: &[L; N], top: f32, max: L) -> L {
    let mut winner = L::all(top) / max;
    let mut best = L::all(0.0);
    // Only the first attempt goes through bytes, and only it leaves the levels uncapped.
    let scale = L::all(1.0) / winner;
    for (&value, &w) in values.iter().zip(cost) {
        let deviation = value - scale * (winner * value).low_byte();
        best = best + w * deviation * deviation;
    }
    for step in -4..=4 {
        if step == 0 {
            continue;
        }
        let inverse = L::all(0.1 * step as f32 + top) / max;
        let scale = L::all(1.0) / inverse;
        let mut error = L::all(0.0);
        for (&value, &w) in values.iter().zip(cost) {
            let deviation = value - scale * (inverse * value).level(NO_BOTTOM, top);
            error = error + w * deviation * deviation;
        }
        let better = error.below(best);
        best = better.choose(error, best);
        winner = better.choose(inverse, winner);
    }
    winner
}
