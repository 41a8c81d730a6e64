//! The way through two rows: packed ones at once, others through a tile; long ones from their start and from their middle at once.

use super::super::row::Row;

/// Numbers after which sums are brought together: whole numbers in narrow lanes do not wrap before, and floats lose less.
const RUN: usize = 1 << 16;

/// Bytes that are collected of a row at a time; both tiles stay in the nearest cache.
const TILE: usize = 4096;

/// Bytes from which on a row is long: two of them come from beyond all caches, and more of them arrives in a time when it is asked for in
/// two places.
const LONG: usize = 1 << 23;

/// What adds packed numbers.
pub(super) trait Body {
    /// Bytes of a number.
    const SIZE: usize;
    /// Sums of a run, as the instructions keep them.
    type State;
    /// Sums of everything.
    type Sum;

    /// Sums of nothing.
    ///
    /// # Safety
    /// The processor has the instructions of the body.
    unsafe fn zero() -> Self::State;

    /// Adds as many packed numbers of each row, at most [`RUN`] since [`Body::zero`]. Only the last part of a row is not
    /// a multiple of [`TILE`] bytes.
    ///
    /// # Safety
    /// As [`Body::zero`].
    unsafe fn add(state: &mut Self::State, a: &[u8], b: &[u8]);

    /// Adds as many packed numbers of two places of each row, in turn, where the body can; a multiple of [`TILE`] bytes of each.
    const ADD_TWO: Option<AddTwo<Self>> = None;

    /// Brings the sums of a run to those of everything.
    ///
    /// # Safety
    /// As [`Body::zero`].
    unsafe fn finish(state: Self::State, sums: &mut [Self::Sum; 3]);
}

/// Adds two places of two rows, as [`Body::ADD_TWO`] says.
pub(super) type AddTwo<B> = unsafe fn(&mut <B as Body>::State, [&[u8]; 2], [&[u8]; 2]);

/// Adds two rows of the same length, whose numbers have the size of the body.
///
/// # Safety
/// The processor has the instructions of the body.
#[inline(always)]
pub(super) unsafe fn run<B: Body>(a: &Row<'_>, b: &Row<'_>, sums: &mut [B::Sum; 3]) {
    let packed = a.is_packed(B::SIZE) && b.is_packed(B::SIZE);
    let mut start = 0;
    if a.len() * B::SIZE >= LONG
        && let Some(add) = B::ADD_TWO
    {
        // SAFETY: the caller says that the instructions exist.
        start = unsafe { in_two::<B>(add, a, b, sums) };
    }
    while start < a.len() {
        let end = a.len().min(start + RUN);
        // SAFETY: the caller says that the instructions exist.
        let mut state = unsafe { B::zero() };
        if packed {
            let (a, b) = (a.range(start, end, B::SIZE), b.range(start, end, B::SIZE));
            // SAFETY: as above.
            unsafe { B::add(&mut state, a, b) };
        } else {
            // SAFETY: as above.
            unsafe { tiles::<B>(&mut state, a, b, start, end) };
        }
        // SAFETY: as above.
        unsafe { B::finish(state, sums) };
        start = end;
    }
}

/// Adds all of long rows but their end, from the start and from the middle on at once; the result is where that end begins. The numbers
/// take the same turns in packed rows and in others.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn in_two<B: Body>(
    add: AddTwo<B>,
    a: &Row<'_>,
    b: &Row<'_>,
    sums: &mut [B::Sum; 3],
) -> usize {
    let step = TILE / B::SIZE;
    let middle = a.len() / 2 / step * step;
    let packed = a.is_packed(B::SIZE) && b.is_packed(B::SIZE);
    let mut rooms = [[0; TILE]; 4];
    for start in (0..middle).step_by(RUN / 2) {
        let end = middle.min(start + RUN / 2);
        // SAFETY: the caller says that the instructions exist.
        let mut state = unsafe { B::zero() };
        // Rows that are not packed are collected a tile at a time.
        let step = if packed { end - start } else { step };
        for first in (start..end).step_by(step) {
            let [a0, a1, b0, b1] = &mut rooms;
            let a = [(first, a0), (middle + first, a1)]
                .map(|(first, room)| part::<B>(a, first, step, room));
            let b = [(first, b0), (middle + first, b1)]
                .map(|(first, room)| part::<B>(b, first, step, room));
            // SAFETY: as above.
            unsafe { add(&mut state, a, b) };
        }
        // SAFETY: as above.
        unsafe { B::finish(state, sums) };
    }
    2 * middle
}

/// Adds a run through tiles.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn tiles<B: Body>(state: &mut B::State, a: &Row<'_>, b: &Row<'_>, start: usize, end: usize) {
    let mut rooms = ([0; TILE], [0; TILE]);
    let step = TILE / B::SIZE;
    for first in (start..end).step_by(step) {
        let count = step.min(end - first);
        let a = part::<B>(a, first, count, &mut rooms.0);
        let b = part::<B>(b, first, count, &mut rooms.1);
        // SAFETY: the caller says that the instructions exist.
        unsafe { B::add(state, a, b) };
    }
}

/// Some numbers of a row, packed.
fn part<'s, B: Body>(
    row: &Row<'s>,
    first: usize,
    count: usize,
    room: &'s mut [u8; TILE],
) -> &'s [u8] {
    if row.is_packed(B::SIZE) {
        return row.range(first, first + count, B::SIZE);
    }
    let room = &mut room[..count * B::SIZE];
    match B::SIZE {
        1 => row.gather::<1>(first, room),
        2 => row.gather::<2>(first, room),
        4 => row.gather::<4>(first, room),
        8 => row.gather::<8>(first, room),
        _ => row.gather::<16>(first, room),
    }
    room
}

/// A body that reads each number as two of another: complex numbers as real ones.
pub(super) struct Twice<B>(B);

impl<B: Body> Body for Twice<B> {
    const SIZE: usize = 2 * B::SIZE;
    type State = B::State;
    type Sum = B::Sum;
    // The state is the same, and so are the bytes.
    const ADD_TWO: Option<AddTwo<Self>> = B::ADD_TWO;

    #[inline(always)]
    unsafe fn zero() -> B::State {
        // SAFETY: the caller says that the instructions exist.
        unsafe { B::zero() }
    }

    #[inline(always)]
    unsafe fn add(state: &mut B::State, a: &[u8], b: &[u8]) {
        // SAFETY: as above.
        unsafe { B::add(state, a, b) }
    }

    #[inline(always)]
    unsafe fn finish(state: B::State, sums: &mut [B::Sum; 3]) {
        // SAFETY: as above.
        unsafe { B::finish(state, sums) }
    }
}
