//! Streaming to where no store that passes the caches can begin: a multiple of 4 bytes, but not of 16.
//!
//! Blocks are decoded into a tile, and what stands in its registers is moved on to the next multiple of 32
//! bytes. The tile is read just as it was written, so that nothing waits for it to reach the cache.

use std::arch::x86_64::*;

use super::lanes::{Kept, load, spill};

/// Floats in a tile: few enough for stores on their way to memory to hold it.
pub(in crate::quant::kernel) const TILE: usize = 512;

/// Decodes blocks, `tile` bytes of which are [`TILE`] floats. `out` has whole blocks, or whole steps of a
/// format without blocks, and does not begin at a multiple of 32 bytes.
///
/// # Safety
/// `kernel` can run on this processor, and decodes whole blocks.
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) unsafe fn stream<const N: usize>(
    kernel: unsafe fn(&[u8], &mut [[f32; N]]),
    blocks: &[u8],
    tile: usize,
    out: &mut [f32],
) {
    let skipped = out.as_ptr().addr() / size_of::<f32>() % 8;
    let head = (8 - skipped).min(out.len());
    let mut left = out.len();
    let (head, rest) = out.split_at_mut(head);
    let (places, tail) = rest.as_chunks_mut::<8>();
    let mut places = places.iter_mut();
    let order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    // Each register begins with the float that the next place begins with.
    let moved = _mm256_sub_epi32(order, _mm256_set1_epi32(skipped as i32));
    let from_next = _mm256_cmpgt_epi32(
        _mm256_set1_epi32(0),
        _mm256_sub_epi32(_mm256_set1_epi32(skipped as i32 - 1), order),
    );
    let from_next = _mm256_castsi256_ps(from_next);
    let mut waiting = _mm256_setzero_ps();
    let mut room = Kept([0.0; TILE]);
    for (i, blocks) in blocks.chunks(tile).enumerate() {
        let room = &mut room.0[..left.min(TILE)];
        left -= room.len();
        // SAFETY: the caller says so.
        unsafe { kernel(blocks, room.as_chunks_mut().0) };
        let mut decoded = room.as_chunks().0.iter();
        if i == 0
            && let Some(first) = decoded.next()
        {
            head.copy_from_slice(&first[..head.len()]);
            waiting = _mm256_permutevar8x32_ps(load(first), moved);
        }
        for (next, place) in decoded.zip(places.by_ref()) {
            let next = _mm256_permutevar8x32_ps(load(next), moved);
            let both = _mm256_blendv_ps(waiting, next, from_next);
            // SAFETY: eight floats at a multiple of 32 bytes, since what lies before was split off.
            unsafe { _mm256_stream_ps(place.as_mut_ptr(), both) };
            waiting = next;
        }
    }
    tail.copy_from_slice(&spill(waiting)[..tail.len()]);
}
