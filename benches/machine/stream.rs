//! The streaming store: memory filled past the caches, the least that writing floats can take.

use std::hint::black_box;

/// Fills memory past the caches; the caller aligned it to 16 bytes.
#[cfg(target_arch = "x86_64")]
pub fn stream(out: &mut [f32]) {
    use std::arch::x86_64::{_mm_set1_ps, _mm_sfence, _mm_stream_ps};
    // SAFETY: every x86-64 processor has SSE.
    let ones = unsafe { _mm_set1_ps(1.0) };
    assert!(out.as_ptr().addr().is_multiple_of(16));
    for quad in out.as_chunks_mut::<4>().0 {
        // SAFETY: the slice begins at a multiple of 16, so every fourth float is at one, and these are
        // four.
        unsafe { _mm_stream_ps(quad.as_mut_ptr(), ones) };
    }
    // SAFETY: every x86-64 processor has SSE; a fence touches no memory.
    unsafe { _mm_sfence() };
    black_box(out);
}

/// Fills memory; this processor's streaming stores are not known here.
#[cfg(not(target_arch = "x86_64"))]
pub fn stream(out: &mut [f32]) {
    out.fill(1.0);
    black_box(out);
}
