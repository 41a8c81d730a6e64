//! Points of codebooks with their signs, as bytes: levels in the order of the weights.

use std::arch::x86_64::*;

use bytemuck::{Pod, cast};

use super::lanes::spread;

/// Four points of eight levels.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn eights<T: Pod>([a, b, c, d]: [T; 4]) -> __m256i {
    // Written out: a closure in `map` would not inherit the instructions.
    _mm256_setr_epi64x(cast(a), cast(b), cast(c), cast(d))
}

/// Eight points of four levels.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn fours([a, b, c, d, e, f, g, h]: [[u8; 4]; 8]) -> __m256i {
    _mm256_setr_epi32(
        cast(a),
        cast(b),
        cast(c),
        cast(d),
        cast(e),
        cast(f),
        cast(g),
        cast(h),
    )
}

/// Four points of levels of -1, 0 and 1, times eight.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn eightfold(points: [[i8; 8]; 4]) -> __m256i {
    // What comes in from the neighbour is cleared.
    _mm256_and_si256(_mm256_slli_epi16(eights(points), 3), _mm256_set1_epi8(-8))
}

/// The levels, negative where the bit is set.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn negate(levels: __m256i, signs: u32) -> __m256i {
    let mask = spread(signs);
    _mm256_sub_epi8(_mm256_xor_si256(levels, mask), mask)
}

/// The levels with the signs whose numbers are given, for eight of them each.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn with_even_signs(
    levels: __m256i,
    [a, b, c, d]: [usize; 4],
) -> __m256i {
    let signs = [EVEN_SIGNS[a], EVEN_SIGNS[b], EVEN_SIGNS[c], EVEN_SIGNS[d]];
    _mm256_sign_epi8(levels, eights(signs))
}

/// Four times seven bits.
#[inline(always)]
pub(in crate::quant::kernel::avx2) fn sevens(bits: u32) -> [usize; 4] {
    [0, 7, 14, 21].map(|shift| (bits >> shift) as usize & 127)
}

/// The signs of eight weights, of which an even number is negative, by the bits of the first seven.
static EVEN_SIGNS: [[i8; 8]; 128] = {
    let mut all = [[1; 8]; 128];
    let mut bits = 0;
    while bits < 128u8 {
        let eight = bits | (bits.count_ones() as u8 & 1) << 7;
        let mut i = 0;
        while i < 8 {
            if eight >> i & 1 == 1 {
                all[bits as usize][i] = -1;
            }
            i += 1;
        }
        bits += 1;
    }
    all
};
