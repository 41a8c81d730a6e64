//! One lock for each mutable object, of fixed sets that objects share by their addresses.
//!
//! The layout of a list or a dict has no room for a lock. No code but ours runs under one, and that of modules that compares keys of a dict:
//! what is removed is dropped by whoever asked, after the lock is gone. So dicts have locks of their own: while one is held, fields and
//! lists may be read, by a module that compares keys, and never the other way round.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::object::ObjectRef;

const LOCKS: usize = 64;

type Locks = [Mutex<()>; LOCKS];

static PLACES: Locks = [const { Mutex::new(()) }; LOCKS];
static DICTS: Locks = [const { Mutex::new(()) }; LOCKS];

/// Keeps other threads away from a list until the guard goes. A thread may hold one such guard at a time, whatever of.
pub fn lock(list: &ObjectRef) -> MutexGuard<'static, ()> {
    lock_address(list.handle().as_ptr() as usize)
}

/// Keeps other threads away from a place in memory, as [`lock`] does from a list.
pub fn lock_address(address: usize) -> MutexGuard<'static, ()> {
    of(&PLACES, address)
}

/// Keeps other threads away from a dict until the guard goes. A thread may hold one such guard at a time, and take the others while it does.
pub fn lock_dict(dict: &ObjectRef) -> MutexGuard<'static, ()> {
    of(&DICTS, dict.handle().as_ptr() as usize)
}

fn of(locks: &'static Locks, address: usize) -> MutexGuard<'static, ()> {
    // Objects lie at multiples of 16 and are rarely smaller than 64 bytes.
    locks[(address >> 6 ^ address >> 12) % LOCKS]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}
