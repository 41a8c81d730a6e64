//! How numbers of each dtype come into registers, four registers at a time.
//!
//! The order of the numbers in them does not matter, as long as it is the same for both rows.

use std::arch::asm;
use std::arch::x86_64::*;

use super::tail::{load16, load32};
use crate::quant::float8::E4M3FN;

/// What loads numbers.
pub(super) trait Load {
    /// A register.
    type Lane: Copy;
    /// Bytes of a number.
    const SIZE: usize;
    /// Bytes of as many numbers as four registers hold, at most 128.
    const STEP: usize;
    /// Whether a load is nothing but that.
    const IS_PLAIN: bool = false;
    /// What products have to be multiplied with.
    const SCALE: f64 = 1.0;

    /// Loads numbers.
    ///
    /// # Safety
    /// There are [`Load::STEP`] bytes at the address, and the processor has AVX2, FMA and F16C.
    unsafe fn four(at: *const u8) -> [Self::Lane; 4];

    /// The greatest byte, the sign set, that is a number as any other; `None` where all are loaded right.
    const GREATEST: Option<u8> = None;

    /// The number of a byte, where there is a greatest one.
    fn of_byte(byte: u8) -> f32 {
        byte.into()
    }
}

/// Four registers, by a function of their number.
macro_rules! four {
    ($k:ident => $load:expr) => {
        [
            {
                const $k: usize = 0;
                $load
            },
            {
                const $k: usize = 1;
                $load
            },
            {
                const $k: usize = 2;
                $load
            },
            {
                const $k: usize = 3;
                $load
            },
        ]
    };
}

/// `float64` as it is.
pub(super) struct F64;

impl Load for F64 {
    type Lane = __m256d;
    const SIZE: usize = 8;
    const STEP: usize = 128;
    const IS_PLAIN: bool = true;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256d; 4] {
        // SAFETY: four times 32 of 128 bytes.
        four!(K => _mm256_castsi256_pd(unsafe { load32(at.wrapping_add(32 * K)) }))
    }
}

/// `float32` as it is.
pub(super) struct F32;

impl Load for F32 {
    type Lane = __m256;
    const SIZE: usize = 4;
    const STEP: usize = 128;
    const IS_PLAIN: bool = true;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256; 4] {
        // SAFETY: four times 32 of 128 bytes.
        four!(K => _mm256_castsi256_ps(unsafe { load32(at.wrapping_add(32 * K)) }))
    }
}

/// `float32` as `float64`.
pub(super) struct Wide32;

impl Load for Wide32 {
    type Lane = __m256d;
    const SIZE: usize = 4;
    const STEP: usize = 64;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256d; 4] {
        four!(K => {
            // SAFETY: four times 16 of 64 bytes.
            let bytes = unsafe { load16(at.wrapping_add(16 * K)) };
            _mm256_cvtps_pd(_mm_castsi128_ps(bytes))
        })
    }
}

/// `float16` as `float32`.
pub(super) struct F16;

impl Load for F16 {
    type Lane = __m256;
    const SIZE: usize = 2;
    const STEP: usize = 64;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256; 4] {
        // SAFETY: four times 16 of 64 bytes.
        four!(K => _mm256_cvtph_ps(unsafe { load16(at.wrapping_add(16 * K)) }))
    }
}

/// `bfloat16` as `float32`: numbers at even places, then those at odd ones.
pub(super) struct Bf16;

impl Load for Bf16 {
    type Lane = __m256;
    const SIZE: usize = 2;
    const STEP: usize = 64;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256; 4] {
        // SAFETY: the first 32 of 64 bytes.
        let low = unsafe { load32(at) };
        // SAFETY: the second 32 of 64 bytes.
        let high = unsafe { load32(at.wrapping_add(32)) };
        let upper = _mm256_set1_epi32(0xffff_0000_u32.cast_signed());
        [
            _mm256_castsi256_ps(_mm256_slli_epi32(low, 16)),
            _mm256_castsi256_ps(_mm256_and_si256(low, upper)),
            _mm256_castsi256_ps(_mm256_slli_epi32(high, 16)),
            _mm256_castsi256_ps(_mm256_and_si256(high, upper)),
        ]
    }
}

/// Sixteen numbers as `float16` in each register, as `float32`.
///
/// The lower eight of each are converted where they are, the upper ones go through memory: from there the conversion needs no
/// shuffles, which 8-bit floats are short of, and takes turns with the other. The compiler would keep all in registers.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn widened(halves: [__m256i; 2]) -> [__m256; 4] {
    let place = halves.as_ptr().cast::<u8>();
    let lower = |half| _mm256_cvtph_ps(_mm256_castsi256_si128(half));
    [
        lower(halves[0]),
        // SAFETY: the second and the fourth quarter of 64 bytes.
        unsafe { widened_at::<16>(place) },
        lower(halves[1]),
        // SAFETY: as above.
        unsafe { widened_at::<48>(place) },
    ]
}

/// Eight numbers in memory, as [`widened`].
///
/// # Safety
/// There are 16 bytes so far behind the address.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn widened_at<const OFFSET: usize>(place: *const u8) -> __m256 {
    let wide: __m256;
    // SAFETY: the instruction reads the 16 bytes that the caller speaks of.
    unsafe {
        asm!(
            "vcvtph2ps {wide}, [{place} + {offset}]",
            wide = lateout(ymm_reg) wide,
            place = in(reg) place,
            offset = const OFFSET,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    wide
}

/// `float8_e5m2`: the upper bytes of `float16`.
pub(super) struct E5m2;

impl Load for E5m2 {
    type Lane = __m256;
    const SIZE: usize = 1;
    const STEP: usize = 32;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256; 4] {
        // SAFETY: 32 bytes.
        let bytes = unsafe { load32(at) };
        let zero = _mm256_setzero_si256();
        widened([
            _mm256_unpacklo_epi8(zero, bytes),
            _mm256_unpackhi_epi8(zero, bytes),
        ])
    }
}

/// `float8_e4m3fn` times `2^-8`: its bits where `float16` has them, subnormals too. NaN would look like a number: see
/// [`Load::GREATEST`].
pub(super) struct E4m3;

impl Load for E4m3 {
    type Lane = __m256;
    const SIZE: usize = 1;
    const STEP: usize = 32;
    const SCALE: f64 = 65536.0;
    const GREATEST: Option<u8> = Some(0xfe);

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn four(at: *const u8) -> [__m256; 4] {
        // SAFETY: 32 bytes.
        let bytes = unsafe { load32(at) };
        let zero = _mm256_setzero_si256();
        let kept = _mm256_set1_epi16(0xbf80_u16.cast_signed());
        let place = |bytes| _mm256_and_si256(_mm256_srai_epi16(bytes, 1), kept);
        widened([
            place(_mm256_unpacklo_epi8(zero, bytes)),
            place(_mm256_unpackhi_epi8(zero, bytes)),
        ])
    }

    #[inline(always)]
    fn of_byte(byte: u8) -> f32 {
        E4M3FN.to_f32(byte)
    }
}
