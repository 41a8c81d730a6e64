//! The searches for points of a codebook, as one thing that an encoder is given.
//!
//! An encoder of a codebook format says what is searched, and a [`PointSearch`] does it: the plain
//! code of [`lattice`] and [`split`], or kernels that find the same.

use super::grid::Grid;
use super::lanes::Plain;
use super::lattice::{self, Groups, Neighbours, Plan, VALUES};
use super::split::{self, Split};

/// Ways to search with the same results, bit for bit.
pub(in crate::quant) trait PointSearch: Copy {
    /// See [`Groups::start_positive`].
    fn start(self, groups: &mut Groups<32, 8>, top: f32, peak: f32);

    /// See [`lattice::fit`].
    fn fit<const N: usize, const D: usize, const G: usize>(
        self,
        grid: &Grid<D>,
        groups: &mut Groups<N, G>,
        plan: Plan,
    );

    /// See [`split::together`].
    fn split_together(self, weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>>;

    /// See [`split::apart`].
    fn split_apart(self, weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>>;

    /// See [`split::point`].
    fn point(
        self,
        levels: &mut [u8; 8],
        weights: &[f32; 8],
        cost: &[f32; 8],
        values: [f32; 3],
    ) -> (u16, bool);
}

/// Searches one group after the other, without special instructions.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Plainly;

impl PointSearch for Plainly {
    fn start(self, groups: &mut Groups<32, 8>, top: f32, peak: f32) {
        groups.start_positive::<Plain<8>>(top, peak);
    }

    fn fit<const N: usize, const D: usize, const G: usize>(
        self,
        grid: &Grid<D>,
        groups: &mut Groups<N, G>,
        plan: Plan,
    ) {
        lattice::fit(self, grid, groups, plan);
    }

    fn split_together(self, weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
        split::together(weights, cost)
    }

    fn split_apart(self, weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
        split::apart(weights, cost)
    }

    fn point(
        self,
        levels: &mut [u8; 8],
        weights: &[f32; 8],
        cost: &[f32; 8],
        values: [f32; 3],
    ) -> (u16, bool) {
        split::point(levels, weights, cost, values)
    }
}

impl Neighbours for Plainly {
    fn cheapest<const D: usize>(
        self,
        grid: &Grid<D>,
        levels: &[u8; D],
        magnitudes: &[f32; D],
        root: &[f32; D],
        scale: f32,
    ) -> [u8; D] {
        let values = VALUES.map(|value| scale * value);
        let prices = std::array::from_fn(|i| {
            values.map(|value| {
                let deviation = value - magnitudes[i];
                root[i] * deviation * deviation
            })
        });
        grid.cheapest(levels, &prices)
    }
}
