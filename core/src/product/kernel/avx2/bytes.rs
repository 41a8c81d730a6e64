//! Sums of bytes that are whole numbers, exact: as words of 16 bits, whose products are added in 32.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::super::super::sums::Wide;
use super::super::run::{AddTwo, Body};
use super::tail::{load16, load32, padded};

/// Bytes of a step.
const STEP: usize = 64;

/// Bytes that are multiplied in the faster way before it is known whether they may be. As many of two rows as the nearest cache holds: the
/// end of each part is a turn that the processor does not foresee.
const TRIED: usize = 16384;

/// How bytes become words.
pub(super) trait Sign {
    /// The words of 32 bytes, in whatever order.
    ///
    /// # Safety
    /// There are 32 bytes at the address, and the processor has AVX2.
    unsafe fn words(at: *const u8) -> [__m256i; 2];

    /// The products of 32 bytes, added in fours, where no byte of `y` is [`Sign::LEAST`].
    ///
    /// # Safety
    /// The processor has AVX2.
    unsafe fn products(x: __m256i, y: __m256i) -> __m256i;

    /// The byte that [`Sign::products`] cannot have among `y`; `None` where there is no such function.
    const LEAST: Option<i8>;

    /// The differences of 32 bytes, without their signs.
    ///
    /// # Safety
    /// The processor has AVX2.
    unsafe fn differences(x: __m256i, y: __m256i) -> __m256i;
}

/// `int8`.
pub(super) struct Signed;

impl Sign for Signed {
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn words(at: *const u8) -> [__m256i; 2] {
        // SAFETY: the first 16 of 32 bytes.
        let low = unsafe { load16(at) };
        // SAFETY: the second 16 of 32 bytes.
        let high = unsafe { load16(at.wrapping_add(16)) };
        [_mm256_cvtepi8_epi16(low), _mm256_cvtepi8_epi16(high)]
    }

    /// The sign of -128 cannot be changed. Two products of at most 128 times 127 fit 16 bits.
    const LEAST: Option<i8> = Some(i8::MIN);

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn products(x: __m256i, y: __m256i) -> __m256i {
        let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8(y, x));
        _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn differences(x: __m256i, y: __m256i) -> __m256i {
        _mm256_sub_epi8(_mm256_max_epi8(x, y), _mm256_min_epi8(x, y))
    }
}

/// `uint8`.
pub(super) struct Unsigned;

impl Sign for Unsigned {
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn words(at: *const u8) -> [__m256i; 2] {
        // SAFETY: 32 bytes.
        unsigned(unsafe { load32(at) })
    }

    const LEAST: Option<i8> = None;

    #[inline(always)]
    unsafe fn products(x: __m256i, _: __m256i) -> __m256i {
        x
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn differences(x: __m256i, y: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_subs_epu8(x, y), _mm256_subs_epu8(y, x))
    }
}

/// Bytes at even places, and those at odd ones.
#[inline]
#[target_feature(enable = "avx2")]
fn unsigned(bytes: __m256i) -> [__m256i; 2] {
    let even = _mm256_and_si256(bytes, _mm256_set1_epi16(0xff));
    [even, _mm256_srli_epi16(bytes, 8)]
}

/// What numbers add to which sums.
pub(super) trait Step {
    /// How many sums there are.
    const SUMS: usize;
    /// Whether these are products, for which there may be a function of their own.
    const IS_PRODUCTS: bool = false;

    /// Adds 32 bytes of each side to as many sums of each kind as there are, two by two.
    ///
    /// # Safety
    /// There are 32 bytes at the addresses, and the processor has AVX2.
    unsafe fn step<S: Sign>(sums: &mut [__m256i], half: usize, a: *const u8, b: *const u8);
}

/// Adds the products of words. Two of them together have at most 17 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn add(sum: &mut __m256i, x: __m256i, y: __m256i) {
    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, y));
}

/// Of products.
pub(super) struct Products;

impl Step for Products {
    const SUMS: usize = 1;
    const IS_PRODUCTS: bool = true;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn step<S: Sign>(sums: &mut [__m256i], half: usize, a: *const u8, b: *const u8) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { S::words(a) }, unsafe { S::words(b) });
        for k in 0..2 {
            add(&mut sums[2 * half + k], x[k], y[k]);
        }
    }
}

/// Of squares of differences.
pub(super) struct Squares;

impl Step for Squares {
    const SUMS: usize = 1;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn step<S: Sign>(sums: &mut [__m256i], half: usize, a: *const u8, b: *const u8) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { load32(a) }, unsafe { load32(b) });
        // SAFETY: the caller says that the instructions exist.
        let words = unsigned(unsafe { S::differences(x, y) });
        for (k, words) in words.into_iter().enumerate() {
            add(&mut sums[2 * half + k], words, words);
        }
    }
}

/// Of products and of squares of each side.
pub(super) struct Angles;

impl Step for Angles {
    const SUMS: usize = 3;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn step<S: Sign>(sums: &mut [__m256i], _half: usize, a: *const u8, b: *const u8) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { S::words(a) }, unsafe { S::words(b) });
        for k in 0..2 {
            add(&mut sums[k], x[k], y[k]);
            add(&mut sums[2 + k], x[k], x[k]);
            add(&mut sums[4 + k], y[k], y[k]);
        }
    }
}

/// `N` sums in lanes of 32 bits. A run adds to each of them at most 2^16 / 32 times two products.
pub(super) struct Words<S, F, const N: usize>(PhantomData<(S, F)>);

impl<S: Sign, F: Step, const N: usize> Words<S, F, N> {
    /// Adds the products of whole steps of `P` places in turn; `false` when one of `b` is `least`, with nothing added.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn try_products<const P: usize>(
        state: &mut [__m256i; N],
        a: [&[u8]; P],
        b: [&[u8]; P],
        least: i8,
    ) -> bool {
        let [mut first, mut second] = [_mm256_setzero_si256(); 2];
        let mut smallest = first;
        let a = a.map(|a| a.as_chunks::<STEP>().0);
        let b = b.map(|b| b.as_chunks::<STEP>().0);
        for i in 0..a[0].len() {
            for (a, b) in a.into_iter().zip(b) {
                let (a, b) = (&a[i], &b[i]);
                // SAFETY: the first half of 64 bytes.
                let (x, y) = (unsafe { load32(a.as_ptr()) }, unsafe { load32(b.as_ptr()) });
                // SAFETY: the caller says that the instructions exist.
                first = _mm256_add_epi32(first, unsafe { S::products(x, y) });
                smallest = _mm256_min_epi8(smallest, y);
                // SAFETY: the second half of 64 bytes.
                let x = unsafe { load32(a[STEP / 2..].as_ptr()) };
                // SAFETY: as above.
                let y = unsafe { load32(b[STEP / 2..].as_ptr()) };
                // SAFETY: the caller says that the instructions exist.
                second = _mm256_add_epi32(second, unsafe { S::products(x, y) });
                smallest = _mm256_min_epi8(smallest, y);
            }
        }
        let met = _mm256_cmpeq_epi8(smallest, _mm256_set1_epi8(least));
        if _mm256_testz_si256(met, met) == 0 {
            return false;
        }
        state[0] = _mm256_add_epi32(state[0], first);
        state[1] = _mm256_add_epi32(state[1], second);
        true
    }

    /// Adds as words, of `P` places in turn.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_words<const P: usize>(state: &mut [__m256i; N], a: [&[u8]; P], b: [&[u8]; P]) {
        let mut sums = *state;
        let len = (a.iter().chain(&b)).fold(usize::MAX, |least, bytes| least.min(bytes.len()));
        let mut at = 0;
        while at + STEP <= len {
            for (a, b) in a.into_iter().zip(b) {
                for half in 0..2 {
                    let at = at + STEP / 2 * half;
                    let (a, b) = (a.as_ptr().wrapping_add(at), b.as_ptr().wrapping_add(at));
                    // SAFETY: `at` and 32 more is within all.
                    unsafe { F::step::<S>(&mut sums, half, a, b) };
                }
            }
            at += STEP;
        }
        if at < len {
            for (a, b) in a.into_iter().zip(b) {
                let (a, b) = (padded(&a[at..len]), padded(&b[at..len]));
                for half in 0..2 {
                    let at = STEP / 2 * half;
                    let (a, b) = (a.as_ptr().cast::<u8>(), b.as_ptr().cast::<u8>());
                    let (a, b) = (a.wrapping_add(at), b.wrapping_add(at));
                    // SAFETY: a room has 128 bytes.
                    unsafe { F::step::<S>(&mut sums, half, a, b) };
                }
            }
        }
        *state = sums;
    }

    /// Adds packed bytes of `P` places in turn.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_in<const P: usize>(state: &mut [__m256i; N], a: [&[u8]; P], b: [&[u8]; P]) {
        let (Some(least), true) = (S::LEAST, F::IS_PRODUCTS) else {
            // SAFETY: the caller says that the instructions exist.
            return unsafe { Self::add_words(state, a, b) };
        };
        let len = (a.iter().chain(&b)).fold(usize::MAX, |least, bytes| least.min(bytes.len()));
        let whole = len / STEP * STEP;
        for start in (0..whole).step_by(TRIED) {
            let part = start..whole.min(start + TRIED);
            let (a, b) = (a.map(|a| &a[part.clone()]), b.map(|b| &b[part.clone()]));
            // SAFETY: as above.
            if !unsafe { Self::try_products(state, a, b, least) } {
                // SAFETY: as above.
                unsafe { Self::add_words(state, a, b) };
            }
        }
        let (a, b) = (a.map(|a| &a[whole..len]), b.map(|b| &b[whole..len]));
        // SAFETY: as above.
        unsafe { Self::add_words(state, a, b) };
    }
}

impl<S: Sign, F: Step, const N: usize> Body for Words<S, F, N> {
    const SIZE: usize = 1;
    type State = [__m256i; N];
    type Sum = Wide;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn zero() -> [__m256i; N] {
        [_mm256_setzero_si256(); N]
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add(state: &mut [__m256i; N], a: &[u8], b: &[u8]) {
        // SAFETY: as above.
        unsafe { Self::add_in(state, [a], [b]) }
    }

    const ADD_TWO: Option<AddTwo<Self>> = Some(Self::add_in::<2>);

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn finish(state: [__m256i; N], sums: &mut [Wide; 3]) {
        for (part, sum) in state.chunks_exact(N / F::SUMS).zip(sums) {
            // A run adds less than 2^28 to each lane of a sum, so the sums of a kind fit 32 bits together.
            let mut lanes = part[0];
            for more in &part[1..] {
                lanes = _mm256_add_epi32(lanes, *more);
            }
            let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
            let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1));
            let all = _mm256_add_epi64(low, high);
            let (low, high) = (
                _mm256_castsi256_si128(all),
                _mm256_extracti128_si256(all, 1),
            );
            let both = _mm_add_epi64(low, high);
            let total = _mm_cvtsi128_si64(both) + _mm_extract_epi64(both, 1);
            sum.add(total.into());
        }
    }
}
