//! One scale for each group of weights, for levels on both sides of zero.

use super::lanes::{Lanes, Mask};
use crate::quant::rounding::nearest;

/// Magnitudes below this count as zero.
pub(in crate::quant) const NOTHING: f32 = 1e-15;

/// What [`fit`] found for each of the groups.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Fit<L: Lanes> {
    /// Weight per level; negative where the weight of greatest magnitude is positive, unless the
    /// search turned it.
    pub scale: L,
    inverse: L,
    zero: L::Mask,
    reach: f32,
}

impl<L: Lanes> Fit<L> {
    /// The level of a weight of each group, from 0 to `2 * reach - 1`; 0 in a group of zeros.
    #[inline(always)]
    pub fn level(&self, weights: L) -> L {
        let zero = L::all(0.0);
        let level = (self.inverse * weights).level(-self.reach, self.reach - 1.0);
        self.zero.choose(zero, level + L::all(self.reach))
    }

    /// What the search found for one group.
    #[inline(always)]
    pub fn group(&self, lane: usize) -> Group {
        Group {
            inverse: self.inverse.spill()[lane],
            zero: self.zero.choose(L::all(1.0), L::all(0.0)).spill()[lane] != 0.0,
            reach: self.reach as i32,
        }
    }
}

/// How the search rounded the weights of a group.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Group {
    inverse: f32,
    zero: bool,
    reach: i32,
}

impl Group {
    /// The level that the search gave to a weight: see [`Fit::level`].
    #[inline(always)]
    pub fn level(&self, x: f32) -> u8 {
        if self.zero {
            return 0;
        }
        let level = nearest(self.inverse * x).clamp(-self.reach, self.reach - 1);
        (level + self.reach) as u8
    }
}

/// Finds the scale with which `scale * (level - reach)` comes nearest to the weights of each group.
/// `cost` is the price of a squared deviation.
///
/// Nineteen candidates bring the weight of greatest magnitude near level 0; the least-squares scale
/// for the levels of the best one is the result.
#[inline(always)]
pub(in crate::quant) fn fit<L: Lanes, const N: usize>(
    weights: &[L; N],
    cost: &[L; N],
    reach: f32,
) -> Fit<L> {
    let zero = L::all(0.0);
    let peak = first_peak(weights);
    let mut products = *cost;
    for (product, &x) in products.iter_mut().zip(weights) {
        *product = *product * x;
    }
    let mut inverse = L::all(-reach) / peak;
    let (product, square) = sums(weights, cost, &products, inverse, reach);
    let mut scale = square.equals(zero).choose(zero, product / square);
    let mut best = scale * product;
    for step in -9..=9 {
        if step == 0 {
            continue;
        }
        let candidate = L::all(-(reach + 0.1 * step as f32)) / peak;
        let (product, square) = sums(weights, cost, &products, candidate, reach);
        let better = zero
            .below(square)
            .and((best * square).below(product * product));
        inverse = better.choose(candidate, inverse);
        scale = better.choose(product / square, scale);
        best = better.choose(scale * product, best);
    }
    let zeros = peak.abs().below(L::all(NOTHING));
    Fit {
        scale: zeros.choose(zero, scale),
        inverse,
        zero: zeros,
        reach,
    }
}

/// What weight times cost and level, and cost and level squared, come to under an inverse scale.
/// `products` are those of weight and cost.
#[inline(always)]
fn sums<L: Lanes, const N: usize>(
    weights: &[L; N],
    cost: &[L; N],
    products: &[L; N],
    inverse: L,
    reach: f32,
) -> (L, L) {
    let (mut product, mut square) = (L::all(0.0), L::all(0.0));
    for ((&x, &w), &wx) in weights.iter().zip(cost).zip(products) {
        let level = (inverse * x).level(-reach, reach - 1.0);
        product = product + wx * level;
        square = square + w * level * level;
    }
    (product, square)
}

/// The first weight of greatest magnitude in each group, with its sign.
#[inline(always)]
pub(in crate::quant) fn first_peak<L: Lanes>(weights: &[L]) -> L {
    let mut peak = L::all(0.0);
    for &x in weights {
        peak = peak.abs().below(x.abs()).choose(x, peak);
    }
    peak
}
