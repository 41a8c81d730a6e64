//! Products of complex numbers, as those of their parts.

use std::marker::PhantomData;

use super::super::super::sums::Twofold;
use super::super::run::Body;
use super::load::Load;
use super::sum::{Sum, merge};
use super::tail::padded;

/// `N` sums: half of products of parts as they stand, half of parts with the other parts. Of the latter the real parts
/// of the first numbers are at even places.
pub(super) struct Complex<L, S, const N: usize, const CONJUGATED: bool>(PhantomData<(L, S)>);

impl<L: Load, S: Sum<Lane = L::Lane>, const N: usize, const CONJUGATED: bool>
    Complex<L, S, N, CONJUGATED>
{
    /// Adds what is at two addresses.
    ///
    /// # Safety
    /// There are [`Load::STEP`] bytes at both, and the processor has the instructions.
    #[inline(always)]
    unsafe fn step(sums: &mut [S; N], a: *const u8, b: *const u8, hand: S::Hand) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { L::four(a) }, unsafe { L::four(b) });
        for k in 0..4 {
            // SAFETY: the caller says that the instructions exist.
            let other = unsafe { S::swapped(y[k]) };
            let (straight, crossed) = (k % (N / 2), N / 2 + k % (N / 2));
            // SAFETY: as above.
            sums[straight] = unsafe { sums[straight].add(x[k], y[k], hand) };
            // SAFETY: as above.
            sums[crossed] = unsafe { sums[crossed].add(x[k], other, hand) };
        }
    }

    /// Adds packed numbers.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_all(state: &mut [S; N], a: &[u8], b: &[u8]) {
        // SAFETY: the caller says that the instructions exist.
        let hand = unsafe { S::hand() };
        let mut sums = *state;
        let len = a.len().min(b.len());
        let mut at = 0;
        while at + L::STEP <= len {
            let (a, b) = (a.as_ptr().wrapping_add(at), b.as_ptr().wrapping_add(at));
            // SAFETY: `at` and a step more is within both.
            unsafe { Self::step(&mut sums, a, b, hand) };
            at += L::STEP;
        }
        if at < len {
            let (a, b) = (padded(&a[at..len]), padded(&b[at..len]));
            // SAFETY: a room is at least as large as a step.
            unsafe { Self::step(&mut sums, a.as_ptr().cast(), b.as_ptr().cast(), hand) };
        }
        *state = sums;
    }
}

impl<L: Load, S: Sum<Lane = L::Lane>, const N: usize, const CONJUGATED: bool> Body
    for Complex<L, S, N, CONJUGATED>
{
    const SIZE: usize = 2 * L::SIZE;
    type State = [S; N];
    type Sum = Twofold;

    #[inline(always)]
    unsafe fn zero() -> [S; N] {
        // SAFETY: the caller says that the instructions exist.
        [unsafe { S::zero() }; N]
    }

    #[inline(always)]
    unsafe fn add(state: &mut [S; N], a: &[u8], b: &[u8]) {
        // SAFETY: as above.
        unsafe { Self::add_all(state, a, b) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn finish(mut state: [S; N], sums: &mut [Twofold; 3]) {
        let (straight, crossed) = state.split_at_mut(N / 2);
        // SAFETY: as above.
        let (straight, crossed) = (unsafe { merge(straight) }, unsafe { merge(crossed) });
        // SAFETY: as above.
        let [reals, imaginaries] = unsafe { straight.split() };
        // SAFETY: as above.
        let [real_first, real_second] = unsafe { crossed.split() };
        let minus = |sum: Twofold| Twofold {
            hi: -sum.hi,
            lo: -sum.lo,
        };
        sums[0].merge(reals);
        sums[0].merge(if CONJUGATED {
            imaginaries
        } else {
            minus(imaginaries)
        });
        sums[1].merge(real_first);
        sums[1].merge(if CONJUGATED {
            minus(real_second)
        } else {
            real_second
        });
    }
}
