//! The cheapest of the neighbours of a combination, two rows of neighbours at a time.
//!
//! Prices are those of AVX2, see [`avx2::encode::neighbours`](crate::quant::kernel::avx2): a
//! neighbour costs a lookup and an addition per weight.

use std::arch::x86_64::*;

use crate::quant::kernel::avx2::encode::neighbours::Prices;
use crate::quant::search::grid::{Grid, MORE_ROWS, ONE_ROW, ROW, TWO_ROWS};
use crate::quant::search::split::GRID;

/// The levels of 4 weights cost what [`Prices`] has, twice; those of 8 weights four times.
#[derive(Clone, Copy)]
pub(super) struct WidePrices<const D: usize>([__m512; D]);

impl<const D: usize> WidePrices<D> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn new(prices: &Prices<D>) -> Self {
        let mut wide = [_mm512_setzero_ps(); D];
        for (wide, prices) in wide.iter_mut().zip(prices.0) {
            *wide = _mm512_broadcast_f32x8(prices);
        }
        WidePrices(wide)
    }

    /// The first of the neighbours in two rows that costs least.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn in_two_rows(&self, first: &[u16; ROW], second: &[u16; ROW]) -> u16 {
        let costs = self.costs(both(first, second));
        let least = _mm512_set1_ps(_mm512_reduce_min_ps(costs));
        let equal = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(costs, least);
        let at = equal.trailing_zeros() as usize;
        (if at < ROW { first } else { second })[at % ROW]
    }

    /// The first of the neighbours in some rows that costs least.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn in_rows(&self, rows: &[[u16; ROW]]) -> u16 {
        let mut lows = _mm512_set1_ps(f32::MAX);
        let mut at = _mm512_setzero_si512();
        for (i, pair) in (0..).zip(rows.chunks(2)) {
            // A last row without a partner stands in both halves: of equal costs the first wins.
            let costs = self.costs(both(&pair[0], &pair[pair.len() - 1]));
            let lower = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(costs, lows);
            lows = _mm512_min_ps(costs, lows);
            at = _mm512_mask_mov_epi32(at, lower, _mm512_set1_epi32(i));
        }
        // Of the lanes with the least cost, the one whose pair comes first, then the first.
        let least = _mm512_set1_ps(_mm512_reduce_min_ps(lows));
        let equal = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(lows, least);
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let order = _mm512_add_epi32(_mm512_slli_epi32::<4>(at), lanes);
        rows.as_flattened()[_mm512_mask_reduce_min_epu32(equal, order) as usize]
    }

    /// The costs of the neighbours in two rows, all numbers: what is greater than `f32::MAX` or NaN
    /// never wins.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn costs(&self, rows: __m256i) -> __m512 {
        // The lookups see the lowest bits alone: a level, and where prices stand twice one bit more.
        let mut levels = _mm512_cvtepu16_epi32(rows);
        let mut costs = self.lookup(0, levels);
        for i in 1..D {
            levels = if D == 8 {
                _mm512_srli_epi32::<2>(levels)
            } else {
                _mm512_srli_epi32::<3>(levels)
            };
            costs = _mm512_add_ps(costs, self.lookup(i, levels));
        }
        _mm512_min_ps(costs, _mm512_set1_ps(f32::MAX))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn lookup(&self, i: usize, levels: __m512i) -> __m512 {
        if D == 8 {
            _mm512_permutevar_ps(self.0[i], levels)
        } else {
            _mm512_permutexvar_ps(levels, self.0[i])
        }
    }
}

/// The first of the neighbours of a combination off the grid that costs least; `place` is its entry
/// in [`Grid::places`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn cheapest<const D: usize>(prices: &Prices<D>, grid: &Grid<D>, place: u32) -> u16 {
    let rows = &grid.rows[usize::from(place as u16)..];
    match rows {
        [row, ..] if place & ONE_ROW != 0 => prices.in_row(row),
        [first, second, ..] if place & TWO_ROWS != 0 => {
            WidePrices::new(prices).in_two_rows(first, second)
        }
        _ => in_rows(prices, grid, place),
    }
}

/// The same, of more than two rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn in_rows<const D: usize>(prices: &Prices<D>, grid: &Grid<D>, place: u32) -> u16 {
    let rows = &grid.rows[usize::from(place as u16)..][..((place & !MORE_ROWS) >> 16) as usize];
    WidePrices::new(prices).in_rows(rows)
}

/// Does what [`point`](crate::quant::search::split::point) does.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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
    *levels = Grid::unpack(cheapest(&prices, grid, grid.place(levels)));
    (grid.closest(levels), false)
}

/// Two rows.
#[inline]
#[target_feature(enable = "avx2")]
fn both(first: &[u16; ROW], second: &[u16; ROW]) -> __m256i {
    // SAFETY: 16 bytes are read, without alignment.
    let first = unsafe { _mm_loadu_si128(first.as_ptr().cast()) };
    // SAFETY: as above.
    let second = unsafe { _mm_loadu_si128(second.as_ptr().cast()) };
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second)
}
