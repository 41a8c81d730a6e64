//! A scale for a group of weights of three levels: what `iq1_s` and `iq1_m` have in common.
//!
//! The weights are sorted. The least of them get level 0, the greatest level 2, those between level
//! 1, and every way to split them is tried. The levels stand for -1, 0 and 1, all shifted by an
//! eighth, up or down.

use std::sync::LazyLock;

use super::grid::Grid;
use crate::quant::codebook;

/// The codebook of both formats.
pub(in crate::quant) static GRID: LazyLock<Grid<8>> =
    LazyLock::new(|| Grid::new(&codebook::packed::IQ1, 3));

/// By how much the three values are shifted.
pub(in crate::quant) const SHIFT: f32 = 0.125;

/// The values of the levels, shifted up or down.
#[inline(always)]
pub(in crate::quant) fn values(down: bool) -> [f32; 3] {
    let shift = if down { -SHIFT } else { SHIFT };
    [-1.0 + shift, shift, 1.0 + shift]
}

/// The numbers of the weights in ascending order; equal ones keep theirs. `N` is a power of two.
///
/// This merges runs as the C library of GGML's own builds does, so that a NaN, which is neither
/// below nor above anything, ends up where it does there.
pub(in crate::quant) fn sorted<const N: usize>(weights: &[f32; N]) -> [u8; N] {
    let mut order: [u8; N] = std::array::from_fn(|i| i as u8);
    let mut run = 1;
    while run < N {
        let before = order;
        for start in (0..N).step_by(2 * run) {
            let (mut left, mut right) = (start, start + run);
            for place in &mut order[start..start + 2 * run] {
                let from_right = right < start + 2 * run
                    && (left == start + run
                        || weights[usize::from(before[left])]
                            > weights[usize::from(before[right])]);
                let from = if from_right { &mut right } else { &mut left };
                *place = before[*from];
                *from += 1;
            }
        }
        run *= 2;
    }
    order
}

/// The point whose values times `scale` come nearest to 8 weights: that of their levels, or the
/// cheapest of its neighbours. Tells whether the levels were a point themselves.
pub(in crate::quant) fn point(
    levels: &mut [u8; 8],
    weights: &[f32; 8],
    cost: &[f32; 8],
    scale: f32,
    values: [f32; 3],
) -> (u16, bool) {
    if let Some(number) = GRID.find(levels) {
        return (number, true);
    }
    let number = GRID.cheapest(levels, |odd| {
        let mut sum = 0.0;
        for ((&odd, &x), &cost) in odd.iter().zip(weights).zip(cost) {
            let value = values[usize::from(odd as u8 >> 1)];
            let deviation = scale * value - x;
            sum += cost * deviation * deviation;
        }
        sum
    });
    *levels = GRID.levels(number);
    (number, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_keeps_the_order_of_equals() {
        let order = sorted(&[3.0, -1.0, 0.0, -0.0, -1.0, 7.0, 2.0, 0.0]);
        assert_eq!(order, [1, 4, 2, 3, 7, 6, 0, 5]);
    }

    #[test]
    fn sorting_nans_loses_none() {
        let mut order = sorted(&[f32::NAN, 1.0, f32::NAN, 0.0, -1.0, f32::NAN, 2.0, 3.0]);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
