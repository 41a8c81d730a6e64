//! One scale for each group of magnitudes whose levels have to be points of a codebook.
//!
//! Sums over a group have to be taken in order, so there a lane is a group. Parts that are no point
//! look for their neighbours one by one; see [`neighbours`](super::neighbours). Which have to, and
//! how many neighbours they have, is known for all parts of the super-block before the first one
//! looks, so that no branch depends on a single part.

use std::arch::x86_64::*;
use std::ops::Range;

use super::neighbours::Prices;
use super::registers::{above, lanes_of, load, load_words, store, store_words, transpose};
use crate::quant::search::grid::Grid;
use crate::quant::search::lattice::{Again, Groups, Plan};

/// Weights of a super-block.
const LEN: usize = 256;

/// Marks a combination that was no point before it was made one.
const OFF_GRID: u32 = 1 << 31;

/// Packed combinations, perhaps with [`OFF_GRID`]: in a row the parts of the same number of eight
/// groups. The parts of a group stand in consecutive rows, those of the first eight groups first.
type Parts = [[u32; 8]; 8];

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
        let scales = inverse.map(|x| _mm256_div_ps(_mm256_set1_ps(1.0), x));
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

/// What does not change from one candidate to the next.
struct Problem<'a, const N: usize, const D: usize, const G: usize> {
    grid: &'a Grid<D>,
    magnitudes: &'a [[f32; D]],
    /// The parts of the groups that are searched, a byte for each row.
    wanted: u64,
    /// The root of the cost.
    root: [f32; LEN],
    /// The n-th magnitude of eight groups in a register each, then those of the other eight.
    turned: [__m256; LEN / 8],
    cost: [__m256; LEN / 8],
    /// Cost times magnitude.
    product: [__m256; LEN / 8],
}

impl<'a, const N: usize, const D: usize, const G: usize> Problem<'a, N, D, G> {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(grid: &'a Grid<D>, groups: &'a Groups<N, G>) -> Self {
        let magnitudes = groups.magnitudes.as_flattened();
        let cost = groups.cost.as_flattened();
        let mut root = [0.0; LEN];
        for (root, cost) in root.iter_mut().zip(cost) {
            *root = cost.sqrt();
        }
        let (turned, cost) = (turned::<N>(magnitudes), turned::<N>(cost));
        let mut product = turned;
        for (product, cost) in product.iter_mut().zip(cost) {
            *product = _mm256_mul_ps(cost, *product);
        }
        let mut wanted = 0;
        for (g, &peak) in groups.peaks.iter().enumerate() {
            wanted |= u64::from(peak != 0.0) << g;
        }
        Problem {
            grid,
            magnitudes: magnitudes.as_chunks().0,
            wanted: all_parts::<N, D>(wanted),
            root,
            turned,
            cost,
            product,
        }
    }

    /// The rows of eight groups.
    #[inline(always)]
    fn rows(&self, eight: usize) -> Range<usize> {
        let parts = N / D;
        eight * parts..(eight + 1) * parts
    }

    /// Rounds all parts to combinations and makes points of those of `wanted`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn round(&self, inverse: [__m256; 2], scales: [__m256; 2], wanted: u64) -> Parts {
        let mut parts = [[0; 8]; 8];
        let (mut one, mut two, mut more) = (0, 0, 0);
        for (eight, inverse) in inverse[..G / 8].iter().enumerate() {
            for row in self.rows(eight) {
                let places = self.places(row, *inverse);
                store_words(&mut parts[row], places);
                let mask = |places| {
                    u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(places)) as u32) << (8 * row)
                };
                one |= mask(places);
                two |= mask(_mm256_slli_epi32::<1>(places));
                more |= mask(_mm256_slli_epi32::<2>(places));
            }
        }
        let mut scale = [0.0; 16];
        for (out, scales) in scale.as_chunks_mut().0.iter_mut().zip(scales) {
            store(out, scales);
        }
        let flat = parts.as_flattened_mut();
        let prices = |i: usize| {
            let (row, lane) = (i / 8, i % 8);
            let g = row / (N / D) * 8 + lane;
            let part = g * (N / D) + row % (N / D);
            Prices::of_magnitudes(
                &self.magnitudes[part],
                &self.root.as_chunks().0[part],
                scale[g],
            )
        };
        for i in bits(one & wanted) {
            let row = &self.grid.rows[usize::from(flat[i] as u16)];
            flat[i] = OFF_GRID | u32::from(prices(i).in_row(row));
        }
        for i in bits(two & wanted) {
            let start = usize::from(flat[i] as u16);
            let rows = &self.grid.rows[start..start + 2];
            flat[i] = OFF_GRID | u32::from(prices(i).in_two_rows(&rows[0], &rows[1]));
        }
        for i in bits(more & wanted) {
            flat[i] = OFF_GRID | u32::from(prices(i).cheapest(self.grid, flat[i]));
        }
        parts
    }

    /// Rounds the part of a row in all lanes, and looks the combination up.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn places(&self, row: usize, inverse: __m256) -> __m256i {
        // `2 * level + 1 - 1` is rounded to a multiple of 2 by adding a number whose bits are 2
        // apart; the level is then in the lower mantissa bits, above BIAS. This is `nearest` of
        // half the sum, whatever the sum is.
        const WHOLE: f32 = 25_165_824.0;
        const BIAS: i32 = 0x0040_0000;
        let (low, high) = (
            _mm256_set1_epi32(BIAS),
            _mm256_set1_epi32(BIAS + i32::from(self.grid.top)),
        );
        let (eight, k) = (row / (N / D), row % (N / D));
        let mut rank = _mm256_setzero_si256();
        for x in self.turned[eight * N + k * D..][..D].iter().rev() {
            let x = _mm256_sub_ps(_mm256_mul_ps(inverse, *x), _mm256_set1_ps(1.0));
            let bits = _mm256_castps_si256(_mm256_add_ps(x, _mm256_set1_ps(WHOLE)));
            let bits = _mm256_and_si256(bits, _mm256_set1_epi32(0x007f_ffff));
            let level = _mm256_min_epi32(_mm256_max_epi32(bits, low), high);
            rank = if D == 8 {
                _mm256_add_epi32(_mm256_add_epi32(rank, _mm256_slli_epi32::<1>(rank)), level)
            } else {
                _mm256_add_epi32(_mm256_slli_epi32::<3>(rank), level)
            };
        }
        let base = i32::from(self.grid.top) + 1;
        let bias = (0..D).fold(0, |bias: i32, _| bias.wrapping_mul(base).wrapping_add(BIAS));
        let rank = _mm256_sub_epi32(rank, _mm256_set1_epi32(bias));
        let places = self.grid.places.as_ptr().cast();
        // SAFETY: levels are from 0 to `top`, so a rank is below `(top + 1)` to the power of `D`,
        // the number of places.
        unsafe { _mm256_i32gather_epi32::<4>(places, rank) }
    }

    /// The sums of `cost * x * value` and `cost * value * value` over each of eight groups.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sums(&self, parts: &Parts, eight: usize) -> (__m256, __m256) {
        let values = _mm256_setr_ps(1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0);
        let (mut product, mut square) = (_mm256_setzero_ps(), _mm256_setzero_ps());
        for (k, part) in parts[self.rows(eight)].iter().enumerate() {
            let mut levels = load_words(part);
            for n in eight * N + k * D..eight * N + (k + 1) * D {
                let value;
                (value, levels) = if D == 8 {
                    let values = _mm256_permute2f128_ps::<0x00>(values, values);
                    let value = _mm256_permutevar_ps(values, levels);
                    (value, _mm256_srli_epi32::<2>(levels))
                } else {
                    let value = _mm256_permutevar8x32_ps(values, levels);
                    (value, _mm256_srli_epi32::<3>(levels))
                };
                product = _mm256_add_ps(product, _mm256_mul_ps(self.product[n], value));
                let cost = _mm256_mul_ps(self.cost[n], value);
                square = _mm256_add_ps(square, _mm256_mul_ps(cost, value));
            }
        }
        (product, square)
    }
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
        let inverse = self
            .scales
            .map(|scale| _mm256_div_ps(_mm256_set1_ps(1.0), scale));
        let rounded = problem.round(inverse, self.scales, chosen);
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

/// From a bit for each group to a bit for each of their parts, as in [`Parts`].
#[inline(always)]
fn all_parts<const N: usize, const D: usize>(groups: u64) -> u64 {
    let parts = N / D;
    (0..8).fold(0, |all, row| {
        all | (groups >> (row / parts * 8) & 255) << (8 * row)
    })
}

/// From a bit for each part to a bit for each group: whether any of its parts is set.
#[inline(always)]
fn any_part<const N: usize, const D: usize>(all: u64) -> u64 {
    let parts = N / D;
    (0..8).fold(0, |groups, row| {
        groups | (all >> (8 * row) & 255) << (row / parts * 8)
    })
}

/// The numbers of the ones.
#[inline(always)]
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// The n-th numbers of eight groups of `N` in a register each, then those of the next eight.
#[inline]
#[target_feature(enable = "avx2")]
fn turned<const N: usize>(numbers: &[f32]) -> [__m256; LEN / 8] {
    let mut turned = [_mm256_setzero_ps(); LEN / 8];
    for (numbers, turned) in numbers.chunks_exact(8 * N).zip(turned.chunks_exact_mut(N)) {
        for (i, turned) in turned.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            for (lane, row) in turned.iter_mut().enumerate() {
                *row = load(&numbers[lane * N..].as_chunks().0[i]);
            }
            *turned = transpose(*turned);
        }
    }
    turned
}

/// Takes the words of `new` where the lanes of `mask` are set.
#[inline]
#[target_feature(enable = "avx2")]
fn choose(old: &mut [u32; 8], new: &[u32; 8], mask: __m256) {
    let mask = _mm256_castps_si256(mask);
    let words = _mm256_blendv_epi8(load_words(old), load_words(new), mask);
    store_words(old, words);
}
