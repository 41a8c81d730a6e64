//! A scale and a minimum for each group of weights: weights ≈ scale * level - minimum.

use super::lanes::{Lanes, Mask};
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
    let one = L::all(1.0);
    let top = L::all(plan.top);
    let (mut low, mut max) = (weights[0], weights[0]);
    let mut sum_cost = cost[0];
    let mut sum_weight = cost[0] * weights[0];
    for (&x, &w) in weights[1..].iter().zip(&cost[1..]) {
        low = x.lesser(low);
        max = x.greater(max);
        sum_cost = sum_cost + w;
        sum_weight = sum_weight + w * x;
    }
    let mut low = zero.lesser(low);
    let flat = low.equals(max);
    let flat_minimum = -low;

    let mut levels = [zero; N];
    let mut inverse = top / (max - low);
    let mut origin = low;
    let mut scale = one / inverse;
    for (level, &x) in levels.iter_mut().zip(weights) {
        *level = (inverse * (x - low)).level(0.0, plan.top);
    }
    let mut least = error(weights, cost, &levels, scale, low, plan.deviation);

    for i in 0..=plan.steps {
        let candidate = L::all(plan.first + plan.step * f32::from(i) + plan.top) / (max - low);
        let (mut l1, mut l2, mut lx) = (zero, zero, zero);
        for ((level, &x), &w) in levels.iter_mut().zip(weights).zip(cost) {
            let l = (candidate * (x - low)).level(0.0, plan.top);
            *level = l;
            let wl = w * l;
            l1 = l1 + wl;
            l2 = l2 + wl * l;
            lx = lx + wl * x;
        }
        let determinant = sum_cost * l2 - l1 * l1;
        let new_low = (l2 * sum_weight - l1 * lx) / determinant;
        let new_scale = (sum_cost * lx - sum_weight * l1) / determinant;
        // The minimum may not rise above zero: then the best scale without one.
        let positive = zero.below(new_low);
        let new_low = positive.choose(zero, new_low);
        let new_scale = positive.choose(lx / l2, new_scale);

        let error = error(weights, cost, &levels, new_scale, new_low, plan.deviation);
        let better = zero.below(determinant).and(error.below(least));
        inverse = better.choose(candidate, inverse);
        origin = better.choose(low, origin);
        least = better.choose(error, least);
        scale = better.choose(new_scale, scale);
        low = better.choose(new_low, low);
    }
    Fit {
        scale: flat.choose(zero, scale),
        minimum: flat.choose(flat_minimum, -low),
        inverse,
        origin,
        flat,
        top: plan.top,
    }
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
    for ((&x, &w), &level) in weights.iter().zip(cost).zip(levels) {
        let deviation = scale * level + low - x;
        let deviation = match measure {
            Deviation::Squared => deviation * deviation,
            Deviation::Absolute => deviation.abs(),
        };
        sum = sum + w * deviation;
    }
    sum
}
