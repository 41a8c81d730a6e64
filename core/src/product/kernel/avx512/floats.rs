//! Sums of 8-bit floats: looked up as `bfloat16`, which holds all of them, and multiplied two by two.
//!
//! Their products are exact in `float32`, and no sum of them is subnormal: so it does not matter that the unit flushes such. There is no
//! processor with BF16 where this was written: it was compiled for one, and checked with the unit in [`model`](super::model).

use std::marker::PhantomData;

use super::super::super::sums::Twofold;
use super::super::run::Body;
use super::unit::{Hardware, Unit, WIDTH};
use crate::quant::float8::{E4M3FN, E5M2, Float8};

/// A format of 8-bit floats.
pub(super) trait Format {
    /// The lower and the upper bytes of the numbers without a sign, as `bfloat16`.
    const TABLES: [&'static [u8; 128]; 2];
}

/// `float8_e4m3fn`.
pub(super) struct E4m3;

impl Format for E4m3 {
    const TABLES: [&'static [u8; 128]; 2] = [&tables(E4M3FN)[0], &tables(E4M3FN)[1]];
}

/// `float8_e5m2`.
pub(super) struct E5m2;

impl Format for E5m2 {
    const TABLES: [&'static [u8; 128]; 2] = [&tables(E5M2)[0], &tables(E5M2)[1]];
}

const fn tables(format: Float8) -> [[u8; 128]; 2] {
    let mut tables = [[0; 128]; 2];
    let mut byte = 0;
    while byte < 128 {
        // The lower half is zero: no number has more than four bits, and NaN only the uppermost one.
        let [_, _, lower, upper] = format.to_f32(byte as u8).to_bits().to_le_bytes();
        tables[0][byte] = lower;
        tables[1][byte] = upper;
        byte += 1;
    }
    tables
}

/// What numbers add to which sums.
pub(super) trait Step {
    /// How many sums there are.
    const SUMS: usize;

    /// Adds two registers of `bfloat16` of each side.
    ///
    /// # Safety
    /// The processor has what the unit needs.
    unsafe fn step<U: Unit>(sums: &mut Sums<U>, x: [U::Bytes; 2], y: [U::Bytes; 2]);
}

/// Up to three sums, in two parts, so that additions do not wait for each other.
type Sums<U> = [[<U as Unit>::Singles; 2]; 3];

/// Of products.
pub(super) struct Products;

impl Step for Products {
    const SUMS: usize = 1;

    #[inline(always)]
    unsafe fn step<U: Unit>(sums: &mut Sums<U>, x: [U::Bytes; 2], y: [U::Bytes; 2]) {
        for k in 0..2 {
            // SAFETY: the caller says that the instructions exist.
            sums[0][k] = unsafe { U::add_pairs(sums[0][k], x[k], y[k]) };
        }
    }
}

/// Of squares of differences, which have more bits than `bfloat16`.
pub(super) struct Squares;

impl Step for Squares {
    const SUMS: usize = 1;

    #[inline(always)]
    unsafe fn step<U: Unit>(sums: &mut Sums<U>, x: [U::Bytes; 2], y: [U::Bytes; 2]) {
        for k in 0..2 {
            // SAFETY: the caller says that the instructions exist.
            let (x, y) = (unsafe { U::widen(x[k]) }, unsafe { U::widen(y[k]) });
            for k in 0..2 {
                // SAFETY: as above.
                sums[0][k] = unsafe { U::add_squares(sums[0][k], x[k], y[k]) };
            }
        }
    }
}

/// Of products and of squares of each side.
pub(super) struct Angles;

impl Step for Angles {
    const SUMS: usize = 3;

    #[inline(always)]
    unsafe fn step<U: Unit>(sums: &mut Sums<U>, x: [U::Bytes; 2], y: [U::Bytes; 2]) {
        for k in 0..2 {
            let pairs = [(x[k], y[k]), (x[k], x[k]), (y[k], y[k])];
            for (sum, (x, y)) in sums.iter_mut().zip(pairs) {
                // SAFETY: the caller says that the instructions exist.
                sum[k] = unsafe { U::add_pairs(sum[k], x, y) };
            }
        }
    }
}

/// Sums of numbers of a format, on a unit.
pub(super) struct Floats<U, F, S>(PhantomData<(U, F, S)>);

impl<U: Unit, F: Format, S: Step> Floats<U, F, S> {
    /// The numbers of 64 bytes.
    ///
    /// # Safety
    /// The processor has what the unit needs; so it is everywhere here.
    #[inline(always)]
    unsafe fn numbers([lower, upper]: [[U::Bytes; 2]; 2], bytes: &[u8]) -> [U::Bytes; 2] {
        // SAFETY: the caller says that the instructions exist.
        let bytes = unsafe { U::load(bytes) };
        // SAFETY: as above.
        let lower = unsafe { U::look_up(lower, bytes) };
        // SAFETY: as above.
        let upper = unsafe { U::look_up(upper, bytes) };
        // SAFETY: as above.
        let upper = unsafe { U::with_signs(upper, bytes) };
        // SAFETY: as above.
        unsafe { U::zip(lower, upper) }
    }

    /// A table of the format in registers.
    #[inline(always)]
    unsafe fn table(table: &[u8; 128]) -> [U::Bytes; 2] {
        let (first, second) = table.split_at(WIDTH);
        // SAFETY: the caller says that the instructions exist.
        [unsafe { U::load(first) }, unsafe { U::load(second) }]
    }

    /// No sums, twice: steps take turns.
    #[inline(always)]
    unsafe fn nothing() -> [Sums<U>; 2] {
        // SAFETY: the caller says that the instructions exist.
        [[[unsafe { U::zeros() }; 2]; 3]; 2]
    }

    /// Adds packed numbers.
    #[inline(always)]
    unsafe fn add_all(state: &mut [Sums<U>; 2], a: &[u8], b: &[u8]) {
        let [lower, upper] = F::TABLES;
        // SAFETY: the caller says that the instructions exist.
        let tables = [unsafe { Self::table(lower) }, unsafe { Self::table(upper) }];
        let [mut first, mut second] = *state;
        for (a, b) in a.chunks(WIDTH).zip(b.chunks(WIDTH)) {
            // SAFETY: as above.
            let x = unsafe { Self::numbers(tables, a) };
            // SAFETY: as above.
            let y = unsafe { Self::numbers(tables, b) };
            // SAFETY: as above.
            unsafe { S::step::<U>(&mut first, x, y) };
            std::mem::swap(&mut first, &mut second);
        }
        *state = [first, second];
    }

    /// Brings sums to those of everything.
    #[inline(always)]
    unsafe fn bring(state: [Sums<U>; 2], sums: &mut [Twofold; 3]) {
        for parts in state {
            for (part, sum) in parts.into_iter().zip(&mut *sums).take(S::SUMS) {
                for singles in part {
                    // SAFETY: the caller says that the instructions exist.
                    let numbers = unsafe { U::numbers(singles) };
                    sum.add(numbers.into_iter().map(f64::from).sum());
                }
            }
        }
    }
}

/// A body on a unit, all of whose functions have the features that the unit needs.
macro_rules! body {
    ($unit:ty $(, $features:meta)?) => {
        impl<F: Format, S: Step> Body for Floats<$unit, F, S> {
            const SIZE: usize = 1;
            type State = [Sums<$unit>; 2];
            type Sum = Twofold;

            #[inline]
            $(#[$features])?
            unsafe fn zero() -> Self::State {
                // SAFETY: the caller says that the instructions exist.
                unsafe { Self::nothing() }
            }

            #[inline]
            $(#[$features])?
            unsafe fn add(state: &mut Self::State, a: &[u8], b: &[u8]) {
                // SAFETY: as above.
                unsafe { Self::add_all(state, a, b) }
            }

            #[inline]
            $(#[$features])?
            unsafe fn finish(state: Self::State, sums: &mut [Twofold; 3]) {
                // SAFETY: as above.
                unsafe { Self::bring(state, sums) }
            }
        }
    };
}

body!(
    Hardware,
    target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bf16")
);
#[cfg(test)]
body!(super::model::Model);
