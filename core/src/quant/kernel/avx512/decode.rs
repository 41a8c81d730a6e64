//! Decoders for AVX-512: the table, and the way into it.

use crate::quant::Codec;
use crate::quant::kernel::{Stores, avx2};

/// Decodes whole blocks; `blocks` and `out` hold the same number. The processor has AVX-512, and
/// with it AVX2.
pub(in crate::quant::kernel) fn decode(
    codec: &dyn Codec,
    blocks: &[u8],
    out: &mut [f32],
    stores: Stores,
) {
    avx2::decode(codec, blocks, out, stores);
}
