//! One scale for each group of weights, found by moving single levels: what `q3_k` does without
//! importance.

use super::lanes::{Lanes, Mask, each};
use super::symmetric::{NOTHING, first_peak};

/// Sweeps over the weights at most.
const SWEEPS: usize = 5;

/// Finds the scale with which `scale * (level - reach)` comes nearest to the weights of each group,
/// and the levels, from 0 to `2 * reach - 1`. The price of a squared deviation is the square of the
/// weight.
///
/// A step that moves a level changes the sums that the next one starts from. Most move none, so steps ask whether
/// any lane could: then the processor, which guesses the answer, need not wait for one step to begin the next.
#[inline(always)]
pub(in crate::quant) fn fit<L: Lanes, const N: usize>(weights: &[L; N], reach: f32) -> (L, [L; N]) {
    let zero = L::all(0.0);
    let peak = first_peak(weights);
    let nothing = peak.abs().below(L::all(NOTHING));
    let inverse = L::all(-reach) / peak;
    let (mut product, mut square) = (zero, zero);
    let mut levels = *weights;
    each!(n < N => {
        let x = weights[n];
        let cost = x * x;
        let level = (inverse * x).level(-reach, reach - 1.0);
        levels[n] = level;
        product = product + cost * x * level;
        square = square + cost * level * level;
    });
    // A lane without a move in one sweep has none in the next, so all may go on while one does.
    let mut changed = true;
    each!(sweep < SWEEPS => {
        if changed {
            changed = false;
            each!(n < N => {
                let (x, level) = (weights[n], levels[n]);
                let cost = x * x;
                let others_product = product - cost * x * level;
                let others_square = square - cost * level * level;
                let moved = (x * others_square / others_product).level(-reach, reach - 1.0);
                let moves = zero.below(others_product).and(moved.equals(level).not());
                if moves.any() {
                    let new_product = others_product + cost * x * moved;
                    let new_square = others_square + cost * moved * moved;
                    let worth = product * product * new_square;
                    let better = moves
                        .and(zero.below(new_square))
                        .and(worth.below(new_product * new_product * square));
                    levels[n] = better.choose(moved, level);
                    product = better.choose(new_product, product);
                    square = better.choose(new_square, square);
                    changed |= better.any();
                }
            });
        }
    });
    let scale = zero.below(square).choose(product / square, zero);
    each!(n < N => {
        levels[n] = nothing.choose(zero, levels[n] + L::all(reach));
    });
    (nothing.choose(zero, scale), levels)
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Plain;
    use super::*;

    #[test]
    fn the_fifth_sweep_still_moves_a_level() {
        let weights = [
            1.75, 0.4375, -0.25, -1.0, 2.125, -1.5625, 0.75, -0.625, 0.625, 0.875, -0.125, -0.625,
            -2.1875, 0.0625, 1.9375, 0.875,
        ];
        let (scale, levels) = fit(&weights.map(|x| Plain([x])), 4.0);
        assert_eq!(scale.0, [0.721_949_2]);
        let after_four = [7, 5, 4, 3, 7, 2, 5, 3, 5, 5, 4, 3, 1, 4, 7, 5];
        let mut after_five = after_four;
        after_five[0] = 6;
        assert_eq!(levels.map(|level| level.0[0] as u8), after_five);
    }
}
