//! Batches of eight blocks, or another power of two: what is found once per block stands in the lanes of one register.
//!
//! So the divisions and the roundings of scales, whose results take long to come, are done for all
//! blocks at once. The weights of a batch stay in the nearest cache for the second look. Blocks that
//! the fast arithmetic does not fit are encoded again by the codec: see [`unusual`].

use std::arch::x86_64::*;

use crate::quant::Codec;

/// Bytes that are asked for before they are needed.
const AHEAD: usize = 4096;

/// Calls `encode` with the weights and the places of `COUNT` blocks at a time. The last batch is
/// filled up with zeros, which `encode` cannot tell from blocks.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn each_batch<
    const LEN: usize,
    const BYTES: usize,
    const COUNT: usize,
>(
    weights: &[f32],
    out: &mut [u8],
    encode: impl Fn(&[[f32; LEN]; COUNT], &mut [[u8; BYTES]; COUNT]),
) {
    let (weights, rest) = weights.as_chunks::<LEN>().0.as_chunks::<COUNT>();
    let (out, places) = out.as_chunks_mut::<BYTES>().0.as_chunks_mut::<COUNT>();
    for (weights, out) in weights.iter().zip(out) {
        read_ahead(weights);
        encode(weights, out);
    }
    if !rest.is_empty() {
        let (mut weights, mut out) = ([[0.0; LEN]; COUNT], [[0; BYTES]; COUNT]);
        weights[..rest.len()].copy_from_slice(rest);
        encode(&weights, &mut out);
        places.copy_from_slice(&out[..places.len()]);
    }
}

/// Asks for the weights that follow so far behind some: the processor itself looks ahead only within a page of memory, and
/// rounding a batch takes no longer than reading the next.
#[inline]
#[target_feature(enable = "avx2")]
fn read_ahead<const LEN: usize>(weights: &[[f32; LEN]]) {
    for line in weights.as_flattened().as_chunks::<16>().0 {
        let ahead = line.as_ptr().cast::<i8>().wrapping_add(AHEAD);
        // A hint, which reads nothing, whatever stands there or does not.
        _mm_prefetch::<_MM_HINT_T0>(ahead);
    }
}

/// Lanes with an infinity or a NaN, or whose scale is so small that its inverse overflows.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn unusual(magnitude: __m256i, inverse: __m256) -> i32 {
    let inverse = magnitude_of(_mm256_castps_si256(inverse));
    let finite = _mm256_set1_epi32(f32::MAX.to_bits().cast_signed());
    mask(_mm256_cmpgt_epi32(
        _mm256_max_epi32(magnitude, inverse),
        finite,
    ))
}

/// Encodes the blocks of a mask once more, with the codec.
#[inline]
pub(in crate::quant::kernel) fn encode_again<
    const LEN: usize,
    const BYTES: usize,
    const COUNT: usize,
>(
    codec: &dyn Codec,
    mut blocks: i32,
    weights: &[[f32; LEN]; COUNT],
    out: &mut [[u8; BYTES]; COUNT],
) {
    while blocks != 0 {
        let i = blocks.trailing_zeros() as usize % COUNT;
        codec.encode(&weights[i], LEN, None, &mut out[i]);
        blocks &= blocks - 1;
    }
}

/// The bits of the greatest magnitude of each block, where NaN is above infinity.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn magnitudes<const LEN: usize>(weights: &[[f32; LEN]; 8]) -> __m256i {
    let mut rows = [_mm256_setzero_si256(); 8];
    for (row, weights) in rows.iter_mut().zip(weights) {
        for x in weights.as_chunks().0 {
            let x = magnitude_of(_mm256_castps_si256(load(x)));
            *row = _mm256_max_epu32(*row, x);
        }
    }
    across!(_mm256_max_epu32, rows)
}

/// The first weight of greatest magnitude of each block, +0 for one of zeros, and its magnitude as
/// [`magnitudes`] gives it. What stands for blocks with a NaN has no meaning.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn first_peaks<const LEN: usize>(
    weights: &[[f32; LEN]; 8],
) -> (__m256, __m256i) {
    // Among integers with a sign the greatest positive float is above all others, among those
    // without the negative one of greatest magnitude.
    let mut above = [_mm256_set1_epi32(i32::MIN); 8];
    let mut below = [_mm256_setzero_si256(); 8];
    for ((above, below), weights) in above.iter_mut().zip(&mut below).zip(weights) {
        for x in weights.as_chunks().0 {
            let x = _mm256_castps_si256(load(x));
            *above = _mm256_max_epi32(*above, x);
            *below = _mm256_max_epu32(*below, x);
        }
    }
    let above = across!(_mm256_max_epi32, above);
    let below = across!(_mm256_max_epu32, below);
    let (rise, fall) = (magnitude_of(above), magnitude_of(below));
    let magnitude = _mm256_max_epu32(rise, fall);
    let zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
    let peak = _mm256_blendv_epi8(above, below, _mm256_cmpgt_epi32(fall, rise));
    let peak = _mm256_castsi256_ps(_mm256_andnot_si256(zero, peak));
    // Both signs at the same magnitude: the first has to be looked for.
    let same = _mm256_or_si256(_mm256_cmpeq_epi32(above, below), zero);
    let both = mask(_mm256_andnot_si256(same, _mm256_cmpeq_epi32(rise, fall)));
    if both == 0 {
        return (peak, magnitude);
    }
    let mut peaks = spill(peak);
    for (i, (peak, weights)) in peaks.iter_mut().zip(weights).enumerate() {
        if both >> i & 1 != 0 {
            *peak = first_of_magnitude(weights, peak.abs());
        }
    }
    (load(&peaks), magnitude)
}

/// The first weight of that magnitude, which there is.
#[inline]
#[target_feature(enable = "avx2")]
fn first_of_magnitude(weights: &[f32], magnitude: f32) -> f32 {
    let wanted = _mm256_set1_ps(magnitude);
    for eight in weights.as_chunks().0 {
        let x = _mm256_castsi256_ps(magnitude_of(_mm256_castps_si256(load(eight))));
        let found = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(x, wanted));
        if found != 0 {
            return eight[found.trailing_zeros() as usize & 7];
        }
    }
    magnitude
}

/// The least and the greatest weight of each block, of equal zeros the first; NaNs are passed over.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn extremes<const LEN: usize>(
    weights: &[[f32; LEN]; 8],
) -> (__m256, __m256) {
    let mut low = [_mm256_set1_ps(f32::MAX); 8];
    let mut high = [_mm256_set1_ps(-f32::MAX); 8];
    for ((low, high), weights) in low.iter_mut().zip(&mut high).zip(weights) {
        for x in weights.as_chunks().0 {
            // A NaN in the first operand gives the second.
            *low = _mm256_min_ps(load(x), *low);
            *high = _mm256_max_ps(load(x), *high);
        }
    }
    let low = _mm256_castsi256_ps(across!(min_of, low.map(|x| _mm256_castps_si256(x))));
    let high = _mm256_castsi256_ps(across!(max_of, high.map(|x| _mm256_castps_si256(x))));
    let zero = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(low, _mm256_setzero_ps()));
    if zero == 0 {
        return (low, high);
    }
    // Which zero it is shows in the minimum, and in nothing else.
    let (mut lows, mut highs) = (spill(low), spill(high));
    for (i, (low, high)) in lows.iter_mut().zip(&mut highs).enumerate() {
        if zero >> i & 1 != 0 {
            *low = low.copysign(first_of_magnitude(&weights[i], 0.0));
            *high = if *high == 0.0 { *low } else { *high };
        }
    }
    (load(&lows), load(&highs))
}

/// The smaller of floats that are no NaNs.
#[inline]
#[target_feature(enable = "avx2")]
fn min_of(a: __m256i, b: __m256i) -> __m256i {
    _mm256_castps_si256(_mm256_min_ps(
        _mm256_castsi256_ps(a),
        _mm256_castsi256_ps(b),
    ))
}

/// The greater of floats that are no NaNs.
#[inline]
#[target_feature(enable = "avx2")]
fn max_of(a: __m256i, b: __m256i) -> __m256i {
    _mm256_castps_si256(_mm256_max_ps(
        _mm256_castsi256_ps(a),
        _mm256_castsi256_ps(b),
    ))
}

/// Joins the lanes of each of eight registers by an operation of two, in any order: lane `i` of the
/// result comes from register `i`.
macro_rules! across {
    ($join:ident, $rows:expr) => {{
        let [a, b, c, d, e, f, g, h] = $rows;
        macro_rules! pairs {
            ($x:expr, $y:expr) => {
                $join(_mm256_unpacklo_epi32($x, $y), _mm256_unpackhi_epi32($x, $y))
            };
        }
        macro_rules! fours {
            ($x:expr, $y:expr) => {
                $join(_mm256_unpacklo_epi64($x, $y), _mm256_unpackhi_epi64($x, $y))
            };
        }
        let low = fours!(pairs!(a, b), pairs!(c, d));
        let high = fours!(pairs!(e, f), pairs!(g, h));
        $join(
            _mm256_permute2x128_si256::<0x20>(low, high),
            _mm256_permute2x128_si256::<0x31>(low, high),
        )
    }};
}
pub(in crate::quant::kernel) use across;

/// One over each scale; zero for zero.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn inverse_of(scale: __m256) -> __m256 {
    let zero = _mm256_cmp_ps::<_CMP_EQ_OQ>(scale, _mm256_setzero_ps());
    _mm256_andnot_ps(zero, _mm256_div_ps(_mm256_set1_ps(1.0), scale))
}

/// Floats, none of them NaN, as the bytes of `float16`.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(in crate::quant::kernel) fn halves(x: __m256) -> [[u8; 2]; 8] {
    let mut bytes = [[0; 2]; 8];
    store16(
        bytes.as_flattened_mut(),
        _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(x),
    );
    bytes
}

/// The bits of a float without its sign.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn magnitude_of(x: __m256i) -> __m256i {
    _mm256_and_si256(x, _mm256_set1_epi32(i32::MAX))
}

/// A bit for each lane that is negative, which those of a comparison are where it holds.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn mask(x: __m256i) -> i32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(x))
}

/// Loads eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn load(x: &[f32; 8]) -> __m256 {
    // SAFETY: eight floats are read, without alignment.
    unsafe { _mm256_loadu_ps(x.as_ptr()) }
}

/// Eight floats in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn spill(x: __m256) -> [f32; 8] {
    let mut floats = [0.0; 8];
    // SAFETY: eight floats are written, without alignment.
    unsafe { _mm256_storeu_ps(floats.as_mut_ptr(), x) };
    floats
}

/// Stores 32 bytes at the start of a slice that has them.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn store32(out: &mut [u8], x: __m256i) {
    let out = &mut out[..32];
    // SAFETY: 32 bytes are written, without alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), x) };
}

/// Stores 16 bytes at the start of a slice that has them.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn store16(out: &mut [u8], x: __m128i) {
    let out = &mut out[..16];
    // SAFETY: 16 bytes are written, without alignment.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), x) };
}
