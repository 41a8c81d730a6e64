//! Sums of real numbers.

use std::marker::PhantomData;

use super::super::super::sums::Twofold;
use super::super::run::Body;
use super::load::Load;
use super::sum::Sum;

/// What four registers are loaded from at most.
pub(super) const ROOM: usize = 64;

/// What numbers add to which sums.
pub(super) trait Step {
    /// How many sums there are.
    const SUMS: usize;

    /// Adds a register of numbers to the sum of each kind, of which four stand together.
    fn step<S: Sum>(sums: &mut [S], chain: usize, x: S::Lane, y: S::Lane);
}

/// Of products.
pub(super) struct Products;

impl Step for Products {
    const SUMS: usize = 1;

    #[inline(always)]
    fn step<S: Sum>(sums: &mut [S], chain: usize, x: S::Lane, y: S::Lane) {
        sums[chain] = sums[chain].add(x, y);
    }
}

/// Of squares of differences.
pub(super) struct Squares;

impl Step for Squares {
    const SUMS: usize = 1;

    #[inline(always)]
    fn step<S: Sum>(sums: &mut [S], chain: usize, x: S::Lane, y: S::Lane) {
        let difference = S::difference(x, y);
        sums[chain] = sums[chain].add(difference, difference);
    }
}

/// Of products and of squares of each side.
pub(super) struct Angles;

impl Step for Angles {
    const SUMS: usize = 3;

    #[inline(always)]
    fn step<S: Sum>(sums: &mut [S], chain: usize, x: S::Lane, y: S::Lane) {
        sums[chain] = sums[chain].add(x, y);
        sums[4 + chain] = sums[4 + chain].add(x, x);
        sums[8 + chain] = sums[8 + chain].add(y, y);
    }
}

/// `N` sums, four of each kind, so that none waits for itself.
pub(super) struct Floats<L, S, F, const N: usize>(PhantomData<(L, S, F)>);

impl<L: Load, S: Sum<Lane = L::Lane>, F: Step, const N: usize> Floats<L, S, F, N> {
    /// Adds what is at two addresses.
    ///
    /// # Safety
    /// There are [`Load::STEP`] bytes at both.
    #[inline(always)]
    unsafe fn step(sums: &mut [S; N], a: *const u8, b: *const u8) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { L::four(a) }, unsafe { L::four(b) });
        for (chain, (x, y)) in x.into_iter().zip(y).enumerate() {
            F::step(sums, chain, x, y);
        }
    }
}

impl<L: Load, S: Sum<Lane = L::Lane>, F: Step, const N: usize> Body for Floats<L, S, F, N> {
    const SIZE: usize = L::SIZE;
    type State = [S; N];
    type Sum = Twofold;

    #[inline(always)]
    unsafe fn zero() -> [S; N] {
        [S::zero(); N]
    }

    #[inline(always)]
    unsafe fn add(state: &mut [S; N], a: &[u8], b: &[u8]) {
        const { assert!(L::STEP <= ROOM && N == 4 * F::SUMS) };
        let mut sums = *state;
        let (steps_a, rest_a) = a.split_at(a.len() / L::STEP * L::STEP);
        let (steps_b, rest_b) = b.split_at(steps_a.len().min(b.len()));
        let steps = steps_a
            .chunks_exact(L::STEP)
            .zip(steps_b.chunks_exact(L::STEP));
        for (a, b) in steps {
            // SAFETY: both are a step.
            unsafe { Self::step(&mut sums, a.as_ptr(), b.as_ptr()) };
        }
        if !rest_a.is_empty() {
            let (a, b) = (padded(rest_a), padded(rest_b));
            // SAFETY: a room is at least as large as a step.
            unsafe { Self::step(&mut sums, a.as_ptr(), b.as_ptr()) };
        }
        *state = sums;
    }

    #[inline(always)]
    unsafe fn finish(state: [S; N], sums: &mut [Twofold; 3]) {
        for ([a, b, c, d], sum) in state.as_chunks::<4>().0.iter().zip(sums) {
            let both = a.merged(*b).merged(c.merged(*d)).total();
            sum.merge(Twofold {
                hi: both.hi * L::SCALE,
                lo: both.lo * L::SCALE,
            });
        }
    }
}

/// A few bytes with zeros behind them, which add nothing.
#[inline(always)]
pub(super) fn padded(bytes: &[u8]) -> [u8; ROOM] {
    let mut room = [0; ROOM];
    let count = bytes.len().min(ROOM);
    room[..count].copy_from_slice(&bytes[..count]);
    room
}
