//! One scale for each group of weights, for levels on both sides of zero.

use super::lanes::{Lanes, Mask, each};
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
    let zeros = peak.abs().below(L::all(NOTHING));
    let mut products = *cost;
    let mut no_number = zero;
    each!(n < N => {
        products[n] = products[n] * weights[n];
        no_number = no_number + weights[n] * zero;
    });
    // No candidate brings a number beyond the peak, and what becomes of zeros does not matter.
    let (inverse, scale) = if no_number.equals(zero).not().any() {
        search::<L, N, false>(weights, cost, &products, peak, reach)
    } else {
        search::<L, N, true>(weights, cost, &products, peak, reach)
    };
    Fit {
        scale: zeros.choose(zero, scale),
        inverse,
        zero: zeros,
        reach,
    }
}

/// The best inverse scale, and the least-squares scale for its levels. `products` are those of weight
/// and cost.
#[inline(always)]
fn search<L: Lanes, const N: usize, const NEAR: bool>(
    weights: &[L; N],
    cost: &[L; N],
    products: &[L; N],
    peak: L,
    reach: f32,
) -> (L, L) {
    let zero = L::all(0.0);
    let mut inverse = L::all(-reach) / peak;
    let [product, square] = sums::<L, N, NEAR>(weights, cost, products, inverse, reach);
    let mut scale = square.equals(zero).choose(zero, product / square);
    let mut best = scale * product;
    each!(i < 19 => {
        if i != 9 {
            let candidate = L::all(-(reach + 0.1 * (i as f32 - 9.0))) / peak;
            let [product, square] = sums::<L, N, NEAR>(weights, cost, products, candidate, reach);
            let better = zero
                .below(square)
                .and((best * square).below(product * product));
            inverse = better.choose(candidate, inverse);
            scale = better.choose(product / square, scale);
            best = better.choose(scale * product, best);
        }
    });
    (inverse, scale)
}

/// What weight times cost and level, and cost and level squared, come to under an inverse scale.
#[inline(always)]
fn sums<L: Lanes, const N: usize, const NEAR: bool>(
    weights: &[L; N],
    cost: &[L; N],
    products: &[L; N],
    inverse: L,
    reach: f32,
) -> [L; 2] {
    let (mut product, mut square) = (L::all(0.0), L::all(0.0));
    each!(n < N => {
        let x = inverse * weights[n];
        let level = if NEAR {
            x.near_level(-reach, reach - 1.0)
        } else {
            x.level(-reach, reach - 1.0)
        };
        product = product + products[n] * level;
        square = square + cost[n] * level * level;
    });
    [product, square]
}

/// The first weight of greatest magnitude in each group, with its sign.
#[inline(always)]
pub(in crate::quant) fn first_peak<L: Lanes, const N: usize>(weights: &[L; N]) -> L {
    let mut peak = L::all(0.0);
    each!(n < N => {
        peak = peak.abs().below(weights[n].abs()).choose(weights[n], peak);
    });
    peak
}
