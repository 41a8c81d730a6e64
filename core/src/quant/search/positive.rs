//! One scale for numbers that are not negative: the scales and minima of a super-block.

use super::lanes::{Lanes, Mask, NO_BOTTOM, each};

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
    each!(n < N => {
        max = max.greater(values[n]);
    });
    let nothing = max.below(L::all(NOTHING));
    let inverse = best_inverse(values, cost, top, max);
    let (mut product, mut square) = (zero, zero);
    let mut levels = *values;
    each!(n < N => {
        let capped = (inverse * values[n]).level(NO_BOTTOM, top);
        levels[n] = capped.low_byte();
        product = product + cost[n] * values[n] * capped;
        square = square + cost[n] * capped * capped;
    });
    // A lane without a move in one sweep has none in the next, so all may go on while one does.
    let mut changed = true;
    each!(sweep < SWEEPS => {
        if changed {
            changed = false;
            each!(n < N => {
                let (value, w, level) = (values[n], cost[n], levels[n]);
                let others_product = product - w * value * level;
                let others_square = square - w * level * level;
                let moved = (value * others_square / others_product).level(NO_BOTTOM, top);
                // Most steps move nothing: see the sweeps over weights.
                let moves = zero
                    .below(others_product)
                    .and(zero.below(others_square))
                    .and(moved.equals(level).not());
                if moves.any() {
                    let new_product = others_product + w * value * moved;
                    let new_square = others_square + w * moved * moved;
                    let worth = product * product * new_square;
                    let better = moves.and(worth.below(new_product * new_product * square));
                    levels[n] = better.choose(moved.low_byte(), level);
                    product = better.choose(new_product, product);
                    square = better.choose(new_square, square);
                    changed |= better.any();
                }
            });
        }
    });
    each!(n < N => {
        levels[n] = nothing.choose(zero, levels[n]);
    });
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
    each!(n < N => {
        let deviation = values[n] - scale * (winner * values[n]).low_byte();
        best = best + cost[n] * deviation * deviation;
    });
    each!(i < 9 => {
        if i != 4 {
            let inverse = L::all(0.1 * (i as f32 - 4.0) + top) / max;
            let scale = L::all(1.0) / inverse;
            let mut error = L::all(0.0);
            each!(n < N => {
                let deviation = values[n] - scale * (inverse * values[n]).level(NO_BOTTOM, top);
                error = error + cost[n] * deviation * deviation;
            });
            let better = error.below(best);
            best = better.choose(error, best);
            winner = better.choose(inverse, winner);
        }
    });
    winner
}
