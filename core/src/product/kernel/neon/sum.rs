//! Sums of products, a register of them at a time.

use std::arch::aarch64::*;

use super::super::super::sums::Twofold;

/// Sums of products. Every processor that this is compiled for has the instructions.
pub(super) trait Sum: Copy {
    /// A register of numbers.
    type Lane: Copy;

    /// No sums.
    fn zero() -> Self;

    /// Adds products.
    fn add(self, x: Self::Lane, y: Self::Lane) -> Self;

    /// The difference of two registers.
    fn difference(x: Self::Lane, y: Self::Lane) -> Self::Lane;

    /// Both sums together, place by place.
    fn merged(self, other: Self) -> Self;

    /// The sum of all places.
    fn total(self) -> Twofold;
}

/// Calls an intrinsic that touches no memory.
macro_rules! call {
    ($intrinsic:ident $(::<$n:tt>)? ($($argument:expr),*)) => {
        // SAFETY: every processor that this is compiled for has the instruction.
        unsafe { $intrinsic $(::<$n>)? ($($argument),*) }
    };
}

/// `float64`.
#[derive(Clone, Copy)]
pub(super) struct Doubles(float64x2_t);

impl Sum for Doubles {
    type Lane = float64x2_t;

    #[inline(always)]
    fn zero() -> Self {
        Doubles(call!(vdupq_n_f64(0.0)))
    }

    #[inline(always)]
    fn add(self, x: float64x2_t, y: float64x2_t) -> Self {
        Doubles(call!(vfmaq_f64(self.0, x, y)))
    }

    #[inline(always)]
    fn difference(x: float64x2_t, y: float64x2_t) -> float64x2_t {
        call!(vsubq_f64(x, y))
    }

    #[inline(always)]
    fn merged(self, other: Self) -> Self {
        Doubles(call!(vaddq_f64(self.0, other.0)))
    }

    #[inline(always)]
    fn total(self) -> Twofold {
        let hi = call!(vaddvq_f64(self.0));
        Twofold { hi, lo: 0.0 }
    }
}

/// `float32`, brought together in `float64`.
#[derive(Clone, Copy)]
pub(super) struct Singles(float32x4_t);

impl Sum for Singles {
    type Lane = float32x4_t;

    #[inline(always)]
    fn zero() -> Self {
        Singles(call!(vdupq_n_f32(0.0)))
    }

    #[inline(always)]
    fn add(self, x: float32x4_t, y: float32x4_t) -> Self {
        Singles(call!(vfmaq_f32(self.0, x, y)))
    }

    #[inline(always)]
    fn difference(x: float32x4_t, y: float32x4_t) -> float32x4_t {
        call!(vsubq_f32(x, y))
    }

    #[inline(always)]
    fn merged(self, other: Self) -> Self {
        Singles(call!(vaddq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn total(self) -> Twofold {
        let low = call!(vget_low_f32(self.0));
        let low = call!(vcvt_f64_f32(low));
        let high = call!(vcvt_high_f64_f32(self.0));
        Doubles(low).merged(Doubles(high)).total()
    }
}

/// `float64` with what its roundings leave out: a plain sum and a correction.
#[derive(Clone, Copy)]
pub(super) struct Compensated(float64x2_t, float64x2_t);

impl Compensated {
    /// Adds numbers with a correction of their own.
    #[inline(always)]
    fn plus(self, x: float64x2_t, correction: float64x2_t) -> Self {
        let Compensated(hi, lo) = self;
        let sum = call!(vaddq_f64(hi, x));
        let part = call!(vsubq_f64(sum, hi));
        let rest = call!(vsubq_f64(sum, part));
        let from_sum = call!(vsubq_f64(hi, rest));
        let from_part = call!(vsubq_f64(x, part));
        let lost = call!(vaddq_f64(from_sum, from_part));
        let lo = call!(vaddq_f64(lo, correction));
        Compensated(sum, call!(vaddq_f64(lo, lost)))
    }
}

impl Sum for Compensated {
    type Lane = float64x2_t;

    #[inline(always)]
    fn zero() -> Self {
        Compensated(call!(vdupq_n_f64(0.0)), call!(vdupq_n_f64(0.0)))
    }

    #[inline(always)]
    fn add(self, x: float64x2_t, y: float64x2_t) -> Self {
        let product = call!(vmulq_f64(x, y));
        let negative = call!(vnegq_f64(product));
        // What the product was rounded by.
        self.plus(product, call!(vfmaq_f64(negative, x, y)))
    }

    #[inline(always)]
    fn difference(x: float64x2_t, y: float64x2_t) -> float64x2_t {
        call!(vsubq_f64(x, y))
    }

    #[inline(always)]
    fn merged(self, other: Self) -> Self {
        self.plus(other.0, other.1)
    }

    #[inline(always)]
    fn total(self) -> Twofold {
        let mut sum = Twofold {
            hi: call!(vgetq_lane_f64::<0>(self.0)),
            lo: call!(vgetq_lane_f64::<0>(self.1)),
        };
        sum.merge(Twofold {
            hi: call!(vgetq_lane_f64::<1>(self.0)),
            lo: call!(vgetq_lane_f64::<1>(self.1)),
        });
        sum
    }
}
