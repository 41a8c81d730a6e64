//! Encoders that search, over registers of AVX2: the search of each codec with other lanes.

use super::super::lanes::Sixteen;
use crate::quant::q6_k;

/// A kernel is the search of a codec, compiled with the instructions.
macro_rules! kernels {
    ($($codec:ident<$lanes:ty>,)*) => {$(
        #[target_feature(enable = "avx2,fma,f16c")]
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
    q6_k<Sixteen>,
}
