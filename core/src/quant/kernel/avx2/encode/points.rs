//! Formats whose levels are points of a codebook: all of `iq1`, `iq2` and `iq3`.
//!
//! The encoders are those of the codecs, compiled for AVX2 and with the searches here.

use crate::quant::search::grid::Grid;
use crate::quant::search::lattice::{Groups, Plan};
use crate::quant::search::points::PointSearch;
use crate::quant::search::split::Split;
use crate::quant::{iq1_m, iq1_s, iq2_s, iq2_xs, iq2_xxs, iq3_s, iq3_xxs};

use super::super::lanes::Eight;
use super::{lattice, neighbours, split};

/// The searches that need AVX2. Who has one knows that the processor has the instructions.
#[derive(Debug, Clone, Copy)]
struct Avx2(());

impl PointSearch for Avx2 {
    #[inline]
    fn start(self, groups: &mut Groups<32, 8>, top: f32, peak: f32) {
        // SAFETY: `self` says that the instructions exist.
        unsafe { start(groups, top, peak) }
    }

    #[inline]
    fn fit<const N: usize, const D: usize, const G: usize>(
        self,
        grid: &Grid<D>,
        groups: &mut Groups<N, G>,
        plan: Plan,
    ) {
        // SAFETY: as above.
        unsafe { lattice::fit(grid, groups, plan) }
    }

    #[inline]
    fn split_together(self, weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
        // SAFETY: as above.
        unsafe { split::together(weights, cost) }
    }

    #[inline]
    fn split_apart(self, weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
        // SAFETY: as above.
        unsafe { split::apart(weights, cost) }
    }

    #[inline]
    fn point(
        self,
        levels: &mut [u8; 8],
        weights: &[f32; 8],
        cost: &[f32; 8],
        values: [f32; 3],
    ) -> (u16, bool) {
        // SAFETY: as above.
        unsafe { neighbours::point(levels, weights, cost, values) }
    }
}

/// Does what [`Groups::start_positive`] does.
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn start(groups: &mut Groups<32, 8>, top: f32, peak: f32) {
    groups.start_positive::<Eight>(top, peak);
}

macro_rules! encoders {
    ($($format:ident)*) => {$(
        /// Encodes rows of the format.
        #[target_feature(enable = "avx2")]
        pub(super) fn $format(
            weights: &[f32],
            _row_len: usize,
            importance: Option<&[f32]>,
            out: &mut [u8],
        ) {
            $format::encode(Avx2(()), weights, importance, out);
        }
    )*};
}

encoders!(iq1_s iq1_m iq2_xxs iq2_xs iq2_s iq3_xxs iq3_s);
