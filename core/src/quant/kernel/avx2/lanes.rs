//! Lanes in registers of eight floats, for searches.
//!
//! Every function is inlined into the entry point of a kernel, and so compiled with its
//! instructions. No other code names the types here.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::quant::search::lanes::{Lanes, MOST, Mask, Pair};

/// Eight numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eight(__m256);

/// Eight answers: all bits of a lane, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct EightMask(__m256);

/// Sixteen numbers in two registers.
pub(super) type Sixteen = Pair<Eight>;

/// The sum of this and a whole number has that number in its low bits.
const WHOLE: f32 = 12_582_912.0;

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $intrinsic:ident),*) => {$(
        impl $trait for Eight {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: only kernels name this type, and they run where AVX2 is.
                Eight(unsafe { $intrinsic(self.0, other.0) })
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
        let sign = Self::all(-0.0).0;
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_xor_ps(self.0, sign) })
    }
}

impl Lanes for Eight {
    const COUNT: usize = 8;
    type Mask = EightMask;

    #[inline(always)]
    fn all(x: f32) -> Self {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_set1_ps(x) })
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
        for (part, columns) in columns.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let mut square = [Self::all(0.0); 8];
            for (square, row) in square.iter_mut().zip(rows) {
                let eight = &row.as_chunks::<8>().0[part];
                // SAFETY: eight floats, without alignment; kernels run where AVX2 is.
                *square = Eight(unsafe { _mm256_loadu_ps(eight.as_ptr()) });
            }
            *columns = turn(square);
        }
        columns
    }

    #[inline(always)]
    fn below(self, other: Self) -> EightMask {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        EightMask(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn equals(self, other: Self) -> EightMask {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        EightMask(unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        let sign = Self::all(-0.0).0;
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_andnot_ps(sign, self.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn low_byte(self) -> Self {
        let byte = Self::all(f32::from_bits(0xff)).0;
        let exponent = Self::all(f32::from_bits(0x4b00_0000));
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        let low = unsafe { _mm256_and_ps((self + Self::all(WHOLE)).0, byte) };
        // SAFETY: as above.
        Eight(unsafe { _mm256_or_ps(low, exponent.0) }) - exponent
    }

    #[inline(always)]
    fn level(self, bottom: f32, top: f32) -> Self {
        // The low 23 bits of the sum, whatever its exponent, behind the exponent of 2²³: that is
        // the level and `WHOLE` again.
        let sum = (self + Self::all(WHOLE)).0;
        let low = Self::all(f32::from_bits(0x007f_ffff)).0;
        let exponent = Self::all(f32::from_bits(0x4b00_0000)).0;
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        let low = unsafe { _mm256_and_ps(sum, low) };
        // SAFETY: as above.
        let level = Eight(unsafe { _mm256_or_ps(low, exponent) });
        let level = level.greater(Self::all(WHOLE + bottom));
        level.lesser(Self::all(WHOLE + top)) - Self::all(WHOLE)
    }
}

impl Mask<Eight> for EightMask {
    #[inline(always)]
    fn choose(self, yes: Eight, no: Eight) -> Eight {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        Eight(unsafe { _mm256_blendv_ps(no.0, yes.0, self.0) })
    }

    #[inline(always)]
    fn not(self) -> Self {
        let ones = Eight::all(f32::from_bits(u32::MAX)).0;
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        EightMask(unsafe { _mm256_xor_ps(self.0, ones) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        EightMask(unsafe { _mm256_and_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: only kernels name this type, and they run where AVX2 is.
        unsafe { _mm256_movemask_ps(self.0) != 0 }
    }
}

/// Makes rows of columns.
#[inline(always)]
fn turn(rows: [Eight; 8]) -> [Eight; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // SAFETY: only kernels name this type, and they run where AVX2 is.
    let columns = unsafe { turn_registers([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]) };
    let [a, b, c, d, e, f, g, h] = columns;
    [
        Eight(a),
        Eight(b),
        Eight(c),
        Eight(d),
        Eight(e),
        Eight(f),
        Eight(g),
        Eight(h),
    ]
}

/// Makes rows of columns.
#[inline]
#[target_feature(enable = "avx2")]
fn turn_registers(rows: [__m256; 8]) -> [__m256; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Pairs of rows, then fours: of each half of the columns one after the other.
    let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
    let (ef, gh) = (_mm256_unpacklo_ps(e, f), _mm256_unpacklo_ps(g, h));
    let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
    let (ef_high, gh_high) = (_mm256_unpackhi_ps(e, f), _mm256_unpackhi_ps(g, h));
    let first = [
        _mm256_shuffle_ps::<0x44>(ab, cd),
        _mm256_shuffle_ps::<0xee>(ab, cd),
        _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
        _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
    ];
    let second = [
        _mm256_shuffle_ps::<0x44>(ef, gh),
        _mm256_shuffle_ps::<0xee>(ef, gh),
        _mm256_shuffle_ps::<0x44>(ef_high, gh_high),
        _mm256_shuffle_ps::<0xee>(ef_high, gh_high),
    ];
    [
        _mm256_permute2f128_ps::<0x20>(first[0], second[0]),
        _mm256_permute2f128_ps::<0x20>(first[1], second[1]),
        _mm256_permute2f128_ps::<0x20>(first[2], second[2]),
        _mm256_permute2f128_ps::<0x20>(first[3], second[3]),
        _mm256_permute2f128_ps::<0x31>(first[0], second[0]),
        _mm256_permute2f128_ps::<0x31>(first[1], second[1]),
        _mm256_permute2f128_ps::<0x31>(first[2], second[2]),
        _mm256_permute2f128_ps::<0x31>(first[3], second[3]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::search::lanes::{NO_BOTTOM, Plain};

    /// Numbers of all kinds: around whole numbers and halves, tiny, huge, none.
    fn numbers() -> Vec<[f32; MOST]> {
        let mut all = vec![
            0.0,
            -0.0,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN_POSITIVE / 2.0,
        ];
        for i in 0..400_i16 {
            let half = f32::from(i) / 2.0 - 100.0;
            all.extend([half, half.next_up(), half.next_down()]);
        }
        for i in 0..=254_u8 {
            for mantissa in [0, 1, 0x2a_aaaa, 0x55_5555, 0x7f_ffff] {
                let x = f32::from_bits(u32::from(i) << 23 | mantissa);
                all.extend([x, -x]);
            }
        }
        all.as_chunks().0.to_vec()
    }

    /// Bits, where all NaNs are one.
    fn bits(numbers: [f32; MOST]) -> [u32; MOST] {
        numbers.map(|x| if x.is_nan() { !0 } else { x.to_bits() })
    }

    /// What functions of two numbers give.
    #[inline(always)]
    fn results<L: Lanes>(a: &[f32; MOST], b: &[f32; MOST]) -> [[f32; MOST]; 17] {
        let (a, b) = (L::load(a), L::load(b));
        let (below, equals) = (a.below(b), a.equals(b));
        [
            (a + b).spill(),
            (a - b).spill(),
            (a * b).spill(),
            (a / b).spill(),
            (-a).spill(),
            a.abs().spill(),
            a.sqrt().spill(),
            a.lesser(b).spill(),
            a.greater(b).spill(),
            a.level(-32.0, 31.0).spill(),
            a.level(0.0, 3.0).spill(),
            a.level(NO_BOTTOM, 63.0).spill(),
            a.low_byte().spill(),
            below.choose(a, b).spill(),
            equals.not().choose(a, b).spill(),
            below.and(equals.not()).choose(a, b).spill(),
            L::all(f32::from(u8::from(below.any()))).spill(),
        ]
    }

    #[target_feature(enable = "avx2")]
    fn registers(a: &[f32; MOST], b: &[f32; MOST]) -> [[f32; MOST]; 17] {
        results::<Sixteen>(a, b)
    }

    #[test]
    fn registers_give_what_arrays_give() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let numbers = numbers();
        for (i, a) in numbers.iter().enumerate() {
            for b in [a, &numbers[i * 7 % numbers.len()]] {
                // SAFETY: the processor was asked.
                let got = unsafe { registers(a, b) };
                let wanted = results::<Plain<MOST>>(a, b);
                for (n, (got, wanted)) in got.into_iter().zip(wanted).enumerate() {
                    assert_eq!(bits(got), bits(wanted), "function {n} of {a:?} and {b:?}");
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    fn turned(rows: &[&[f32; 24]; MOST]) -> [Sixteen; 24] {
        Sixteen::transpose(rows)
    }

    #[test]
    fn registers_turn_rows() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let numbers: [f32; MOST * 24] = std::array::from_fn(|i| i as f32);
        let rows = std::array::from_fn(|i| &numbers.as_chunks().0[i]);
        // SAFETY: the processor was asked.
        for (n, lanes) in unsafe { turned(&rows) }.iter().enumerate() {
            for (lane, &x) in lanes.spill().iter().enumerate() {
                assert_eq!(x, numbers[24 * lane + n]);
            }
        }
    }
}
