//! One scale for levels on both sides of zero.

use crate::quant::rounding::{first_peak, nearest};

/// Magnitudes below this count as zero.
const NOTHING: f32 = 1e-15;

/// Finds the scale with which `scale * (level - reach)` comes nearest to the weights, and the levels, from 0 to
/// `2 * reach - 1`. `cost` is the price of a squared deviation, one for each weight.
///
/// The scale may be negative: the weight of greatest magnitude is aimed at level 0.
pub(in crate::quant) fn fit(weights: &[f32], cost: &[f32], reach: i32, levels: &mut [u8]) -> f32 {
    let peak = first_peak(weights);
    if peak.abs() < NOTHING {
        levels.fill(0);
        return 0.0;
    }
    let mut winner = -(reach as f32) / peak;
    let (product, square) = sums(weights, cost, reach, winner);
    let mut scale = if square != 0.0 { product / square } else { 0.0 };
    let mut best = scale * product;
    for step in (-9..=9).filter(|&step| step != 0) {
        let inverse = -(reach as f32 + 0.1 * step as f32) / peak;
        let (product, square) = sums(weights, cost, reach, inverse);
        if square > 0.0 && product * product > best * square {
            winner = inverse;
            scale = product / square;
            best = scale * product;
        }
    }
    for (level, &weight) in levels.iter_mut().zip(weights) {
        *level = (reach + level_of(weight, reach, winner)) as u8;
    }
    scale
}

#[inline(always)]
fn level_of(weight: f32, reach: i32, inverse: f32) -> i32 {
    nearest(inverse * weight).clamp(-reach, reach - 1)
}

/// Σ cost·weight·level and Σ cost·level².
#[inline(always)]
fn sums(weights: &[f32], cost: &[f32], reach: i32, inverse: f32) -> (f32, f32) {
    let (mut product, mut square) = (0.0, 0.0);
    for (&weight, &cost) in weights.iter().zip(cost) {
        let level = level_of(weight, reach, inverse) as f32;
        product += cost * weight * level;
        square += cost * level * level;
    }
    (product, square)
}
