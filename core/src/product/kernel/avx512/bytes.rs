//! Sums of bytes that are whole numbers, exact: four products at a time, with VNNI.
//!
//! Checked on an emulated processor, see CONTRIBUTING.md; never timed on a real one.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::super::super::sums::Wide;
use super::super::run::Body;

/// Bytes of a step.
const STEP: usize = 64;

/// What bytes add to which sums. Zeros on both sides add nothing to any.
pub(super) trait Step {
    /// How many sums there are.
    const SUMS: usize;

    /// Adds 64 bytes of each side to as many sums, and to what has to be subtracted from them.
    ///
    /// # Safety
    /// The processor has AVX-512 with BW and VNNI.
    unsafe fn step(sums: &mut [__m512i; 3], less: &mut __m512i, x: __m512i, y: __m512i);
}

/// Of products, four at a time: of bytes without signs with bytes that have them. So one side is moved by 128, and the
/// other side times that is subtracted.
pub(super) struct Products<const SIGNED: bool>;

impl<const SIGNED: bool> Step for Products<SIGNED> {
    const SUMS: usize = 1;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn step(sums: &mut [__m512i; 3], less: &mut __m512i, x: __m512i, y: __m512i) {
        let sign = _mm512_set1_epi8(i8::MIN);
        if SIGNED {
            sums[0] = _mm512_dpbusd_epi32(sums[0], _mm512_xor_si512(x, sign), y);
            *less = _mm512_dpbusd_epi32(*less, sign, y);
        } else {
            sums[0] = _mm512_dpbusd_epi32(sums[0], x, _mm512_xor_si512(y, sign));
            *less = _mm512_dpbusd_epi32(*less, x, sign);
        }
    }
}

/// Of squares of differences.
pub(super) struct Squares<const SIGNED: bool>;

impl<const SIGNED: bool> Step for Squares<SIGNED> {
    const SUMS: usize = 1;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn step(sums: &mut [__m512i; 3], _less: &mut __m512i, x: __m512i, y: __m512i) {
        let difference = if SIGNED {
            _mm512_sub_epi8(_mm512_max_epi8(x, y), _mm512_min_epi8(x, y))
        } else {
            _mm512_sub_epi8(_mm512_max_epu8(x, y), _mm512_min_epu8(x, y))
        };
        for words in words::<false>(difference) {
            sums[0] = _mm512_dpwssd_epi32(sums[0], words, words);
        }
    }
}

/// Of products and of squares of each side.
pub(super) struct Angles<const SIGNED: bool>;

impl<const SIGNED: bool> Step for Angles<SIGNED> {
    const SUMS: usize = 3;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn step(sums: &mut [__m512i; 3], _less: &mut __m512i, x: __m512i, y: __m512i) {
        for (x, y) in words::<SIGNED>(x).into_iter().zip(words::<SIGNED>(y)) {
            sums[0] = _mm512_dpwssd_epi32(sums[0], x, y);
            sums[1] = _mm512_dpwssd_epi32(sums[1], x, x);
            sums[2] = _mm512_dpwssd_epi32(sums[2], y, y);
        }
    }
}

/// The bytes at even places as words, then those at odd ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn words<const SIGNED: bool>(bytes: __m512i) -> [__m512i; 2] {
    if SIGNED {
        let even = _mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(bytes));
        [even, _mm512_srai_epi16::<8>(bytes)]
    } else {
        let even = _mm512_and_si512(bytes, _mm512_set1_epi16(0xff));
        [even, _mm512_srli_epi16::<8>(bytes)]
    }
}

/// Sums in lanes of 32 bits, twice, so that they do not wait for themselves. A run adds at most 2^16 products of less than
/// 2^16 to the lanes of a sum, 16 of them to a lane in turn.
pub(super) struct Bytes<F>(PhantomData<F>);

impl<F: Step> Body for Bytes<F> {
    const SIZE: usize = 1;
    type State = [([__m512i; 3], __m512i); 2];
    type Sum = Wide;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn zero() -> Self::State {
        [([_mm512_setzero_si512(); 3], _mm512_setzero_si512()); 2]
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn add(state: &mut Self::State, a: &[u8], b: &[u8]) {
        let [mut first, mut second] = *state;
        let (steps_a, rest_a) = a.as_chunks::<STEP>();
        let (steps_b, rest_b) = b.as_chunks::<STEP>();
        for (a, b) in steps_a.iter().zip(steps_b) {
            // SAFETY: 64 bytes, without alignment.
            let x = unsafe { _mm512_loadu_si512(a.as_ptr().cast()) };
            // SAFETY: as above.
            let y = unsafe { _mm512_loadu_si512(b.as_ptr().cast()) };
            // SAFETY: the caller says that the instructions exist.
            unsafe { F::step(&mut first.0, &mut first.1, x, y) };
            std::mem::swap(&mut first, &mut second);
        }
        if !rest_a.is_empty() {
            let (x, y) = (padded(rest_a), padded(rest_b));
            // SAFETY: as above.
            unsafe { F::step(&mut first.0, &mut first.1, x, y) };
        }
        *state = [first, second];
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn finish(state: Self::State, sums: &mut [Wide; 3]) {
        for (parts, less) in state {
            for (part, sum) in parts.into_iter().zip(&mut *sums).take(F::SUMS) {
                sum.add((total(part) - total(less)).into());
            }
        }
    }
}

/// The sum of all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn total(lanes: __m512i) -> i64 {
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes));
    let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
    _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
}

/// Fewer than 64 bytes, with zeros behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn padded(bytes: &[u8]) -> __m512i {
    let mask = u64::MAX >> (STEP - bytes.len().clamp(1, STEP));
    // SAFETY: only the bytes of the mask are read, and there are as many.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}
