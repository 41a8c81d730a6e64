//! One lock for each mutable object, of a fixed set that objects share by their addresses.
//!
//! The layout of a list or a dict has no room for a lock. No code but ours runs under one, and that of modules that compares keys: what is
//! removed is dropped by whoever asked, after the lock is gone.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::object::ObjectRef;

const LOCKS: usize = 64;

static GUARDS: [Mutex<()>; LOCKS] = [const { Mutex::new(()) }; LOCKS];

/// Keeps other threads away from an object until the guard goes. A thread may hold one guard at a time.
pub fn lock(object: &ObjectRef) -> MutexGuard<'static, ()> {
    lock_address(object.handle().as_ptr() as usize)
}

/// Keeps other threads away from a place in memory, as [`lock`] does from an object.
pub fn lock_address(address: usize) -> MutexGuard<'static, ()> {
    // Objects lie at multiples of 16 and are rarely smaller than 64 bytes.
    GUARDS[(address >> 6 ^ address >> 12) % LOCKS]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}
