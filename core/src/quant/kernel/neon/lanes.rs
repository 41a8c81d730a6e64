//! Lanes in registers of four floats, for searches.
//!
//! Every processor that this is compiled for has the instructions; functions are inlined so that the numbers stay in
//! registers.

use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::quant::rounding::WHOLE;
use crate::quant::search::lanes::{Lanes, MOST, Mask, Pair, each};

/// Four numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Four(float32x4_t);

/// Four answers: all bits of a lane, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct FourMask(uint32x4_t);

/// Eight numbers in two registers.
pub(super) type Eight = Pair<Four>;

/// Sixteen numbers in four registers.
pub(super) type Sixteen = Pair<Eight>;

/// Calls an intrinsic that touches no memory.
macro_rules! call {
    ($intrinsic:ident $(::<$n:tt>)? ($($argument:expr),*)) => {
        // SAFETY: every processor that this is compiled for has the instruction.
        unsafe { $intrinsic $(::<$n>)? ($($argument),*) }
    };
}

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $intrinsic:ident),*) => {$(
        impl $trait for Four {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Four(call!($intrinsic(self.0, other.0)))
            }
        }
    )*};
}

lane_by_lane!(Add add vaddq_f32, Sub sub vsubq_f32, Mul mul vmulq_f32, Div div vdivq_f32);

impl Neg for Four {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Four(call!(vnegq_f32(self.0)))
    }
}

impl Lanes for Four {
    const COUNT: usize = 4;
    type Mask = FourMask;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Four(call!(vdupq_n_f32(x)))
    }

    #[inline(always)]
    fn load(numbers: &[f32; MOST]) -> Self {
        // SAFETY: the array has more than four floats.
        Four(unsafe { vld1q_f32(numbers.as_ptr()) })
    }

    #[inline(always)]
    fn spill(self) -> [f32; MOST] {
        let mut numbers = [0.0; MOST];
        // SAFETY: the array has more than four floats.
        unsafe { vst1q_f32(numbers.as_mut_ptr(), self.0) };
        numbers
    }

    #[inline(always)]
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N] {
        const { assert!(N.is_multiple_of(4), "squares of four") }
        let mut columns = [Self::all(0.0); N];
        each!(part < N / 4 => {
            let mut square = [columns[0].0; 4];
            each!(i < 4 => {
                let four = &rows[i].as_chunks::<4>().0[part];
                // SAFETY: four floats, without alignment.
                square[i] = unsafe { vld1q_f32(four.as_ptr()) };
            });
            let square = turn(square);
            each!(i < 4 => {
                columns[4 * part + i] = Four(square[i]);
            });
        });
        columns
    }

    #[inline(always)]
    fn below(self, other: Self) -> FourMask {
        FourMask(call!(vcltq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> FourMask {
        FourMask(call!(vceqq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        // The instruction for minima has another opinion of NaN and of zeros.
        self.below(other).choose(self, other)
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        other.below(self).choose(self, other)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Four(call!(vabsq_f32(self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Four(call!(vsqrtq_f32(self.0)))
    }

    #[inline(always)]
    fn bytes(self) -> [u8; MOST] {
        let whole = call!(vcvtq_u32_f32(self.0));
        let words = call!(vmovn_u32(whole));
        let words = call!(vcombine_u16(words, words));
        let four = call!(vmovn_u16(words));
        let four = call!(vreinterpret_u32_u8(four));
        let four = call!(vget_lane_u32::<0>(four));
        let mut bytes = [0; MOST];
        bytes[..4].copy_from_slice(&four.to_le_bytes());
        bytes
    }

    #[inline(always)]
    fn low_byte(self) -> Self {
        let low = (self + Self::all(WHOLE)).low_bits(0xff);
        Four(call!(vcvtq_f32_u32(low)))
    }

    #[inline(always)]
    fn level(self, bottom: f32, top: f32) -> Self {
        // The low 23 bits of the sum, whatever its exponent.
        let low = (self + Self::all(WHOLE)).low_bits(0x007f_ffff);
        let low = call!(vreinterpretq_s32_u32(low));
        let bias = call!(vdupq_n_s32(0x0040_0000));
        let level = call!(vsubq_s32(low, bias));
        let level = Four(call!(vcvtq_f32_s32(level)));
        level.greater(Self::all(bottom)).lesser(Self::all(top))
    }
}

impl Four {
    /// Some of the low bits.
    #[inline(always)]
    fn low_bits(self, bits: u32) -> uint32x4_t {
        let all = call!(vreinterpretq_u32_f32(self.0));
        let bits = call!(vdupq_n_u32(bits));
        call!(vandq_u32(all, bits))
    }
}

impl Mask<Four> for FourMask {
    #[inline(always)]
    fn choose(self, yes: Four, no: Four) -> Four {
        Four(call!(vbslq_f32(self.0, yes.0, no.0)))
    }

    #[inline(always)]
    fn not(self) -> Self {
        FourMask(call!(vmvnq_u32(self.0)))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        FourMask(call!(vorrq_u32(self.0, other.0)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        FourMask(call!(vandq_u32(self.0, other.0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        call!(vmaxvq_u32(self.0)) != 0
    }
}

/// Makes rows of columns.
#[inline(always)]
fn turn([a, b, c, d]: [float32x4_t; 4]) -> [float32x4_t; 4] {
    // Pairs of rows, then both.
    let (even, odd) = (call!(vtrn1q_f32(a, b)), call!(vtrn2q_f32(a, b)));
    let (more_even, more_odd) = (call!(vtrn1q_f32(c, d)), call!(vtrn2q_f32(c, d)));
    [
        lower(even, more_even),
        lower(odd, more_odd),
        upper(even, more_even),
        upper(odd, more_odd),
    ]
}

/// The first two lanes of both.
#[inline(always)]
fn lower(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    let (a, b) = (call!(vget_low_f32(a)), call!(vget_low_f32(b)));
    call!(vcombine_f32(a, b))
}

/// The last two lanes of both.
#[inline(always)]
fn upper(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    let (a, b) = (call!(vget_high_f32(a)), call!(vget_high_f32(b)));
    call!(vcombine_f32(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::search::lanes::check;

    #[test]
    fn registers_give_what_arrays_give() {
        check::against_arrays(check::results::<Sixteen>);
        check::rows_are_turned(check::turned::<Sixteen>);
    }
}
