//! The cheapest of the neighbours of a combination: a neighbour in each lane.
//!
//! What a level of a weight costs is computed once and looked up in a register, so that a neighbour
//! costs a lookup and an addition per weight. The additions keep their order.

use std::arch::x86_64::*;

use super::registers::{high_pairs, load, low_pairs};
use crate::quant::search::grid::{Grid, MORE_ROWS, ONE_ROW, ROW, TWO_ROWS};
use crate::quant::search::split::GRID;

/// What each level of each of `D` weights costs: for 4 weights 8 levels in a register, for 8
/// weights 4 levels in either half of one.
#[derive(Clone, Copy)]
pub(in crate::quant::kernel) struct Prices<const D: usize>(
    pub(in crate::quant::kernel) [__m256; D],
);

impl<const D: usize> Prices<D> {
    /// The prices `root * (scale * (2 * level + 1) - x)²`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn of_magnitudes(
        magnitudes: &[f32; D],
        root: &[f32; D],
        scale: f32,
    ) -> Self {
        if let ([magnitudes], [root]) = (magnitudes.as_chunks().0, root.as_chunks().0) {
            return Self::of_eight(magnitudes, root, [scale, scale * 3.0, scale * 5.0]);
        }
        let values = _mm256_setr_ps(1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0);
        let values = _mm256_mul_ps(_mm256_set1_ps(scale), values);
        let mut prices = [values; D];
        for ((price, &x), &root) in prices.iter_mut().zip(magnitudes).zip(root) {
            *price = squared(values, _mm256_set1_ps(x), _mm256_set1_ps(root));
        }
        Prices(prices)
    }

    /// The prices `cost * (value - x)²` of eight weights.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn of_eight(
        weights: &[f32; 8],
        cost: &[f32; 8],
        values: [f32; 3],
    ) -> Self {
        let (x, cost) = (load(weights), load(cost));
        let [a, b, c] = values.map(|value| squared(_mm256_set1_ps(value), x, cost));
        // From a level in each register to a weight in each: a transposition in either half, where
        // the halves hold the first and the last four weights.
        let (ab, cc) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, c));
        let (first, second) = (low_pairs(ab, cc), high_pairs(ab, cc));
        let (ab, cc) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, c));
        let (third, fourth) = (low_pairs(ab, cc), high_pairs(ab, cc));
        let halves = [first, second, third, fourth];
        let lower = halves.map(|x| _mm256_permute2f128_ps::<0x00>(x, x));
        let upper = halves.map(|x| _mm256_permute2f128_ps::<0x11>(x, x));
        let mut prices = [first; D];
        for (price, x) in prices.iter_mut().zip(lower.into_iter().chain(upper)) {
            *price = x;
        }
        Prices(prices)
    }

    /// The first of the neighbours in a row that costs least.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn in_row(&self, row: &[u16; ROW]) -> u16 {
        let costs = self.costs(row);
        row[equal(costs, least(costs)).trailing_zeros() as usize % ROW]
    }

    /// The first of the neighbours in two rows that costs least.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn in_two_rows(
        &self,
        first: &[u16; ROW],
        second: &[u16; ROW],
    ) -> u16 {
        let costs = [self.costs(first), self.costs(second)];
        let least = least(_mm256_min_ps(costs[0], costs[1]));
        let found = equal(costs[0], least) | equal(costs[1], least) << ROW;
        let at = found.trailing_zeros() as usize;
        (if at < ROW { first } else { second })[at % ROW]
    }

    /// The first of the neighbours in some rows that costs least.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn in_rows(&self, rows: &[[u16; ROW]]) -> u16 {
        let mut lows = _mm256_set1_ps(f32::MAX);
        let mut at = _mm256_setzero_si256();
        for (i, row) in (0..).zip(rows) {
            let costs = self.costs(row);
            let lower = _mm256_cmp_ps::<_CMP_LT_OQ>(costs, lows);
            lows = _mm256_min_ps(costs, lows);
            at = _mm256_blendv_epi8(at, _mm256_set1_epi32(i), _mm256_castps_si256(lower));
        }
        // Of the lanes with the least cost, the one whose row comes first, then the first.
        let equal = _mm256_cmp_ps::<_CMP_EQ_OQ>(lows, least(lows));
        let order = _mm256_add_epi32(
            _mm256_slli_epi32::<3>(at),
            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
        );
        let order = _mm256_blendv_epi8(
            _mm256_set1_epi32(i32::MAX),
            order,
            _mm256_castps_si256(equal),
        );
        let order = _mm_min_epi32(
            _mm256_castsi256_si128(order),
            _mm256_extracti128_si256::<1>(order),
        );
        let order = _mm_min_epi32(order, _mm_shuffle_epi32::<0b01_00_11_10>(order));
        let order = _mm_min_epi32(order, _mm_shuffle_epi32::<0b10_11_00_01>(order));
        rows.as_flattened()[_mm_cvtsi128_si32(order) as usize]
    }

    /// The first of the neighbours of a combination off the grid that costs least; `place` is its
    /// entry in [`Grid::places`].
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::quant::kernel) fn cheapest(&self, grid: &Grid<D>, place: u32) -> u16 {
        let rows = &grid.rows[usize::from(place as u16)..];
        match rows {
            [row, ..] if place & ONE_ROW != 0 => self.in_row(row),
            [first, second, ..] if place & TWO_ROWS != 0 => self.in_two_rows(first, second),
            _ => self.in_rows(&rows[..((place & !MORE_ROWS) >> 16) as usize]),
        }
    }

    /// The costs of the neighbours in a row, all numbers: what is greater than `f32::MAX` or NaN
    /// never wins.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn costs(&self, row: &[u16; ROW]) -> __m256 {
        // SAFETY: 16 bytes are read, without alignment.
        let row = unsafe { _mm_loadu_si128(row.as_ptr().cast()) };
        // The lookups see the lowest bits alone: a level and nothing else.
        let mut levels = _mm256_cvtepu16_epi32(row);
        let mut costs = self.lookup(0, levels);
        for i in 1..D {
            levels = if D == 8 {
                _mm256_srli_epi32::<2>(levels)
            } else {
                _mm256_srli_epi32::<3>(levels)
            };
            costs = _mm256_add_ps(costs, self.lookup(i, levels));
        }
        _mm256_min_ps(costs, _mm256_set1_ps(f32::MAX))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn lookup(&self, i: usize, levels: __m256i) -> __m256 {
        if D == 8 {
            _mm256_permutevar_ps(self.0[i], levels)
        } else {
            _mm256_permutevar8x32_ps(self.0[i], levels)
        }
    }
}

/// Does what [`point`](crate::quant::search::split::point) does.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn point(
    levels: &mut [u8; 8],
    weights: &[f32; 8],
    cost: &[f32; 8],
    values: [f32; 3],
) -> (u16, bool) {
    let grid = &*GRID;
    if let Some(number) = grid.find(levels) {
        return (number, true);
    }
    let prices = Prices::of_eight(weights, cost, values);
    *levels = Grid::unpack(prices.cheapest(grid, grid.place(levels)));
    (grid.closest(levels), false)
}

/// `cost * (value - x)²`, from left to right.
#[inline]
#[target_feature(enable = "avx2")]
fn squared(value: __m256, x: __m256, cost: __m256) -> __m256 {
    let deviation = _mm256_sub_ps(value, x);
    _mm256_mul_ps(_mm256_mul_ps(cost, deviation), deviation)
}

/// The least of eight numbers, in all lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn least(x: __m256) -> __m256 {
    let x = _mm256_min_ps(x, _mm256_permute2f128_ps::<0x01>(x, x));
    let x = _mm256_min_ps(x, _mm256_permute_ps::<0b01_00_11_10>(x));
    _mm256_min_ps(x, _mm256_permute_ps::<0b10_11_00_01>(x))
}

/// The lanes with this number.
#[inline]
#[target_feature(enable = "avx2")]
fn equal(x: __m256, wanted: __m256) -> u32 {
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(x, wanted)) as u32
}
