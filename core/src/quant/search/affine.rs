//! A scale and a minimum for each group of weights: weights ≈ scale * level - minimum.

use super::lanes::{Lanes, Mask, NEAR, each};
use crate::quant::rounding::nearest;

/// Which candidates are tried: inverse scales of `(top + first + step * i) / range` for `i` from 0
/// to `steps`.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Plan {
    /// The greatest level.
    pub top: f32,
    /// The first offset.
    pub first: f32,
    /// From one offset to the next.
    pub step: f32,
    /// Candidates after the first.
    pub steps: u8,
    /// What an error is.
    pub deviation: Deviation,
}

/// What a deviation is multiplied with its cost as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::quant) enum Deviation {
    /// Its square.
    Squared,
    /// Its magnitude.
    Absolute,
}

/// What [`fit`] found for each of the groups.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Fit<L: Lanes> {
    /// Weight per level; 0 for a group whose weights are all the same and not positive.
    pub scale: L,
    /// What is subtracted, never negative for finite weights.
    pub minimum: L,
    // The levels that won follow from these, as they were when the candidate was accepted.
    inverse: L,
    origin: L,
    flat: L::Mask,
    top: f32,
}

impl<L: Lanes> Fit<L> {
    /// What the search found for one group.
    #[inline(always)]
    pub fn group(&self, lane: usize) -> Group {
        Group {
            inverse: self.inverse.spill()[lane],
            origin: self.origin.spill()[lane],
            flat: self.flat.choose(L::all(1.0), L::all(0.0)).spill()[lane] != 0.0,
            top: self.top as i32,
        }
    }
}

/// How the search rounded the weights of a group.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Group {
    inverse: f32,
    origin: f32,
    flat: bool,
    top: i32,
}

impl Group {
    /// The level that the search gave to a weight.
    #[inline(always)]
    pub fn level(&self, x: f32) -> u8 {
        if self.flat {
            return 0;
        }
        nearest(self.inverse * (x - self.origin)).clamp(0, self.top) as u8
    }
}

/// Finds the scale and minimum of each group. `cost` is the price of a deviation.
///
/// A step solves the least-squares problem for the levels of its candidate, and is accepted when
/// the error falls. Later candidates start from the minimum accepted last.
#[inline(always)]
pub(in crate::quant) fn fit<L: Lanes, const N: usize>(
    weights: &[L; N],
    cost: &[L; N],
    plan: Plan,
) -> Fit<L> {
    let zero = L::all(0.0);
    let (mut least_weight, mut max) = (weights[0], weights[0]);
    let mut sum_cost = cost[0];
    let mut sum_weight = cost[0] * weights[0];
    each!(n < N - 1 => {
        let (x, w) = (weights[n + 1], cost[n + 1]);
        least_weight = x.lesser(least_weight);
        max = x.greater(max);
        sum_cost = sum_cost + w;
        sum_weight = sum_weight + w * x;
    });
    let mut low = zero.lesser(least_weight);
    let flat = low.equals(max);
    let flat_minimum = -low;
    // Sums tell whether all weights are numbers, extremes alone do not.
    let numbers = sum_weight.abs().below(L::all(f32::INFINITY)).or(flat);

    let mut levels = [zero; N];
    let mut inverse = L::all(plan.top) / (max - low);
    let mut origin = low;
    let mut scale = L::all(1.0) / inverse;
    each!(n < N => {
        levels[n] = (inverse * (weights[n] - low)).level(0.0, plan.top);
    });
    let mut least = error(weights, cost, &levels, scale, low, plan.deviation);

    each!(i < plan.steps + 1 => {
        let offset = plan.first + plan.step * i as f32 + plan.top;
        let candidate = L::all(offset) / (max - low);
        // The ends of the range tell about everything between them.
        let near = is_near(candidate * (least_weight - low))
            .and(is_near(candidate * (max - low)))
            .or(flat);
        let [l1, l2, lx] = if near.and(numbers).not().any() {
            sums::<L, N, false>(weights, cost, candidate, low, plan.top, &mut levels)
        } else {
            sums::<L, N, true>(weights, cost, candidate, low, plan.top, &mut levels)
        };
        let determinant = sum_cost * l2 - l1 * l1;
        let mut new_low = (l2 * sum_weight - l1 * lx) / determinant;
        let mut new_scale = (sum_cost * lx - sum_weight * l1) / determinant;
        // The minimum may not rise above zero: then the best scale without one.
        let positive = zero.below(new_low);
        if positive.any() {
            new_low = positive.choose(zero, new_low);
            new_scale = positive.choose(lx / l2, new_scale);
        }
        let error = error(weights, cost, &levels, new_scale, new_low, plan.deviation);
        let better = zero.below(determinant).and(error.below(least));
        inverse = better.choose(candidate, inverse);
        origin = better.choose(low, origin);
        least = better.choose(error, least);
        scale = better.choose(new_scale, scale);
        low = better.choose(new_low, low);
    });
    Fit {
        scale: flat.choose(zero, scale),
        minimum: flat.choose(flat_minimum, -low),
        inverse,
        origin,
        flat,
        top: plan.top,
    }
}

/// Which numbers [`Lanes::near_level`] can round.
#[inline(always)]
fn is_near<L: Lanes>(x: L) -> L::Mask {
    x.abs().below(L::all(NEAR))
}

/// Sums of cost times level, cost times level squared, and cost times level and weight; and the
/// levels.
#[inline(always)]
fn sums<L: Lanes, const N: usize, const NEAR: bool>(
    weights: &[L; N],
    cost: &[L; N],
    inverse: L,
    low: L,
    top: f32,
    levels: &mut [L; N],
) -> [L; 3] {
    let (mut l1, mut l2, mut lx) = (L::all(0.0), L::all(0.0), L::all(0.0));
    each!(n < N => {
        let x = inverse * (weights[n] - low);
        let level = if NEAR {
            x.near_level(0.0, top)
        } else {
            x.level(0.0, top)
        };
        levels[n] = level;
        let wl = cost[n] * level;
        l1 = l1 + wl;
        l2 = l2 + wl * level;
        lx = lx + wl * weights[n];
    });
    [l1, l2, lx]
}

#[inline(always)]
fn error<L: Lanes, const N: usize>(
    weights: &[L; N],
    cost: &[L; N],
    levels: &[L; N],
    scale: L,
    low: L,
    measure: Deviation,
) -> L {
    let mut sum = L::all(0.0);
    each!(n < N => {
        let deviation = scale * levels[n] + low - weights[n];
        let deviation = match measure {
            Deviation::Squared => deviation * deviation,
            Deviation::Absolute => deviation.abs(),
        };
        sum = sum + cost[n] * deviation;
    });
    sum
}
