//! Lanes in registers of sixteen floats, for searches.
//!
//! Every function is inlined into the entry point of a kernel, and so compiled with its
//! instructions. No other code names the types here.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::quant::nonlinear::{BORDERS, VALUES};
use crate::quant::rounding::WHOLE;
use crate::quant::search::lanes::{Lanes, MOST, Mask, each};

/// Sixteen numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sixteen(pub(super) __m512);

/// Sixteen answers, a bit each.
#[derive(Debug, Clone, Copy)]
pub(super) struct SixteenMask(__mmask16);

/// Calls an intrinsic that touches no memory.
macro_rules! call {
    ($intrinsic:ident $(::<$n:tt>)? ($($argument:expr),*)) => {
        // SAFETY: only kernels name the types of this file, and they run where AVX-512 is.
        unsafe { $intrinsic $(::<$n>)? ($($argument),*) }
    };
}

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $intrinsic:ident),*) => {$(
        impl $trait for Sixteen {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Sixteen(call!($intrinsic(self.0, other.0)))
            }
        }
    )*};
}

lane_by_lane!(
    Add add _mm512_add_ps,
    Sub sub _mm512_sub_ps,
    Mul mul _mm512_mul_ps,
    Div div _mm512_div_ps
);

impl Neg for Sixteen {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Sixteen(call!(_mm512_xor_ps(self.0, Self::all(-0.0).0)))
    }
}

impl Lanes for Sixteen {
    const COUNT: usize = MOST;
    type Mask = SixteenMask;

    #[inline(always)]
    fn all(x: f32) -> Self {
        Sixteen(call!(_mm512_set1_ps(x)))
    }

    #[inline(always)]
    fn load(numbers: &[f32; MOST]) -> Self {
        // SAFETY: sixteen floats, without alignment; kernels run where AVX-512 is.
        Sixteen(unsafe { _mm512_loadu_ps(numbers.as_ptr()) })
    }

    #[inline(always)]
    fn spill(self) -> [f32; MOST] {
        let mut numbers = [0.0; MOST];
        // SAFETY: sixteen floats, without alignment; kernels run where AVX-512 is.
        unsafe { _mm512_storeu_ps(numbers.as_mut_ptr(), self.0) };
        numbers
    }

    #[inline(always)]
    fn transpose<const N: usize>(rows: &[&[f32; N]; MOST]) -> [Self; N] {
        const { assert!(N.is_multiple_of(8), "blocks of eight") }
        let mut columns = [Self::all(0.0); N];
        each!(part < N / 8 => {
            let mut eights = [&[0.0; 8]; MOST];
            each!(i < MOST => {
                eights[i] = &rows[i].as_chunks::<8>().0[part];
            });
            let turned = turn(&eights);
            each!(i < 8 => {
                columns[8 * part + i] = Sixteen(turned[i]);
            });
        });
        columns
    }

    #[inline(always)]
    fn below(self, other: Self) -> SixteenMask {
        SixteenMask(call!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> SixteenMask {
        SixteenMask(call!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Sixteen(call!(_mm512_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Sixteen(call!(_mm512_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Sixteen(call!(_mm512_abs_ps(self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Sixteen(call!(_mm512_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn bytes(self) -> [u8; MOST] {
        let whole = call!(_mm512_cvttps_epi32(self.0));
        let narrow = call!(_mm512_cvtepi32_epi8(whole));
        let mut bytes = [0; MOST];
        // SAFETY: sixteen bytes, without alignment; kernels run where AVX-512 is.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), narrow) };
        bytes
    }

    #[inline(always)]
    fn low_byte(self) -> Self {
        (self + Self::all(WHOLE)).with_exponent(0xff) - Self::all(EXPONENT)
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
        let number = border.with_exponent(0xf) - Self::all(EXPONENT);
        let below = self.below(border.look_up(&MIDDLE));
        below.choose(number, number + Self::all(1.0))
    }

    #[inline(always)]
    fn nonlinear(self) -> Self {
        let border = self.border();
        let below = self.below(border.look_up(&MIDDLE));
        below.choose(border.look_up(&VALUES), border.look_up(&UPPER))
    }
}

impl Sixteen {
    /// Some of the low bits, behind the exponent of 2²³.
    #[inline(always)]
    fn with_exponent(self, bits: u32) -> Self {
        let low = call!(_mm512_and_ps(self.0, Self::all(f32::from_bits(bits)).0));
        Sixteen(call!(_mm512_or_ps(low, Self::all(EXPONENT).0)))
    }

    /// The number of the border between values of `iq4_nl` that is near, in the low four bits; the
    /// last for NaN.
    ///
    /// The borders lie on a parabola, nearly: `7.5 + x * (0.09 - 0.000235 * |x|)` is the number of
    /// the border and a part.
    #[inline(always)]
    fn border(self) -> Self {
        let held = self.lesser(Self::all(120.0)).greater(Self::all(-120.0));
        let slope = Self::all(0.09) - held.abs() * Self::all(0.000_235);
        held * slope + Self::all(WHOLE + 7.0)
    }

    /// The entries of a table at the numbers of borders.
    #[inline(always)]
    fn look_up(self, table: &[f32; 16]) -> Self {
        let border = call!(_mm512_castps_si512(self.0));
        Sixteen(call!(_mm512_permutexvar_ps(border, Self::load(table).0)))
    }
}

/// 2²³.
const EXPONENT: f32 = 8_388_608.0;

/// The borders, and the values above them.
const MIDDLE: [f32; 16] = {
    let mut borders = [0.0; 16];
    let mut i = 0;
    while i < 15 {
        borders[i] = BORDERS[i];
        i += 1;
    }
    borders
};
const UPPER: [f32; 16] = {
    let mut values = [0.0; 16];
    let mut i = 0;
    while i < 15 {
        values[i] = VALUES[i + 1];
        i += 1;
    }
    values
};

impl Mask<Sixteen> for SixteenMask {
    #[inline(always)]
    fn choose(self, yes: Sixteen, no: Sixteen) -> Sixteen {
        Sixteen(call!(_mm512_mask_blend_ps(self.0, no.0, yes.0)))
    }

    #[inline(always)]
    fn not(self) -> Self {
        SixteenMask(!self.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        SixteenMask(self.0 | other.0)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        SixteenMask(self.0 & other.0)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
}

/// Makes eight rows of the sixteen columns.
#[inline(always)]
fn turn(rows: &[&[f32; 8]; MOST]) -> [__m512; 8] {
    // Quarters of four rows each: the first half of the rows, then the second.
    let mut halves = [[call!(_mm512_setzero_ps()); 4]; 2];
    each!(i < 8 => {
        let (half, place) = (i / 4, i % 4);
        // SAFETY: eight floats, without alignment; kernels run where AVX-512 is.
        let low = unsafe { _mm256_loadu_ps(rows[8 * half + place].as_ptr()) };
        // SAFETY: as above.
        let high = unsafe { _mm256_loadu_ps(rows[8 * half + 4 + place].as_ptr()) };
        let low = call!(_mm512_castps256_ps512(low));
        halves[half][place] = call!(_mm512_insertf32x8::<1>(low, high));
    });
    each!(half < 2 => {
        let [a, b, c, d] = halves[half];
        let ab = call!(_mm512_unpacklo_ps(a, b));
        let cd = call!(_mm512_unpacklo_ps(c, d));
        let ab_high = call!(_mm512_unpackhi_ps(a, b));
        let cd_high = call!(_mm512_unpackhi_ps(c, d));
        halves[half] = [
            call!(_mm512_shuffle_ps::<0x44>(ab, cd)),
            call!(_mm512_shuffle_ps::<0xee>(ab, cd)),
            call!(_mm512_shuffle_ps::<0x44>(ab_high, cd_high)),
            call!(_mm512_shuffle_ps::<0xee>(ab_high, cd_high)),
        ];
    });
    let [first, second] = halves;
    [
        call!(_mm512_shuffle_f32x4::<0x88>(first[0], second[0])),
        call!(_mm512_shuffle_f32x4::<0x88>(first[1], second[1])),
        call!(_mm512_shuffle_f32x4::<0x88>(first[2], second[2])),
        call!(_mm512_shuffle_f32x4::<0x88>(first[3], second[3])),
        call!(_mm512_shuffle_f32x4::<0xdd>(first[0], second[0])),
        call!(_mm512_shuffle_f32x4::<0xdd>(first[1], second[1])),
        call!(_mm512_shuffle_f32x4::<0xdd>(first[2], second[2])),
        call!(_mm512_shuffle_f32x4::<0xdd>(first[3], second[3])),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::kernel::InstructionSet;
    use crate::quant::search::lanes::check::{self, Results};

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn results(a: &[f32; MOST], b: &[f32; MOST]) -> Results {
        check::results::<Sixteen>(a, b)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn turned(rows: &[&[f32; 24]; MOST]) -> [[f32; MOST]; 24] {
        check::turned::<Sixteen>(rows)
    }

    #[test]
    fn registers_give_what_arrays_give() {
        if InstructionSet::Avx512.is_available() {
            // SAFETY: the processor was asked.
            check::against_arrays(|a, b| unsafe { results(a, b) });
            // SAFETY: the processor was asked.
            check::rows_are_turned(|rows| unsafe { turned(rows) });
        }
    }
}
