//! One scale for each group of magnitudes whose levels have to be points of a codebook.
//!
//! As with AVX2, but a lane is 16 weights: a group, or half of one. Where groups have 32 weights the
//! lower lanes are the first halves of the eight groups, the upper ones the second halves, and what
//! there is one of in a group stands in both.

mod problem;

use std::arch::x86_64::*;

use self::problem::{OFF_GRID, Parts, Problem, place};
use super::registers::{above, load, load_words, spill, store_words};
use crate::quant::search::grid::Grid;
use crate::quant::search::lattice::{Again, Groups, Plan};

/// Does what [`fit`](crate::quant::search::lattice::fit) does; the `G` groups of `N` have 256
/// weights.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn fit<const N: usize, const D: usize, const G: usize>(
    grid: &Grid<D>,
    groups: &mut Groups<N, G>,
    plan: Plan,
) {
    let problem = Problem::<N, D, G>::new(grid, groups);
    if problem.wanted == 0 {
        return;
    }
    let peaks = load(&std::array::from_fn(|lane| groups.peaks[lane % G]));
    let mut state = State::new(grid, groups);
    for i in -plan.steps..=plan.steps {
        let factor = f32::from(2 * grid.top + 1) + i as f32 * plan.step;
        let inverse = _mm512_div_ps(_mm512_set1_ps(factor), peaks);
        let parts = problem.round(inverse, reciprocal(inverse), problem.all_parts(u16::MAX));
        state.challenge(problem.sums(&parts), &parts);
    }
    state.round_again(&problem, plan.again);
    state.write::<N, D, G>(problem.wanted, groups);
}

/// The best candidate so far of all groups.
struct State {
    scales: __m512,
    /// Scale times product of the sums.
    best: __m512,
    parts: Parts,
}

impl State {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn new<const N: usize, const D: usize, const G: usize>(
        grid: &Grid<D>,
        groups: &Groups<N, G>,
    ) -> Self {
        let mut parts = [[0; 16]; 4];
        for (g, fit) in groups.fits.iter().enumerate() {
            for (k, levels) in fit.levels.as_chunks::<D>().0.iter().enumerate() {
                let off_grid = (fit.off_grid >> k & 1) * OFF_GRID;
                let (row, lane) = place::<D, G>(g, k);
                parts[row][lane] = u32::from(grid.pack(levels)) | off_grid;
            }
        }
        State {
            scales: load(&std::array::from_fn(|lane| groups.fits[lane % G].scale)),
            best: _mm512_setzero_ps(),
            parts,
        }
    }

    /// Takes what is better in a candidate.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn challenge(&mut self, (product, square): (__m512, __m512), parts: &Parts) {
        let better = above(square, _mm512_setzero_ps())
            & above(
                _mm512_mul_ps(product, product),
                _mm512_mul_ps(self.best, square),
            );
        let scale = _mm512_div_ps(product, square);
        self.best = _mm512_mask_mul_ps(self.best, better, scale, product);
        self.scales = _mm512_mask_mov_ps(self.scales, better, scale);
        for (old, new) in self.parts.iter_mut().zip(parts) {
            choose(old, new, better);
        }
    }

    /// Rounds once more with the scale that won, what the plan wants to be.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn round_again<const N: usize, const D: usize, const G: usize>(
        &mut self,
        problem: &Problem<N, D, G>,
        again: Again,
    ) {
        let zero = _mm512_setzero_ps();
        let mut off_grid = 0;
        for (row, part) in self.parts.iter().enumerate() {
            off_grid |= u64::from(_mm512_movepi32_mask(load_words(part))) << (16 * row);
        }
        let chosen = match again {
            Again::OffGrid => off_grid,
            Again::AllIfOffGrid => problem.all_parts(problem.any_part(off_grid)),
            Again::All => u64::MAX,
        };
        let chosen = chosen & problem.all_parts(above(self.scales, zero));
        if chosen == 0 {
            return;
        }
        let rounded = problem.round(reciprocal(self.scales), self.scales, chosen);
        for (row, (old, new)) in self.parts.iter_mut().zip(&rounded).enumerate() {
            choose(old, new, (chosen >> (16 * row)) as u16);
        }
        let (product, square) = problem.sums(&self.parts);
        let sound = problem.any_part(chosen) & above(square, zero);
        self.scales = _mm512_mask_div_ps(self.scales, sound, product, square);
    }

    /// Brings the result into the groups that were searched.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn write<const N: usize, const D: usize, const G: usize>(
        &self,
        wanted: u16,
        groups: &mut Groups<N, G>,
    ) {
        let scales = spill(self.scales);
        for (g, fit) in groups.fits.iter_mut().enumerate() {
            if wanted >> g & 1 == 0 {
                continue;
            }
            fit.scale = scales[g];
            for (k, levels) in fit.levels.as_chunks_mut::<D>().0.iter_mut().enumerate() {
                let (row, lane) = place::<D, G>(g, k);
                *levels = Grid::<D>::unpack(self.parts[row][lane] as u16);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn reciprocal(x: __m512) -> __m512 {
    _mm512_div_ps(_mm512_set1_ps(1.0), x)
}

/// Takes the words of `new` where the bits of `mask` are set.
#[inline]
#[target_feature(enable = "avx512f")]
fn choose(old: &mut [u32; 16], new: &[u32; 16], mask: u16) {
    let words = _mm512_mask_mov_epi32(load_words(old), mask, load_words(new));
    store_words(old, words);
}
