//! Numbers of several groups side by side: one lane for each group.
//!
//! A sum over a group has to be taken in order, so a group cannot be spread over a vector register.
//! But groups do not know of each other. With the n-th weights of 8 or 16 groups in one register
//! every lane is a plain sequential computation.
//!
//! Searches are written once over [`Lanes`]. [`Plain`] arrays are what the codecs search with;
//! kernels bring registers of their instruction set, which a [`Pair`] makes twice as wide. Functions
//! over lanes are `#[inline(always)]` up to the entry point of a kernel, hand no lanes to closures, and
//! loop with [`each!`]: what is not inlined, be it the step of an iterator, loses the instruction set.

#[cfg(test)]
pub(in crate::quant) mod check;
#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
mod pair;
mod plain;

/// `each!(n < N => { … })` counts `n` from 0: a loop that calls nothing.
macro_rules! each {
    ($n:ident < $end:expr => $body:block) => {{
        let mut $n = 0;
        while $n < $end {
            $body
            $n += 1;
        }
    }};
}

pub(in crate::quant) use each;

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::quant::nonlinear;
use crate::quant::rounding::WHOLE;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(in crate::quant) use self::pair::Pair;
pub(in crate::quant) use self::plain::Plain;

/// The most lanes that any type has.
pub(in crate::quant) const MOST: usize = 16;

/// Numbers, one of each group. Arithmetic goes lane by lane and rounds as that of `f32`.
pub(in crate::quant) trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// How many there are: 16 at most.
    const COUNT: usize;

    /// Answers to a question about each lane.
    type Mask: Mask<Self>;

    /// The same number in all lanes.
    fn all(x: f32) -> Self;

    /// The first [`COUNT`](Self::COUNT) of some numbers.
    fn load(numbers: &[f32; MOST]) -> Self;

    /// The numbers, then zeros.
    fn spill(self) -> [f32; MOST];

    /// Rows, turned so that the n-th numbers of the first [`COUNT`](Self::COUNT) stand together.
    /// `N` is a multiple of 8.
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N];

    /// Which lanes are below those of `other`; none where either is NaN.
    fn below(self, other: Self) -> Self::Mask;

    /// Which lanes equal those of `other`; none where either is NaN.
    fn equals(self, other: Self) -> Self::Mask;

    /// The lesser number; that of `other` where they are equal or either is NaN.
    fn lesser(self, other: Self) -> Self;

    /// The greater number; that of `other` where they are equal or either is NaN.
    fn greater(self, other: Self) -> Self;

    /// Magnitudes.
    fn abs(self) -> Self;

    /// Square roots.
    fn sqrt(self) -> Self;

    /// The low byte of [`nearest`](crate::quant::rounding::nearest) of any number, from 0 to 255.
    fn low_byte(self) -> Self;

    /// [`nearest`](crate::quant::rounding::nearest) of any number, then held between `bottom` and
    /// `top`, whole numbers within 2²².
    fn level(self, bottom: f32, top: f32) -> Self;

    /// [`level`](Self::level) of numbers within [`NEAR`]; any number for others.
    #[inline(always)]
    fn near_level(self, bottom: f32, top: f32) -> Self {
        let sum = self + Self::all(WHOLE);
        let level = sum.greater(Self::all(WHOLE + bottom));
        level.lesser(Self::all(WHOLE + top)) - Self::all(WHOLE)
    }

    /// Whole numbers from 0 to 255, then zeros.
    fn bytes(self) -> [u8; MOST];

    /// The level of `iq4_nl` that each number belongs to.
    #[inline(always)]
    fn nonlinear_level(self) -> Self {
        nonlinear::level(self)
    }

    /// The value of the level of `iq4_nl` that each number belongs to.
    #[inline(always)]
    fn nonlinear(self) -> Self {
        nonlinear::value(self)
    }
}

/// What [`Lanes::near_level`] rounds is below this, and its opposite above.
pub(in crate::quant) const NEAR: f32 = 2_097_152.0;

/// The least number that [`Lanes::level`] can hold at: no number at all is below it.
pub(in crate::quant) const NO_BOTTOM: f32 = -4_194_304.0;

/// Answers, one for each lane.
pub(in crate::quant) trait Mask<L>: Copy {
    /// Lanes of `yes` where the answer is yes, of `no` elsewhere.
    fn choose(self, yes: L, no: L) -> L;

    /// The opposite answers.
    fn not(self) -> Self;

    /// Yes where either says yes.
    fn or(self, other: Self) -> Self;

    /// Yes where both say yes.
    fn and(self, other: Self) -> Self;

    /// Whether any answer is yes.
    fn any(self) -> bool;
}

/// The groups of `N` weights of some blocks, from block `first` on, turned so that the n-th weights of
/// all groups stand together.
#[inline(always)]
pub(in crate::quant) fn groups<L: Lanes, const N: usize, const LEN: usize>(
    blocks: &[&[f32; LEN]; MOST],
    first: usize,
) -> [L; N] {
    let mut rows = [&[0.0; N]; MOST];
    each!(i < L::COUNT => {
        let groups = blocks[first + i / (LEN / N)].as_chunks::<N>().0;
        rows[i] = &groups[i % (LEN / N)];
    });
    L::transpose(&rows)
}

/// What [`levels`] makes of a weight: `nearest((weight + add) / scale)`, held between `bottom` and
/// `top`, less `bottom`.
#[derive(Debug, Clone, Copy)]
pub(in crate::quant) struct Rounding {
    pub add: f32,
    pub scale: f32,
    pub bottom: f32,
    pub top: f32,
}

/// The levels of some weights, any of which may go side by side. `N` is a multiple of 16.
#[inline(always)]
pub(in crate::quant) fn levels<L: Lanes, const N: usize>(
    weights: &[f32; N],
    rounding: Rounding,
) -> [u8; N] {
    let (add, scale) = (L::all(rounding.add), L::all(rounding.scale));
    let mut levels = [0; N];
    each!(part < N / L::COUNT => {
        let numbers: L = part_of(weights, part);
        let level = ((numbers + add) / scale).level(rounding.bottom, rounding.top);
        let bytes = (level - L::all(rounding.bottom)).bytes();
        levels[part * L::COUNT..][..L::COUNT].copy_from_slice(&bytes[..L::COUNT]);
    });
    levels
}

/// As many numbers as there are lanes, from a multiple of that on.
#[inline(always)]
pub(in crate::quant) fn part_of<L: Lanes, const N: usize>(numbers: &[f32; N], part: usize) -> L {
    let mut some = [0.0; MOST];
    some[..L::COUNT].copy_from_slice(&numbers[part * L::COUNT..][..L::COUNT]);
    L::load(&some)
}

/// The sum of the squares of each row, from the first to the last. All rows are of one length, a
/// multiple of 8.
#[inline(always)]
pub(in crate::quant) fn sums_of_squares<L: Lanes>(rows: &[&[f32]; MOST]) -> L {
    let mut sum = L::all(0.0);
    each!(part < rows[0].len() / 8 => {
        let mut eights = [&[0.0; 8]; MOST];
        each!(i < L::COUNT => {
            eights[i] = &rows[i].as_chunks().0[part];
        });
        let columns: [L; 8] = L::transpose(&eights);
        each!(n < 8 => {
            sum = sum + columns[n] * columns[n];
        });
    });
    sum
}

/// Squares of all numbers.
#[inline(always)]
pub(in crate::quant) fn squares<L: Lanes, const N: usize>(numbers: &[L; N]) -> [L; N] {
    let mut squares = *numbers;
    each!(n < N => {
        squares[n] = squares[n] * squares[n];
    });
    squares
}

/// What each weight matters times the root of its square and the variance around it.
#[inline(always)]
pub(in crate::quant) fn price<L: Lanes, const N: usize>(
    importance: &[L; N],
    weights: &[L; N],
    variance: L,
) -> [L; N] {
    let mut price = *importance;
    each!(n < N => {
        price[n] = price[n] * (variance + weights[n] * weights[n]).sqrt();
    });
    price
}

/// Sums of all numbers, from the first to the last.
#[inline(always)]
pub(in crate::quant) fn sum<L: Lanes, const N: usize>(numbers: &[L; N]) -> L {
    let mut sum = L::all(0.0);
    each!(n < N => {
        sum = sum + numbers[n];
    });
    sum
}
