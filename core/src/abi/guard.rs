//! One lock for each mutable object, of a fixed set that objects share by their addresses.
//!
//! The layout of a list or a dict has no room for a lock. No code but ours runs under one: what is removed is dropped by whoever asked,
//! after the lock is gone, and what functions of types say of keys is asked for before ([`key`](super::key)).

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::object::ObjectRef;

static LOCKS: [Mutex<()>; 128] = [const { Mutex::new(()) }; 128];

/// Keeps other threads away from a list or a dict until the guard goes. A thread may hold one guard at a time, whatever of.
pub fn lock(container: &ObjectRef) -> MutexGuard<'static, ()> {
    lock_address(container.handle().as_ptr() as usize)
}

/// Keeps other threads away from a place in memory, as [`lock`] does from a container.
pub fn lock_address(address: usize) -> MutexGuard<'static, ()> {
    // Objects lie at multiples of 16 and are rarely smaller than 64 bytes.
    LOCKS[(address >> 6 ^ address >> 12) % LOCKS.len()]
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}
