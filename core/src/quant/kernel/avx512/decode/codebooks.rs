//! Formats whose levels are points of a codebook: all of `iq1`, `iq2` and `iq3`.
//!
//! A packed point fits into 16 bits. Books of up to 512 points stay in registers, larger ones are
//! read point by point. Signs are masks; nothing here branches on data.

use std::arch::x86_64::*;

use super::lanes::{Sink, half, load32, load64, store, times, values};
use super::points::{
    book, dwords, eights, even, fours, lookup, lookup_of_two, nibble_scales, sevens, signed,
    top_scales, two,
};
use crate::quant::codebook::packed;

static IQ1: [u16; 2048] = packed::IQ1;
static IQ2_XXS: [u16; 256] = packed::IQ2_XXS;
static IQ2_XS: [u16; 512] = packed::IQ2_XS;
static IQ2_S: [u16; 1024] = packed::IQ2_S;
static IQ3_XXS: [u16; 256] = packed::IQ3_XXS;
static IQ3_S: [u16; 512] = packed::IQ3_S;

/// Eight times the levels of `iq1`, repeated. The last code does not occur.
static EIGHTFOLD: [f32; 16] = repeated([-8.0, 0.0, 8.0, 0.0]);
/// The levels of `iq2`, repeated. The last code does not occur.
static EIGHTHS: [f32; 16] = repeated([8.0, 25.0, 43.0, 0.0]);
/// The levels of `iq3_xxs`, repeated.
static QUARTERS: [f32; 16] = repeated([4.0, 12.0, 20.0, 28.0, 36.0, 44.0, 52.0, 62.0]);
/// The levels of `iq3_s`, repeated.
static ODD: [f32; 16] = repeated([1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]);

const fn repeated<const K: usize>(levels: [f32; K]) -> [f32; 16] {
    let mut all = [0.0; 16];
    let mut i = 0;
    while i < 16 {
        all[i] = levels[i % K];
        i += 1;
    }
    all
}

/// Decodes blocks of `iq2_xxs`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq2_xxs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let book = book::<8>(IQ2_XXS.as_chunks().0);
    let levels = values(&EIGHTHS);
    let blocks = blocks.as_chunks::<66>().0.iter();
    for ([d0, d1, groups @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        // Of every eight bytes, the lower four are points, the upper four signs and the scale.
        let groups = load64(groups);
        let points = _mm512_cvtepi64_epi32(groups);
        let bits = _mm512_cvtepi64_epi32(_mm512_srli_epi64(groups, 32));
        let scales = top_scales(bits, half(*d0, *d1) * 0.25);
        let signs = dwords(_mm512_zextsi256_si512(sevens(bits)));
        let points = dwords(lookup(&book, _mm512_cvtepu8_epi16(points)));
        let groups = points.as_chunks::<2>().0.iter().zip(signs).zip(scales);
        for (((points, signs), scale), out) in groups.zip(out.as_chunks_mut::<2>().0) {
            let values = times(levels, scale);
            store(&mut out[0], signed(eights(points[0], values), signs as u16));
            let signs = (signs >> 16) as u16;
            store(&mut out[1], signed(eights(points[1], values), signs));
        }
    }
}

/// Decodes blocks of `iq2_xs`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq2_xs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let book = IQ2_XS.as_chunks::<256>().0;
    let book = [
        self::book::<8>(book[0].as_chunks().0),
        self::book::<8>(book[1].as_chunks().0),
    ];
    let levels = values(&EIGHTHS);
    let blocks = blocks.as_chunks::<74>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let (words, packed) = rest.split_at(64);
        let scales = nibble_scales(packed, half(*d0, *d1));
        let words = load64(&words.as_chunks().0[0]);
        // Nine bits are the point, seven the signs.
        let signs = even(_mm512_cvtepi16_epi8(_mm512_srli_epi16(words, 9)));
        let signs = dwords(_mm512_cvtepu16_epi32(signs));
        let points = dwords(lookup_of_two(&book, words));
        let pairs = points.into_iter().zip(signs).zip(scales);
        for (((points, signs), scale), out) in pairs.zip(out) {
            let weights = times(eights(points, levels), scale);
            store(out, signed(weights, signs as u16));
        }
    }
}

/// Decodes blocks of `iq2_s`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq2_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&EIGHTHS);
    let blocks = blocks.as_chunks::<82>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let (lower, rest) = rest.split_at(32);
        let (signs, rest) = rest.split_at(32);
        let (upper, packed) = rest.split_at(8);
        let scales = nibble_scales(packed, half(*d0, *d1));
        let pairs = lower.as_chunks::<2>().0.iter().zip(signs.as_chunks().0);
        let places = scales.into_iter().zip(out).enumerate();
        for ((lower, signs), (i, (scale, out))) in pairs.zip(places) {
            let upper = usize::from(upper[i / 2]) >> (i % 2 * 4);
            let point = |l: usize| IQ2_S[usize::from(lower[l]) | upper << (8 - 2 * l) & 0x300];
            let weights = times(eights(two(point(0), point(1)), levels), scale);
            store(out, signed(weights, u16::from_le_bytes(*signs)));
        }
    }
}

/// Decodes blocks of `iq3_xxs`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq3_xxs<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let book = book::<8>(IQ3_XXS.as_chunks().0);
    let levels = values(&QUARTERS);
    let blocks = blocks.as_chunks::<98>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let (points, bits) = rest.split_at(64);
        let bits = load32(&bits.as_chunks().0[0]);
        let scales = top_scales(bits, half(*d0, *d1) * 0.5);
        let signs = dwords(_mm512_zextsi256_si512(sevens(bits)));
        let halves = points.as_chunks().0.iter().zip(out.as_chunks_mut::<8>().0);
        for (n, (points, out)) in halves.enumerate() {
            let points = _mm512_cvtepu8_epi16(load32(points));
            let points = lookup(&book, points);
            let out: &mut [S; 8] = out;
            for (i, out) in out.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let g = 4 * n + i;
                let values = times(levels, scales[g]);
                let weights = fours(points, 2 * i, values);
                store(&mut out[0], signed(weights, signs[g] as u16));
                let weights = fours(points, 2 * i + 1, values);
                store(&mut out[1], signed(weights, (signs[g] >> 16) as u16));
            }
        }
    }
}

/// Decodes blocks of `iq3_s`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq3_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let book = IQ3_S.as_chunks::<256>().0;
    let book = [
        self::book::<8>(book[0].as_chunks().0),
        self::book::<8>(book[1].as_chunks().0),
    ];
    let levels = values(&ODD);
    let blocks = blocks.as_chunks::<110>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let unit = half(*d0, *d1);
        let (lower, rest) = rest.split_at(64);
        let (ninth, rest) = rest.split_at(8);
        let (signs, packed) = rest.split_at(32);
        let halves = lower.as_chunks().0.iter().zip(ninth.as_chunks().0);
        let signs = signs.as_chunks::<16>().0;
        for (n, ((lower, ninth), out)) in halves.zip(out.as_chunks_mut::<8>().0).enumerate() {
            let points = _mm512_cvtepu8_epi16(load32(lower));
            let ninth = u32::from_le_bytes(*ninth);
            let points = _mm512_mask_add_epi16(points, ninth, points, _mm512_set1_epi16(256));
            let points = lookup_of_two(&book, points);
            let signs = signs[n].as_chunks().0;
            let out: &mut [S; 8] = out;
            for (i, (out, signs)) in out.iter_mut().zip(signs).enumerate() {
                let level = packed[2 * n + i / 4] >> (i / 2 % 2 * 4) & 15;
                let scale = unit * f32::from(1 + 2 * level);
                let weights = times(fours(points, i, levels), scale);
                store(out, signed(weights, u16::from_le_bytes(*signs)));
            }
        }
    }
}

/// Decodes blocks of `iq1_s`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq1_s<S: Sink>(blocks: &[u8], out: &mut [S]) {
    let levels = values(&EIGHTFOLD);
    let blocks = blocks.as_chunks::<50>().0.iter();
    for ([d0, d1, rest @ ..], out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        // Levels count eighths.
        let unit = half(*d0, *d1) * 0.125;
        let (lower, upper) = rest.split_at(32);
        let groups = lower.as_chunks::<4>().0.iter().zip(upper.as_chunks().0);
        for ((lower, upper), out) in groups.zip(out.as_chunks_mut::<2>().0) {
            let upper = usize::from(u16::from_le_bytes(*upper));
            let scale = unit * (2 * (upper >> 12 & 7) + 1) as f32;
            let point = |l: usize| IQ1[usize::from(lower[l]) | upper >> (3 * l) << 8 & 0x700];
            let shift = if upper & 0x8000 != 0 { -1.0 } else { 1.0 };
            let values = times(_mm512_add_ps(levels, _mm512_set1_ps(shift)), scale);
            store(&mut out[0], eights(two(point(0), point(1)), values));
            store(&mut out[1], eights(two(point(2), point(3)), values));
        }
    }
}

/// Decodes blocks of `iq1_m`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn iq1_m<S: Sink>(blocks: &[u8], out: &mut [S]) {
    /// Which of 16 weights are shifted down.
    static DOWN: [u16; 4] = [0, 0x00ff, 0xff00, 0xffff];
    let levels = values(&EIGHTFOLD);
    let (plus, minus) = (_mm512_set1_ps(1.0), _mm512_set1_ps(-1.0));
    let blocks = blocks.as_chunks::<56>().0.iter();
    for (block, out) in blocks.zip(out.as_chunks_mut::<16>().0) {
        let (lower, rest) = block.split_at(32);
        let (upper, packed) = rest.split_at(16);
        let packed = u64::from_le_bytes(packed.as_chunks().0[0]);
        let piece = |i: u32| (packed >> (16 * i + 12) & 15) << (4 * i);
        let [d0, d1, ..] = (piece(0) | piece(1) | piece(2) | piece(3)).to_le_bytes();
        let unit = half(d0, d1) * 0.125;
        let pairs = lower.as_chunks::<2>().0.iter().zip(upper);
        for (i, ((lower, upper), out)) in pairs.zip(out).enumerate() {
            let bits = packed >> (16 * (i / 4) + 3 * (i % 4));
            let scale = unit * (2 * (bits & 7) + 1) as f32;
            // Two nibbles: three upper bits of the number, one for the shift.
            let upper = usize::from(*upper);
            let point = |l: usize| IQ1[usize::from(lower[l]) | upper >> (4 * l) << 8 & 0x700];
            let down = DOWN[upper >> 3 & 1 | upper >> 6 & 2];
            let shift = _mm512_mask_blend_ps(down, plus, minus);
            let weights = eights(two(point(0), point(1)), levels);
            store(out, times(_mm512_add_ps(weights, shift), scale));
        }
    }
}
