//! Sums of real numbers.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::super::super::sums::Twofold;
use super::super::run::{AddTwo, Body};
use super::load::Load;
use super::sum::{Sum, merge};
use super::tail::{load32, padded};

/// What numbers add to which sums.
pub(super) trait Step {
    /// How many sums there are.
    const SUMS: usize;

    /// Adds four registers of numbers to `C` sums of each kind.
    ///
    /// # Safety
    /// The processor has AVX2, FMA and F16C.
    unsafe fn step<L: Load, S: Sum<Lane = L::Lane>>(
        sums: &mut [S],
        x: [L::Lane; 4],
        y: [L::Lane; 4],
        hand: S::Hand,
    );

    /// What two numbers add to each sum.
    fn scalar(x: f32, y: f32) -> [f32; 3];
}

/// Of products.
pub(super) struct Products;

impl Step for Products {
    const SUMS: usize = 1;

    #[inline(always)]
    unsafe fn step<L: Load, S: Sum<Lane = L::Lane>>(
        sums: &mut [S],
        x: [L::Lane; 4],
        y: [L::Lane; 4],
        hand: S::Hand,
    ) {
        for k in 0..4 {
            let chain = k % sums.len();
            let sum = &mut sums[chain];
            // SAFETY: the caller says that the instructions exist.
            *sum = unsafe { sum.add(x[k], y[k], hand) };
        }
    }

    #[inline(always)]
    fn scalar(x: f32, y: f32) -> [f32; 3] {
        [x * y, 0.0, 0.0]
    }
}

/// Of squares of differences.
pub(super) struct Squares;

impl Step for Squares {
    const SUMS: usize = 1;

    #[inline(always)]
    unsafe fn step<L: Load, S: Sum<Lane = L::Lane>>(
        sums: &mut [S],
        x: [L::Lane; 4],
        y: [L::Lane; 4],
        hand: S::Hand,
    ) {
        for k in 0..4 {
            // SAFETY: the caller says that the instructions exist.
            let difference = unsafe { S::difference(x[k], y[k]) };
            let chain = k % sums.len();
            let sum = &mut sums[chain];
            // SAFETY: as above.
            *sum = unsafe { sum.add_squares(difference, hand) };
        }
    }

    #[inline(always)]
    fn scalar(x: f32, y: f32) -> [f32; 3] {
        [(x - y) * (x - y), 0.0, 0.0]
    }
}

/// Of products and of squares of each side.
pub(super) struct Angles;

impl Step for Angles {
    const SUMS: usize = 3;

    #[inline(always)]
    unsafe fn step<L: Load, S: Sum<Lane = L::Lane>>(
        sums: &mut [S],
        x: [L::Lane; 4],
        y: [L::Lane; 4],
        hand: S::Hand,
    ) {
        let chains = sums.len() / 3;
        for k in 0..4 {
            let (x, y) = (x[k], y[k]);
            let chain = k % chains;
            let sum = &mut sums[chain];
            // SAFETY: the caller says that the instructions exist.
            *sum = unsafe { sum.add(x, y, hand) };
            for (i, x) in [(1, x), (2, y)] {
                let sum = &mut sums[i * chains + chain];
                // SAFETY: as above.
                *sum = unsafe { sum.add_squares(x, hand) };
            }
        }
    }

    #[inline(always)]
    fn scalar(x: f32, y: f32) -> [f32; 3] {
        [x * y, x * x, y * y]
    }
}

/// Bytes that are looked through before they are added: still in the nearest cache afterwards.
const CHECKED: usize = 4096;

/// `N` sums, a share of them for each of `G` groups of registers that are loaded in turn.
pub(super) struct Floats<L, S, F, const N: usize, const G: usize>(PhantomData<(L, S, F)>);

impl<L: Load, S: Sum<Lane = L::Lane>, F: Step, const N: usize, const G: usize>
    Floats<L, S, F, N, G>
{
    /// Adds what is at two addresses to the sums of all groups.
    ///
    /// # Safety
    /// There are `G` times [`Load::STEP`] bytes at both, and the processor has the instructions.
    #[inline(always)]
    unsafe fn steps(sums: &mut [S; N], a: *const u8, b: *const u8, hand: S::Hand) {
        if !L::IS_PLAIN {
            for group in 0..G {
                let at = group * L::STEP;
                // SAFETY: the caller says so.
                unsafe { Self::step(sums, group, a.wrapping_add(at), b.wrapping_add(at), hand) };
            }
            return;
        }
        // All of one row, then all of the other: long rows arrive faster so. The second are loaded as they are multiplied.
        // SAFETY: as above.
        let mut x = [unsafe { L::four(a) }; G];
        for (group, x) in x.iter_mut().enumerate().skip(1) {
            // SAFETY: as above.
            *x = unsafe { L::four(a.wrapping_add(group * L::STEP)) };
        }
        let share = N / G;
        for (group, x) in x.into_iter().enumerate() {
            // SAFETY: as above.
            let y = unsafe { L::four(b.wrapping_add(group * L::STEP)) };
            // SAFETY: as above.
            unsafe { F::step::<L, S>(&mut sums[group * share..][..share], x, y, hand) };
        }
    }

    /// Adds what is at two addresses to the sums of a group.
    ///
    /// # Safety
    /// There are [`Load::STEP`] bytes at both, and the processor has the instructions.
    #[inline(always)]
    unsafe fn step(sums: &mut [S; N], group: usize, a: *const u8, b: *const u8, hand: S::Hand) {
        // SAFETY: the caller says so.
        let (x, y) = (unsafe { L::four(a) }, unsafe { L::four(b) });
        let share = N / G;
        // SAFETY: the caller says that the instructions exist.
        unsafe { F::step::<L, S>(&mut sums[group * share..][..share], x, y, hand) };
    }

    /// Adds packed numbers of a dtype that is loaded right whatever its bits, of one place of each row or of `P` in turn.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_all<const P: usize>(state: &mut [S; N], a: [&[u8]; P], b: [&[u8]; P]) {
        // SAFETY: the caller says that the instructions exist.
        let hand = unsafe { S::hand() };
        let mut sums = *state;
        let len = (a.iter().chain(&b)).fold(usize::MAX, |least, bytes| least.min(bytes.len()));
        let (starts_a, starts_b) = (a.map(<[u8]>::as_ptr), b.map(<[u8]>::as_ptr));
        let mut at = 0;
        while at + G * L::STEP <= len {
            for (a, b) in starts_a.into_iter().zip(starts_b) {
                let (a, b) = (a.wrapping_add(at), b.wrapping_add(at));
                // SAFETY: `at` and a step of each group more is within all.
                unsafe { Self::steps(&mut sums, a, b, hand) };
            }
            at += G * L::STEP;
        }
        while at + L::STEP <= len {
            for (a, b) in starts_a.into_iter().zip(starts_b) {
                let (a, b) = (a.wrapping_add(at), b.wrapping_add(at));
                // SAFETY: as above.
                unsafe { Self::step(&mut sums, 0, a, b, hand) };
            }
            at += L::STEP;
        }
        if at < len {
            for (a, b) in a.into_iter().zip(b) {
                let (a, b) = (padded(&a[at..len]), padded(&b[at..len]));
                // SAFETY: a room is at least as large as a step.
                unsafe { Self::step(&mut sums, 0, a.as_ptr().cast(), b.as_ptr().cast(), hand) };
            }
        }
        *state = sums;
    }

    /// As [`Floats::add_all`], of bytes some of which are loaded wrong.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_checked<const P: usize>(
        state: &mut [S; N],
        a: [&[u8]; P],
        b: [&[u8]; P],
        greatest: u8,
    ) {
        let len = (a.iter().chain(&b)).fold(usize::MAX, |least, bytes| least.min(bytes.len()));
        for start in (0..len).step_by(CHECKED) {
            let part = start..len.min(start + CHECKED);
            let (a, b) = (a.map(|a| &a[part.clone()]), b.map(|b| &b[part.clone()]));
            if a.iter().chain(&b).all(|bytes| all_up_to(greatest, bytes)) {
                // SAFETY: the caller says that the instructions exist.
                unsafe { Self::add_all(state, a, b) };
            } else {
                for (a, b) in a.into_iter().zip(b) {
                    // SAFETY: as above.
                    unsafe { Self::add_one_by_one(state, a, b) };
                }
            }
        }
    }

    /// Adds packed numbers, of one place of each row or of `P` in turn.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_in<const P: usize>(state: &mut [S; N], a: [&[u8]; P], b: [&[u8]; P]) {
        match L::GREATEST {
            // SAFETY: the caller says that the instructions exist.
            Some(greatest) => unsafe { Self::add_checked(state, a, b, greatest) },
            // SAFETY: as above.
            None => unsafe { Self::add_all(state, a, b) },
        }
    }

    /// Adds bytes as the floats that they are.
    #[inline(never)]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn add_one_by_one(state: &mut [S; N], a: &[u8], b: &[u8]) {
        let mut sums = [0.0; 3];
        for (a, b) in a.iter().zip(b) {
            for (part, sum) in F::scalar(L::of_byte(*a), L::of_byte(*b))
                .iter()
                .zip(&mut sums)
            {
                *sum += part;
            }
        }
        for (sums, sum) in state.chunks_exact_mut(N / F::SUMS).zip(sums) {
            // SAFETY: the caller says that the instructions exist.
            sums[0] = unsafe { sums[0].with((f64::from(sum) / L::SCALE) as f32) };
        }
    }
}

/// Whether all bytes, their signs set, are at most so great.
#[inline]
#[target_feature(enable = "avx2")]
fn all_up_to(greatest: u8, bytes: &[u8]) -> bool {
    let sign = _mm256_set1_epi8(i8::MIN);
    let mut most = sign;
    let (whole, rest) = bytes.as_chunks::<32>();
    for bytes in whole {
        // SAFETY: 32 bytes.
        let bytes = unsafe { load32(bytes.as_ptr()) };
        most = _mm256_max_epu8(most, _mm256_or_si256(bytes, sign));
    }
    // Nothing is greater than a limit that stays when it is compared with.
    let limit = _mm256_set1_epi8(greatest.cast_signed());
    let beyond = _mm256_xor_si256(_mm256_max_epu8(most, limit), limit);
    _mm256_testz_si256(beyond, beyond) == 1 && rest.iter().all(|byte| byte | 0x80 <= greatest)
}

impl<L: Load, S: Sum<Lane = L::Lane>, F: Step, const N: usize, const G: usize> Body
    for Floats<L, S, F, N, G>
{
    const SIZE: usize = L::SIZE;
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
        unsafe { Self::add_in(state, [a], [b]) }
    }

    const ADD_TWO: Option<AddTwo<Self>> = Some(Self::add_in::<2>);

    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    unsafe fn finish(mut state: [S; N], sums: &mut [Twofold; 3]) {
        for (part, sum) in state.chunks_exact_mut(N / F::SUMS).zip(sums) {
            // SAFETY: the caller says that the instructions exist.
            let all = unsafe { merge(part) };
            // SAFETY: as above.
            let both = unsafe { all.total() };
            sum.merge(Twofold {
                hi: both.hi * L::SCALE,
                lo: both.lo * L::SCALE,
            });
        }
    }
}
