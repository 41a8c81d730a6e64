//! One scale for each group of magnitudes whose levels have to be points of a codebook.

use super::grid::Grid;
use super::lanes::{Lanes, MOST};
use super::positive;
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

/// What the search starts from and what it finds for a group.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Fit<const N: usize> {
    /// A weight is this times `2 * level + 1`.
    pub scale: f32,
    /// Not always points: see [`Grid::closest`].
    pub levels: [u8; N],
    /// Bit `n` is set where part `n` was no point before it was made one.
    pub off_grid: u32,
}

/// The `G` groups of a super-block.
pub(in crate::quant) struct Groups<const N: usize, const G: usize> {
    pub magnitudes: [[f32; N]; G],
    /// The price of a squared deviation.
    pub cost: [[f32; N]; G],
    /// The magnitude that the candidates bring near the greatest value; 0 in a group that is left
    /// as it starts.
    pub peaks: [f32; G],
    pub fits: [Fit<N>; G],
}

impl<const N: usize, const G: usize> Groups<N, G> {
    /// Groups of zeros.
    pub fn new() -> Self {
        let nothing = Fit {
            scale: 0.0,
            levels: [0; N],
            off_grid: 0,
        };
        Groups {
            magnitudes: [[0.0; N]; G],
            cost: [[0.0; N]; G],
            peaks: [0.0; G],
            fits: [nothing; G],
        }
    }

    /// Lets the search of group `g` begin with its greatest magnitude at the greatest value. Where
    /// that is below `nothing`, the group stays one of zeros.
    pub fn start(&mut self, g: usize, nothing: f32, top: u8) {
        let peak = greatest(&self.magnitudes[g]);
        // Not the opposite of "not below": a NaN is searched.
        if peak < nothing {
            return;
        }
        self.peaks[g] = peak;
        self.fits[g].scale = peak / f32::from(2 * top + 1);
    }

    /// Lets the search of all groups begin with the scale and the levels, from 0 to `top`, that
    /// [`positive::fit`] finds, and with `peak` times that scale at the greatest value. Where the
    /// scale is not above zero, the group stays one of zeros.
    #[inline(always)]
    pub fn start_positive<L: Lanes>(&mut self, top: f32, peak: f32) {
        for first in (0..G).step_by(L::COUNT) {
            let mut magnitudes = [&[0.0; N]; MOST];
            let mut cost = magnitudes;
            for lane in 0..L::COUNT {
                magnitudes[lane] = &self.magnitudes[first + lane];
                cost[lane] = &self.cost[first + lane];
            }
            let (magnitudes, cost) = (L::transpose(&magnitudes), L::transpose(&cost));
            let (scales, levels) = positive::fit::<L, N>(&magnitudes, &cost, top);
            let fits = self.fits[first..][..L::COUNT].iter_mut();
            let fits = fits.zip(&mut self.peaks[first..]);
            for ((fit, out), scale) in fits.zip(scales.spill()) {
                // Not "above": a NaN is searched.
                if scale <= 0.0 {
                    continue;
                }
                fit.scale = scale;
                *out = peak * scale;
            }
            for (n, levels) in levels.iter().enumerate() {
                for (fit, level) in self.fits[first..].iter_mut().zip(levels.spill()) {
                    fit.levels[n] = level as u8;
                }
            }
        }
    }

    /// What was found for the groups that were searched, and their numbers.
    pub fn found(&self) -> impl Iterator<Item = (usize, &Fit<N>)> {
        let fits = self.fits.iter().zip(&self.peaks).enumerate();
        fits.filter(|(_, (_, peak))| **peak != 0.0)
            .map(|(g, (fit, _))| (g, fit))
    }

    /// The magnitudes of the scales.
    pub fn scales(&self) -> [f32; G] {
        std::array::from_fn(|g| self.fits[g].scale.abs())
    }
}

/// Ways to find the cheapest neighbour with the same results, bit for bit.
pub(in crate::quant) trait Neighbours: Copy {
    /// Of the neighbours of levels that are no point, the cheapest; see [`Grid::cheapest`]. A value costs the square
    /// of its distance from a magnitude times the root.
    fn cheapest<const D: usize>(
        self,
        grid: &Grid<D>,
        levels: &[u8; D],
        magnitudes: &[f32; D],
        root: &[f32; D],
        scale: f32,
    ) -> [u8; D];
}

/// Finds for each group the scale with which `scale * (2 * level + 1)` comes nearest to the
/// magnitudes, `D` of which are a point.
pub(in crate::quant) fn fit<const N: usize, const D: usize, const G: usize>(
    neighbours: impl Neighbours,
    grid: &Grid<D>,
    groups: &mut Groups<N, G>,
    plan: Plan,
) {
    let inputs = groups.magnitudes.iter().zip(&groups.cost);
    let inputs = inputs.zip(&groups.peaks).zip(&mut groups.fits);
    for (((magnitudes, cost), &peak), fit) in inputs {
        if peak != 0.0 {
            let root = cost.map(f32::sqrt);
            let group = Group {
                neighbours,
                grid,
                magnitudes,
                cost,
                root,
            };
            *fit = group.fit(peak, plan, *fit);
        }
    }
}

struct Group<'a, S, const N: usize, const D: usize> {
    neighbours: S,
    grid: &'a Grid<D>,
    magnitudes: &'a [f32; N],
    cost: &'a [f32; N],
    root: [f32; N],
}

impl<S: Neighbours, const N: usize, const D: usize> Group<'_, S, N, D> {
    fn fit(&self, peak: f32, plan: Plan, start: Fit<N>) -> Fit<N> {
        let mut fit = start;
        let mut best = 0.0;
        for i in -plan.steps..=plan.steps {
            let inverse = (f32::from(2 * self.grid.top + 1) + i as f32 * plan.step) / peak;
            let mut candidate = fit;
            candidate.off_grid =
                self.round(&mut candidate.levels, u32::MAX, inverse, 1.0 / inverse);
            let (product, square) = self.sums(&candidate.levels);
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
            self.round(&mut fit.levels, parts, 1.0 / fit.scale, fit.scale);
            let (product, square) = self.sums(&fit.levels);
            if square > 0.0 {
                fit.scale = product / square;
            }
        }
        fit
    }

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
                *levels = self
                    .neighbours
                    .cheapest(self.grid, levels, magnitudes, root, scale);
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

/// The value of each level.
pub(in crate::quant) const VALUES: [f32; 8] = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0];

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
