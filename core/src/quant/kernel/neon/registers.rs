//! What kernels share: loads, widening, and stores.

use std::arch::aarch64::*;
use std::arch::asm;

/// Loads 16 bytes.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load16(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: 16 bytes are read, without alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

/// Loads 8 bytes.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load8(bytes: &[u8; 8]) -> uint8x8_t {
    // SAFETY: 8 bytes are read, without alignment.
    unsafe { vld1_u8(bytes.as_ptr()) }
}

/// Stores four floats.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn store(out: &mut [f32; 4], x: float32x4_t) {
    // SAFETY: four floats are written, without alignment.
    unsafe { vst1q_f32(out.as_mut_ptr(), x) };
}

/// Widens four halves.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn widened_halves(halves: uint16x4_t) -> float32x4_t {
    let floats: float32x4_t;
    // The intrinsic is younger than the oldest compiler.
    // SAFETY: an instruction of every such processor, on registers alone.
    unsafe {
        asm!(
            "fcvtl {floats:v}.4s, {halves:v}.4h",
            floats = lateout(vreg) floats,
            halves = in(vreg) halves,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    floats
}

/// A `float16`, four times.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn half_each(low: u8, high: u8) -> float32x4_t {
    widened_halves(vdup_n_u16(u16::from_le_bytes([low, high])))
}

/// A `float16`.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn half(low: u8, high: u8) -> f32 {
    vgetq_lane_f32::<0>(half_each(low, high))
}

/// 16 bytes of pairs of levels: the low nibbles, then the high ones.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn nibbles(pairs: &[u8; 16]) -> [uint8x16_t; 2] {
    let pairs = load16(pairs);
    [vandq_u8(pairs, vdupq_n_u8(15)), vshrq_n_u8::<4>(pairs)]
}

/// A byte of ones for each bit that is set, the lowest first.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn spread(first: u8, second: u8) -> uint8x16_t {
    let each = vcreate_u8(0x8040_2010_0804_0201);
    vcombine_u8(
        vtst_u8(vdup_n_u8(first), each),
        vtst_u8(vdup_n_u8(second), each),
    )
}

/// Eight unsigned bytes as floats.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn floats(bytes: uint8x8_t) -> [float32x4_t; 2] {
    let words = vmovl_u8(bytes);
    [
        vcvtq_f32_u32(vmovl_u16(vget_low_u16(words))),
        vcvtq_f32_u32(vmovl_high_u16(words)),
    ]
}

/// Eight unsigned bytes times a unit, in memory.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn in_unit(bytes: uint8x8_t, unit: float32x4_t) -> [f32; 8] {
    let [low, high] = floats(bytes);
    let mut products = [0.0; 8];
    let places = products.as_chunks_mut().0;
    store(&mut places[0], vmulq_f32(low, unit));
    store(&mut places[1], vmulq_f32(high, unit));
    products
}

/// Sixteen signed bytes as floats.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn signed_floats(bytes: int8x16_t) -> [float32x4_t; 4] {
    let (low, high) = (vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes));
    [
        vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))),
        vcvtq_f32_s32(vmovl_high_s16(low)),
        vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))),
        vcvtq_f32_s32(vmovl_high_s16(high)),
    ]
}
