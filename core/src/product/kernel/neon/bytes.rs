//! Sums of bytes that are whole numbers, exact.
//!
//! A run has at most 2^16 products, each of at most 2^16, so that the sums of a run fit 32 bits, all lanes together.

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use super::super::super::sums::Wide;
use super::super::run::Body;
use super::floats::{Angles, Products, Squares, Step as Form, padded};

/// Bytes of a step.
const STEP: usize = 16;

/// A way to add the products of bytes to sums of 32 bits.
pub(super) trait Multiply {
    /// Of bytes with signs.
    fn signed(sums: uint32x4_t, x: int8x16_t, y: int8x16_t) -> uint32x4_t;
    /// Of bytes without.
    fn unsigned(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t;
}

/// With the instructions that every processor has.
pub(super) struct Widening;

impl Multiply for Widening {
    #[inline(always)]
    fn signed(sums: uint32x4_t, x: int8x16_t, y: int8x16_t) -> uint32x4_t {
        // SAFETY: every processor that this is compiled for has the instructions.
        unsafe { widening_signed(sums, x, y) }
    }

    #[inline(always)]
    fn unsigned(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe { widening_unsigned(sums, x, y) }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn widening_signed(sums: uint32x4_t, x: int8x16_t, y: int8x16_t) -> uint32x4_t {
    let sums = vreinterpretq_s32_u32(sums);
    let sums = vpadalq_s16(sums, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
    vreinterpretq_u32_s32(vpadalq_s16(sums, vmull_high_s8(x, y)))
}

#[inline]
#[target_feature(enable = "neon")]
fn widening_unsigned(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
    let sums = vpadalq_u16(sums, vmull_u8(vget_low_u8(x), vget_low_u8(y)));
    vpadalq_u16(sums, vmull_high_u8(x, y))
}

/// With those of the extension `dotprod`. Only what found it names it.
pub(super) struct Dotprod;

impl Multiply for Dotprod {
    #[inline(always)]
    fn signed(mut sums: uint32x4_t, x: int8x16_t, y: int8x16_t) -> uint32x4_t {
        // The intrinsic is younger than the oldest compiler.
        // SAFETY: an instruction on registers alone, which this processor has.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "sdot {sums:v}.4s, {x:v}.16b, {y:v}.16b",
                sums = inout(vreg) sums,
                x = in(vreg) x,
                y = in(vreg) y,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }

    #[inline(always)]
    fn unsigned(mut sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "udot {sums:v}.4s, {x:v}.16b, {y:v}.16b",
                sums = inout(vreg) sums,
                x = in(vreg) x,
                y = in(vreg) y,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

/// How bytes are numbers.
pub(super) trait Sign {
    /// Adds the products.
    fn products(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t;
    /// Adds the squares of the differences.
    fn squares(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t;
    /// The sum of all lanes.
    fn total(sums: uint32x4_t) -> i64;
}

/// `int8`.
pub(super) struct Signed<M>(PhantomData<M>);

impl<M: Multiply> Sign for Signed<M> {
    #[inline(always)]
    fn products(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
        // SAFETY: every processor that this is compiled for has the instructions.
        let (x, y) = unsafe { (vreinterpretq_s8_u8(x), vreinterpretq_s8_u8(y)) };
        M::signed(sums, x, y)
    }

    #[inline(always)]
    fn squares(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
        // SAFETY: as above.
        let difference = unsafe { signed_difference(x, y) };
        M::unsigned(sums, difference, difference)
    }

    #[inline(always)]
    fn total(sums: uint32x4_t) -> i64 {
        // SAFETY: as above.
        unsafe { vaddlvq_s32(vreinterpretq_s32_u32(sums)) }
    }
}

/// The differences of bytes with signs, without their signs.
#[inline]
#[target_feature(enable = "neon")]
fn signed_difference(x: uint8x16_t, y: uint8x16_t) -> uint8x16_t {
    // Turning the sign bits moves all numbers alike.
    let sign = vdupq_n_u8(0x80);
    vabdq_u8(veorq_u8(x, sign), veorq_u8(y, sign))
}

/// `uint8`.
pub(super) struct Unsigned<M>(PhantomData<M>);

impl<M: Multiply> Sign for Unsigned<M> {
    #[inline(always)]
    fn products(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
        M::unsigned(sums, x, y)
    }

    #[inline(always)]
    fn squares(sums: uint32x4_t, x: uint8x16_t, y: uint8x16_t) -> uint32x4_t {
        // SAFETY: every processor that this is compiled for has the instructions.
        let difference = unsafe { vabdq_u8(x, y) };
        M::unsigned(sums, difference, difference)
    }

    #[inline(always)]
    fn total(sums: uint32x4_t) -> i64 {
        // SAFETY: as above.
        unsafe { vaddlvq_u32(sums) as i64 }
    }
}

/// What bytes add to which sums.
pub(super) trait Step: Form {
    /// Adds 16 bytes of each side.
    fn bytes<S: Sign>(sums: &mut [uint32x4_t; 3], x: uint8x16_t, y: uint8x16_t);

    /// The sum of all lanes.
    fn total<S: Sign>(sums: uint32x4_t) -> i64;
}

impl Step for Products {
    #[inline(always)]
    fn bytes<S: Sign>(sums: &mut [uint32x4_t; 3], x: uint8x16_t, y: uint8x16_t) {
        sums[0] = S::products(sums[0], x, y);
    }

    #[inline(always)]
    fn total<S: Sign>(sums: uint32x4_t) -> i64 {
        S::total(sums)
    }
}

impl Step for Squares {
    #[inline(always)]
    fn bytes<S: Sign>(sums: &mut [uint32x4_t; 3], x: uint8x16_t, y: uint8x16_t) {
        sums[0] = S::squares(sums[0], x, y);
    }

    #[inline(always)]
    fn total<S: Sign>(sums: uint32x4_t) -> i64 {
        // Squares have no sign, whatever the bytes have.
        // SAFETY: every processor that this is compiled for has the instruction.
        unsafe { vaddlvq_u32(sums) as i64 }
    }
}

impl Step for Angles {
    #[inline(always)]
    fn bytes<S: Sign>(sums: &mut [uint32x4_t; 3], x: uint8x16_t, y: uint8x16_t) {
        sums[0] = S::products(sums[0], x, y);
        sums[1] = S::products(sums[1], x, x);
        sums[2] = S::products(sums[2], y, y);
    }

    #[inline(always)]
    fn total<S: Sign>(sums: uint32x4_t) -> i64 {
        S::total(sums)
    }
}

/// Sums of each kind in four lanes, twice, so that they do not wait for themselves.
pub(super) struct Bytes<S, F>(PhantomData<(S, F)>);

impl<S: Sign, F: Step> Bytes<S, F> {
    /// Adds 16 bytes of each side.
    ///
    /// # Safety
    /// There are 16 bytes at both addresses.
    #[inline(always)]
    unsafe fn step(sums: &mut [uint32x4_t; 3], a: *const u8, b: *const u8) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { vld1q_u8(a) }, unsafe { vld1q_u8(b) });
        F::bytes::<S>(sums, x, y);
    }
}

impl<S: Sign, F: Step> Body for Bytes<S, F> {
    const SIZE: usize = 1;
    type State = [[uint32x4_t; 3]; 2];
    type Sum = Wide;

    #[inline(always)]
    unsafe fn zero() -> Self::State {
        // SAFETY: every processor that this is compiled for has the instruction.
        [[unsafe { vdupq_n_u32(0) }; 3]; 2]
    }

    #[inline(always)]
    unsafe fn add(state: &mut Self::State, a: &[u8], b: &[u8]) {
        let mut sums = *state;
        let (steps_a, rest_a) = a.as_chunks::<STEP>();
        let (steps_b, rest_b) = b.as_chunks::<STEP>();
        for (i, (a, b)) in steps_a.iter().zip(steps_b).enumerate() {
            // SAFETY: both are 16 bytes.
            unsafe { Self::step(&mut sums[i % 2], a.as_ptr(), b.as_ptr()) };
        }
        if !rest_a.is_empty() {
            let (a, b) = (padded(rest_a), padded(rest_b));
            // SAFETY: a room is larger than a step.
            unsafe { Self::step(&mut sums[0], a.as_ptr(), b.as_ptr()) };
        }
        *state = sums;
    }

    #[inline(always)]
    unsafe fn finish(state: Self::State, sums: &mut [Wide; 3]) {
        for part in state {
            for (part, sum) in part.into_iter().zip(&mut *sums).take(F::SUMS) {
                sum.add(F::total::<S>(part).into());
            }
        }
    }
}
