//! What a product is: weights and vector decoded, multiplied and added in `float64`.

use super::step::GROUP;
use super::{Layout, STEP, Step};
use crate::quant::Codec;

/// Numbers that are added side by side.
const LANES: usize = 8;

/// The sum of products of whole blocks with as many steps, the last of which may reach further.
pub(super) fn dot(codec: &dyn Codec, blocks: &[u8], steps: &[Step], layout: Layout) -> f64 {
    let elements = layout.elements();
    let size = STEP / codec.block_len() * codec.block_bytes();
    let mut sum = 0.0;
    for (blocks, step) in blocks.chunks(size).zip(steps) {
        let mut weights = [0f32; STEP];
        let len = blocks.len() / codec.block_bytes() * codec.block_len();
        codec.decode(blocks, &mut weights[..len]);
        let mut x = [0f64; STEP];
        for (level, element) in step.levels.as_flattened().iter().zip(elements) {
            let element = usize::from(element);
            x[element] = f64::from(step.scales[element / GROUP]) * f64::from(*level);
        }
        sum += products(&weights.map(f64::from)[..len], &x[..len]);
    }
    sum
}

/// The sum of products of `float32` anywhere in memory and floats.
pub(super) fn floats(row: &[u8], x: &[f64]) -> f64 {
    let mut tile = [0f64; STEP];
    let mut sum = 0.0;
    for (row, x) in row.as_chunks().0.chunks(STEP).zip(x.chunks(STEP)) {
        for (weight, bytes) in tile.iter_mut().zip(row) {
            *weight = f64::from(f32::from_ne_bytes(*bytes));
        }
        sum += products(&tile[..x.len()], x);
    }
    sum
}

/// The sum of products, in parts that do not wait for each other.
pub(crate) fn products(weights: &[f64], x: &[f64]) -> f64 {
    let mut sums = [0f64; LANES];
    let (weights, rest) = weights.as_chunks::<LANES>();
    let (x, rest_x) = x.as_chunks::<LANES>();
    for (weights, x) in weights.iter().zip(x) {
        for ((sum, weight), x) in sums.iter_mut().zip(weights).zip(x) {
            *sum += weight * x;
        }
    }
    let rest = rest.iter().zip(rest_x).map(|(weight, x)| weight * x);
    sums.into_iter().chain(rest).sum()
}
