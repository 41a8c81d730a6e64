//! Lanes in arrays, for any processor.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lanes, MOST, Mask};
use crate::quant::rounding::nearest;

/// `L` numbers. The compiler makes of them what vector instructions the target has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::quant) struct Plain<const L: usize>(pub [f32; L]);

/// `L` answers.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct PlainMask<const L: usize>([bool; L]);

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $op:tt),*) => {$(
        impl<const L: usize> $trait for Plain<L> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Plain(from_fn(|lane| self.0[lane] $op other.0[lane]))
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const L: usize> Neg for Plain<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Plain(self.0.map(|x| -x))
    }
}

impl<const L: usize> Lanes for Plain<L> {
    const COUNT: usize = L;
    type Mask = PlainMask<L>;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Self::load(&[x; MOST])
    }

    #[inline(always)]
    fn load(numbers: &[f32; MOST]) -> Self {
        Plain(from_fn(|lane| numbers[lane]))
    }

    #[inline(always)]
    fn spill(self) -> [f32; MOST] {
        let mut numbers = [0.0; MOST];
        numbers[..L].copy_from_slice(&self.0);
        numbers
    }

    #[inline(always)]
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N] {
        from_fn(|n| Plain(from_fn(|lane| rows[lane][n])))
    }

    #[inline(always)]
    fn below(self, other: Self) -> PlainMask<L> {
        PlainMask(from_fn(|lane| self.0[lane] < other.0[lane]))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> PlainMask<L> {
        PlainMask(from_fn(|lane| self.0[lane] == other.0[lane]))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        self.below(other).choose(self, other)
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        other.below(self).choose(self, other)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Plain(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Plain(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn level(self, bottom: f32, top: f32) -> Self {
        // Integers below 2²⁴ are exact as floats, and floats have cheap minima on every processor.
        Plain(self.0.map(|x| {
            let level = nearest(x) as f32;
            let level = if level > bottom { level } else { bottom };
            if level < top { level } else { top }
        }))
    }
}

impl<const L: usize> Mask<Plain<L>> for PlainMask<L> {
    #[inline(always)]
    fn choose(self, yes: Plain<L>, no: Plain<L>) -> Plain<L> {
        Plain(from_fn(|lane| {
            if self.0[lane] {
                yes.0[lane]
            } else {
                no.0[lane]
            }
        }))
    }

    #[inline(always)]
    fn not(self) -> Self {
        PlainMask(self.0.map(|yes| !yes))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        PlainMask(from_fn(|lane| self.0[lane] & other.0[lane]))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(false, |any, yes| any | yes)
    }
}
