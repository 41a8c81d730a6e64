//! Numbers of several groups side by side: one lane for each group.
//!
//! A sum over a group has to be taken in order, so a group cannot be spread over a vector register.
//! But groups do not know of each other. With the n-th weights of 8 or 16 groups in one register
//! every lane is a plain sequential computation.
//!
//! Searches are written once over [`Lanes`]. [`Plain`] arrays are what the codecs search with;
//! kernels bring registers of their instruction set, which a [`Pair`] makes twice as wide. Functions
//! over lanes are `#[inline(always)]` up to the entry point of a kernel, and hand no lanes to
//! closures: what is not inlined loses the instruction set.

mod pair;
mod plain;

use std::ops::{Add, Div, Mul, Neg, Sub};

#[cfg(target_arch = "x86_64")]
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
}

/// The least number that [`Lanes::level`] can hold at: no number at all is below it.
pub(in crate::quant) const NO_BOTTOM: f32 = -4_194_304.0;

/// Answers, one for each lane.
pub(in crate::quant) trait Mask<L>: Copy {
    /// Lanes of `yes` where the answer is yes, of `no` elsewhere.
    fn choose(self, yes: L, no: L) -> L;

    /// The opposite answers.
    fn not(self) -> Self;

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
    for (i, row) in rows[..L::COUNT].iter_mut().enumerate() {
        let groups = blocks[first + i / (LEN / N)].as_chunks::<N>().0;
        *row = &groups[i % (LEN / N)];
    }
    L::transpose(&rows)
}

/// The sum of the squares of each row, from the first to the last. All rows are of one length, a
/// multiple of 8.
#[inline(always)]
pub(in crate::quant) fn sums_of_squares<L: Lanes>(rows: &[&[f32]; MOST]) -> L {
    let mut sum = L::all(0.0);
    for part in 0..rows[0].len() / 8 {
        let mut eights = [&[0.0; 8]; MOST];
        for (eight, row) in eights[..L::COUNT].iter_mut().zip(rows) {
            *eight = &row.as_chunks().0[part];
        }
        for x in L::transpose(&eights) {
            sum = sum + x * x;
        }
    }
    sum
}

/// Squares of all numbers.
#[inline(always)]
pub(in crate::quant) fn squares<L: Lanes, const N: usize>(numbers: &[L; N]) -> [L; N] {
    let mut squares = *numbers;
    for x in &mut squares {
        *x = *x * *x;
    }
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
    for (price, &x) in price.iter_mut().zip(weights) {
        *price = *price * (variance + x * x).sqrt();
    }
    price
}

/// Sums of all numbers, from the first to the last.
#[inline(always)]
pub(in crate::quant) fn sum<L: Lanes, const N: usize>(numbers: &[L; N]) -> L {
    let mut sum = L::all(0.0);
    for &x in numbers {
        sum = sum + x;
    }
    sum
}
