//! Handles that are made once, for languages that have no static initialisers.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use super::null;
use crate::abi::failure;

/// Makes a handle.
pub type Init = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
/// Ends a handle.
pub type Deinit = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Who makes or ends handles, and how deep inside of another: making one may make others.
struct Turn {
    owner: Mutex<Option<(ThreadId, u32)>>,
    free: Condvar,
}

static TURN: Turn = Turn {
    owner: Mutex::new(None),
    free: Condvar::new(),
};

/// The turn of this thread, until it is dropped.
struct Mine;

impl Mine {
    fn take() -> Mine {
        let me = thread::current().id();
        let mut owner = TURN.owner.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *owner {
                None => *owner = Some((me, 1)),
                Some((who, depth)) if who == me => *owner = Some((me, depth + 1)),
                Some(_) => {
                    owner = TURN
                        .free
                        .wait(owner)
                        .unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            }
            return Mine;
        }
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        let mut owner = TURN.owner.lock().unwrap_or_else(PoisonError::into_inner);
        *owner = owner
            .filter(|(_, depth)| *depth > 1)
            .map(|(who, depth)| (who, depth - 1));
        if owner.is_none() {
            TURN.free.notify_one();
        }
    }
}

/// Makes the handle at a place unless there is one. One thread at a time does so; `init` may make other handles.
pub unsafe extern "C" fn handle_init_once(place: *mut *mut c_void, init: Option<Init>) -> c_int {
    let Some(init) = init.filter(|_| !place.is_null()) else {
        failure::raise(null("the place of a handle, or what makes it,"));
        return -1;
    };
    // SAFETY: the caller gives a place that is read and written here only, for as long as it is used.
    let handle = unsafe { AtomicPtr::from_ptr(place) };
    if !handle.load(Ordering::Acquire).is_null() {
        return 0;
    }
    let _mine = Mine::take();
    if !handle.load(Ordering::Acquire).is_null() {
        return 0;
    }
    let mut made = std::ptr::null_mut();
    // SAFETY: the caller gives a function for this.
    let code = unsafe { init(&raw mut made) };
    if code == 0 {
        handle.store(made, Ordering::Release);
    }
    code
}

/// Ends the handle at a place if there is one.
pub unsafe extern "C" fn handle_deinit_once(
    place: *mut *mut c_void,
    deinit: Option<Deinit>,
) -> c_int {
    let Some(deinit) = deinit.filter(|_| !place.is_null()) else {
        failure::raise(null("the place of a handle, or what ends it,"));
        return -1;
    };
    // SAFETY: as in `handle_init_once`.
    let handle = unsafe { AtomicPtr::from_ptr(place) };
    if handle.load(Ordering::Acquire).is_null() {
        return 0;
    }
    let _mine = Mine::take();
    let ended = handle.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if ended.is_null() {
        return 0;
    }
    // SAFETY: the caller gives a function for this, and the handle is ended once.
    unsafe { deinit(ended) }
}
