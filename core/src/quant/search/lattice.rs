//! One scale for a group of magnitudes whose levels have to be points of a codebook.

use super::grid::Grid;
use crate::quant::rounding::nearest;

/// Which candidates are tried, and what is done once more for the winner.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Plan {
    /// Candidates on either side of the middle one.
    pub steps: i32,
    /// From one candidate to the next, as part of the greatest value, `2 * top + 1`.
    pub step: f32,
    /// What is rounded again with the scale that won.
    pub again: Again,
}

/// What is rounded again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::quant) enum Again {
    /// The parts that were no points.
    OffGrid,
    /// Everything, if a part was no point.
    AllIfOffGrid,
    /// Everything.
    All,
}

/// What [`fit`] starts from and what it finds.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Fit<const N: usize> {
    /// A weight is this times `2 * level + 1`.
    pub scale: f32,
    /// Not always points: see [`Grid::closest`].
    pub levels: [u8; N],
    /// Bit `n` is set where part `n` was no point before it was made one.
    pub off_grid: u32,
}

/// Finds the scale with which `scale * (2 * level + 1)` comes nearest to the magnitudes, `D` of
/// which are a point. `cost` is the price of a squared deviation; `peak` is the magnitude that the
/// candidates bring near the greatest value.
pub(in crate::quant) fn fit<const N: usize, const D: usize>(
    grid: &Grid<D>,
    magnitudes: &[f32; N],
    cost: &[f32; N],
    peak: f32,
    plan: Plan,
    start: Fit<N>,
) -> Fit<N> {
    let search = Search {
        grid,
        magnitudes,
        cost,
        root: cost.map(f32::sqrt),
    };
    let mut fit = start;
    let mut best = 0.0;
    for i in -plan.steps..=plan.steps {
        let inverse = (f32::from(2 * grid.top + 1) + i as f32 * plan.step) / peak;
        let mut candidate = fit;
        candidate.off_grid = search.round(&mut candidate.levels, u32::MAX, inverse, 1.0 / inverse);
        let (product, square) = search.sums(&candidate.levels);
        if square > 0.0 && product * product > best * square {
            candidate.scale = product / square;
            best = candidate.scale * product;
            fit = candidate;
        }
    }
    let parts = match plan.again {
        Again::OffGrid => fit.off_grid,
        Again::AllIfOffGrid if fit.off_grid == 0 => 0,
        Again::AllIfOffGrid | Again::All => u32::MAX,
    };
    if parts != 0 && fit.scale > 0.0 {
        search.round(&mut fit.levels, parts, 1.0 / fit.scale, fit.scale);
        let (product, square) = search.sums(&fit.levels);
        if square > 0.0 {
            fit.scale = product / square;
        }
    }
    fit
}

struct Search<'a, const N: usize, const D: usize> {
    grid: &'a Grid<D>,
    magnitudes: &'a [f32; N],
    cost: &'a [f32; N],
    root: [f32; N],
}

impl<const N: usize, const D: usize> Search<'_, N, D> {
    /// Rounds the chosen parts to points; tells which of them were none.
    fn round(&self, levels: &mut [u8; N], parts: u32, inverse: f32, scale: f32) -> u32 {
        let mut off_grid = 0;
        let magnitudes = self.magnitudes.as_chunks::<D>().0.iter();
        let inputs = magnitudes.zip(self.root.as_chunks::<D>().0);
        for (part, (levels, (magnitudes, root))) in levels
            .as_chunks_mut::<D>()
            .0
            .iter_mut()
            .zip(inputs)
            .enumerate()
        {
            if parts >> part & 1 == 0 {
                continue;
            }
            let top = i32::from(self.grid.top);
            *levels = magnitudes.map(|x| nearest(0.5 * (inverse * x - 1.0)).clamp(0, top) as u8);
            if self.grid.find(levels).is_none() {
                off_grid |= 1 << part;
                let number = self.grid.cheapest(levels, |values| {
                    let mut sum = 0.0;
                    for ((value, &x), &root) in values.iter().zip(magnitudes).zip(root) {
                        let deviation = scale * value - x;
                        sum += root * deviation * deviation;
                    }
                    sum
                });
                *levels = self.grid.levels(number);
            }
        }
        off_grid
    }

    fn sums(&self, levels: &[u8; N]) -> (f32, f32) {
        let (mut product, mut square) = (0.0, 0.0);
        for ((&level, &x), &cost) in levels.iter().zip(self.magnitudes).zip(self.cost) {
            let value = f32::from(2 * level + 1);
            product += cost * x * value;
            square += cost * value * value;
        }
        (product, square)
    }
}

/// Levels from 0 to 15 of the scales of a super-block, and their unit: a scale is
/// `unit * (2 * level + 1)`. None where all scales are zero.
pub(in crate::quant) fn scale_levels<const G: usize>(scales: &[f32; G]) -> Option<(f32, [u8; G])> {
    let max = greatest(scales);
    if max == 0.0 {
        return None;
    }
    let unit = max / 31.0;
    let inverse = 1.0 / unit;
    let level = |scale| nearest(0.5 * (inverse * scale - 1.0)).clamp(0, 15) as u8;
    Some((unit, scales.map(level)))
}

/// The greatest of the numbers, or 0; a NaN is forgotten when a number follows it.
pub(in crate::quant) fn greatest(numbers: &[f32]) -> f32 {
    numbers
        .iter()
        .fold(0.0, |max: f32, &x| if max > x { max } else { x })
}
