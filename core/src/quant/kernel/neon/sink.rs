//! What becomes of the levels that a kernel unpacks: numbers in memory, or sums of products.
//!
//! Each format is unpacked once, into bytes in the order of the weights, 16 at a time. A decoder and a product differ
//! only in their sink. Sinks are inlined into the kernel that they are handed to.

use std::arch::aarch64::*;

use super::registers::{signed_floats, store};

/// Takes the levels of each 16 weights, in any order of these parts.
pub(super) trait Sink {
    /// Whether levels are added before they are multiplied with their scale.
    const ADDS_LEVELS: bool;

    /// The part of that number: levels times a scale.
    fn scaled(&mut self, part: usize, levels: int8x16_t, scale: float32x4_t);

    /// The part of that number: levels, none above 127, times a scale and plus an offset.
    fn shifted(&mut self, part: usize, levels: uint8x16_t, scale: float32x4_t, offset: float32x4_t);
}

/// Writes the weights as floats. Parts without a place are left out.
pub(super) struct Floats<'a>(pub &'a mut [[f32; 16]]);

impl Sink for Floats<'_> {
    const ADDS_LEVELS: bool = false;

    #[inline(always)]
    fn scaled(&mut self, part: usize, levels: int8x16_t, scale: float32x4_t) {
        if let Some(out) = self.0.get_mut(part) {
            // SAFETY: every processor that this is compiled for has the instructions.
            unsafe { scaled(levels, scale, out) };
        }
    }

    #[inline(always)]
    fn shifted(
        &mut self,
        part: usize,
        levels: uint8x16_t,
        scale: float32x4_t,
        offset: float32x4_t,
    ) {
        if let Some(out) = self.0.get_mut(part) {
            // SAFETY: as above.
            unsafe { shifted(levels, scale, offset, out) };
        }
    }
}

/// Writes 16 signed levels times a scale.
#[inline]
#[target_feature(enable = "neon")]
fn scaled(levels: int8x16_t, scale: float32x4_t, out: &mut [f32; 16]) {
    let fours = signed_floats(levels).into_iter();
    for (levels, out) in fours.zip(out.as_chunks_mut().0) {
        store(out, vmulq_f32(levels, scale));
    }
}

/// Writes 16 levels, none above 127, times a scale and plus an offset.
#[inline]
#[target_feature(enable = "neon")]
fn shifted(levels: uint8x16_t, scale: float32x4_t, offset: float32x4_t, out: &mut [f32; 16]) {
    let fours = signed_floats(vreinterpretq_s8_u8(levels)).into_iter();
    for (levels, out) in fours.zip(out.as_chunks_mut().0) {
        // Two roundings, as in the codec: no fused operation is wanted.
        store(out, vaddq_f32(vmulq_f32(levels, scale), offset));
    }
}
