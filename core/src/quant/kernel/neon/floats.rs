//! Formats without blocks: halves that are widened.

use std::arch::aarch64::*;

use super::lanes::{load16, store, widened_halves};

/// Widens `float16`, eight at a time.
#[target_feature(enable = "neon")]
pub(super) fn float16(halves: &[u8], out: &mut [f32]) {
    let eights = halves.as_chunks().0.iter();
    for (halves, out) in eights.zip(out.as_chunks_mut::<8>().0) {
        let halves = vreinterpretq_u16_u8(load16(halves));
        let out = out.as_chunks_mut().0;
        store(&mut out[0], widened_halves(vget_low_u16(halves)));
        store(&mut out[1], widened_halves(vget_high_u16(halves)));
    }
}

/// Widens `bfloat16`, eight at a time.
#[target_feature(enable = "neon")]
pub(super) fn bfloat16(halves: &[u8], out: &mut [f32]) {
    let eights = halves.as_chunks().0.iter();
    for (halves, out) in eights.zip(out.as_chunks_mut::<8>().0) {
        let halves = vreinterpretq_u16_u8(load16(halves));
        let low = vshll_n_u16::<16>(vget_low_u16(halves));
        let high = vshll_high_n_u16::<16>(halves);
        let out = out.as_chunks_mut().0;
        store(&mut out[0], vreinterpretq_f32_u32(low));
        store(&mut out[1], vreinterpretq_f32_u32(high));
    }
}
