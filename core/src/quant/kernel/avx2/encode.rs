//! Encoders for AVX2: the table, and the way into it.

mod searches;

use crate::dtype::DTypeName as N;
use crate::quant::Codec;

/// Takes what [`Codec::encode`] takes and writes the same bytes.
type Encode =
    unsafe fn(weights: &[f32], row_len: usize, importance: Option<&[f32]>, out: &mut [u8]);

struct Kernel {
    dtype: N,
    encode: Encode,
}

macro_rules! kernels {
    ($($dtype:ident => $family:ident::$name:ident,)*) => {
        &[$(Kernel { dtype: N::$dtype, encode: $family::$name }),*]
    };
}

/// Every kernel.
const KERNELS: &[Kernel] = kernels! {
    Q6K => searches::q6_k,
};

/// Encodes whole rows as [`Codec::encode`] does. The processor has AVX2, FMA and F16C.
pub(in crate::quant::kernel) fn encode(
    codec: &dyn Codec,
    weights: &[f32],
    row_len: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    let dtype = codec.dtype();
    match KERNELS.iter().find(|kernel| kernel.dtype == dtype) {
        // SAFETY: the caller knows that the instructions exist.
        Some(kernel) => unsafe { (kernel.encode)(weights, row_len, importance, out) },
        None => codec.encode(weights, row_len, importance, out),
    }
}
