//! Decoders for AVX-512: the table, and the way into it.
//!
//! A level of up to four bits is looked up in a register of 16 floats, which are multiplied by the
//! scale before, once for many weights. Such a look-up sees the lowest four bits of its lane only:
//! where a level has fewer, its table repeats, and what stands above it need not be cleared.

mod codebooks;
mod crumbs;
mod lanes;
mod nibbles;
mod points;
mod whole;

use std::arch::x86_64::_mm_sfence;

use self::lanes::{Floats, Streamed};
use crate::dtype::DTypeName as N;
use crate::quant::Codec;
use crate::quant::kernel::Stores;
use crate::quant::kernel::avx2::{self, shifted};

/// Floats that a kernel for a format without blocks handles at a time.
const STEP: usize = 16;

/// Floats that are decoded before they are streamed, where they are not at once: enough to be worth the
/// tables that some kernels load first.
const TILE: usize = 512;

/// The two forms of a kernel. Each decodes whole blocks, or steps of [`STEP`] elements.
struct Kernel {
    dtype: N,
    cached: unsafe fn(&[u8], &mut [Floats]),
    streaming: unsafe fn(&[u8], &mut [Streamed]),
}

macro_rules! kernels {
    ($($dtype:ident => $family:ident::$name:ident,)*) => {
        &[$(Kernel { dtype: N::$dtype, cached: $family::$name, streaming: $family::$name }),*]
    };
}

/// Every kernel that does better than the one for AVX2.
const KERNELS: &[Kernel] = kernels! {
    Float16 => whole::float16,
    Bfloat16 => whole::bfloat16,
    Q10 => crumbs::q1_0,
    Q20 => crumbs::q2_0,
    Q40 => nibbles::q4_0,
    Q41 => nibbles::q4_1,
    Q50 => nibbles::q5_0,
    Q51 => nibbles::q5_1,
    Q80 => whole::q8_0,
    Q81 => whole::q8_1,
    Q2K => crumbs::q2_k,
    Q3K => crumbs::q3_k,
    Q4K => nibbles::q4_k,
    Q5K => nibbles::q5_k,
    Q6K => whole::q6_k,
    Q8K => whole::q8_k,
    Iq1S => codebooks::iq1_s,
    Iq1M => codebooks::iq1_m,
    Iq2Xxs => codebooks::iq2_xxs,
    Iq2Xs => codebooks::iq2_xs,
    Iq2S => codebooks::iq2_s,
    Iq3Xxs => codebooks::iq3_xxs,
    Iq3S => codebooks::iq3_s,
    Iq4Nl => nibbles::iq4_nl,
    Iq4Xs => nibbles::iq4_xs,
    Tq10 => crumbs::tq1_0,
    Tq20 => crumbs::tq2_0,
    Mxfp4 => nibbles::mxfp4,
    Nvfp4 => nibbles::nvfp4,
};

/// Decodes whole blocks; `blocks` and `out` hold the same number. The processor has AVX-512, and
/// with it AVX2.
pub(in crate::quant::kernel) fn decode(
    codec: &dyn Codec,
    blocks: &[u8],
    out: &mut [f32],
    stores: Stores,
) {
    let dtype = codec.dtype();
    let Some(kernel) = KERNELS.iter().find(|kernel| kernel.dtype == dtype) else {
        return avx2::decode(codec, blocks, out, stores);
    };
    let step = codec.block_len().max(STEP);
    let whole = out.len() / step * step;
    let (out, rest) = out.split_at_mut(whole);
    let (blocks, rest_blocks) = blocks.split_at(whole / codec.block_len() * codec.block_bytes());
    // SAFETY: a `Streamed` is 16 floats without padding, any floats are one, and `align_to_mut`
    // sees to the alignment.
    let (head, places, tail) = unsafe { out.align_to_mut::<Streamed>() };
    if stores == Stores::Streaming && head.is_empty() && tail.is_empty() {
        // SAFETY: the caller knows that the instructions exist.
        unsafe { (kernel.streaming)(blocks, places) };
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
