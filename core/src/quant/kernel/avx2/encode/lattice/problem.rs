//! The groups that are searched, and what is done to a candidate: rounding and sums.

use std::arch::x86_64::*;
use std::ops::Range;

use super::super::neighbours::Prices;
use super::super::registers::{load, load_words, ones, store, store_words, transpose};
use crate::quant::search::grid::Grid;
use crate::quant::search::lattice::Groups;

/// Weights of a super-block.
const LEN: usize = 256;

/// Marks a combination that was no point before it was made one.
pub(super) const OFF_GRID: u32 = 1 << 31;

/// Packed combinations, perhaps with [`OFF_GRID`]: in a row the parts of the same number of eight
/// groups. The parts of a group stand in consecutive rows, those of the first eight groups first.
pub(super) type Parts = [[u32; 8]; 8];

/// What does not change from one candidate to the next.
pub(super) struct Problem<'a, const N: usize, const D: usize, const G: usize> {
    grid: &'a Grid<D>,
    magnitudes: &'a [[f32; D]],
    /// The parts of the groups that are searched, a byte for each row.
    pub wanted: u64,
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
    pub fn new(grid: &'a Grid<D>, groups: &'a Groups<N, G>) -> Self {
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
    pub fn rows(&self, eight: usize) -> Range<usize> {
        let parts = N / D;
        eight * parts..(eight + 1) * parts
    }

    /// Rounds all parts to combinations and makes points of those of `wanted`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn round(&self, inverse: [__m256; 2], scales: [__m256; 2], wanted: u64) -> Parts {
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
        for i in ones(one & wanted) {
            let row = &self.grid.rows[usize::from(flat[i] as u16)];
            flat[i] = OFF_GRID | u32::from(prices(i).in_row(row));
        }
        for i in ones(two & wanted) {
            let start = usize::from(flat[i] as u16);
            let rows = &self.grid.rows[start..start + 2];
            flat[i] = OFF_GRID | u32::from(prices(i).in_two_rows(&rows[0], &rows[1]));
        }
        for i in ones(more & wanted) {
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
    pub fn sums(&self, parts: &Parts, eight: usize) -> (__m256, __m256) {
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

/// From a bit for each group to a bit for each of their parts, as in [`Parts`].
#[inline(always)]
pub(super) fn all_parts<const N: usize, const D: usize>(groups: u64) -> u64 {
    let parts = N / D;
    (0..8).fold(0, |all, row| {
        all | (groups >> (row / parts * 8) & 255) << (8 * row)
    })
}

/// From a bit for each part to a bit for each group: whether any of its parts is set.
#[inline(always)]
pub(super) fn any_part<const N: usize, const D: usize>(all: u64) -> u64 {
    let parts = N / D;
    (0..8).fold(0, |groups, row| {
        groups | (all >> (8 * row) & 255) << (row / parts * 8)
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
