//! What JavaScript objects hold: values of core in numbered slots, one table for each environment.
//!
//! JavaScript knows a value by a number: the slot, and how often the slot was given out before. A number that is made up
//! or out of date finds nothing, so no use of it reaches memory.

use std::cell::{Cell, Ref, RefCell};

use tenspan::value::Any;

/// The table.
#[derive(Default)]
pub struct Objects {
    slots: RefCell<Vec<Slot>>,
    free: RefCell<Vec<u32>>,
    /// Let go of while the table was in use.
    late: RefCell<Vec<f64>>,
    is_late: Cell<bool>,
    /// Values that running calls look at.
    pinned: Pins,
    /// Bytes that the collector was not told of yet: more when positive.
    untold: Cell<i64>,
    /// Bytes that all values together free when they go.
    bytes: Cell<i64>,
}

/// Numbers of values, the latest last. The first few need no vector: a call pins one or two.
#[derive(Default)]
struct Pins {
    count: Cell<usize>,
    first: [Cell<f64>; NEAR],
    more: RefCell<Vec<f64>>,
}

/// How many numbers need no vector.
const NEAR: usize = 32;

impl Pins {
    #[inline]
    fn push(&self, number: f64) {
        let count = self.count.get();
        match self.first.get(count) {
            Some(place) => place.set(number),
            None => self.push_more(number),
        }
        self.count.set(count + 1);
    }

    #[cold]
    fn push_more(&self, number: f64) {
        self.more.borrow_mut().push(number);
    }

    #[inline]
    fn truncate(&self, count: usize) {
        if self.count.replace(count) > NEAR {
            self.truncate_more(count);
        }
    }

    #[cold]
    fn truncate_more(&self, count: usize) {
        self.more.borrow_mut().truncate(count.saturating_sub(NEAR));
    }

    fn contain(&self, number: f64) -> bool {
        let first = &self.first[..self.count.get().min(NEAR)];
        first.iter().any(|pin| pin.get() == number) || self.more.borrow().contains(&number)
    }
}

#[derive(Default)]
struct Slot {
    /// How often the slot was given out before.
    generation: u32,
    held: Option<Held>,
}

/// A value that an object holds.
pub struct Held {
    /// The value.
    pub value: Any,
    /// Whether the elements that JavaScript sees are a copy.
    pub data_copied: Cell<bool>,
    /// Bytes that go with it.
    bytes: i64,
}

/// A slot of this age is not used again: its numbers would no longer be exact.
const OLDEST: u32 = 1 << 20;

/// Differences below this are not worth a word with the collector.
const WORTH_TELLING: i64 = 1 << 16;

/// The table while values of it are in use.
pub struct InUse<'a>(Ref<'a, Vec<Slot>>);

impl InUse<'_> {
    /// The value of a number, unless the object was disposed of.
    #[inline]
    pub fn get(&self, number: f64) -> Option<&Held> {
        let (index, generation) = parts(number)?;
        let slot = self.0.get(index)?;
        slot.held.as_ref().filter(|_| slot.generation == generation)
    }
}

/// The slot and its age in a number; none for a number that no value has.
#[inline]
fn parts(number: f64) -> Option<(usize, u32)> {
    let whole = number as i64;
    let is_number = whole as f64 == number && whole >= 0;
    is_number.then_some(((whole & 0xffff_ffff) as usize, (whole >> 32) as u32))
}

impl Objects {
    /// Values may be looked at, and stay until this is dropped.
    #[inline]
    pub fn in_use(&self) -> InUse<'_> {
        InUse(self.slots.borrow())
    }

    /// Holds a value that frees `bytes` when it goes, and numbers it.
    pub fn insert(&self, value: Any, bytes: u64) -> f64 {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.count(bytes);
        let held = Held {
            value,
            data_copied: Cell::new(false),
            bytes,
        };
        let mut slots = self.slots.borrow_mut();
        let index = self.free.borrow_mut().pop().unwrap_or_else(|| {
            slots.push(Slot::default());
            (slots.len() - 1) as u32
        });
        let slot = &mut slots[index as usize];
        slot.held = Some(held);
        (u64::from(slot.generation) << 32 | u64::from(index)) as f64
    }

    /// Lets go of a value. Done again it does nothing; while the table is in use it is done later.
    pub fn release(&self, number: f64) {
        // Dropped last: dropping may run code of the engine, which may look at the table.
        let dropped = self.take(number);
        drop(dropped);
    }

    /// How many values are pinned.
    #[inline]
    pub fn pins(&self) -> usize {
        self.pinned.count.get()
    }

    /// Does not let go of a value until it is unpinned.
    #[inline]
    pub fn pin(&self, number: f64) {
        self.pinned.push(number);
    }

    /// Unpins all but the first.
    #[inline]
    pub fn unpin(&self, first: usize) {
        self.pinned.truncate(first);
    }

    fn take(&self, number: f64) -> Option<Any> {
        if self.pinned.contain(number) {
            self.late.borrow_mut().push(number);
            self.is_late.set(true);
            return None;
        }
        let Ok(mut slots) = self.slots.try_borrow_mut() else {
            self.late.borrow_mut().push(number);
            self.is_late.set(true);
            return None;
        };
        let (index, generation) = parts(number)?;
        let slot = slots.get_mut(index)?;
        if slot.generation != generation {
            return None;
        }
        let held = slot.held.take()?;
        slot.generation += 1;
        if slot.generation < OLDEST {
            self.free.borrow_mut().push(index as u32);
        }
        self.count(-held.bytes);
        Some(held.value)
    }

    fn count(&self, bytes: i64) {
        for sum in [&self.untold, &self.bytes] {
            sum.set(sum.get().saturating_add(bytes));
        }
    }

    /// Whether a number is that of a value that is held.
    pub fn is_held(&self, number: f64) -> bool {
        self.in_use().get(number).is_some()
    }

    /// Bytes that all values together free when they go.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.bytes.get()).unwrap_or(0)
    }

    /// Does what had to wait. To be called when the table is not in use.
    #[inline]
    pub fn catch_up(&self) {
        if self.is_late.get() {
            self.release_late();
        }
    }

    #[cold]
    fn release_late(&self) {
        self.is_late.set(false);
        // Once through: what an outer call looks at is put back.
        let late = self.late.take();
        for number in late {
            self.release(number);
        }
    }

    /// Bytes to tell the collector of, if that is worth it.
    #[inline]
    pub fn to_tell(&self) -> Option<i64> {
        let worth = self.untold.get().abs() >= WORTH_TELLING;
        worth.then(|| self.untold.replace(0))
    }
}
