//! Small floats, one by one.

use std::arch::aarch64::*;
use std::arch::asm;

use super::blocks::load;
use crate::quant::float8::{E4M3FN, E5M2, Float8};
use crate::quant::{bfloat16, float16};

/// Rounds to `float16`.
#[target_feature(enable = "neon")]
pub(super) fn float16(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    halves(weights, out, float16::from_f32, |x| {
        // Every NaN becomes the same but for its sign; the instruction would keep more.
        let sign = vandq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(1 << 31));
        let nan = vorrq_u32(sign, vdupq_n_u32(f32::NAN.to_bits()));
        narrowed_halves(vbslq_f32(vceqq_f32(x, x), x, vreinterpretq_f32_u32(nan)))
    });
}

/// Rounds to `bfloat16`.
#[target_feature(enable = "neon")]
pub(super) fn bfloat16(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    halves(weights, out, bfloat16::from_f32, |x| {
        let bits = vreinterpretq_u32_f32(x);
        let upper = vshrq_n_u32::<16>(bits);
        // Half of what is dropped, less one where the kept part is even.
        let even = vaddq_u32(vandq_u32(upper, vdupq_n_u32(1)), vdupq_n_u32(0x7fff));
        let rounded = vshrq_n_u32::<16>(vaddq_u32(bits, even));
        let quiet = vorrq_u32(upper, vdupq_n_u32(0x40));
        vmovn_u32(vbslq_u32(vceqq_f32(x, x), rounded, quiet))
    });
}

/// Narrows to halves, eight weights at a time, and the rest one by one.
#[inline(always)]
fn halves(
    weights: &[f32],
    out: &mut [u8],
    one: impl Fn(f32) -> u16,
    four: impl Fn(float32x4_t) -> uint16x4_t,
) {
    let (weights, rest) = weights.as_chunks::<4>();
    let (out, places) = out.as_chunks_mut::<8>();
    for (x, out) in weights.iter().zip(out) {
        // SAFETY: every processor that this is compiled for has the instruction.
        let halves = four(unsafe { load(x) });
        // SAFETY: 8 bytes are written, without alignment.
        unsafe { vst1_u8(out.as_mut_ptr(), vreinterpret_u8_u16(halves)) };
    }
    for (x, out) in rest.iter().zip(places.as_chunks_mut().0) {
        *out = one(*x).to_le_bytes();
    }
}

/// Rounds four floats to halves.
#[inline]
#[target_feature(enable = "neon")]
fn narrowed_halves(floats: float32x4_t) -> uint16x4_t {
    let halves: uint16x4_t;
    // The intrinsic is younger than the oldest compiler.
    // SAFETY: an instruction of every such processor, on registers alone.
    unsafe {
        asm!(
            "fcvtn {halves:v}.4h, {floats:v}.4s",
            halves = lateout(vreg) halves,
            floats = in(vreg) floats,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    halves
}

/// Rounds to `float8_e4m3fn`.
#[target_feature(enable = "neon")]
pub(super) fn e4m3fn(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    eighths(&E4M3FN, weights, out);
}

/// Rounds to `float8_e5m2`.
#[target_feature(enable = "neon")]
pub(super) fn e5m2(weights: &[f32], _row_len: usize, _: Option<&[f32]>, out: &mut [u8]) {
    eighths(&E5M2, weights, out);
}

/// Narrows to bytes, four weights at a time, and the rest one by one.
#[inline]
#[target_feature(enable = "neon")]
fn eighths(format: &Float8, weights: &[f32], out: &mut [u8]) {
    let (weights, rest) = weights.as_chunks::<4>();
    let (out, places) = out.as_chunks_mut::<4>();
    for (x, out) in weights.iter().zip(out) {
        let halves = vmovn_u32(narrowed(format, load(x)));
        let bytes = vmovn_u16(vcombine_u16(halves, halves));
        *out = vget_lane_u32::<0>(vreinterpret_u32_u8(bytes)).to_le_bytes();
    }
    for (x, out) in rest.iter().zip(places) {
        *out = format.from_f32(*x);
    }
}

/// The bytes of four floats, as [`Float8::from_f32`] finds them.
#[inline]
#[target_feature(enable = "neon")]
fn narrowed(format: &Float8, x: float32x4_t) -> uint32x4_t {
    const { assert!(E4M3FN.largest + 1 == E4M3FN.beyond && E5M2.largest + 1 == E5M2.beyond) };
    let magnitude = vabsq_f32(x);
    let bits = vreinterpretq_u32_f32(magnitude);
    let dropped = 23 - format.mantissa;
    let rebias = 127 - format.bias;
    let anchor = vdupq_n_u32((rebias + 1 + dropped) << 23);
    let sum = vaddq_f32(magnitude, vreinterpretq_f32_u32(anchor));
    let subnormal = vsubq_u32(vreinterpretq_u32_f32(sum), anchor);
    let down = vdupq_n_s32(-dropped.cast_signed());
    let even = vandq_u32(vshlq_u32(bits, down), vdupq_n_u32(1));
    let half = ((1 << (dropped - 1)) - 1_u32).wrapping_sub(rebias << 23);
    let rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(half)), even);
    let normal = vshlq_u32(rounded, down);
    let small = vcltq_u32(bits, vdupq_n_u32((rebias + 1) << 23));
    let code = vbslq_u32(small, subnormal, normal);
    let code = vminq_u32(code, vdupq_n_u32(format.beyond.into()));
    let code = vbslq_u32(vceqq_f32(x, x), code, vdupq_n_u32(format.nan.into()));
    let sign = vshrq_n_u32::<24>(vreinterpretq_u32_f32(x));
    vorrq_u32(code, vandq_u32(sign, vdupq_n_u32(0x80)))
}
