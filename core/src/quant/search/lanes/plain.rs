//! Lanes in arrays, for any processor.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lanes, MOST, Mask, each};
use crate::quant::rounding::nearest;

/// `L` numbers. The compiler makes of them what vector instructions the target has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::quant) struct Plain<const L: usize>(pub [f32; L]);

/// `L` answers.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct PlainMask<const L: usize>([bool; L]);

/// An array of `L` expressions of a lane.
macro_rules! lanes {
    ($start:expr, $lane:ident => $result:expr) => {{
        let mut all = [$start; L];
        each!($lane < L => {
            all[$lane] = $result;
        });
        all
    }};
}

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $op:tt),*) => {$(
        impl<const L: usize> $trait for Plain<L> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Plain(lanes!(0.0, lane => self.0[lane] $op other.0[lane]))
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const L: usize> Neg for Plain<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Plain(lanes!(0.0, lane => -self.0[lane]))
    }
}

impl<const L: usize> Lanes for Plain<L> {
    const COUNT: usize = L;
    type Mask = PlainMask<L>;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Plain([x; L])
    }

    #[inline(always)]
    fn load(numbers: &[f32; MOST]) -> Self {
        Plain(lanes!(0.0, lane => numbers[lane]))
    }

    #[inline(always)]
    fn spill(self) -> [f32; MOST] {
        let mut numbers = [0.0; MOST];
        numbers[..L].copy_from_slice(&self.0);
        numbers
    }

    #[inline(always)]
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N] {
        let mut columns = [Plain([0.0; L]); N];
        each!(n < N => {
            columns[n] = Plain(lanes!(0.0, lane => rows[lane][n]));
        });
        columns
    }

    #[inline(always)]
    fn below(self, other: Self) -> PlainMask<L> {
        PlainMask(lanes!(false, lane => self.0[lane] < other.0[lane]))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> PlainMask<L> {
        PlainMask(lanes!(false, lane => self.0[lane] == other.0[lane]))
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
        Plain(lanes!(0.0, lane => self.0[lane].abs()))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Plain(lanes!(0.0, lane => self.0[lane].sqrt()))
    }

    #[inline(always)]
    fn bytes(self) -> [u8; MOST] {
        let mut bytes = [0; MOST];
        each!(lane < L => {
            bytes[lane] = self.0[lane] as u8;
        });
        bytes
    }

    #[inline(always)]
    fn low_byte(self) -> Self {
        Plain(lanes!(0.0, lane => (nearest(self.0[lane]) & 0xff) as f32))
    }

    #[inline(always)]
    fn level(self, bottom: f32, top: f32) -> Self {
        // Integers below 2²⁴ are exact as floats, and floats have cheap minima on every processor.
        let level = Plain(lanes!(0.0, lane => nearest(self.0[lane]) as f32));
        level.greater(Self::all(bottom)).lesser(Self::all(top))
    }
}

impl<const L: usize> Mask<Plain<L>> for PlainMask<L> {
    #[inline(always)]
    fn choose(self, yes: Plain<L>, no: Plain<L>) -> Plain<L> {
        Plain(lanes!(0.0, lane => if self.0[lane] { yes.0[lane] } else { no.0[lane] }))
    }

    #[inline(always)]
    fn not(self) -> Self {
        PlainMask(lanes!(false, lane => !self.0[lane]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        PlainMask(lanes!(false, lane => self.0[lane] | other.0[lane]))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        PlainMask(lanes!(false, lane => self.0[lane] & other.0[lane]))
    }

    #[inline(always)]
    fn any(self) -> bool {
        let mut any = false;
        each!(lane < L => {
            any |= self.0[lane];
        });
        any
    }
}
