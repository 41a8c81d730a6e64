//! What all decoders share: loads, codes in lanes, scaling, and stores.
//!
//! Every product of a level and a scale is exact in `f32`, so no order of factors matters.

use std::arch::x86_64::*;

/// 16 floats anywhere.
pub(super) type Floats = [f32; 16];

/// 16 floats at a multiple of 16 bytes.
#[repr(C, align(16))]
pub(super) struct Streamed(Floats);

/// Where results go: 16 floats.
///
/// # Safety
/// The type is 16 floats and nothing else, and where `STREAM` is set, it is aligned to 16 bytes.
pub(super) unsafe trait Sink: Sized {
    /// Whether stores pass the caches.
    const STREAM: bool;
}

// SAFETY: 16 floats; not streamed.
unsafe impl Sink for Floats {
    const STREAM: bool = false;
}

// SAFETY: `repr(C, align(16))` around 16 floats, whose size is a multiple of that.
unsafe impl Sink for Streamed {
    const STREAM: bool = true;
}

/// Stores 16 floats.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn store<S: Sink>(out: &mut S, x: __m512) {
    let place = (&raw mut *out).cast::<f32>();
    if !S::STREAM {
        // SAFETY: a sink is 16 floats; this store needs no alignment.
        unsafe { _mm512_storeu_ps(place, x) };
    } else if place.addr().is_multiple_of(64) {
        // SAFETY: 16 floats at a multiple of 64 bytes. Whoever calls the kernel fences.
        unsafe { _mm512_stream_ps(place, x) };
    } else {
        let quarters = [
            _mm512_castps512_ps128(x),
            _mm512_extractf32x4_ps(x, 1),
            _mm512_extractf32x4_ps(x, 2),
            _mm512_extractf32x4_ps(x, 3),
        ];
        for (i, quarter) in quarters.into_iter().enumerate() {
            let place = place.wrapping_add(4 * i);
            // SAFETY: the four quarters of 16 floats, which stand at a multiple of 16 bytes.
            // Whoever calls the kernel fences.
            unsafe { _mm_stream_ps(place, quarter) };
        }
    }
}

/// Loads 16 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn load16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read, without alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Loads 32 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn load32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read, without alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Loads 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn load64(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read, without alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Loads 16 floats: the values of a table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn values(floats: &[f32; 16]) -> __m512 {
    // SAFETY: 16 floats are read, without alignment.
    unsafe { _mm512_loadu_ps(floats.as_ptr()) }
}

/// Loads 16 numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn numbers(numbers: &[i32; 16]) -> __m512i {
    // SAFETY: 64 bytes are read, without alignment.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}

/// 16 floats in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn spill(x: __m512) -> [f32; 16] {
    let mut floats = [0.0; 16];
    store(&mut floats, x);
    floats
}

/// A `float16`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn half(low: u8, high: u8) -> f32 {
    let bits = u16::from_le_bytes([low, high]);
    _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(i32::from(bits))))
}

/// 16 bytes, each in a lane of its own.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn codes(bytes: &[u8; 16]) -> __m512i {
    _mm512_cvtepu8_epi32(load16(bytes))
}

/// The values that the lowest four bits of each lane number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn looked_up(codes: __m512i, values: __m512) -> __m512 {
    _mm512_permutexvar_ps(codes, values)
}

/// The values that the lowest four bits of each lane number, from the second table where the bit
/// is set.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn chosen(codes: __m512i, bits: u16, values: [__m512; 2]) -> __m512 {
    let first = _mm512_permutexvar_ps(codes, values[0]);
    _mm512_mask_permutexvar_ps(first, bits, codes, values[1])
}

/// Values times a scale.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn times(values: __m512, scale: f32) -> __m512 {
    _mm512_mul_ps(values, _mm512_set1_ps(scale))
}

/// Values times a scale, plus an offset.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn shifted(values: __m512, scale: f32, offset: f32) -> __m512 {
    // Two roundings, of which the first is exact: no fused operation is needed or wanted.
    _mm512_add_ps(times(values, scale), _mm512_set1_ps(offset))
}

/// 16 signed bytes as floats.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn widened(bytes: __m128i) -> __m512 {
    _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes))
}
