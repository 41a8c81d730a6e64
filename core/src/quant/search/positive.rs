//! One scale for numbers that are not negative: the scales and minima of a super-block.

use crate::quant::rounding::nearest;

/// Values up to this count as zero.
const NOTHING: f32 = 1e-15;

/// Finds the scale with which `scale * level` comes nearest to the values, and the levels, from 0
/// to `top`.
///
/// The level of a slightly negative value wraps to 255 when it is stored, and the sweeps go on with
/// that number, as they do in GGML.
pub(in crate::quant) fn fit(values: &[f32], cost: &[f32], top: i32, levels: &mut [u8]) -> f32 {
    // A NaN is forgotten when a number follows it.
    let max = values.iter().fold(
        0.0,
        |max: f32, &value| if max > value { max } else { value },
    );
    if max < NOTHING {
        levels.fill(0);
        return 0.0;
    }
    let inverse = best_inverse(values, cost, top, max);
    let (mut product, mut square) = (0.0, 0.0);
    for ((level, &value), &cost) in levels.iter_mut().zip(values).zip(cost) {
        let capped = nearest(inverse * value).min(top);
        *level = capped as u8;
        let l = capped as f32;
        product += cost * value * l;
        square += cost * l * l;
    }
    for _ in 0..5 {
        if !improve(values, cost, top, levels, &mut product, &mut square) {
            break;
        }
    }
    if square > 0.0 { product / square } else { 0.0 }
}

/// The best of nine inverse scales that bring the greatest value near `top`.
fn best_inverse(values: &[f32], cost: &[f32], top: i32, max: f32) -> f32 {
    let mut winner = top as f32 / max;
    // Only the first attempt goes through bytes, and only it leaves the levels uncapped.
    let mut best = error(values, cost, winner, |level| f32::from(level as u8));
    for step in (-4..=4).filter(|&step| step != 0) {
        let inverse = (0.1 * step as f32 + top as f32) / max;
        let error = error(values, cost, inverse, |level| level.min(top) as f32);
        if error < best {
            best = error;
            winner = inverse;
        }
    }
    winner
}

fn error(values: &[f32], cost: &[f32], inverse: f32, level: impl Fn(i32) -> f32) -> f32 {
    let scale = 1.0 / inverse;
    let mut sum = 0.0;
    for (&value, &cost) in values.iter().zip(cost) {
        let deviation = value - scale * level(nearest(inverse * value));
        sum += cost * deviation * deviation;
    }
    sum
}

/// One sweep that moves single levels while that helps; whether any moved.
fn improve(
    values: &[f32],
    cost: &[f32],
    top: i32,
    levels: &mut [u8],
    product: &mut f32,
    square: &mut f32,
) -> bool {
    let mut changed = false;
    for ((level, &value), &cost) in levels.iter_mut().zip(values).zip(cost) {
        let l = f32::from(*level);
        let mut others_product = *product - cost * value * l;
        let mut others_square = *square - cost * l * l;
        if !(others_product > 0.0 && others_square > 0.0) {
            continue;
        }
        let moved = nearest(value * others_square / others_product).min(top);
        if moved == i32::from(*level) {
            continue;
        }
        let l = moved as f32;
        others_product += cost * value * l;
        others_square += cost * l * l;
        if others_product * others_product * *square > *product * *product * others_square {
            *level = moved as u8;
            *product = others_product;
            *square = others_square;
            changed = true;
        }
    }
    changed
}
