//! The groups that are searched, and what is done to a candidate: rounding and sums.

use std::arch::x86_64::*;

use super::super::neighbours::{WidePrices, in_rows};
use super::super::registers::{load_words, lower_twice, spill, store_words, upper_twice};
use crate::quant::kernel::avx2::encode::neighbours::Prices;
use crate::quant::kernel::avx2::encode::registers::ones;
use crate::quant::kernel::avx512::lanes::Sixteen;
use crate::quant::search::grid::{Grid, MORE_ROWS, ONE_ROW, TWO_ROWS};
use crate::quant::search::lanes::Lanes;
use crate::quant::search::lattice::Groups;

/// Weights of a super-block.
const LEN: usize = 256;

/// Weights in a lane.
const DEPTH: usize = LEN / 16;

/// Marks a combination that was no point before it was made one.
pub(super) const OFF_GRID: u32 = 1 << 31;

/// Packed combinations, perhaps with [`OFF_GRID`]: row `n` has the n-th part of each lane. The last
/// rows may be without meaning.
pub(super) type Parts = [[u32; 16]; 4];

/// The row and the lane of part `k` of group `g`.
#[inline(always)]
pub(super) fn place<const D: usize, const G: usize>(g: usize, k: usize) -> (usize, usize) {
    let rows = DEPTH / D;
    (k % rows, k / rows * G + g)
}

/// The number of the 16 weights that stand in a lane.
#[inline(always)]
fn depth_of<const G: usize>(lane: usize) -> usize {
    lane % G * (16 / G) + lane / G
}

/// What does not change from one candidate to the next.
pub(super) struct Problem<'a, const N: usize, const D: usize, const G: usize> {
    grid: &'a Grid<D>,
    magnitudes: &'a [[f32; D]],
    /// The lanes that are searched.
    pub wanted: u16,
    /// The root of the cost.
    root: [f32; LEN],
    /// The n-th magnitude in each lane.
    turned: [__m512; DEPTH],
    /// Cost times magnitude, and cost, of the n-th weight of each group. With eight groups both
    /// stand in one register, which goes through 32 weights; with sixteen, in two.
    factors: [__m512; 2 * DEPTH],
}

impl<'a, const N: usize, const D: usize, const G: usize> Problem<'a, N, D, G> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn new(grid: &'a Grid<D>, groups: &'a Groups<N, G>) -> Self {
        const { assert!(N * G == LEN && (G == 8 || G == 16)) }
        let magnitudes = groups.magnitudes.as_flattened();
        let cost = groups.cost.as_flattened();
        let mut root = [0.0; LEN];
        for (root, cost) in root.iter_mut().zip(cost) {
            *root = cost.sqrt();
        }
        let turned = in_lanes::<G>(magnitudes);
        let mut factors = [_mm512_setzero_ps(); 2 * DEPTH];
        for (n, (x, cost)) in turned.into_iter().zip(in_lanes::<G>(cost)).enumerate() {
            let product = _mm512_mul_ps(cost, x);
            if G == 8 {
                factors[n] = _mm512_shuffle_f32x4::<0x44>(product, cost);
                factors[DEPTH + n] = _mm512_shuffle_f32x4::<0xee>(product, cost);
            } else {
                factors[2 * n] = product;
                factors[2 * n + 1] = cost;
            }
        }
        let mut wanted = 0;
        for lane in 0..16 {
            wanted |= u16::from(groups.peaks[lane % G] != 0.0) << lane;
        }
        Problem {
            grid,
            magnitudes: magnitudes.as_chunks().0,
            wanted,
            root,
            turned,
            factors,
        }
    }

    /// From a bit for each lane to a bit for each of their parts that are searched, 16 bits for a
    /// row.
    #[inline(always)]
    pub fn all_parts(&self, lanes: u16) -> u64 {
        (0..DEPTH / D).fold(0, |all, row| {
            all | u64::from(lanes & self.wanted) << (16 * row)
        })
    }

    /// From a bit for each part to a bit for each lane: whether any part of its group is set.
    #[inline(always)]
    pub fn any_part(&self, parts: u64) -> u16 {
        let lanes = (0..4).fold(0, |lanes, row| lanes | (parts >> (16 * row)) as u16);
        if G == 8 {
            lanes | lanes.rotate_left(8)
        } else {
            lanes
        }
    }

    /// Rounds all parts to combinations and makes points of those of `wanted`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub fn round(&self, inverse: __m512, scales: __m512, wanted: u64) -> Parts {
        let mut parts = [[0; 16]; 4];
        let (mut one, mut two, mut more) = (0, 0, 0);
        for (row, part) in parts[..DEPTH / D].iter_mut().enumerate() {
            let places = self.places(row, inverse);
            store_words(part, places);
            let mask = |bit: u32| {
                let bit = _mm512_set1_epi32(bit.cast_signed());
                u64::from(_mm512_test_epi32_mask(places, bit)) << (16 * row)
            };
            one |= mask(ONE_ROW);
            two |= mask(TWO_ROWS);
            more |= mask(MORE_ROWS);
        }
        let scale = spill(scales);
        let flat = parts.as_flattened_mut();
        let prices = |i: usize| {
            let (row, lane) = (i / 16, i % 16);
            let part = depth_of::<G>(lane) * (DEPTH / D) + row;
            Prices::of_magnitudes(
                &self.magnitudes[part],
                &self.root.as_chunks().0[part],
                scale[lane],
            )
        };
        for i in ones(one & wanted) {
            let row = &self.grid.rows[usize::from(flat[i] as u16)];
            flat[i] = OFF_GRID | u32::from(prices(i).in_row(row));
        }
        for i in ones(two & wanted) {
            let start = usize::from(flat[i] as u16);
            let rows = &self.grid.rows[start..start + 2];
            let prices = WidePrices::new(&prices(i));
            flat[i] = OFF_GRID | u32::from(prices.in_two_rows(&rows[0], &rows[1]));
        }
        for i in ones(more & wanted) {
            flat[i] = OFF_GRID | u32::from(in_rows(&prices(i), self.grid, flat[i]));
        }
        parts
    }

    /// Rounds the part of a row in all lanes, and looks the combination up.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn places(&self, row: usize, inverse: __m512) -> __m512i {
        // `2 * level + 1 - 1` is rounded to a multiple of 2 by adding a number whose bits are 2
        // apart; the level is then in the lower mantissa bits, above BIAS. This is `nearest` of
        // half the sum, whatever the sum is.
        const WHOLE: f32 = 25_165_824.0;
        const BIAS: i32 = 0x0040_0000;
        let (low, high) = (
            _mm512_set1_epi32(BIAS),
            _mm512_set1_epi32(BIAS + i32::from(self.grid.top)),
        );
        let mut rank = _mm512_setzero_si512();
        for x in self.turned[row * D..][..D].iter().rev() {
            let x = _mm512_sub_ps(_mm512_mul_ps(inverse, *x), _mm512_set1_ps(1.0));
            let bits = _mm512_castps_si512(_mm512_add_ps(x, _mm512_set1_ps(WHOLE)));
            let bits = _mm512_and_si512(bits, _mm512_set1_epi32(0x007f_ffff));
            let level = _mm512_min_epi32(_mm512_max_epi32(bits, low), high);
            rank = if D == 8 {
                _mm512_add_epi32(_mm512_add_epi32(rank, _mm512_slli_epi32::<1>(rank)), level)
            } else {
                _mm512_add_epi32(_mm512_slli_epi32::<3>(rank), level)
            };
        }
        let base = i32::from(self.grid.top) + 1;
        let bias = (0..D).fold(0, |bias: i32, _| bias.wrapping_mul(base).wrapping_add(BIAS));
        let rank = _mm512_sub_epi32(rank, _mm512_set1_epi32(bias));
        let places = self.grid.places.as_ptr().cast();
        // SAFETY: levels are from 0 to `top`, so a rank is below `(top + 1)` to the power of `D`,
        // the number of places.
        unsafe { _mm512_i32gather_epi32::<4>(rank, places) }
    }

    /// The sums of `cost * x * value` and `cost * value * value` over each group, in all its lanes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn sums(&self, parts: &Parts) -> (__m512, __m512) {
        let zero = _mm512_setzero_ps();
        if G == 16 {
            let (mut product, mut square) = (zero, zero);
            for (part, factors) in parts.iter().zip(self.factors.chunks_exact(2 * D)) {
                let mut levels = load_words(part);
                for [cost_x, cost] in factors.as_chunks().0 {
                    let value = value::<D>(levels);
                    levels = next::<D>(levels);
                    product = _mm512_add_ps(product, _mm512_mul_ps(*cost_x, value));
                    let cost = _mm512_mul_ps(*cost, value);
                    square = _mm512_add_ps(square, _mm512_mul_ps(cost, value));
                }
            }
            return (product, square);
        }
        // The lower lanes are products, the upper ones squares, of the first halves of the groups
        // and then of the second halves.
        let mut sums = zero;
        let (first, second) = self.factors.split_at(DEPTH);
        for (half, factors) in [first, second].into_iter().enumerate() {
            for (part, factors) in parts.iter().zip(factors.chunks_exact(D)) {
                let levels = _mm512_castsi512_ps(load_words(part));
                let levels = if half == 0 {
                    lower_twice(levels)
                } else {
                    upper_twice(levels)
                };
                let mut levels = _mm512_castps_si512(levels);
                for factor in factors {
                    let value = value::<D>(levels);
                    levels = next::<D>(levels);
                    let term = _mm512_mul_ps(*factor, value);
                    sums = _mm512_add_ps(sums, _mm512_mask_mul_ps(term, 0xff00, term, value));
                }
            }
        }
        (lower_twice(sums), upper_twice(sums))
    }
}

/// The values of the first levels of packed combinations.
#[inline]
#[target_feature(enable = "avx512f")]
fn value<const D: usize>(levels: __m512i) -> __m512 {
    if D == 8 {
        let values = _mm512_broadcast_f32x4(_mm_setr_ps(1.0, 3.0, 5.0, 7.0));
        _mm512_permutevar_ps(values, levels)
    } else {
        // One more bit is seen than a level has.
        let values = _mm512_setr_ps(
            1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0,
        );
        _mm512_permutexvar_ps(levels, values)
    }
}

/// Brings the second levels to the front.
#[inline]
#[target_feature(enable = "avx512f")]
fn next<const D: usize>(levels: __m512i) -> __m512i {
    if D == 8 {
        _mm512_srli_epi32::<2>(levels)
    } else {
        _mm512_srli_epi32::<3>(levels)
    }
}

/// The n-th numbers of all lanes in a register each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn in_lanes<const G: usize>(numbers: &[f32]) -> [__m512; DEPTH] {
    let numbers = numbers.as_chunks().0;
    let rows = std::array::from_fn(|lane| &numbers[depth_of::<G>(lane)]);
    Sixteen::transpose(&rows).map(|lanes: Sixteen| lanes.0)
}
