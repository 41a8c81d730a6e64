//! Sums of products, a register of them at a time.

use std::arch::asm;
use std::arch::x86_64::*;

use super::super::super::sums::Twofold;

/// Sums of products.
pub(super) trait Sum: Copy {
    /// A register of numbers.
    type Lane: Copy;
    /// What the additions need to be at hand.
    type Hand: Copy;

    /// # Safety
    /// The processor has AVX2 and FMA; so it is everywhere here.
    unsafe fn hand() -> Self::Hand;

    /// No sums.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn zero() -> Self;

    /// Adds products.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn add(self, x: Self::Lane, y: Self::Lane, hand: Self::Hand) -> Self;

    /// Adds squares. By default they are products as any other.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    #[inline(always)]
    unsafe fn add_squares(self, x: Self::Lane, hand: Self::Hand) -> Self {
        // SAFETY: the caller says that the instructions exist.
        unsafe { self.add(x, x, hand) }
    }

    /// The difference of two registers.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn difference(x: Self::Lane, y: Self::Lane) -> Self::Lane;

    /// The register with neighbours exchanged.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn swapped(x: Self::Lane) -> Self::Lane;

    /// Both sums together, place by place.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn merged(self, other: Self) -> Self;

    /// The sums at even and at odd places.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn split(self) -> [Twofold; 2];

    /// The sum of all places.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn total(self) -> Twofold;

    /// Adds the number to the sum at the first place.
    ///
    /// # Safety
    /// As [`Sum::hand`].
    unsafe fn with(self, x: f32) -> Self;
}

/// All sums together, place by place: the first of them afterwards.
///
/// # Safety
/// The processor has AVX2 and FMA.
#[inline(always)]
pub(super) unsafe fn merge<S: Sum>(sums: &mut [S]) -> S {
    let mut width = sums.len();
    while width > 1 {
        let half = width / 2;
        for i in 0..half {
            // SAFETY: the caller says that the instructions exist.
            sums[i] = unsafe { sums[i].merged(sums[width - half + i]) };
        }
        width -= half;
    }
    sums[0]
}

/// `float64`.
#[derive(Clone, Copy)]
pub(super) struct Doubles(__m256d);

impl Sum for Doubles {
    type Lane = __m256d;
    type Hand = ();

    #[inline(always)]
    unsafe fn hand() {}

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn zero() -> Self {
        Doubles(_mm256_setzero_pd())
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add(self, x: __m256d, y: __m256d, (): ()) -> Self {
        Doubles(_mm256_fmadd_pd(x, y, self.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn difference(x: __m256d, y: __m256d) -> __m256d {
        _mm256_sub_pd(x, y)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn swapped(x: __m256d) -> __m256d {
        _mm256_permute_pd(x, 0b0101)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn merged(self, other: Self) -> Self {
        Doubles(_mm256_add_pd(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn split(self) -> [Twofold; 2] {
        let low = _mm256_castpd256_pd128(self.0);
        let both = _mm_add_pd(low, _mm256_extractf128_pd(self.0, 1));
        let even = _mm_cvtsd_f64(both);
        let odd = _mm_cvtsd_f64(_mm_unpackhi_pd(both, both));
        [even, odd].map(|hi| Twofold { hi, lo: 0.0 })
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn total(self) -> Twofold {
        // SAFETY: the caller says that the instructions exist.
        let [even, odd] = unsafe { self.split() };
        Twofold {
            hi: even.hi + odd.hi,
            lo: 0.0,
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn with(self, x: f32) -> Self {
        let first = _mm256_set_pd(0.0, 0.0, 0.0, x.into());
        Doubles(_mm256_add_pd(self.0, first))
    }
}

/// `float32`, brought together in `float64`.
#[derive(Clone, Copy)]
pub(super) struct Singles(__m256);

impl Sum for Singles {
    type Lane = __m256;
    type Hand = ();

    #[inline(always)]
    unsafe fn hand() {}

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn zero() -> Self {
        Singles(_mm256_setzero_ps())
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add(self, x: __m256, y: __m256, (): ()) -> Self {
        Singles(_mm256_fmadd_ps(x, y, self.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn difference(x: __m256, y: __m256) -> __m256 {
        _mm256_sub_ps(x, y)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn swapped(x: __m256) -> __m256 {
        _mm256_permute_ps(x, 0b10_11_00_01)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn merged(self, other: Self) -> Self {
        Singles(_mm256_add_ps(self.0, other.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn split(self) -> [Twofold; 2] {
        let low = _mm256_cvtps_pd(_mm256_castps256_ps128(self.0));
        let high = _mm256_cvtps_pd(_mm256_extractf128_ps(self.0, 1));
        let both = Doubles(_mm256_add_pd(low, high));
        // SAFETY: the caller says that the instructions exist.
        unsafe { both.split() }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn total(self) -> Twofold {
        // SAFETY: the caller says that the instructions exist.
        let [even, odd] = unsafe { self.split() };
        Twofold {
            hi: even.hi + odd.hi,
            lo: 0.0,
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn with(self, x: f32) -> Self {
        let first = _mm256_castps128_ps256(_mm_set_ss(x));
        Singles(_mm256_add_ps(
            self.0,
            _mm256_blend_ps(_mm256_setzero_ps(), first, 1),
        ))
    }
}

/// `float64` with what its roundings leave out: a plain sum and a correction.
#[derive(Clone, Copy)]
pub(super) struct Compensated(__m256d, __m256d);

impl Compensated {
    /// Adds numbers with a correction of their own.
    ///
    /// Half of the additions of the corrections go to the units that multiply: those that add would be the bottleneck.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    fn plus(self, x: __m256d, correction: __m256d, one: __m256d) -> Self {
        let Compensated(hi, lo) = self;
        let sum = _mm256_add_pd(hi, x);
        let part = _mm256_sub_pd(sum, hi);
        let from_sum = _mm256_sub_pd(hi, _mm256_sub_pd(sum, part));
        let from_part = _mm256_sub_pd(x, part);
        let lost = _mm256_fmadd_pd(one, from_sum, correction);
        let lo = _mm256_fmadd_pd(one, from_part, lo);
        Compensated(sum, _mm256_fmadd_pd(one, lost, lo))
    }
}

impl Sum for Compensated {
    type Lane = __m256d;
    type Hand = __m256d;

    /// Ones that the compiler does not know to be such, or it would add after all.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn hand() -> __m256d {
        let mut one = _mm256_set1_pd(1.0);
        // SAFETY: no instruction at all.
        unsafe {
            asm!("/* {0} */", inout(ymm_reg) one, options(pure, nomem, nostack, preserves_flags))
        };
        one
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn zero() -> Self {
        Compensated(_mm256_setzero_pd(), _mm256_setzero_pd())
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add(self, x: __m256d, y: __m256d, one: __m256d) -> Self {
        let Compensated(hi, lo) = self;
        let sum = _mm256_add_pd(hi, _mm256_mul_pd(x, y));
        let part = _mm256_sub_pd(sum, hi);
        let from_sum = _mm256_sub_pd(hi, _mm256_sub_pd(sum, part));
        // All of the product but the part of it that reached the sum: what its own rounding left out, too.
        let from_product = _mm256_fmsub_pd(x, y, part);
        // What is lost is put together before it reaches the correction: that is one step there instead of two.
        let lost = _mm256_fmadd_pd(one, from_sum, from_product);
        Compensated(sum, _mm256_fmadd_pd(one, lost, lo))
    }

    /// Sums of squares only grow, so that what is added is smaller than the sum but for the first few: its lower half
    /// is then found in four steps instead of ten.
    ///
    /// A square that is greater than the sum before it may lose up to half a unit in its own last place; each such at least
    /// doubles the sum, so together they lose less than a unit in the last place of the result.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_squares(self, x: __m256d, _: __m256d) -> Self {
        let Compensated(hi, lo) = self;
        let sum = _mm256_fmadd_pd(x, x, hi);
        let part = _mm256_sub_pd(sum, hi);
        let lost = _mm256_fmsub_pd(x, x, part);
        Compensated(sum, _mm256_add_pd(lo, lost))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn difference(x: __m256d, y: __m256d) -> __m256d {
        _mm256_sub_pd(x, y)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn swapped(x: __m256d) -> __m256d {
        _mm256_permute_pd(x, 0b0101)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn merged(self, other: Self) -> Self {
        self.plus(other.0, other.1, _mm256_set1_pd(1.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn split(self) -> [Twofold; 2] {
        let halves = |x: __m256d| {
            let (low, high) = (_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
            let upper = |x: __m128d| _mm_cvtsd_f64(_mm_unpackhi_pd(x, x));
            [
                [_mm_cvtsd_f64(low), upper(low)],
                [_mm_cvtsd_f64(high), upper(high)],
            ]
        };
        let ([low_hi, high_hi], [low_lo, high_lo]) = (halves(self.0), halves(self.1));
        [0, 1].map(|i| {
            let mut sum = Twofold {
                hi: low_hi[i],
                lo: low_lo[i],
            };
            sum.merge(Twofold {
                hi: high_hi[i],
                lo: high_lo[i],
            });
            sum
        })
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn total(self) -> Twofold {
        // SAFETY: the caller says that the instructions exist.
        let [even, odd] = unsafe { self.split() };
        let mut both = even;
        both.merge(odd);
        both
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn with(self, x: f32) -> Self {
        let first = _mm256_set_pd(0.0, 0.0, 0.0, x.into());
        self.plus(first, _mm256_setzero_pd(), _mm256_set1_pd(1.0))
    }
}
