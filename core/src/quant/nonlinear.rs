//! Sixteen levels that lie closer together near zero: what `iq4_nl` and `iq4_xs` store in a nibble.

use super::search::lanes::{Lanes, Mask};
use super::search::symmetric::{NOTHING, first_peak};

/// The value of each level.
pub(super) const VALUES: [f32; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0,
    89.0, 113.0,
];

/// The least number that belongs to each level but the first.
///
/// A number between two values belongs to the upper one unless its distance to the lower one is
/// less, both as rounded to `f32`. Distances grow with the number, so there is one border.
const BORDERS: [f32; 15] = {
    let mut borders = [0.0; 15];
    let mut i = 0;
    while i < 15 {
        let (lower, upper) = (VALUES[i], VALUES[i + 1]);
        let mut border = (lower + upper) / 2.0;
        while border.next_down() - lower >= upper - border.next_down() {
            border = border.next_down();
        }
        borders[i] = border;
        i += 1;
    }
    borders
};

/// The level that a number belongs to; the last for NaN.
#[inline(always)]
pub(super) fn level(x: f32) -> u8 {
    BORDERS
        .iter()
        .map(|&border| u8::from(x >= border || x.is_nan()))
        .sum()
}

/// The value of the level of each lane, without looking it up: the steps that lie below are summed,
/// whole numbers all.
#[inline(always)]
fn value<L: Lanes>(x: L) -> L {
    let mut value = L::all(VALUES[0]);
    for (i, &border) in BORDERS.iter().enumerate() {
        let step = L::all(VALUES[i + 1] - VALUES[i]);
        let below = x.below(L::all(border));
        value = value + below.choose(L::all(0.0), step);
    }
    value
}

/// Finds the scale with which `scale * value` comes nearest to the weights of each block of 32.
/// `cost` is the price of a squared deviation.
///
/// Sixteen candidates bring the weight of greatest magnitude near the first value; the best of their
/// least-squares scales is the result. The levels are left to the caller.
#[inline(always)]
pub(super) fn fit<L: Lanes>(weights: &[L; 32], cost: &[L; 32]) -> L {
    let zero = L::all(0.0);
    let peak = first_peak(weights);
    let (product, square) = sums(weights, cost, L::all(1.0) / (-peak / L::all(VALUES[0])));
    let mut scale = zero.below(square).choose(product / square, zero);
    let mut best = scale * product;
    for step in -7..=7 {
        let (product, square) = sums(weights, cost, L::all(step as f32 + VALUES[0]) / peak);
        let better = zero
            .below(square)
            .and((best * square).below(product * product));
        scale = better.choose(product / square, scale);
        best = better.choose(scale * product, best);
    }
    let nothing = peak.abs().below(L::all(NOTHING));
    nothing.choose(zero, scale)
}

/// What cost times value and weight, and cost times value squared, come to under an inverse scale.
#[inline(always)]
fn sums<L: Lanes>(weights: &[L; 32], cost: &[L; 32], inverse: L) -> (L, L) {
    let (mut product, mut square) = (L::all(0.0), L::all(0.0));
    for (&x, &w) in weights.iter().zip(cost) {
        let q = value(inverse * x);
        let wq = w * q;
        product = product + wq * x;
        square = square + wq * q;
    }
    (product, square)
}

/// Decodes pairs of levels: the low nibbles are the first half of `out`, the high ones the second.
#[inline(always)]
pub(super) fn decode(pairs: &[u8; 16], scale: f32, out: &mut [f32; 32]) {
    let (low, high) = out.split_at_mut(16);
    for ((low, high), &pair) in low.iter_mut().zip(high).zip(pairs) {
        *low = scale * VALUES[usize::from(pair & 15)];
        *high = scale * VALUES[usize::from(pair >> 4)];
    }
}

/// Writes the levels of the weights under an inverse scale.
#[inline(always)]
pub(super) fn encode(weights: &[f32; 32], inverse: f32, pairs: &mut [u8; 16]) {
    let (low, high) = weights.split_at(16);
    for ((pair, &low), &high) in pairs.iter_mut().zip(low).zip(high) {
        *pair = level(inverse * low) | level(inverse * high) << 4;
    }
}

#[cfg(test)]
mod tests {
    use super::super::search::lanes::Plain;
    use super::*;

    #[test]
    fn a_level_is_the_nearer_of_two_values_as_floats_measure() {
        for i in 0..15 {
            let (lower, upper) = (VALUES[i], VALUES[i + 1]);
            let mut x = (lower + upper) / 2.0;
            for _ in 0..64 {
                x = x.next_down();
            }
            for _ in 0..128 {
                let nearer = if x - lower < upper - x { i } else { i + 1 };
                assert_eq!(usize::from(level(x)), nearer, "{x:e}");
                assert_eq!(value(Plain([x])).0[0], VALUES[nearer]);
                x = x.next_up();
            }
        }
        assert_eq!(level(f32::NEG_INFINITY), 0);
        assert_eq!(level(f32::INFINITY), 15);
        assert_eq!(level(f32::NAN), 15);
    }

    #[test]
    fn the_value_of_a_level_belongs_to_it() {
        for (i, &value) in VALUES.iter().enumerate() {
            assert_eq!(usize::from(level(value)), i);
        }
    }
}
