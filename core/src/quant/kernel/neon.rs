//! Decoders for NEON, which every 64-bit ARM processor has: the table, and the way into it.
//!
//! A kernel brings the levels of a block into bytes, in the order of the weights; [`lanes`] widens
//! them, multiplies and stores. What has no kernel is decoded by its codec; so are the last elements of
//! formats without blocks. No store passes the caches: the instruction set has only hints for that.
//!
//! Checked under emulation, with the decode tests in `core/tests/quant_kernels`; never run on a
//! processor, and not compiled by `cargo verify`, which has no target with these instructions:
//! CONTRIBUTING.md says how to.

#![allow(unsafe_code, reason = "intrinsics")]

mod affine;
mod floats;
mod lanes;
mod nonlinear;
mod symmetric;

use crate::dtype::DTypeName as N;
use crate::quant::Codec;

/// Floats that a kernel for a format without blocks handles at a time.
const STEP: usize = 8;

/// Decodes whole blocks, or steps of [`STEP`] elements.
type Kernel = unsafe fn(&[u8], &mut [f32]);

/// Every kernel.
const KERNELS: &[(N, Kernel)] = &[
    (N::Float16, floats::float16),
    (N::Bfloat16, floats::bfloat16),
    (N::Q40, symmetric::q4_0),
    (N::Q41, affine::q4_1),
    (N::Q50, symmetric::q5_0),
    (N::Q51, affine::q5_1),
    (N::Q80, symmetric::q8_0),
    (N::Q2K, affine::q2_k),
    (N::Q4K, affine::q4_k),
    (N::Q5K, affine::q5_k),
    (N::Q6K, symmetric::q6_k),
    (N::Iq4Nl, nonlinear::iq4_nl),
    (N::Iq4Xs, nonlinear::iq4_xs),
    (N::Mxfp4, nonlinear::mxfp4),
    (N::Nvfp4, nonlinear::nvfp4),
];

/// Decodes whole blocks; `blocks` and `out` hold the same number.
pub(super) fn decode(codec: &dyn Codec, blocks: &[u8], out: &mut [f32]) {
    let dtype = codec.dtype();
    let Some((_, kernel)) = KERNELS.iter().find(|(name, _)| *name == dtype) else {
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
