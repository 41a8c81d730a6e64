//! Encoders that search, over registers of AVX2: the search of each codec with other lanes.

use super::super::lanes::Sixteen;
use crate::quant::by_importance::{self, Searched};
use crate::quant::{iq4_nl, iq4_xs, q2_k, q3_k, q4_k, q5_k, q6_k};

/// A kernel is the search of a codec, compiled with the instructions.
macro_rules! kernels {
    ($($codec:ident<$lanes:ty>,)*) => {$(
        #[target_feature(enable = "avx2,f16c")]
        pub(super) fn $codec(
            weights: &[f32],
            _row_len: usize,
            importance: Option<&[f32]>,
            out: &mut [u8],
        ) {
            $codec::encode::<$lanes>(weights, importance, out);
        }
    )*};
}

kernels! {
    q2_k<Sixteen>,
    q3_k<Sixteen>,
    q4_k<Sixteen>,
    q5_k<Sixteen>,
    q6_k<Sixteen>,
    iq4_nl<Sixteen>,
    iq4_xs<Sixteen>,
}

/// The kernel of a format that searches where there is importance, and only there.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn by_importance<F: Searched<BYTES>, const BYTES: usize>(
    weights: &[f32],
    importance: &[f32],
    out: &mut [u8],
) {
    by_importance::encode::<F, Sixteen, BYTES>(weights, importance, out);
}
