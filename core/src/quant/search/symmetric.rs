//! One scale for each group of weights, for levels on both sides of zero.

use super::lanes::{Lanes, Mask};

/// Magnitudes below this count as zero.
pub(in crate::quant) const NOTHING: f32 = 1e-15;

/// What [`fit`] found for each of the groups.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Fit<const L: usize> {
    /// Weight per level; negative where the weight of greatest magnitude is positive, unless the
    /// search turned it.
    pub scale: Lanes<L>,
    inverse: Lanes<L>,
    zero: Mask<L>,
    reach: f32,
}

impl<const L: usize> Fit<L> {
    /// The level of a weight of each group, from 0 to `2 * reach - 1`; 0 in a group of zeros.
    #[inline]
    pub fn level(&self, weights: Lanes<L>) -> Lanes<L> {
        let zero = Lanes::all(0.0);
        let level = (self.inverse * weights).level(-self.reach, self.reach - 1.0);
        self.zero.choose(zero, level + Lanes::all(self.reach))
    }
}

/// Finds the scale with which `scale * (level - reach)` comes nearest to the weights of each group.
/// `cost` is the price of a squared deviation.
///
/// Nineteen candidates bring the weight of greatest magnitude near level 0; the least-squares scale
/// for the levels of the best one is the result.
#[inline]
pub(in crate::quant) fn fit<const L: usize, const N: usize>(
    weights: &[Lanes<L>; N],
    cost: &[Lanes<L>; N],
    reach: f32,
) -> Fit<L> {
    let zero = Lanes::all(0.0);
    let peak = first_peak(weights);
    let mut products = *cost;
    for (product, &x) in products.iter_mut().zip(weights) {
        *product = *product * x;
    }
    let sums = |inverse: Lanes<L>| {
        let (mut product, mut square) = (zero, zero);
        for ((&x, &w), &wx) in weights.iter().zip(cost).zip(&products) {
            let level = (inverse * x).level(-reach, reach - 1.0);
            product = product + wx * level;
            square = square + w * level * level;
        }
        (product, square)
    };

    let mut inverse = Lanes::all(-reach) / peak;
    let (product, square) = sums(inverse);
    let mut scale = square.equals(zero).choose(zero, product / square);
    let mut best = scale * product;
    for step in -9..=9 {
        if step == 0 {
            continue;
        }
        let candidate = Lanes::all(-(reach + 0.1 * step as f32)) / peak;
        let (product, square) = sums(candidate);
        let better = zero
            .below(square)
            .and((best * square).below(product * product));
        inverse = better.choose(candidate, inverse);
        scale = better.choose(product / square, scale);
        best = better.choose(scale * product, best);
    }
    let zeros = peak.abs().below(Lanes::all(NOTHING));
    Fit {
        scale: zeros.choose(zero, scale),
        inverse,
        zero: zeros,
        reach,
    }
}

/// The first weight of greatest magnitude in each group, with its sign.
#[inline(always)]
pub(in crate::quant) fn first_peak<const L: usize>(weights: &[Lanes<L>]) -> Lanes<L> {
    let mut peak = Lanes::all(0.0);
    for &x in weights {
        peak = peak.abs().below(x.abs()).choose(x, peak);
    }
    peak
}
