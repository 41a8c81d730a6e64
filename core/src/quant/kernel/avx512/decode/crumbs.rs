//! Formats whose levels have one bit, two or three, or are digits to the base 3.

use std::arch::x86_64::*;

use super::lanes::{
    Sink, chosen, codes, half, load16, load32, looked_up, numbers, shifted, spill, store, times,
    values,
};

/// The levels of two bits, four times.
static PLAIN: [f32; 16] = [
    0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0,
];

/// Where the levels of two bits stand in a word of 32.
static PLACES: [i32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/// Decodes blocks of `q1_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q1_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, bits @ ..], out) in blocks.zip(out.as_chunks_mut::<8>().0) {
        let scale = half(*d0, *d1);
        let (positive, negative) = (_mm512_set1_ps(scale), _mm512_set1_ps(-scale));
        for (bits, out) in bits.as_chunks().0.iter().zip(out) {
            let bits = u16::from_le_bytes(*bits);
            store(out, _mm512_mask_blend_ps(bits, negative, positive));
        }
    }
}

/// Decodes blocks of `q2_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q2_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = _mm512_sub_ps(values(&PLAIN), _mm512_set1_ps(1.0));
    let places = numbers(&PLACES);
    let blocks = blocks.as_chunks::<18>().0.iter();
    for ([d0, d1, packed @ ..], out) in blocks.zip(out.as_chunks_mut::<4>().0) {
        let values = times(levels, half(*d0, *d1));
        for (packed, out) in packed.as_chunks().0.iter().zip(out) {
            let all = _mm512_set1_epi32(i32::from_le_bytes(*packed));
            store(out, looked_up(_mm512_srlv_epi32(all, places), values));
        }
    }
}

/// Decodes blocks of `tq2_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn tq2_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = _mm512_sub_ps(values(&PLAIN), _mm512_set1_ps(1.0));
    let blocks = blocks.as_chunks::<66>().0.iter();
    for ([packed @ .., d0, d1], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let values = times(levels, half(*d0, *d1));
        let halves = packed.as_chunks::<16>().0.as_chunks::<2>().0.iter();
        for ([first, second], out) in halves.zip(out.as_chunks_mut::<8>().0) {
            let (mut first, mut second) = (codes(first), codes(second));
            for [one, other] in out.as_chunks_mut().0 {
                store(one, looked_up(first, values));
                store(other, looked_up(second, values));
                first = _mm512_srli_epi32(first, 2);
                second = _mm512_srli_epi32(second, 2);
            }
        }
    }
}

/// Decodes blocks of `q2_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q2_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&PLAIN);
    let blocks = blocks.as_chunks::<84>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let [head @ .., d0, d1, m0, m1] = block;
        let (head, packed) = head.split_at(16);
        let head = codes(&head.as_chunks().0[0]);
        let scales = _mm512_and_si512(head, _mm512_set1_epi32(15));
        let minima = _mm512_srli_epi32(head, 4);
        let scales = spill(times(_mm512_cvtepi32_ps(scales), half(*d0, *d1)));
        let offsets = spill(times(_mm512_cvtepi32_ps(minima), -half(*m0, *m1)));
        let halves = packed.as_chunks::<16>().0.as_chunks::<2>().0.iter();
        for (n, ([first, second], out)) in halves.zip(out.as_chunks_mut::<8>().0).enumerate() {
            let (mut first, mut second) = (codes(first), codes(second));
            let out: &mut [S; 8] = out;
            for (i, [one, other]) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let g = 8 * n + 2 * i;
                let values = shifted(levels, scales[g], offsets[g]);
                store(one, looked_up(first, values));
                let values = shifted(levels, scales[g + 1], offsets[g + 1]);
                store(other, looked_up(second, values));
                first = _mm512_srli_epi32(first, 2);
                second = _mm512_srli_epi32(second, 2);
            }
        }
    }
}

/// Decodes blocks of `q3_k`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn q3_k<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let plain = values(&PLAIN);
    // Where the third bit is not set, four are missing.
    let levels = [_mm512_sub_ps(plain, _mm512_set1_ps(4.0)), plain];
    let blocks = blocks.as_chunks::<110>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let [rest @ .., d0, d1] = block;
        let (thirds, rest) = rest.split_at(32);
        let (packed, scales) = rest.split_at(64);
        let scales = three_bit_scales(scales, half(*d0, *d1));
        let thirds = load32(&thirds.as_chunks().0[0]);
        let mut bit = _mm256_set1_epi8(1);
        let halves = packed.as_chunks::<16>().0.as_chunks::<2>().0.iter();
        for (n, ([first, second], out)) in halves.zip(out.as_chunks_mut::<8>().0).enumerate() {
            let (mut first, mut second) = (codes(first), codes(second));
            let out: &mut [S; 8] = out;
            for (i, [one, other]) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let g = 8 * n + 2 * i;
                let bits = _mm256_test_epi8_mask(thirds, bit);
                bit = _mm256_add_epi8(bit, bit);
                store(one, times(chosen(first, bits as u16, levels), scales[g]));
                let weights = chosen(second, (bits >> 16) as u16, levels);
                store(other, times(weights, scales[g + 1]));
                first = _mm512_srli_epi32(first, 2);
                second = _mm512_srli_epi32(second, 2);
            }
        }
    }
}

/// The 16 scales of a block of `q3_k`, from their 12 bytes and their unit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn three_bit_scales(packed: &[u8], unit: f32) -> [f32; 16] {
    static NIBBLES: [i32; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4];
    static TOPS: [i32; 16] = [0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6];
    let (nibbles, tops) = packed.split_at(8);
    let nibbles = _mm_set1_epi64x(i64::from_le_bytes(nibbles.as_chunks().0[0]));
    let tops = _mm_set1_epi32(i32::from_le_bytes(tops.as_chunks().0[0]));
    let nibbles = _mm512_srlv_epi32(_mm512_cvtepu8_epi32(nibbles), numbers(&NIBBLES));
    let tops = _mm512_srlv_epi32(_mm512_cvtepu8_epi32(tops), numbers(&TOPS));
    let levels = _mm512_or_si512(
        _mm512_and_si512(nibbles, _mm512_set1_epi32(15)),
        _mm512_slli_epi32(_mm512_and_si512(tops, _mm512_set1_epi32(3)), 4),
    );
    let levels = _mm512_sub_epi32(levels, _mm512_set1_epi32(32));
    spill(times(_mm512_cvtepi32_ps(levels), unit))
}

/// Decodes blocks of `tq1_0`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn tq1_0<S: Sink>(blocks: &[u8], out: &mut [S]) {
    static POWERS: [i32; 16] = [1, 1, 1, 1, 3, 3, 3, 3, 9, 9, 9, 9, 27, 27, 27, 27];
    let powers = numbers(&POWERS);
    let blocks = blocks.as_chunks::<54>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let values = [-1.0, 0.0, 1.0].map(|level| level * half(block[52], block[53]));
        let (first, rest) = out.split_at_mut(10);
        let mut bytes = load32(&block[..32].as_chunks().0[0]);
        for [one, other] in first.as_chunks_mut().0 {
            // A third of 256 is passed from 86, two thirds from 171.
            let third = _mm256_cmpge_epu8_mask(bytes, _mm256_set1_epi8(86));
            let two = _mm256_cmpge_epu8_mask(bytes, _mm256_set1_epi8(-85));
            store(one, digits(third as u16, two as u16, values));
            store(
                other,
                digits((third >> 16) as u16, (two >> 16) as u16, values),
            );
            // Cut to a byte.
            bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(bytes, bytes));
        }
        let mut bytes = load16(&block[32..48].as_chunks().0[0]);
        let (fives, last) = rest.split_at_mut(5);
        for out in fives {
            let third = _mm_cmpge_epu8_mask(bytes, _mm_set1_epi8(86));
            let two = _mm_cmpge_epu8_mask(bytes, _mm_set1_epi8(-85));
            store(out, digits(third, two, values));
            bytes = _mm_add_epi8(bytes, _mm_add_epi8(bytes, bytes));
        }
        // Four digits of four bytes.
        let four = [block[48], block[49], block[50], block[51]];
        let four = _mm512_cvtepu8_epi32(_mm_set1_epi32(i32::from_le_bytes(four)));
        let four = _mm512_and_si512(_mm512_mullo_epi32(four, powers), _mm512_set1_epi32(255));
        let third = _mm512_cmpge_epi32_mask(four, _mm512_set1_epi32(86));
        let two = _mm512_cmpge_epi32_mask(four, _mm512_set1_epi32(171));
        store(&mut last[0], digits(third, two, values));
    }
}

/// The values of 16 digits: the second where a third of the range is passed, the last where two are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn digits(third: u16, two: u16, [none, one, both]: [f32; 3]) -> __m512 {
    let x = _mm512_mask_blend_ps(third, _mm512_set1_ps(none), _mm512_set1_ps(one));
    _mm512_mask_blend_ps(two, x, _mm512_set1_ps(both))
}
