//! The cheapest of the neighbours of a combination: a neighbour in each lane.
//!
//! What a level of a weight costs is computed once and looked up in registers, so that four neighbours cost a lookup and
//! an addition per weight. The additions keep their order.

use std::arch::aarch64::*;

use super::blocks::load;
use crate::quant::search::grid::{Grid, ROW};
use crate::quant::search::lattice::VALUES;
use crate::quant::search::split::GRID;

/// What each level of each of `D` weights costs: eight levels in two registers.
struct Prices<const D: usize>([[float32x4_t; 2]; D]);

impl<const D: usize> Prices<D> {
    /// The prices `root * (value - x)²`, from left to right.
    #[inline]
    #[target_feature(enable = "neon")]
    fn new(weights: &[f32; D], root: &[f32; D], values: &[f32; 8]) -> Self {
        let mut prices = [[vdupq_n_f32(0.0); 2]; D];
        for (i, prices) in prices.iter_mut().enumerate() {
            for (price, values) in prices.iter_mut().zip(values.as_chunks().0) {
                let deviation = vsubq_f32(load(values), vdupq_n_f32(weights[i]));
                *price = vmulq_f32(vmulq_n_f32(deviation, root[i]), deviation);
            }
        }
        Prices(prices)
    }

    /// The first of the neighbours in some rows that costs least; the very first where none has a finite cost.
    #[inline]
    #[target_feature(enable = "neon")]
    fn cheapest(&self, rows: &[[u16; ROW]]) -> u16 {
        let mut lows = [vdupq_n_f32(f32::MAX); 2];
        let mut at = [vdupq_n_u32(0); 2];
        for (i, row) in (0..).zip(rows) {
            // SAFETY: eight numbers are read, without alignment.
            let row = unsafe { vld1q_u16(row.as_ptr()) };
            let halves = [vmovl_u16(vget_low_u16(row)), vmovl_high_u16(row)];
            for (h, points) in halves.into_iter().enumerate() {
                let costs = self.costs(points);
                let lower = vcltq_f32(costs, lows[h]);
                lows[h] = vbslq_f32(lower, costs, lows[h]);
                at[h] = vbslq_u32(lower, vdupq_n_u32(i), at[h]);
            }
        }
        // Of the lanes with the least cost, the one whose row comes first, then the first.
        let least = vdupq_n_f32(vminvq_f32(vminq_f32(lows[0], lows[1])));
        let mut order = [vdupq_n_u32(u32::MAX); 2];
        for (h, order) in order.iter_mut().enumerate() {
            // SAFETY: four numbers are read, without alignment.
            let lanes = unsafe { vld1q_u32(LANES[4 * h..].as_ptr()) };
            let place = vaddq_u32(vshlq_n_u32::<3>(at[h]), lanes);
            *order = vbslq_u32(vceqq_f32(lows[h], least), place, *order);
        }
        let place = vminvq_u32(vminq_u32(order[0], order[1])) as usize;
        rows.as_flattened()
            .get(place)
            .copied()
            .unwrap_or(rows[0][0])
    }

    /// The costs of four neighbours.
    #[inline]
    #[target_feature(enable = "neon")]
    fn costs(&self, mut points: uint32x4_t) -> float32x4_t {
        let mut costs = vdupq_n_f32(0.0);
        for prices in &self.0 {
            // From a level to the places of the four bytes of its price.
            let level = if D == 8 {
                vandq_u32(points, vdupq_n_u32(3))
            } else {
                vandq_u32(points, vdupq_n_u32(7))
            };
            let places = vmlaq_u32(vdupq_n_u32(0x0302_0100), level, vdupq_n_u32(0x0404_0404));
            let places = vreinterpretq_u8_u32(places);
            let [low, high] = prices.map(|x| vreinterpretq_u8_f32(x));
            let price = if D == 8 {
                points = vshrq_n_u32::<2>(points);
                vqtbl1q_u8(low, places)
            } else {
                points = vshrq_n_u32::<3>(points);
                vqtbl2q_u8(uint8x16x2_t(low, high), places)
            };
            costs = vaddq_f32(costs, vreinterpretq_f32_u8(price));
        }
        costs
    }
}

const LANES: [u32; ROW] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Does what [`Plainly`](crate::quant::search::points::Plainly) does.
#[target_feature(enable = "neon")]
pub(super) fn cheapest<const D: usize>(
    grid: &Grid<D>,
    levels: &[u8; D],
    magnitudes: &[f32; D],
    root: &[f32; D],
    scale: f32,
) -> [u8; D] {
    let prices = Prices::new(magnitudes, root, &VALUES.map(|value| scale * value));
    Grid::unpack(prices.cheapest(grid.neighbours_of(levels)))
}

/// Does what [`point`](crate::quant::search::split::point) does.
#[target_feature(enable = "neon")]
pub(super) fn point(
    levels: &mut [u8; 8],
    weights: &[f32; 8],
    cost: &[f32; 8],
    [a, b, c]: [f32; 3],
) -> (u16, bool) {
    let grid = &*GRID;
    if let Some(number) = grid.find(levels) {
        return (number, true);
    }
    let prices = Prices::new(weights, cost, &[a, b, c, c, c, c, c, c]);
    *levels = Grid::unpack(prices.cheapest(grid.neighbours_of(levels)));
    (grid.closest(levels), false)
}
