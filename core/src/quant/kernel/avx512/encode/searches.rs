//! Encoders that search, over registers of AVX-512: the search of each codec with other lanes.

use super::super::lanes::Sixteen;
use crate::quant::{iq4_nl, iq4_xs, q2_k, q3_k, q4_k, q5_k, q6_k};

/// A kernel is the search of a codec, compiled with the instructions.
macro_rules! kernels {
    ($($codec:ident,)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
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

kernels! {
    q2_k,
    q3_k,
    q4_k,
    q5_k,
    q6_k,
    iq4_nl,
    iq4_xs,
}
