//! Sums of whole numbers of 16 and 32 bits, exact: every product is added in two halves, neither of which fills its lane in a run.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::super::super::sums::Wide;
use super::super::run::Body;
use super::tail::{load32, padded};

/// Bytes of a step.
const STEP: usize = 32;

/// A sum: of the lower and of the upper halves of products.
type Halves = [__m256i; 2];

/// Numbers of a width.
pub(super) trait Width {
    /// Bytes of a number.
    const SIZE: usize;

    /// Adds the products of 32 bytes of each side.
    ///
    /// # Safety
    /// The processor has AVX2; so it is everywhere here.
    unsafe fn add<const SIGNED: bool>(sum: &mut Halves, x: __m256i, y: __m256i);

    /// The differences without their signs, as numbers that have none.
    ///
    /// # Safety
    /// As [`Width::add`].
    unsafe fn differences<const SIGNED: bool>(x: __m256i, y: __m256i) -> __m256i;

    /// The sum of so many products.
    ///
    /// # Safety
    /// As [`Width::add`].
    unsafe fn total<const SIGNED: bool>(sum: Halves, count: i64) -> i128;
}

/// Numbers of 16 bits. Halves are words, added in pairs; a run adds less than 2^29 to each lane.
pub(super) struct Words;

/// What is taken from words without a sign, so that they have one.
const MOVED: i16 = i16::MIN;

impl Width for Words {
    const SIZE: usize = 2;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add<const SIGNED: bool>([lower, upper]: &mut Halves, x: __m256i, y: __m256i) {
        let (ones, moved) = (_mm256_set1_epi16(1), _mm256_set1_epi16(MOVED));
        let low = _mm256_xor_si256(_mm256_mullo_epi16(x, y), moved);
        let high = if SIGNED {
            _mm256_mulhi_epi16(x, y)
        } else {
            _mm256_xor_si256(_mm256_mulhi_epu16(x, y), moved)
        };
        *lower = _mm256_add_epi32(*lower, _mm256_madd_epi16(low, ones));
        *upper = _mm256_add_epi32(*upper, _mm256_madd_epi16(high, ones));
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn differences<const SIGNED: bool>(x: __m256i, y: __m256i) -> __m256i {
        if SIGNED {
            _mm256_sub_epi16(_mm256_max_epi16(x, y), _mm256_min_epi16(x, y))
        } else {
            _mm256_sub_epi16(_mm256_max_epu16(x, y), _mm256_min_epu16(x, y))
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn total<const SIGNED: bool>([lower, upper]: Halves, count: i64) -> i128 {
        let moved = i64::from(MOVED) * count;
        let (lower, upper) = (lanes_of_32(lower) - moved, lanes_of_32(upper));
        let upper = if SIGNED { upper } else { upper - moved };
        i128::from(lower + (upper << 16))
    }
}

/// Numbers of 32 bits. The upper halves of products are added, and the products themselves, which wrap: what the lower halves come to is
/// their difference.
pub(super) struct Doubles;

impl Width for Doubles {
    const SIZE: usize = 4;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add<const SIGNED: bool>([all, upper]: &mut Halves, x: __m256i, y: __m256i) {
        let (odd_x, odd_y) = (_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(y));
        for (x, y) in [(x, y), (odd_x, odd_y)] {
            let (product, high) = if SIGNED {
                let product = _mm256_mul_epi32(x, y);
                let moved = _mm256_xor_si256(product, _mm256_set1_epi64x(i64::MIN));
                (product, _mm256_srli_epi64::<32>(moved))
            } else {
                let product = _mm256_mul_epu32(x, y);
                (product, _mm256_srli_epi64::<32>(product))
            };
            *all = _mm256_add_epi64(*all, product);
            *upper = _mm256_add_epi64(*upper, high);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn differences<const SIGNED: bool>(x: __m256i, y: __m256i) -> __m256i {
        if SIGNED {
            _mm256_sub_epi32(_mm256_max_epi32(x, y), _mm256_min_epi32(x, y))
        } else {
            _mm256_sub_epi32(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y))
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn total<const SIGNED: bool>([all, upper]: Halves, count: i64) -> i128 {
        // Products with a sign were moved by 2^63 before they were halved.
        let moved = if SIGNED { i128::from(count) << 63 } else { 0 };
        let (all, upper) = (lanes_of_64(all), lanes_of_64(upper));
        let moved_all = all.wrapping_add(moved as i64);
        // Less than 2^32 for each of at most 2^17 products, so that it is whole after the wrapping.
        let lower = moved_all.wrapping_sub(upper << 32);
        (i128::from(upper) << 32) + i128::from(lower) - moved
    }
}

/// The sum of lanes of 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes_of_32(lanes: __m256i) -> i64 {
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
    let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(lanes));
    lanes_of_64(_mm256_add_epi64(low, high))
}

/// The sum of lanes of 64 bits, which wraps.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes_of_64(lanes: __m256i) -> i64 {
    let (low, high) = (
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    );
    let both = _mm_add_epi64(low, high);
    _mm_cvtsi128_si64(both).wrapping_add(_mm_extract_epi64::<1>(both))
}

/// What numbers add to which sums.
pub(super) trait Step {
    /// How many sums there are.
    const SUMS: usize;
    /// Whether products have a sign where the numbers have one.
    const KEEPS_SIGNS: bool;

    /// Adds 32 bytes of each side.
    ///
    /// # Safety
    /// The processor has AVX2.
    unsafe fn step<W: Width, const SIGNED: bool>(sums: &mut [Halves; 3], x: __m256i, y: __m256i);
}

/// Of products.
pub(super) struct Products;

impl Step for Products {
    const SUMS: usize = 1;
    const KEEPS_SIGNS: bool = true;

    #[inline(always)]
    unsafe fn step<W: Width, const SIGNED: bool>(sums: &mut [Halves; 3], x: __m256i, y: __m256i) {
        // SAFETY: the caller says that the instructions exist.
        unsafe { W::add::<SIGNED>(&mut sums[0], x, y) };
    }
}

/// Of squares of differences.
pub(super) struct Squares;

impl Step for Squares {
    const SUMS: usize = 1;
    const KEEPS_SIGNS: bool = false;

    #[inline(always)]
    unsafe fn step<W: Width, const SIGNED: bool>(sums: &mut [Halves; 3], x: __m256i, y: __m256i) {
        // SAFETY: the caller says that the instructions exist.
        let differences = unsafe { W::differences::<SIGNED>(x, y) };
        // SAFETY: as above.
        unsafe { W::add::<false>(&mut sums[0], differences, differences) };
    }
}

/// Of products and of squares of each side.
pub(super) struct Angles;

impl Step for Angles {
    const SUMS: usize = 3;
    const KEEPS_SIGNS: bool = true;

    #[inline(always)]
    unsafe fn step<W: Width, const SIGNED: bool>(sums: &mut [Halves; 3], x: __m256i, y: __m256i) {
        for (sum, (x, y)) in sums.iter_mut().zip([(x, y), (x, x), (y, y)]) {
            // SAFETY: the caller says that the instructions exist.
            unsafe { W::add::<SIGNED>(sum, x, y) };
        }
    }
}

/// Sums of whole numbers of a width, with or without signs; and how many products are in each.
pub(super) struct Wholes<W, F, const SIGNED: bool>(PhantomData<(W, F)>);

impl<W: Width, F: Step, const SIGNED: bool> Body for Wholes<W, F, SIGNED> {
    const SIZE: usize = W::SIZE;
    type State = ([Halves; 3], i64);
    type Sum = Wide;

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn zero() -> Self::State {
        ([[_mm256_setzero_si256(); 2]; 3], 0)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add(state: &mut Self::State, a: &[u8], b: &[u8]) {
        let (mut sums, count) = *state;
        let (steps_a, rest_a) = a.as_chunks::<STEP>();
        let (steps_b, rest_b) = b.as_chunks::<STEP>();
        for (a, b) in steps_a.iter().zip(steps_b) {
            // SAFETY: 32 bytes each.
            let (x, y) = (unsafe { load32(a.as_ptr()) }, unsafe { load32(b.as_ptr()) });
            // SAFETY: the caller says that the instructions exist.
            unsafe { F::step::<W, SIGNED>(&mut sums, x, y) };
        }
        let mut steps = steps_a.len();
        if !rest_a.is_empty() {
            let ([x, ..], [y, ..]) = (padded(rest_a), padded(rest_b));
            // SAFETY: as above.
            unsafe { F::step::<W, SIGNED>(&mut sums, x, y) };
            steps += 1;
        }
        *state = (sums, count + (steps * (STEP / W::SIZE)) as i64);
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn finish((parts, count): Self::State, sums: &mut [Wide; 3]) {
        for (part, sum) in parts.into_iter().zip(sums).take(F::SUMS) {
            sum.add(if SIGNED && F::KEEPS_SIGNS {
                // SAFETY: as above.
                unsafe { W::total::<true>(part, count) }
            } else {
                // SAFETY: as above.
                unsafe { W::total::<false>(part, count) }
            });
        }
    }
}
