//! Numbers of several groups side by side: one lane for each group.
//!
//! A sum over a group has to be taken in order, so a group cannot be spread over a vector register.
//! But groups do not know of each other. With the n-th weights of 4, 8 or 16 groups in one register
//! every lane is a plain sequential computation, and the compiler sees arrays of fixed length,
//! which it turns into vector instructions.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::quant::rounding::nearest;

/// `L` numbers, one of each group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::quant) struct Lanes<const L: usize>(pub [f32; L]);

/// `L` answers.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Mask<const L: usize>([bool; L]);

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $op:tt),*) => {$(
        impl<const L: usize> $trait for Lanes<L> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes(from_fn(|lane| self.0[lane] $op other.0[lane]))
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const L: usize> Neg for Lanes<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(self.0.map(|x| -x))
    }
}

impl<const L: usize> Lanes<L> {
    /// The same number in all lanes.
    #[inline(always)]
    pub fn all(x: f32) -> Self {
        Lanes([x; L])
    }

    /// Which lanes are below those of `other`; none where either is NaN.
    #[inline(always)]
    pub fn below(self, other: Self) -> Mask<L> {
        Mask(from_fn(|lane| self.0[lane] < other.0[lane]))
    }

    /// Which lanes equal those of `other`.
    #[inline(always)]
    pub fn equals(self, other: Self) -> Mask<L> {
        Mask(from_fn(|lane| self.0[lane] == other.0[lane]))
    }

    /// Magnitudes.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Lanes(self.0.map(f32::abs))
    }

    /// Square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Lanes(self.0.map(f32::sqrt))
    }

    /// [`nearest`], then held between `bottom` and `top`, whole numbers both.
    #[inline(always)]
    pub fn level(self, bottom: f32, top: f32) -> Self {
        // Integers below 2²⁴ are exact as floats, and floats have cheap minima on every processor.
        Lanes(self.0.map(|x| {
            let level = nearest(x) as f32;
            let level = if level > bottom { level } else { bottom };
            if level < top { level } else { top }
        }))
    }
}

impl<const L: usize> Mask<L> {
    /// Lanes of `yes` where the answer is yes, of `no` elsewhere.
    #[inline(always)]
    pub fn choose(self, yes: Lanes<L>, no: Lanes<L>) -> Lanes<L> {
        Lanes(from_fn(|lane| {
            if self.0[lane] {
                yes.0[lane]
            } else {
                no.0[lane]
            }
        }))
    }

    /// The opposite answers.
    #[inline(always)]
    pub fn not(self) -> Self {
        Mask(self.0.map(|yes| !yes))
    }

    /// Whether any answer is yes.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(false, |any, yes| any | yes)
    }

    /// Yes where both say yes.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Mask(from_fn(|lane| self.0[lane] & other.0[lane]))
    }
}

/// The groups of `N` numbers that make up `numbers`, turned so that the n-th of all groups stand
/// together.
#[inline(always)]
pub(in crate::quant) fn transpose<const L: usize, const N: usize>(
    numbers: &[f32],
) -> [Lanes<L>; N] {
    from_fn(|n| Lanes(from_fn(|lane| numbers[lane * N + n])))
}
