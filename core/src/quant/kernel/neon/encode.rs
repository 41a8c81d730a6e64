//! Encoders: the table, and the way into it.

mod affine;
mod blocks;
mod float4;
mod floats;
mod neighbours;
mod points;
mod searches;
mod symmetric;
mod ternary;

use crate::dtype::DTypeName as N;
use crate::quant::Codec;

/// Takes what [`Codec::encode`] takes and writes the same bytes.
type Encode =
    unsafe fn(weights: &[f32], row_len: usize, importance: Option<&[f32]>, out: &mut [u8]);

macro_rules! kernels {
    ($($dtype:ident => $family:ident::$name:ident,)*) => {
        &[$((N::$dtype, $family::$name as Encode)),*]
    };
}

/// Every kernel.
const KERNELS: &[(N, Encode)] = kernels! {
    Float16 => floats::float16,
    Bfloat16 => floats::bfloat16,
    Float8E4m3fn => floats::e4m3fn,
    Float8E5m2 => floats::e5m2,
    Q10 => ternary::q1_0,
    Q20 => ternary::q2_0,
    Q40 => symmetric::q4_0,
    Q41 => affine::q4_1,
    Q50 => symmetric::q5_0,
    Q51 => affine::q5_1,
    Q80 => symmetric::q8_0,
    Q81 => symmetric::q8_1,
    Q2K => searches::q2_k,
    Q3K => searches::q3_k,
    Q4K => searches::q4_k,
    Q5K => searches::q5_k,
    Q6K => searches::q6_k,
    Q8K => symmetric::q8_k,
    Iq1S => points::iq1_s,
    Iq1M => points::iq1_m,
    Iq2Xxs => points::iq2_xxs,
    Iq2Xs => points::iq2_xs,
    Iq2S => points::iq2_s,
    Iq3Xxs => points::iq3_xxs,
    Iq3S => points::iq3_s,
    Iq4Nl => searches::iq4_nl,
    Iq4Xs => searches::iq4_xs,
    Tq10 => ternary::tq1_0,
    Tq20 => ternary::tq2_0,
    Mxfp4 => float4::mxfp4,
    Nvfp4 => float4::nvfp4,
};

/// Encodes whole rows as [`Codec::encode`] does.
pub(in crate::quant::kernel) fn encode(
    codec: &dyn Codec,
    weights: &[f32],
    row_len: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    let dtype = codec.dtype();
    match KERNELS.iter().find(|(name, _)| *name == dtype) {
        // SAFETY: every processor that this is compiled for has the instructions.
        Some((_, encode)) => unsafe { encode(weights, row_len, importance, out) },
        None => codec.encode(weights, row_len, importance, out),
    }
}
