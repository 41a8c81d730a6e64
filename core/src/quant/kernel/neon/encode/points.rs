//! Formats whose levels are points of a codebook: all of `iq1`, `iq2` and `iq3`.
//!
//! The encoders are those of the codecs, with the searches here: what takes most of the time, finding the cheapest
//! neighbour of a combination, looks at several in the lanes of a register.

use crate::quant::search::grid::Grid;
use crate::quant::search::lattice::{self, Groups, Neighbours, Plan};
use crate::quant::search::points::PointSearch;
use crate::quant::search::split::{self, Split};
use crate::quant::{iq1_m, iq1_s, iq2_s, iq2_xs, iq2_xxs, iq3_s, iq3_xxs};

use super::super::lanes::Eight;
use super::neighbours;

/// The searches with NEON.
#[derive(Debug, Clone, Copy)]
struct Neon;

impl PointSearch for Neon {
    #[inline]
    fn start(self, groups: &mut Groups<32, 8>, top: f32, peak: f32) {
        groups.start_positive::<Eight>(top, peak);
    }

    #[inline]
    fn fit<const N: usize, const D: usize, const G: usize>(
        self,
        grid: &Grid<D>,
        groups: &mut Groups<N, G>,
        plan: Plan,
    ) {
        lattice::fit(self, grid, groups, plan);
    }

    #[inline]
    fn split_together(self, weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
        split::together(weights, cost)
    }

    #[inline]
    fn split_apart(self, weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
        split::apart(weights, cost)
    }

    #[inline]
    fn point(
        self,
        levels: &mut [u8; 8],
        weights: &[f32; 8],
        cost: &[f32; 8],
        values: [f32; 3],
    ) -> (u16, bool) {
        // SAFETY: every processor that this is compiled for has the instructions.
        unsafe { neighbours::point(levels, weights, cost, values) }
    }
}

impl Neighbours for Neon {
    #[inline]
    fn cheapest<const D: usize>(
        self,
        grid: &Grid<D>,
        levels: &[u8; D],
        magnitudes: &[f32; D],
        root: &[f32; D],
        scale: f32,
    ) -> [u8; D] {
        // SAFETY: as above.
        unsafe { neighbours::cheapest(grid, levels, magnitudes, root, scale) }
    }
}

macro_rules! encoders {
    ($($format:ident)*) => {$(
        /// Encodes rows of the format.
        #[target_feature(enable = "neon")]
        pub(super) fn $format(
            weights: &[f32],
            _row_len: usize,
            importance: Option<&[f32]>,
            out: &mut [u8],
        ) {
            $format::encode(Neon, weights, importance, out);
        }
    )*};
}

encoders!(iq1_s iq1_m iq2_xxs iq2_xs iq2_s iq3_xxs iq3_s);
