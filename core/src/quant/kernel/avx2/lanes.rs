//! Lanes in registers of eight floats, for searches.
//!
//! Every function is inlined into the entry point of a kernel, and so compiled with its
//! instructions. No other code names the types here.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::quant::nonlinear::VALUES;
use crate::quant::rounding::WHOLE;
use crate::quant::search::lanes::{Lanes, MOST, Mask, Pair, each};

/// Eight numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eight(__m256);

/// Eight answers: all bits of a lane, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct EightMask(__m256);

/// Sixteen numbers in two registers.
pub(super) type Sixteen = Pair<Eight>;

/// Calls an intrinsic that touches no memory.
macro_rules! call {
    ($intrinsic:ident $(::<$n:tt>)? ($($argument:expr),*)) => {
        // SAFETY: only kernels name the types of this file, and they run where AVX2 is.
        unsafe { $intrinsic $(::<$n>)? ($($argument),*) }
    };
}

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $intrinsic:ident),*) => {$(
        impl $trait for Eight {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Eight(call!($intrinsic(self.0, other.0)))
            }
        }
    )*};
}

lane_by_lane!(
    Add add _mm256_add_ps,
    Sub sub _mm256_sub_ps,
    Mul mul _mm256_mul_ps,
    Div div _mm256_div_ps
);

impl Neg for Eight {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Eight(call!(_mm256_xor_ps(self.0, Self::all(-0.0).0)))
    }
}

impl Lanes for Eight {
    const COUNT: usize = 8;
    type Mask = EightMask;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Eight(call!(_mm256_set1_ps(x)))
    }

    #[inline(always)]
    fn load(numbers: &[f32; MOST]) -> Self {
        // SAFETY: the array has more than eight floats; kernels run where AVX2 is.
        Eight(unsafe { _mm256_loadu_ps(numbers.as_ptr()) })
    }

    #[inline(always)]
    fn spill(self) -> [f32; MOST] {
        let mut numbers = [0.0; MOST];
        // SAFETY: the array has more than eight floats; kernels run where AVX2 is.
        unsafe { _mm256_storeu_ps(numbers.as_mut_ptr(), self.0) };
        numbers
    }

    #[inline(always)]
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N] {
        const { assert!(N.is_multiple_of(8), "blocks of eight") }
        let mut columns = [Self::all(0.0); N];
        each!(part < N / 8 => {
            let mut square = [columns[0].0; 8];
            each!(i < 8 => {
                let eight = &rows[i].as_chunks::<8>().0[part];
                // SAFETY: eight floats, without alignment; kernels run where AVX2 is.
                square[i] = unsafe { _mm256_loadu_ps(eight.as_ptr()) };
            });
            let square = turn(square);
            each!(i < 8 => {
                columns[8 * part + i] = Eight(square[i]);
            });
        });
        columns
    }

    #[inline(always)]
    fn below(self, other: Self) -> EightMask {
        EightMask(call!(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> EightMask {
        EightMask(call!(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Eight(call!(_mm256_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Eight(call!(_mm256_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Eight(call!(_mm256_andnot_ps(Self::all(-0.0).0, self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Eight(call!(_mm256_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn bytes(self) -> [u8; MOST] {
        let whole = call!(_mm256_cvttps_epi32(self.0));
        let low = call!(_mm256_castsi256_si128(whole));
        let high = call!(_mm256_extracti128_si256::<1>(whole));
        let words = call!(_mm_packus_epi32(low, high));
        let bytes = call!(_mm_packus_epi16(words, words));
        let eight = call!(_mm_cvtsi128_si64(bytes));
        let mut bytes = [0; MOST];
        bytes[..8].copy_from_slice(&eight.to_le_bytes());
        bytes
    }

    #[inline(always)]
    fn low_byte(self) -> Self {
        (self + Self::all(WHOLE)).low_bits(0xff)
    }

    #[inline(always)]
    fn level(self, bottom: f32, top: f32) -> Self {
        // The low 23 bits of the sum, whatever its exponent.
        let level = (self + Self::all(WHOLE)).with_exponent(0x007f_ffff);
        let level = level.greater(Self::all(WHOLE + bottom));
        level.lesser(Self::all(WHOLE + top)) - Self::all(WHOLE)
    }

    #[inline(always)]
    fn nonlinear_level(self) -> Self {
        let border = self.border();
        let number = border.low_bits(0xff);
        let below = self.below(middle(border.look_up(&LOWER), border.look_up(&UPPER)));
        below.choose(number, number + Self::all(1.0))
    }

    #[inline(always)]
    fn nonlinear(self) -> Self {
        let border = self.border();
        let (lower, upper) = (border.look_up(&LOWER), border.look_up(&UPPER));
        let value = self.below(middle(lower, upper)).choose(lower, upper);
        value - Self::all(BIAS)
    }
}

impl Eight {
    /// Some of the low bits, behind the exponent of 2²³.
    #[inline(always)]
    fn with_exponent(self, bits: u32) -> Self {
        let low = call!(_mm256_and_ps(self.0, Self::all(f32::from_bits(bits)).0));
        Eight(call!(_mm256_or_ps(low, Self::all(EXPONENT).0)))
    }

    /// Some of the low bits as a number.
    #[inline(always)]
    fn low_bits(self, bits: u32) -> Self {
        self.with_exponent(bits) - Self::all(EXPONENT)
    }

    /// The number of the border between values of `iq4_nl` that is near, in the low byte; the last
    /// for NaN. The other bytes are such that a shuffle by them gives zeros.
    ///
    /// The borders lie on a parabola, nearly: `7.5 + x * (0.09 - 0.000235 * |x|)` is the number of
    /// the border and a part.
    #[inline(always)]
    fn border(self) -> Self {
        let held = self.lesser(Self::all(120.0)).greater(Self::all(-120.0));
        let slope = held.abs() * Self::all(0.00047) - Self::all(0.18);
        // At -2²⁴ floats count in twos.
        held * slope + Self::all(f32::from_bits(0xcb80_8007))
    }

    /// The entries of a table at the numbers of borders.
    #[inline(always)]
    fn look_up(self, table: &[u8; 32]) -> Self {
        // SAFETY: 32 bytes are read, without alignment; kernels run where AVX2 is.
        let table = unsafe { _mm256_loadu_si256(table.as_ptr().cast()) };
        let border = call!(_mm256_castps_si256(self.0));
        let entries = call!(_mm256_shuffle_epi8(table, border));
        Eight(call!(_mm256_cvtepi32_ps(entries)))
    }
}

/// 2²³.
const EXPONENT: f32 = 8_388_608.0;

/// The values below the borders, and above them, with [`BIAS`] added to make them bytes, twice.
const LOWER: [u8; 32] = biased(0);
const UPPER: [u8; 32] = biased(1);
const BIAS: f32 = 128.0;

const fn biased(first: usize) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 15 {
        bytes[i] = (VALUES[first + i] + BIAS) as u8;
        bytes[16 + i] = bytes[i];
        i += 1;
    }
    bytes
}

/// The middle of two values with [`BIAS`].
#[inline(always)]
fn middle(lower: Eight, upper: Eight) -> Eight {
    (lower + upper) * Eight::all(0.5) - Eight::all(BIAS)
}

impl Mask<Eight> for EightMask {
    #[inline(always)]
    fn choose(self, yes: Eight, no: Eight) -> Eight {
        Eight(call!(_mm256_blendv_ps(no.0, yes.0, self.0)))
    }

    #[inline(always)]
    fn not(self) -> Self {
        let ones = Eight::all(f32::from_bits(u32::MAX)).0;
        EightMask(call!(_mm256_xor_ps(self.0, ones)))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        EightMask(call!(_mm256_or_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        EightMask(call!(_mm256_and_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        call!(_mm256_movemask_ps(self.0)) != 0
    }
}

/// Makes rows of columns.
#[inline(always)]
fn turn(rows: [__m256; 8]) -> [__m256; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Pairs of rows, then fours: of each half of the columns one after the other.
    let ab = call!(_mm256_unpacklo_ps(a, b));
    let cd = call!(_mm256_unpacklo_ps(c, d));
    let ef = call!(_mm256_unpacklo_ps(e, f));
    let gh = call!(_mm256_unpacklo_ps(g, h));
    let ab_high = call!(_mm256_unpackhi_ps(a, b));
    let cd_high = call!(_mm256_unpackhi_ps(c, d));
    let ef_high = call!(_mm256_unpackhi_ps(e, f));
    let gh_high = call!(_mm256_unpackhi_ps(g, h));
    let first = [
        call!(_mm256_shuffle_ps::<0x44>(ab, cd)),
        call!(_mm256_shuffle_ps::<0xee>(ab, cd)),
        call!(_mm256_shuffle_ps::<0x44>(ab_high, cd_high)),
        call!(_mm256_shuffle_ps::<0xee>(ab_high, cd_high)),
    ];
    let second = [
        call!(_mm256_shuffle_ps::<0x44>(ef, gh)),
        call!(_mm256_shuffle_ps::<0xee>(ef, gh)),
        call!(_mm256_shuffle_ps::<0x44>(ef_high, gh_high)),
        call!(_mm256_shuffle_ps::<0xee>(ef_high, gh_high)),
    ];
    [
        call!(_mm256_permute2f128_ps::<0x20>(first[0], second[0])),
        call!(_mm256_permute2f128_ps::<0x20>(first[1], second[1])),
        call!(_mm256_permute2f128_ps::<0x20>(first[2], second[2])),
        call!(_mm256_permute2f128_ps::<0x20>(first[3], second[3])),
        call!(_mm256_permute2f128_ps::<0x31>(first[0], second[0])),
        call!(_mm256_permute2f128_ps::<0x31>(first[1], second[1])),
        call!(_mm256_permute2f128_ps::<0x31>(first[2], second[2])),
        call!(_mm256_permute2f128_ps::<0x31>(first[3], second[3])),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::search::lanes::check::{self, Results};

    #[target_feature(enable = "avx2")]
    fn results(a: &[f32; MOST], b: &[f32; MOST]) -> Results {
        check::results::<Sixteen>(a, b)
    }

    #[target_feature(enable = "avx2")]
    fn turned(rows: &[&[f32; 24]; MOST]) -> [[f32; MOST]; 24] {
        check::turned::<Sixteen>(rows)
    }

    #[test]
    fn registers_give_what_arrays_give() {
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was asked.
            check::against_arrays(|a, b| unsafe { results(a, b) });
            // SAFETY: the processor was asked.
            check::rows_are_turned(|rows| unsafe { turned(rows) });
        }
    }
}
