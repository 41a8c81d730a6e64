//! Lanes twice as wide: two registers go through every step together, and fill the time that one
//! would wait for its last sum.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lanes, MOST, Mask, each};

/// The lower half of the lanes, then the upper one.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Pair<T>(T, T);

macro_rules! half_by_half {
    ($($trait:ident $method:ident),*) => {$(
        impl<L: Lanes> $trait for Pair<L> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Pair($trait::$method(self.0, other.0), $trait::$method(self.1, other.1))
            }
        }
    )*};
}

half_by_half!(Add add, Sub sub, Mul mul, Div div);

impl<L: Lanes> Neg for Pair<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Pair(-self.0, -self.1)
    }
}

impl<L: Lanes> Lanes for Pair<L> {
    const COUNT: usize = 2 * L::COUNT;
    type Mask = Pair<L::Mask>;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Pair(L::all(x), L::all(x))
    }

    #[inline(always)]
    fn load(numbers: &[f32; MOST]) -> Self {
        Pair(L::load(numbers), L::load(&upper(numbers, 0.0, L::COUNT)))
    }

    #[inline(always)]
    fn spill(self) -> [f32; MOST] {
        let mut numbers = self.0.spill();
        let upper = self.1.spill();
        numbers[L::COUNT..2 * L::COUNT].copy_from_slice(&upper[..L::COUNT]);
        numbers
    }

    #[inline(always)]
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N] {
        let low = L::transpose(rows);
        let high = L::transpose(&upper(rows, rows[0], L::COUNT));
        let mut both = [Pair(low[0], high[0]); N];
        each!(n < N => {
            both[n] = Pair(low[n], high[n]);
        });
        both
    }

    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        Pair(self.0.below(other.0), self.1.below(other.1))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        Pair(self.0.equals(other.0), self.1.equals(other.1))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Pair(self.0.lesser(other.0), self.1.lesser(other.1))
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Pair(self.0.greater(other.0), self.1.greater(other.1))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Pair(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Pair(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn bytes(self) -> [u8; MOST] {
        let mut bytes = self.0.bytes();
        let upper = self.1.bytes();
        bytes[L::COUNT..2 * L::COUNT].copy_from_slice(&upper[..L::COUNT]);
        bytes
    }

    #[inline(always)]
    fn low_byte(self) -> Self {
        Pair(self.0.low_byte(), self.1.low_byte())
    }

    #[inline(always)]
    fn level(self, bottom: f32, top: f32) -> Self {
        Pair(self.0.level(bottom, top), self.1.level(bottom, top))
    }

    #[inline(always)]
    fn nonlinear_level(self) -> Self {
        Pair(self.0.nonlinear_level(), self.1.nonlinear_level())
    }

    #[inline(always)]
    fn nonlinear(self) -> Self {
        Pair(self.0.nonlinear(), self.1.nonlinear())
    }
}

impl<L: Lanes, M: Mask<L>> Mask<Pair<L>> for Pair<M> {
    #[inline(always)]
    fn choose(self, yes: Pair<L>, no: Pair<L>) -> Pair<L> {
        Pair(self.0.choose(yes.0, no.0), self.1.choose(yes.1, no.1))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Pair(self.0.not(), self.1.not())
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Pair(self.0.or(other.0), self.1.or(other.1))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Pair(self.0.and(other.0), self.1.and(other.1))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.any() | self.1.any()
    }
}

/// What stands behind the first `count` things, then `rest`.
#[inline(always)]
fn upper<T: Copy>(all: &[T; MOST], rest: T, count: usize) -> [T; MOST] {
    let mut upper = [rest; MOST];
    upper[..MOST - count].copy_from_slice(&all[count..]);
    upper
}

#[cfg(test)]
mod tests {
    use super::super::{Plain, check};
    use super::*;

    #[test]
    fn halves_give_what_the_whole_gives() {
        check::against_arrays(check::results::<Pair<Plain<8>>>);
        check::rows_are_turned(check::turned::<Pair<Plain<8>>>);
    }
}
