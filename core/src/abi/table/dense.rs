//! The dense table: chains of pairs inside of one array of a power of two of places.
//!
//! ```text
//! block      16 marks, then 16 items of 48 bytes
//! item       key, value, position of the pair before and after it in order
//! mark       0xff empty; bit 7 clear at the first pair of a chain; bits 0–6 say which of JUMPS leads to the next
//! ```
//! A key belongs into the chain that begins at the place its hash falls on. When a pair of another chain stands there, that chain is
//! moved on. So a key is found by walking one chain, and a key whose place holds no beginning of a chain is not there.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all that is read and written of a table at a time"
)]

use std::ffi::c_void;

use super::{Pair, SMALL, TableCell, release_data, small_slots};
use crate::abi::key::{self, Facts};
use crate::abi::layout::RawAny;
use crate::error::{Error, ErrorKind, Result};

/// No position.
pub(super) const NOWHERE: u64 = u64::MAX;

const EMPTY: u8 = 0xff;
/// Empty, and not to be filled while a chain is moved away.
const RESERVED: u8 = 0xfe;
const BODY: u8 = 0x80;
const JUMP: u8 = 0x7f;

const BLOCK_SLOTS: u64 = 16;
const BLOCK_BYTES: usize = 16 + 16 * size_of::<Item>();

#[repr(C)]
struct Item {
    pair: Pair,
    before: u64,
    after: u64,
}

const _: () = assert!(BLOCK_BYTES == 784);

/// Distances from a pair to the next of its chain: 0 to 15, triangular numbers from 21 to 2628, then triangular numbers that grow
/// by a factor.
#[rustfmt::skip]
const JUMPS: [u64; 126] = {
    const FAR: [u64; 43] = [
        8515, 19110, 42778, 96141, 216153, 486591, 1092981, 2458653, 5532801, 12442566, 27993903, 62983476, 141717030,
        318844378, 717352503, 1614057336, 3631522476, 8170957530, 18384510628, 41364789378, 93070452520, 209408356380,
        471168559170, 1060128894105, 2385289465695, 5366898840628, 12075518705635, 27169915244790, 61132312065111,
        137547689707000, 309482283181501, 696335127828753, 1566753995631385, 3525196511162271, 7931691992677701,
        17846306936293605, 40154190677507445, 90346928918121501, 203280589587557251, 457381325854679626,
        1029107982097042876, 2315492959180353330, 5209859154120846435,
    ];
    let mut jumps = [0; 126];
    let mut i = 0;
    while i < 126 {
        let n = i as u64 - if i < 16 { 0 } else { 10 };
        jumps[i] = match i {
            0..16 => n,
            // 21 is the sixth triangular number.
            16..83 => n * (n + 1) / 2,
            _ => FAR[i - 83],
        };
        i += 1;
    }
    jumps
};

unsafe fn block(cell: *const TableCell, at: u64) -> *mut u8 {
    // SAFETY: the caller vouches for the table.
    let data = unsafe { (*cell).data }.cast::<u8>();
    data.wrapping_add((at / BLOCK_SLOTS) as usize * BLOCK_BYTES)
}

unsafe fn mark(cell: *const TableCell, at: u64) -> *mut u8 {
    // SAFETY: as for `block`.
    unsafe { block(cell, at) }.wrapping_add((at % BLOCK_SLOTS) as usize)
}

unsafe fn item(cell: *const TableCell, at: u64) -> *mut Item {
    // SAFETY: as for `block`.
    let items = unsafe { block(cell, at) }.wrapping_add(BLOCK_SLOTS as usize);
    items
        .cast::<Item>()
        .wrapping_add((at % BLOCK_SLOTS) as usize)
}

/// The pair at a position.
pub(super) unsafe fn pair(cell: *const TableCell, at: u64) -> *mut Pair {
    // SAFETY: as for `block`; the pair is the beginning of its item.
    unsafe { item(cell, at) }.cast()
}

/// The position of the pair that comes after another in order.
pub(super) unsafe fn next(cell: *const TableCell, at: u64) -> u64 {
    // SAFETY: there is an item at the position.
    unsafe { (*item(cell, at)).after }
}

/// Where a key belongs; `None` with an open question.
unsafe fn home(cell: *const TableCell, key: &RawAny, facts: &mut Facts<'_>) -> Option<u64> {
    // SAFETY: the caller vouches for table and key.
    unsafe { key::hash(key, facts).map(|hash| home_of(cell, hash)) }
}

/// Where a hash belongs.
unsafe fn home_of(cell: *const TableCell, hash: u64) -> u64 {
    const GOLDEN: u64 = 11_400_714_819_323_198_485;
    // SAFETY: the caller vouches for the table. The shift is below 64, also for a table of one place.
    unsafe { GOLDEN.wrapping_mul(hash) >> ((*cell).fib_shift & 63) }
}

/// The next position of a chain.
unsafe fn step(cell: *const TableCell, at: u64, mark: u8) -> Option<u64> {
    let jump = JUMPS.get((mark & JUMP) as usize).copied().unwrap_or(0);
    // SAFETY: the caller vouches for the table; it has at least one place.
    (jump != 0).then(|| unsafe { at.wrapping_add(jump) % (*cell).slots })
}

/// The position of a key in the chain that begins at its home.
#[inline]
unsafe fn position(
    cell: *const TableCell,
    home: u64,
    key: &RawAny,
    facts: &mut Facts<'_>,
) -> Option<u64> {
    // SAFETY: the caller vouches for table and key; a chain leads through places that are filled.
    unsafe {
        if *mark(cell, home) & BODY != 0 {
            return None;
        }
        let mut at = home;
        loop {
            if key::same(&(*pair(cell, at)).key, key, facts) {
                return Some(at);
            }
            at = step(cell, at, *mark(cell, at))?;
        }
    }
}

/// The pair of a key; `None`, too, with open questions.
pub(super) unsafe fn find(
    cell: *const TableCell,
    key: &RawAny,
    facts: &mut Facts<'_>,
) -> Option<*mut Pair> {
    // SAFETY: as for `position`.
    unsafe {
        if (*cell).size == 0 || (*cell).slots == 0 {
            return None;
        }
        let home = home(cell, key, facts)?;
        position(cell, home, key, facts).map(|at| pair(cell, at))
    }
}

/// Moves all pairs, of a small table too, into a new one with more places than twice `wanted`; false, with all as before, when there
/// are open questions.
pub(super) unsafe fn grow(
    cell: *mut TableCell,
    wanted: usize,
    facts: &mut Facts<'_>,
) -> Result<bool> {
    let mut wanted = wanted;
    loop {
        let mut larger = allocate(wanted)?;
        // SAFETY: the caller is the only one here. The pairs are copied as plain bytes; those of the old table are
        // forgotten when all have found a place, those of the new one when one has not.
        let done = unsafe {
            let mut at = super::first(cell);
            (0..(*cell).size).all(|_| {
                let pair = super::pair_at(cell, at).read();
                at = super::following(cell, at);
                match key::hash(&pair.key, facts) {
                    // With a question open the other keys are asked about, too, and nothing else is done.
                    Some(hash) if facts.is_settled() => {
                        place(&raw mut larger, pair, hash, facts) == Placed::Yes
                    }
                    _ => true,
                }
            })
        };
        if done && facts.is_settled() {
            // SAFETY: as above; a small table has room for the fields of a dense one.
            unsafe {
                (*cell).size = 0;
                release_data(cell);
                cell.write(larger);
            }
            return Ok(true);
        }
        // SAFETY: the data was just allocated and holds no pair of its own.
        unsafe { free(larger.data) };
        if !facts.is_settled() {
            return Ok(false);
        }
        wanted = wanted.saturating_mul(2);
    }
}

/// Adds a pair whose key is not there; false, with all as before, when there are open questions. The table grows when it would be filled
/// beyond 99 of 100 places.
pub(super) unsafe fn insert(
    cell: *mut TableCell,
    pair: Pair,
    facts: &mut Facts<'_>,
) -> Result<bool> {
    // SAFETY: the caller is the only one here.
    unsafe {
        let Some(hash) = key::hash(&pair.key, facts) else {
            return Ok(false);
        };
        let mut is_full = ((*cell).size + 1) as f64 > (*cell).slots as f64 * 0.99;
        loop {
            if is_full && !grow(cell, (*cell).slots as usize / 2 + 1, facts)? {
                return Ok(false);
            }
            match place(cell, pair, hash, facts) {
                Placed::Yes => return Ok(true),
                Placed::Unknown => return Ok(false),
                Placed::NoRoom => is_full = true,
            }
        }
    }
}

/// A table with more places than twice `wanted`, all empty.
fn allocate(wanted: usize) -> Result<TableCell> {
    let refused = || {
        let message = format!("no memory for a map of {wanted} pairs");
        Error::new(ErrorKind::MemoryError, message)
    };
    let slots = (wanted as u64)
        .checked_add(1)
        .and_then(u64::checked_next_power_of_two)
        .and_then(|slots| slots.checked_mul(2))
        .ok_or_else(refused)?;
    let blocks = slots.div_ceil(BLOCK_SLOTS) as usize;
    let bytes = blocks.checked_mul(BLOCK_BYTES).ok_or_else(refused)?;
    // SAFETY: `malloc` has no preconditions.
    let data = unsafe { libc::malloc(bytes) };
    if data.is_null() {
        return Err(refused());
    }
    for block in 0..blocks {
        let marks = data.cast::<u8>().wrapping_add(block * BLOCK_BYTES);
        // SAFETY: the block is inside of the allocation and begins with its marks.
        unsafe { marks.write_bytes(EMPTY, BLOCK_SLOTS as usize) };
    }
    Ok(TableCell {
        data,
        size: 0,
        slots,
        data_deleter: Some(free),
        fib_shift: 64 - slots.trailing_zeros(),
        padding: 0,
        head: NOWHERE,
        tail: NOWHERE,
    })
}

unsafe extern "C" fn free(data: *mut c_void) {
    // SAFETY: called once with what `allocate` got.
    unsafe { libc::free(data) };
}

/// What came of putting a pair into a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Placed {
    Yes,
    /// Its chain, or one in its way, finds no place; nothing is lost.
    NoRoom,
    /// There is an open question; all is as before.
    Unknown,
}

/// Puts a pair whose key is not there, and has this hash, into the table.
unsafe fn place(cell: *mut TableCell, new: Pair, hash: u64, facts: &mut Facts<'_>) -> Placed {
    // SAFETY: the caller is the only one here, and positions are inside of the table.
    unsafe {
        let home = home_of(cell, hash);
        let at = match *mark(cell, home) {
            EMPTY => {
                *mark(cell, home) = 0;
                home
            }
            first if first & BODY == 0 => {
                let mut last = home;
                while let Some(next) = step(cell, last, *mark(cell, last)) {
                    last = next;
                }
                let Some((jump, free)) = free_after(cell, last) else {
                    return Placed::NoRoom;
                };
                *mark(cell, free) = BODY;
                set_jump(cell, last, jump);
                free
            }
            _ => {
                let in_the_way = self::home(cell, &(*pair(cell, home)).key, facts);
                let Some(beginning) = in_the_way else {
                    return Placed::Unknown;
                };
                if !move_away(cell, home, beginning) {
                    return Placed::NoRoom;
                }
                *mark(cell, home) = 0;
                home
            }
        };
        let before = (*cell).tail;
        item(cell, at).write(Item {
            pair: new,
            before,
            after: NOWHERE,
        });
        if before == NOWHERE {
            (*cell).head = at;
        } else {
            (*item(cell, before)).after = at;
        }
        (*cell).tail = at;
        (*cell).size += 1;
        Placed::Yes
    }
}

/// Moves a pair that stands in the way, and those that follow it in its chain, which has this beginning, to other places. False, with
/// all as before, when one of them finds no place.
unsafe fn move_away(cell: *mut TableCell, from: u64, beginning: u64) -> bool {
    // SAFETY: as for `place`; `from` holds a pair that is not the first of its chain.
    unsafe {
        let mut end = beginning;
        while let Some(next) = step(cell, end, *mark(cell, end)) {
            if next == from {
                break;
            }
            end = next;
        }
        let before = (end, *mark(cell, end));
        let mut moved = Vec::new();
        let mut moving = Some(from);
        while let Some(at) = moving {
            let Some((jump, free)) = free_after(cell, end) else {
                for (at, free, old) in moved.into_iter().rev() {
                    relocate(cell, free, at);
                    *mark(cell, free) = EMPTY;
                    *mark(cell, at) = old;
                }
                *mark(cell, before.0) = before.1;
                return false;
            };
            let old = *mark(cell, at);
            relocate(cell, at, free);
            *mark(cell, free) = BODY;
            *mark(cell, at) = if at == from { RESERVED } else { EMPTY };
            set_jump(cell, end, jump);
            moved.push((at, free, old));
            end = free;
            moving = step(cell, at, old);
        }
        true
    }
}

/// Moves an item, and tells its neighbours in order.
unsafe fn relocate(cell: *mut TableCell, from: u64, to: u64) {
    // SAFETY: there is an item at `from` and none at `to`.
    unsafe {
        item(cell, to).write(item(cell, from).read());
        let Item { before, after, .. } = *item(cell, to);
        match before {
            NOWHERE => (*cell).head = to,
            before => (*item(cell, before)).after = to,
        }
        match after {
            NOWHERE => (*cell).tail = to,
            after => (*item(cell, after)).before = to,
        }
    }
}

unsafe fn set_jump(cell: *mut TableCell, at: u64, jump: u8) {
    // SAFETY: there is an item at the position.
    unsafe { *mark(cell, at) = (*mark(cell, at) & BODY) | jump }
}

/// The nearest empty place that a jump leads to, and the jump.
unsafe fn free_after(cell: *const TableCell, at: u64) -> Option<(u8, u64)> {
    (1..JUMPS.len() as u8).find_map(|jump| {
        // SAFETY: the caller vouches for the table.
        unsafe {
            let to = step(cell, at, jump)?;
            (*mark(cell, to) == EMPTY).then_some((jump, to))
        }
    })
}

/// Takes the pair of a key out, unless there are open questions. The last of its chain fills the gap.
pub(super) unsafe fn remove(
    cell: *mut TableCell,
    key: &RawAny,
    facts: &mut Facts<'_>,
) -> Option<Pair> {
    // SAFETY: the caller is the only one here.
    unsafe {
        if (*cell).size == 0 || (*cell).slots == 0 {
            return None;
        }
        let home = home(cell, key, facts)?;
        let at = position(cell, home, key, facts)?;
        facts.close();
        let taken = item(cell, at).read();
        match taken.before {
            NOWHERE => (*cell).head = taken.after,
            before => (*item(cell, before)).after = taken.after,
        }
        match taken.after {
            NOWHERE => (*cell).tail = taken.before,
            after => (*item(cell, after)).before = taken.before,
        }
        let (mut previous, mut last) = (None, home);
        while let Some(next) = step(cell, last, *mark(cell, last)) {
            previous = Some(last);
            last = next;
        }
        if last != at {
            relocate(cell, last, at);
        }
        *mark(cell, last) = EMPTY;
        if let Some(previous) = previous {
            set_jump(cell, previous, 0);
        }
        (*cell).size -= 1;
        Some(taken.pair)
    }
}

/// Forgets all pairs, which the caller has taken.
pub(super) unsafe fn mark_empty(cell: *mut TableCell) {
    // SAFETY: the caller is the only one here.
    unsafe {
        debug_assert!(small_slots(cell).is_none() && (*cell).slots & SMALL == 0);
        for first in (0..(*cell).slots).step_by(BLOCK_SLOTS as usize) {
            mark(cell, first).write_bytes(EMPTY, BLOCK_SLOTS as usize);
        }
        (*cell).head = NOWHERE;
        (*cell).tail = NOWHERE;
    }
}
