//! Decoders: the table, and the way into it.
//!
//! A kernel brings the levels of a block into bytes, in the order of the weights; [`Floats`] widens them, multiplies and
//! stores. The last elements of formats without blocks are decoded by their codecs.

use super::sink::Floats;
use super::{affine, codebooks, floats, nonlinear, symmetric, ternary};
use crate::dtype::DTypeName as N;
use crate::quant::Codec;

/// Floats that a kernel for a format without blocks handles at a time.
const STEP: usize = 8;

/// Decodes whole blocks, or steps of [`STEP`] elements.
type Kernel = unsafe fn(&[u8], &mut [f32]);

macro_rules! unpackers {
    ($($dtype:ident => $family:ident::$name:ident,)*) => {
        [$((N::$dtype, {
            #[target_feature(enable = "neon")]
            fn decode(blocks: &[u8], out: &mut [f32]) {
                $family::$name(blocks, &mut Floats(out.as_chunks_mut().0));
            }
            decode as Kernel
        })),*]
    };
}

/// The kernels of formats without blocks.
const PLAIN: [(N, Kernel); 4] = [
    (N::Float16, floats::float16),
    (N::Bfloat16, floats::bfloat16),
    (N::Float8E4m3fn, floats::float8_e4m3fn),
    (N::Float8E5m2, floats::float8_e5m2),
];

/// The kernels of formats with blocks.
const BLOCKS: [(N, Kernel); 27] = unpackers! {
    Q10 => ternary::q1_0,
    Q20 => ternary::q2_0,
    Q40 => symmetric::q4_0,
    Q41 => affine::q4_1,
    Q50 => symmetric::q5_0,
    Q51 => affine::q5_1,
    Q80 => symmetric::q8_0,
    Q81 => symmetric::q8_1,
    Q2K => affine::q2_k,
    Q3K => symmetric::q3_k,
    Q4K => affine::q4_k,
    Q5K => affine::q5_k,
    Q6K => symmetric::q6_k,
    Q8K => symmetric::q8_k,
    Iq1S => codebooks::iq1_s,
    Iq1M => codebooks::iq1_m,
    Iq2Xxs => codebooks::iq2_xxs,
    Iq2Xs => codebooks::iq2_xs,
    Iq2S => codebooks::iq2_s,
    Iq3Xxs => codebooks::iq3_xxs,
    Iq3S => codebooks::iq3_s,
    Iq4Nl => nonlinear::iq4_nl,
    Iq4Xs => nonlinear::iq4_xs,
    Tq10 => ternary::tq1_0,
    Tq20 => ternary::tq2_0,
    Mxfp4 => nonlinear::mxfp4,
    Nvfp4 => nonlinear::nvfp4,
};

/// Decodes whole blocks; `blocks` and `out` hold the same number.
pub(in crate::quant::kernel) fn decode(codec: &dyn Codec, blocks: &[u8], out: &mut [f32]) {
    let dtype = codec.dtype();
    let mut kernels = PLAIN.iter().chain(&BLOCKS);
    let Some((_, kernel)) = kernels.find(|(name, _)| *name == dtype) else {
        return codec.decode(blocks, out);
    };
    let step = codec.block_len().max(STEP);
    let whole = out.len() / step * step;
    let (out, rest) = out.split_at_mut(whole);
    let (blocks, rest_blocks) = blocks.split_at(whole / codec.block_len() * codec.block_bytes());
    // SAFETY: every processor that this is compiled for has the instructions.
    unsafe { kernel(blocks, out) };
    codec.decode(rest_blocks, rest);
}
