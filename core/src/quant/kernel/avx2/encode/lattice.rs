//! One scale for each group of magnitudes whose levels have to be points of a codebook.
//!
//! Sums over a group have to be taken in order, so there a lane is a group. Parts that are no point
//! look for their neighbours one by one; see [`neighbours`](super::neighbours). Which have to, and
//! how many neighbours they have, is known for all parts of the super-block before the first one
//! looks, so that no branch depends on a single part.

mod problem;

use std::arch::x86_64::*;

use self::problem::{OFF_GRID, Parts, Problem, all_parts, any_part};
use super::registers::{above, lanes_of, load, load_words, store, store_words};
use crate::quant::search::grid::Grid;
use crate::quant::search::lattice::{Again, Groups, Plan};

/// Does what [`fit`](crate::quant::search::lattice::fit) does; the `G` groups of `N` have 256
/// weights.
#[target_feature(enable = "avx2")]
pub(super) fn fit<const N: usize, const D: usize, const G: usize>(
    grid: &Grid<D>,
    groups: &mut Groups<N, G>,
    plan: Plan,
) {
    let problem = Problem::<N, D, G>::new(grid, groups);
    if problem.wanted == 0 {
        return;
    }
    let mut state = State::new(grid, groups);
    for i in -plan.steps..=plan.steps {
        let factor = f32::from(2 * grid.top + 1) + i as f32 * plan.step;
        let mut inverse = [_mm256_setzero_ps(); 2];
        for (inverse, peaks) in inverse.iter_mut().zip(groups.peaks.as_chunks().0) {
            *inverse = _mm256_div_ps(_mm256_set1_ps(factor), load(peaks));
        }
        let scales = reciprocals(inverse);
        let parts = problem.round(inverse, scales, problem.wanted);
        for eight in 0..G / 8 {
            state.challenge(
                eight,
                problem.sums(&parts, eight),
                &parts[problem.rows(eight)],
            );
        }
    }
    state.round_again(&problem, plan.again);
    let wanted = problem.wanted;
    state.write::<N, D, G>(wanted, groups);
}

/// The best candidate so far, of up to sixteen groups.
struct State {
    scales: [__m256; 2],
    /// Scale times product of the sums.
    best: [__m256; 2],
    parts: Parts,
}

impl State {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new<const N: usize, const D: usize, const G: usize>(
        grid: &Grid<D>,
        groups: &Groups<N, G>,
    ) -> Self {
        let mut scales = [0.0; 16];
        let mut parts = [[0; 8]; 8];
        for (g, fit) in groups.fits.iter().enumerate() {
            scales[g] = fit.scale;
            for (k, levels) in fit.levels.as_chunks::<D>().0.iter().enumerate() {
                let off_grid = (fit.off_grid >> k & 1) * OFF_GRID;
                parts[g / 8 * (N / D) + k][g % 8] = u32::from(grid.pack(levels)) | off_grid;
            }
        }
        let halves = scales.as_chunks().0;
        State {
            scales: [load(&halves[0]), load(&halves[1])],
            best: [_mm256_setzero_ps(); 2],
            parts,
        }
    }

    /// Takes what is better in a candidate for eight groups, of which `parts` are the rows.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn challenge(&mut self, eight: usize, (product, square): (__m256, __m256), parts: &[[u32; 8]]) {
        let best = &mut self.best[eight];
        let better = _mm256_and_ps(
            above(square, _mm256_setzero_ps()),
            above(
                _mm256_mul_ps(product, product),
                _mm256_mul_ps(*best, square),
            ),
        );
        let scale = _mm256_div_ps(product, square);
        *best = _mm256_blendv_ps(*best, _mm256_mul_ps(scale, product), better);
        self.scales[eight] = _mm256_blendv_ps(self.scales[eight], scale, better);
        let first = eight * parts.len();
        for (old, new) in self.parts[first..].iter_mut().zip(parts) {
            choose(old, new, better);
        }
    }

    /// Rounds once more with the scale that won, what the plan wants to be.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn round_again<const N: usize, const D: usize, const G: usize>(
        &mut self,
        problem: &Problem<N, D, G>,
        again: Again,
    ) {
        let zero = _mm256_setzero_ps();
        let positive = |scales| _mm256_movemask_ps(above(scales, zero)) as u64;
        let positive = positive(self.scales[0]) | positive(self.scales[1]) << 8;
        let mut off_grid = 0;
        for (row, part) in self.parts.iter().enumerate() {
            let part = _mm256_castsi256_ps(load_words(part));
            off_grid |= (_mm256_movemask_ps(part) as u64) << (8 * row);
        }
        let chosen = match again {
            Again::OffGrid => off_grid,
            Again::AllIfOffGrid => all_parts::<N, D>(any_part::<N, D>(off_grid)),
            Again::All => u64::MAX,
        };
        let chosen = chosen & problem.wanted & all_parts::<N, D>(positive);
        if chosen == 0 {
            return;
        }
        let rounded = problem.round(reciprocals(self.scales), self.scales, chosen);
        for (row, (old, new)) in self.parts.iter_mut().zip(&rounded).enumerate() {
            choose(old, new, lanes_of((chosen >> (8 * row)) as u8));
        }
        let changed = any_part::<N, D>(chosen);
        for eight in 0..G / 8 {
            let (product, square) = problem.sums(&self.parts, eight);
            let changed = lanes_of((changed >> (8 * eight)) as u8);
            let sound = _mm256_and_ps(changed, above(square, zero));
            let scale = _mm256_div_ps(product, square);
            self.scales[eight] = _mm256_blendv_ps(self.scales[eight], scale, sound);
        }
    }

    /// Brings the result into the groups that were searched.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn write<const N: usize, const D: usize, const G: usize>(
        &self,
        wanted: u64,
        groups: &mut Groups<N, G>,
    ) {
        let wanted = any_part::<N, D>(wanted);
        let mut scales = [0.0; 16];
        for (out, scale) in scales.as_chunks_mut().0.iter_mut().zip(self.scales) {
            store(out, scale);
        }
        for (g, fit) in groups.fits.iter_mut().enumerate() {
            if wanted >> g & 1 == 0 {
                continue;
            }
            fit.scale = scales[g];
            let rows = &self.parts[g / 8 * (N / D)..];
            for (levels, row) in fit.levels.as_chunks_mut::<D>().0.iter_mut().zip(rows) {
                *levels = Grid::<D>::unpack(row[g % 8] as u16);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn reciprocals([first, second]: [__m256; 2]) -> [__m256; 2] {
    let one = _mm256_set1_ps(1.0);
    [_mm256_div_ps(one, first), _mm256_div_ps(one, second)]
}

/// Takes the words of `new` where the lanes of `mask` are set.
#[inline]
#[target_feature(enable = "avx2")]
fn choose(old: &mut [u32; 8], new: &[u32; 8], mask: __m256) {
    let mask = _mm256_castps_si256(mask);
    let words = _mm256_blendv_epi8(load_words(old), load_words(new), mask);
    store_words(old, words);
}
