//! Formats without blocks: small floats that are widened.

use std::arch::aarch64::*;

use super::registers::{load8, load16, store, widened_halves};

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

/// Widens `float8_e5m2`, the upper byte of a half, eight at a time.
#[target_feature(enable = "neon")]
pub(super) fn float8_e5m2(bytes: &[u8], out: &mut [f32]) {
    let eights = bytes.as_chunks().0.iter();
    for (bytes, out) in eights.zip(out.as_chunks_mut::<8>().0) {
        let halves = vshll_n_u8::<8>(load8(bytes));
        let out = out.as_chunks_mut().0;
        store(&mut out[0], widened_halves(vget_low_u16(halves)));
        store(&mut out[1], widened_halves(vget_high_u16(halves)));
    }
}

/// Widens `float8_e4m3fn`, eight at a time: its bits where a half has them are 2⁻⁸ times the number.
#[target_feature(enable = "neon")]
pub(super) fn float8_e4m3fn(bytes: &[u8], out: &mut [f32]) {
    let eights = bytes.as_chunks().0.iter();
    for (bytes, out) in eights.zip(out.as_chunks_mut::<8>().0) {
        let bytes = load8(bytes);
        let code = vand_u8(bytes, vdup_n_u8(0x7f));
        let sign = vshlq_n_u16::<8>(vmovl_u8(vand_u8(bytes, vdup_n_u8(0x80))));
        let halves = vorrq_u16(vshlq_n_u16::<7>(vmovl_u8(code)), sign);
        // The greatest code is no number; as a half of that shape neither is one of all ones.
        let nan = vmovl_s8(vreinterpret_s8_u8(vceq_u8(code, vdup_n_u8(0x7f))));
        let halves = vorrq_u16(halves, vreinterpretq_u16_s16(nan));
        let parts = [vget_low_u16(halves), vget_high_u16(halves)];
        for (halves, out) in parts.into_iter().zip(out.as_chunks_mut().0) {
            store(out, vmulq_n_f32(widened_halves(halves), 256.0));
        }
    }
}
