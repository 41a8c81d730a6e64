//! Encoders that search: the search of each codec with lanes in registers.

use super::super::lanes::Sixteen;
use crate::quant::by_importance::{self, Searched};
use crate::quant::{iq4_nl, iq4_xs, q2_k, q3_k, q4_k, q5_k, q6_k};

/// A kernel is the search of a codec over registers.
macro_rules! kernels {
    ($($codec:ident)*) => {$(
        #[target_feature(enable = "neon")]
        pub(super) fn $codec(
            weights: &[f32],
            _row_len: usize,
            importance: Option<&[f32]>,
            out: &mut [u8],
        ) {
            $codec::encode::<Sixteen>(weights, importance, out);
        }
    )*};
}

kernels!(q2_k q3_k q4_k q5_k q6_k iq4_nl iq4_xs);

/// The kernel of a format that searches where there is importance, and only there.
#[target_feature(enable = "neon")]
pub(super) fn by_importance<F: Searched<BYTES>, const BYTES: usize>(
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
) {
    by_importance::encode::<F, Sixteen, BYTES>(weights, importance, out);
}
