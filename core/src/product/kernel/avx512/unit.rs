//! The unit that multiplies `bfloat16` two by two, 64 bytes at a time: what kernels need of it, and the one of the processor.

use std::arch::x86_64::*;
use std::mem::transmute;

/// Bytes of a register.
pub(super) const WIDTH: usize = 64;

/// What kernels need. Their tests have a unit of their own, which counts as the documentation says that this one does.
pub(super) trait Unit {
    /// A register of bytes, or of twos of them.
    type Bytes: Copy;
    /// A register of `float32`.
    type Singles: Copy;

    /// At most 64 bytes, with zeros behind them.
    ///
    /// # Safety
    /// The processor has AVX-512 with BW, VBMI and BF16; so it is everywhere here.
    unsafe fn load(bytes: &[u8]) -> Self::Bytes;

    /// For each byte the one of 128 that its lower seven bits say.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn look_up(table: [Self::Bytes; 2], places: Self::Bytes) -> Self::Bytes;

    /// The bytes, with the upper bits of others.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn with_signs(bytes: Self::Bytes, signs: Self::Bytes) -> Self::Bytes;

    /// Twos of a lower and an upper byte, in an order that is always the same.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn zip(lower: Self::Bytes, upper: Self::Bytes) -> [Self::Bytes; 2];

    /// Zeros.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn zeros() -> Self::Singles;

    /// Adds the products of neighbouring twos of bytes, as `bfloat16`, to the place of both.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn add_pairs(sums: Self::Singles, x: Self::Bytes, y: Self::Bytes) -> Self::Singles;

    /// Twos of bytes, as `bfloat16`, widened: those at even places and those at odd ones.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn widen(pairs: Self::Bytes) -> [Self::Singles; 2];

    /// Adds the squares of differences.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn add_squares(sums: Self::Singles, x: Self::Singles, y: Self::Singles)
    -> Self::Singles;

    /// The numbers in a register.
    ///
    /// # Safety
    /// As [`Unit::load`].
    unsafe fn numbers(singles: Self::Singles) -> [f32; WIDTH / 4];
}

/// The unit of the processor.
pub(super) struct Hardware;

impl Unit for Hardware {
    type Bytes = __m512i;
    type Singles = __m512;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn load(bytes: &[u8]) -> __m512i {
        if let Some(bytes) = bytes.first_chunk::<WIDTH>() {
            // SAFETY: 64 bytes, without alignment.
            return unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        }
        let mask = (1 << bytes.len()) - 1;
        // SAFETY: only the bytes of the mask are read, and there are as many.
        unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn look_up([first, second]: [__m512i; 2], places: __m512i) -> __m512i {
        _mm512_permutex2var_epi8(first, places, second)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn with_signs(bytes: __m512i, signs: __m512i) -> __m512i {
        // The first, or both others.
        const FIRST_OR_BOTH: i32 = 0b1111_1000;
        _mm512_ternarylogic_epi32::<FIRST_OR_BOTH>(bytes, signs, _mm512_set1_epi8(i8::MIN))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn zip(lower: __m512i, upper: __m512i) -> [__m512i; 2] {
        [
            _mm512_unpacklo_epi8(lower, upper),
            _mm512_unpackhi_epi8(lower, upper),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn zeros() -> __m512 {
        _mm512_setzero_ps()
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn add_pairs(sums: __m512, x: __m512i, y: __m512i) -> __m512 {
        // SAFETY: both types are the same 512 bits.
        let [x, y] = unsafe { transmute::<[__m512i; 2], [__m512bh; 2]>([x, y]) };
        _mm512_dpbf16_ps(sums, x, y)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn widen(pairs: __m512i) -> [__m512; 2] {
        let upper = _mm512_set1_epi32(0xffff_0000_u32.cast_signed());
        [
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(pairs)),
            _mm512_castsi512_ps(_mm512_and_si512(pairs, upper)),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn add_squares(sums: __m512, x: __m512, y: __m512) -> __m512 {
        let difference = _mm512_sub_ps(x, y);
        _mm512_fmadd_ps(difference, difference, sums)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")]
    unsafe fn numbers(singles: __m512) -> [f32; WIDTH / 4] {
        // SAFETY: both types are the same 512 bits.
        unsafe { transmute::<__m512, [f32; WIDTH / 4]>(singles) }
    }
}
