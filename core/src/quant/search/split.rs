//! A scale for a group of weights of three levels: the searches of `iq1_s` and `iq1_m`.
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

/// The values of the levels, shifted up or down, in units of the scale.
#[inline(always)]
pub(in crate::quant) const fn values(down: bool) -> [f32; 3] {
    let shift = if down { -SHIFT } else { SHIFT };
    [-1.0 + shift, shift, 1.0 + shift]
}

/// The best split of a group.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Split<const N: usize> {
    /// A weight is this times the value of its level.
    pub scale: f32,
    pub levels: [u8; N],
    /// Of each half, whether its values are shifted down.
    pub down: [bool; 2],
}

impl<const N: usize> Split<N> {
    /// The split of sorted weights, whose numbers `order` has, into those before `first`, those
    /// before `second`, and the rest.
    #[inline]
    pub fn new(order: &[u8; N], first: usize, second: usize, scale: f32, down: [bool; 2]) -> Self {
        let mut levels = [0; N];
        for (j, &i) in order.iter().enumerate() {
            levels[usize::from(i)] = u8::from(j >= first) + u8::from(j >= second);
        }
        Split {
            scale,
            levels,
            down,
        }
    }

    /// The same weights with a scale that is not negative.
    #[inline]
    pub fn positive(self) -> Self {
        if self.scale < 0.0 {
            Split {
                scale: -self.scale,
                levels: self.levels.map(|level| 2 - level),
                down: self.down.map(|down| !down),
            }
        } else {
            self
        }
    }
}

/// The best split of 32 weights that are all shifted alike, by the sums up to each place. None
/// where no split has a finite error.
pub(in crate::quant) fn together(weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
    let order = sorted(weights);
    let (mut products, mut costs) = ([0.0; 33], [0.0; 33]);
    for (j, &i) in order.iter().enumerate() {
        let i = usize::from(i);
        products[j + 1] = products[j] + cost[i] * weights[i];
        costs[j + 1] = costs[j] + cost[i];
    }
    let parts = |sums: &[f32; 33], first: usize, second: usize| {
        [
            sums[first] - sums[0],
            sums[second] - sums[first],
            sums[32] - sums[second],
        ]
    };
    let mut best = -f32::MAX;
    let mut winner = None;
    for first in 0..=32 {
        for second in first..=32 {
            let product = parts(&products, first, second);
            let square = parts(&costs, first, second);
            for down in [false, true] {
                let v = values(down);
                let product = product[0] * v[0] + product[1] * v[1] + product[2] * v[2];
                let square =
                    square[0] * v[0] * v[0] + square[1] * v[1] * v[1] + square[2] * v[2] * v[2];
                if square > 0.0 && product * product > best * square {
                    let scale = product / square;
                    best = scale * product;
                    winner = Some((first, second, scale, [down; 2]));
                }
            }
        }
    }
    winner.map(|(first, second, scale, down)| Split::new(&order, first, second, scale, down))
}

/// The shifts of both halves, in the order in which they are tried.
pub(in crate::quant) const SHIFTS: [[bool; 2]; 4] =
    [[false, false], [false, true], [true, false], [true, true]];

/// The best split of 16 weights of which each half has a shift of its own. Every split takes its
/// sums anew. None where no split has a finite error.
pub(in crate::quant) fn apart(weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
    let order = sorted(weights);
    // Per weight in that order and per level: what it adds to the sums under each pair of shifts.
    let mut terms = [[([0.0; 4], [0.0; 4]); 3]; 16];
    for (terms, &i) in terms.iter_mut().zip(&order) {
        let i = usize::from(i);
        for (level, (product, square)) in terms.iter_mut().enumerate() {
            for (k, shifts) in SHIFTS.iter().enumerate() {
                let scaled = cost[i] * values(shifts[i / 8])[level];
                product[k] = scaled * weights[i];
                square[k] = scaled * values(shifts[i / 8])[level];
            }
        }
    }
    let add = |sums: &mut ([f32; 4], [f32; 4]), term: &([f32; 4], [f32; 4])| {
        for k in 0..4 {
            sums.0[k] += term.0[k];
            sums.1[k] += term.1[k];
        }
    };
    let mut best = -f32::MAX;
    let mut winner = None;
    let mut low = ([0.0; 4], [0.0; 4]);
    for first in 0..=16 {
        let mut middle = low;
        for second in first..=16 {
            let mut sums = middle;
            for terms in &terms[second..] {
                add(&mut sums, &terms[2]);
            }
            for (k, (product, square)) in sums.0.into_iter().zip(sums.1).enumerate() {
                if square > 0.0 && product * product > best * square {
                    let scale = product / square;
                    best = scale * product;
                    winner = Some((first, second, scale, SHIFTS[k]));
                }
            }
            if let Some(terms) = terms.get(second) {
                add(&mut middle, &terms[1]);
            }
        }
        if let Some(terms) = terms.get(first) {
            add(&mut low, &terms[0]);
        }
    }
    winner.map(|(first, second, scale, down)| Split::new(&order, first, second, scale, down))
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

/// The point whose values come nearest to 8 weights: that of their levels, or the cheapest of its
/// neighbours. Tells whether the levels were a point themselves.
pub(in crate::quant) fn point(
    levels: &mut [u8; 8],
    weights: &[f32; 8],
    cost: &[f32; 8],
    values: [f32; 3],
) -> (u16, bool) {
    if let Some(number) = GRID.find(levels) {
        return (number, true);
    }
    let mut prices = [[0.0; 8]; 8];
    for ((prices, x), cost) in prices.iter_mut().zip(weights).zip(cost) {
        for (price, value) in prices.iter_mut().zip(values) {
            let deviation = value - x;
            *price = cost * deviation * deviation;
        }
    }
    *levels = GRID.cheapest(levels, &prices);
    (GRID.closest(levels), false)
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
