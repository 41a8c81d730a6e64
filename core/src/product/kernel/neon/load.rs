//! How numbers of each dtype come into registers, four registers at a time.

use std::arch::aarch64::*;
use std::arch::asm;

/// What loads numbers.
pub(super) trait Load {
    /// A register.
    type Lane: Copy;
    /// Bytes of a number.
    const SIZE: usize;
    /// Bytes of as many numbers as four registers hold, at most [`ROOM`](super::floats::ROOM).
    const STEP: usize;
    /// What products have to be multiplied with.
    const SCALE: f64 = 1.0;

    /// Loads numbers.
    ///
    /// # Safety
    /// There are [`Load::STEP`] bytes at the address.
    unsafe fn four(at: *const u8) -> [Self::Lane; 4];
}

/// Loads 16 bytes.
///
/// # Safety
/// There are 16 bytes at the address.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load16(at: *const u8) -> uint8x16_t {
    // SAFETY: the caller says so; no alignment is needed.
    unsafe { vld1q_u8(at) }
}

/// Four times 16 bytes.
///
/// # Safety
/// There are 64 bytes at the address.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load64(at: *const u8) -> [uint8x16_t; 4] {
    // SAFETY: the caller says so; no alignment is needed.
    let uint8x16x4_t(a, b, c, d) = unsafe { vld1q_u8_x4(at) };
    [a, b, c, d]
}

/// `float64` as it is.
pub(super) struct F64;

impl Load for F64 {
    type Lane = float64x2_t;
    const SIZE: usize = 8;
    const STEP: usize = 64;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float64x2_t; 4] {
        // SAFETY: the caller says so.
        unsafe { load64(at) }.map(|bytes| vreinterpretq_f64_u8(bytes))
    }
}

/// `float32` as it is.
pub(super) struct F32;

impl Load for F32 {
    type Lane = float32x4_t;
    const SIZE: usize = 4;
    const STEP: usize = 64;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float32x4_t; 4] {
        // SAFETY: the caller says so.
        unsafe { load64(at) }.map(|bytes| vreinterpretq_f32_u8(bytes))
    }
}

/// `float32` as `float64`.
pub(super) struct Wide32;

impl Load for Wide32 {
    type Lane = float64x2_t;
    const SIZE: usize = 4;
    const STEP: usize = 32;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float64x2_t; 4] {
        // SAFETY: the first half of 32 bytes.
        let low = vreinterpretq_f32_u8(unsafe { load16(at) });
        // SAFETY: the second half of 32 bytes.
        let high = vreinterpretq_f32_u8(unsafe { load16(at.wrapping_add(16)) });
        [
            vcvt_f64_f32(vget_low_f32(low)),
            vcvt_high_f64_f32(low),
            vcvt_f64_f32(vget_low_f32(high)),
            vcvt_high_f64_f32(high),
        ]
    }
}

/// `float16` as `float32`.
pub(super) struct F16;

impl Load for F16 {
    type Lane = float32x4_t;
    const SIZE: usize = 2;
    const STEP: usize = 32;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float32x4_t; 4] {
        // SAFETY: the first half of 32 bytes.
        let low = vreinterpretq_u16_u8(unsafe { load16(at) });
        // SAFETY: the second half of 32 bytes.
        let high = vreinterpretq_u16_u8(unsafe { load16(at.wrapping_add(16)) });
        widened([low, high])
    }
}

/// Sixteen halves as floats.
#[inline]
#[target_feature(enable = "neon")]
fn widened([low, high]: [uint16x8_t; 2]) -> [float32x4_t; 4] {
    [
        half(vget_low_u16(low)),
        half(vget_high_u16(low)),
        half(vget_low_u16(high)),
        half(vget_high_u16(high)),
    ]
}

/// Widens four halves.
#[inline]
#[target_feature(enable = "neon")]
fn half(halves: uint16x4_t) -> float32x4_t {
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

/// `bfloat16` as `float32`.
pub(super) struct Bf16;

impl Load for Bf16 {
    type Lane = float32x4_t;
    const SIZE: usize = 2;
    const STEP: usize = 32;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float32x4_t; 4] {
        // SAFETY: the first half of 32 bytes.
        let low = vreinterpretq_u16_u8(unsafe { load16(at) });
        // SAFETY: the second half of 32 bytes.
        let high = vreinterpretq_u16_u8(unsafe { load16(at.wrapping_add(16)) });
        [
            vreinterpretq_f32_u32(vshll_n_u16::<16>(vget_low_u16(low))),
            vreinterpretq_f32_u32(vshll_high_n_u16::<16>(low)),
            vreinterpretq_f32_u32(vshll_n_u16::<16>(vget_low_u16(high))),
            vreinterpretq_f32_u32(vshll_high_n_u16::<16>(high)),
        ]
    }
}

/// `float8_e5m2`: the upper bytes of `float16`.
pub(super) struct E5m2;

impl Load for E5m2 {
    type Lane = float32x4_t;
    const SIZE: usize = 1;
    const STEP: usize = 16;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float32x4_t; 4] {
        // SAFETY: 16 bytes.
        let bytes = unsafe { load16(at) };
        widened([
            vshll_n_u8::<8>(vget_low_u8(bytes)),
            vshll_high_n_u8::<8>(bytes),
        ])
    }
}

/// `float8_e4m3fn` times `2^-8`: its bits where `float16` has them.
pub(super) struct E4m3;

impl Load for E4m3 {
    type Lane = float32x4_t;
    const SIZE: usize = 1;
    const STEP: usize = 16;
    const SCALE: f64 = 65536.0;

    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn four(at: *const u8) -> [float32x4_t; 4] {
        // SAFETY: 16 bytes.
        let bytes = unsafe { load16(at) };
        let nan = vceqq_u8(vorrq_u8(bytes, vdupq_n_u8(0x80)), vdupq_n_u8(0xff));
        let nan = vreinterpretq_s8_u8(nan);
        let kept = vdupq_n_s16(0xbf80_u16.cast_signed());
        let places = |bytes: uint16x8_t, nan: int16x8_t| {
            let shifted = vshrq_n_s16::<1>(vreinterpretq_s16_u16(bytes));
            // A half of all ones is no number, as what it stands for.
            vreinterpretq_u16_s16(vorrq_s16(vandq_s16(shifted, kept), nan))
        };
        widened([
            places(
                vshll_n_u8::<8>(vget_low_u8(bytes)),
                vmovl_s8(vget_low_s8(nan)),
            ),
            places(vshll_high_n_u8::<8>(bytes), vmovl_high_s8(nan)),
        ])
    }
}
