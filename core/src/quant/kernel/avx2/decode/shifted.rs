//! Streaming to where no store that passes the caches can begin: a multiple of 4 bytes, but not of 16.
//!
//! Blocks are decoded into a tile that begins at a multiple of 32 bytes, and loaded from there as far from one as
//! their place is: to load across the end of a line costs less than to store across it. What fills no register is
//! moved to before the next tile.

use std::arch::x86_64::*;

use super::lanes::load;

/// Floats of a register.
const LANES: usize = 8;

/// Room for a tile, and for a register before it. It lies in one page of memory: a store across the
/// end of a page waits for all that are on their way past the caches.
#[repr(C, align(4096))]
struct Room([f32; 1024]);

/// Decodes blocks, `tile` bytes of which are `LEN` floats, at most 1016. `out` has whole blocks, or whole steps of
/// a format without blocks, and does not begin at a multiple of 32 bytes.
///
/// # Safety
/// `kernel` can run on this processor, and decodes whole blocks.
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) unsafe fn stream<const N: usize, const LEN: usize>(
    kernel: unsafe fn(&[u8], &mut [[f32; N]]),
    blocks: &[u8],
    tile: usize,
    out: &mut [f32],
) {
    let skipped = out.as_ptr().addr() / size_of::<f32>() % LANES;
    let mut left = out.len();
    let (head, rest) = out.split_at_mut((LANES - skipped).min(left));
    let (mut places, tail) = rest.as_chunks_mut::<LANES>();
    let mut room = Room([0.0; 1024]);
    let room = &mut room.0;
    // Where the first register is loaded from: behind as many floats of the tile before.
    let from = LANES - skipped;
    for (i, blocks) in blocks.chunks(tile).enumerate() {
        let count = left.min(LEN);
        left -= count;
        ahead(blocks);
        let decoded = room[LANES..][..count].as_chunks_mut().0;
        // SAFETY: the caller says so.
        unsafe { kernel(blocks, decoded) };
        let mut registers = room[from..][..skipped + count].as_chunks().0;
        if i == 0
            && let Some((first, others)) = registers.split_first()
        {
            head.copy_from_slice(&first[skipped..][..head.len()]);
            registers = others;
        }
        let (now, later) = places.split_at_mut(registers.len().min(places.len()));
        copy(registers, now);
        places = later;
        room.copy_within(count..count + LANES, 0);
    }
    tail.copy_from_slice(&room[from..][..tail.len()]);
}

/// Streams registers to as many places, which are multiples of 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn copy(registers: &[[f32; LANES]], places: &mut [[f32; LANES]]) {
    let (fours, rest) = registers.as_chunks::<4>();
    let (place_fours, place_rest) = places.as_chunks_mut::<4>();
    for (registers, places) in fours.iter().zip(place_fours) {
        for (register, place) in registers.iter().zip(places) {
            stream_one(register, place);
        }
    }
    for (register, place) in rest.iter().zip(place_rest) {
        stream_one(register, place);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn stream_one(register: &[f32; LANES], place: &mut [f32; LANES]) {
    let x = load(register);
    // SAFETY: eight floats at a multiple of 32 bytes, since `stream` split off what lies before.
    unsafe { _mm256_stream_ps(place.as_mut_ptr(), x) };
}

/// Asks for what is read soon after these blocks: a page of the system is over before the processor has seen
/// that one follows.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ahead(blocks: &[u8]) {
    /// Bytes from what is read now: some 100 ns of the slowest memory that keeps up with the stores.
    const DISTANCE: usize = 1536;
    for line in blocks.chunks(64) {
        // Where nothing is, a request does nothing.
        let later = line.as_ptr().wrapping_add(DISTANCE.max(blocks.len()));
        _mm_prefetch::<_MM_HINT_T0>(later.cast());
    }
}
