//! Decoders for AVX2 and F16C: the table, and the way into it.
//!
//! A kernel brings the levels of a block into bytes, in the order of the weights; [`lanes`] widens
//! them, multiplies and stores. Loads, stores and the calls from here are all that is unsafe.

pub(super) mod affine;
mod centred;
pub(super) mod codebooks;
mod floats;
pub(super) mod lanes;
pub(super) mod nonlinear;
mod points;
pub(in crate::quant::kernel) mod shifted;
pub(super) mod symmetric;
pub(super) mod ternary;

use std::arch::x86_64::_mm_sfence;

use self::lanes::{Quad, QuadFloats};
use crate::dtype::DTypeName as N;
use crate::quant::Codec;
use crate::quant::kernel::Stores;

/// Floats that a kernel for a format without blocks handles at a time.
const STEP: usize = 16;

/// Floats that are streamed between two looks ahead.
const PIECE: usize = 1024;

/// Floats that are decoded before they are streamed, where they are not at once: few enough for stores on
/// their way to memory to hold them.
const TILE: usize = 256;

/// The two forms of a kernel. Each decodes whole blocks, or steps of [`STEP`] elements.
struct Kernel {
    dtype: N,
    cached: unsafe fn(&[u8], &mut [QuadFloats]),
    streaming: unsafe fn(&[u8], &mut [Quad]),
}

macro_rules! kernels {
    ($($dtype:ident => $family:ident::$name:ident,)*) => {
        &[$(Kernel { dtype: N::$dtype, cached: $family::$name, streaming: $family::$name }),*]
    };
}

/// Every kernel.
const KERNELS: &[Kernel] = kernels! {
    Float16 => floats::float16,
    Bfloat16 => floats::bfloat16,
    Float8E4m3fn => floats::float8_e4m3fn,
    Float8E5m2 => floats::float8_e5m2,
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
    Iq1S => centred::iq1_s,
    Iq1M => centred::iq1_m,
    Iq2Xxs => points::iq2_xxs,
    Iq2Xs => points::iq2_xs,
    Iq2S => points::iq2_s,
    Iq3Xxs => points::iq3_xxs,
    Iq3S => points::iq3_s,
    Iq4Nl => nonlinear::iq4_nl,
    Iq4Xs => nonlinear::iq4_xs,
    Tq10 => ternary::tq1_0,
    Tq20 => ternary::tq2_0,
    Mxfp4 => nonlinear::mxfp4,
    Nvfp4 => nonlinear::nvfp4,
};

/// Decodes whole blocks; `blocks` and `out` hold the same number. The processor has AVX2 and F16C.
pub(in crate::quant::kernel) fn decode(
    codec: &dyn Codec,
    blocks: &[u8],
    out: &mut [f32],
    stores: Stores,
) {
    let dtype = codec.dtype();
    let Some(kernel) = KERNELS.iter().find(|kernel| kernel.dtype == dtype) else {
        return codec.decode(blocks, out);
    };
    let step = codec.block_len().max(STEP);
    let whole = out.len() / step * step;
    let (out, rest) = out.split_at_mut(whole);
    let (blocks, rest_blocks) = blocks.split_at(whole / codec.block_len() * codec.block_bytes());
    // SAFETY: a `Quad` is four floats without padding, any floats are one, and `align_to_mut` sees
    // to the alignment.
    let (head, quads, tail) = unsafe { out.align_to_mut::<Quad>() };
    if stores == Stores::Streaming && head.is_empty() && tail.is_empty() {
        let bytes = PIECE / codec.block_len() * codec.block_bytes();
        for (blocks, quads) in blocks.chunks(bytes).zip(quads.chunks_mut(PIECE / 4)) {
            // SAFETY: the caller knows that the instructions exist.
            unsafe { shifted::ahead(blocks) };
            // SAFETY: as above.
            unsafe { (kernel.streaming)(blocks, quads) };
        }
        // Orders what was streamed before whatever tells another thread that it is there.
        // SAFETY: every x86-64 processor has SSE; a fence touches no memory.
        unsafe { _mm_sfence() };
    } else if stores == Stores::Streaming && !out.is_empty() {
        let tile = TILE / codec.block_len() * codec.block_bytes();
        // SAFETY: the caller knows that the instructions exist.
        unsafe { shifted::stream::<_, TILE>(kernel.cached, blocks, tile, out) };
        // SAFETY: as above.
        unsafe { _mm_sfence() };
    } else {
        // SAFETY: as above.
        unsafe { (kernel.cached)(blocks, out.as_chunks_mut().0) };
    }
    codec.decode(rest_blocks, rest);
}
