//! The end of a row that does not fill the registers.

use std::arch::x86_64::*;

/// What four registers are loaded from at most: 128 bytes.
pub(super) type Room = [__m256i; 4];

/// A few bytes, less than a room, with zeros behind them.
///
/// They are put together in registers: bytes that are stored piece by piece are slow to load together.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn padded(bytes: &[u8]) -> Room {
    let mut room = [_mm256_setzero_si256(); 4];
    for (bytes, place) in bytes.chunks(32).zip(&mut room) {
        let (low, high) = bytes.split_at(bytes.len().min(16));
        *place = _mm256_set_m128i(half(high), half(low));
    }
    room
}

/// At most 16 bytes, with zeros behind them.
#[inline]
#[target_feature(enable = "avx2")]
fn half(bytes: &[u8]) -> __m128i {
    if let Some(bytes) = bytes.first_chunk::<16>() {
        // SAFETY: there are 16 bytes.
        return unsafe { load16(bytes.as_ptr()) };
    }
    let (low, high) = bytes.split_at(bytes.len().min(8));
    _mm_set_epi64x(word(high).cast_signed(), word(low).cast_signed())
}

/// At most eight bytes as a number, the first one the least.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    match n {
        8.. => bytes
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes)),
        4.. => {
            let low = bytes
                .first_chunk()
                .map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let high = bytes
                .last_chunk()
                .map_or(0, |bytes| u32::from_le_bytes(*bytes));
            u64::from(low) | u64::from(high) << (8 * (n - 4))
        }
        _ => bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Loads 16 bytes.
///
/// # Safety
/// There are 16 bytes at the address.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load16(at: *const u8) -> __m128i {
    // SAFETY: the caller says so; no alignment is needed.
    unsafe { _mm_loadu_si128(at.cast()) }
}

/// Loads 32 bytes.
///
/// # Safety
/// There are 32 bytes at the address.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load32(at: *const u8) -> __m256i {
    // SAFETY: the caller says so; no alignment is needed.
    unsafe { _mm256_loadu_si256(at.cast()) }
}
