//! Sixteen levels that lie closer together near zero: what `iq4_nl` and `iq4_xs` store in a nibble.

use super::search::lanes::{Lanes, Mask, each, part_of};
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
pub(super) const BORDERS: [f32; 15] = {
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

/// The level that each number belongs to, the last for NaN, without looking it up: borders that lie
/// below are counted.
#[inline(always)]
pub(super) fn level<L: Lanes>(x: L) -> L {
    let mut level = L::all(0.0);
    each!(i < BORDERS.len() => {
        let below = x.below(L::all(BORDERS[i]));
        level = level + below.choose(L::all(0.0), L::all(1.0));
    });
    level
}

/// The value of the level of each number: the steps that lie below are summed, whole numbers all.
#[inline(always)]
pub(super) fn value<L: Lanes>(x: L) -> L {
    let mut value = L::all(VALUES[0]);
    each!(i < BORDERS.len() => {
        let step = L::all(VALUES[i + 1] - VALUES[i]);
        let below = x.below(L::all(BORDERS[i]));
        value = value + below.choose(L::all(0.0), step);
    });
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
    let first = L::all(1.0) / (-peak / L::all(VALUES[0]));
    let [product, square] = sums(weights, cost, first);
    let mut scale = zero.below(square).choose(product / square, zero);
    let mut best = scale * product;
    each!(i < 15 => {
        let inverse = L::all(i as f32 - 7.0 + VALUES[0]) / peak;
        let [product, square] = sums(weights, cost, inverse);
        let better = zero
            .below(square)
            .and((best * square).below(product * product));
        scale = better.choose(product / square, scale);
        best = better.choose(scale * product, best);
    });
    let nothing = peak.abs().below(L::all(NOTHING));
    nothing.choose(zero, scale)
}

/// What cost times value and weight, and cost times value squared, come to under an inverse scale.
#[inline(always)]
fn sums<L: Lanes>(weights: &[L; 32], cost: &[L; 32], inverse: L) -> [L; 2] {
    let (mut product, mut square) = (L::all(0.0), L::all(0.0));
    each!(n < 32 => {
        let q = (inverse * weights[n]).nonlinear();
        let wq = cost[n] * q;
        product = product + wq * weights[n];
        square = square + wq * q;
    });
    [product, square]
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
pub(super) fn encode<L: Lanes>(weights: &[f32; 32], inverse: f32, pairs: &mut [u8; 16]) {
    let mut levels = [0; 32];
    each!(part < 32 / L::COUNT => {
        let numbers: L = part_of(weights, part);
        let bytes = (L::all(inverse) * numbers).nonlinear_level().bytes();
        levels[part * L::COUNT..][..L::COUNT].copy_from_slice(&bytes[..L::COUNT]);
    });
    each!(n < 16 => {
        pairs[n] = levels[n] | levels[n + 16] << 4;
    });
}

#[cfg(test)]
mod tests {
    use super::super::search::lanes::Plain;
    use super::*;

    fn level_of(x: f32) -> f32 {
        level(Plain([x])).0[0]
    }

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
                assert_eq!(level_of(x), nearer as f32, "{x:e}");
                assert_eq!(value(Plain([x])).0[0], VALUES[nearer]);
                x = x.next_up();
            }
        }
        assert_eq!(level_of(f32::NEG_INFINITY), 0.0);
        assert_eq!(level_of(f32::INFINITY), 15.0);
        assert_eq!(level_of(f32::NAN), 15.0);
    }

    #[test]
    fn the_value_of_a_level_belongs_to_it() {
        for (i, &value) in VALUES.iter().enumerate() {
            assert_eq!(level_of(value), i as f32);
        }
    }
}
