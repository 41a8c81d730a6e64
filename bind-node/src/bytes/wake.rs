//! How another thread wakes an engine.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use napi::{Env, sys};

use super::check;
use crate::host::Scope;
use crate::room::Room;

/// Wakes one engine, which then does the work of its [post](crate::post). It does not keep the engine from ending.
pub struct Wake(sys::napi_threadsafe_function);

// SAFETY: Node-API allows calls of such a function from any thread while the engine lives, which the post sees to.
unsafe impl Send for Wake {}
// SAFETY: as above.
unsafe impl Sync for Wake {}

impl Wake {
    /// Wakes the room of this number, which is of the current thread.
    pub fn new(env: &Env, room: usize) -> napi::Result<Self> {
        let raw = env.raw();
        let label = "tenspan";
        let mut name = ptr::null_mut();
        // SAFETY: the text is of that length; the value is of the current call.
        check(unsafe {
            sys::napi_create_string_utf8(
                raw,
                label.as_ptr().cast(),
                label.len() as isize,
                &mut name,
            )
        })?;
        let mut function = ptr::null_mut();
        // SAFETY: with a callback there needs to be no function; the context is a number.
        check(unsafe {
            sys::napi_create_threadsafe_function(
                raw,
                ptr::null_mut(),
                ptr::null_mut(),
                name,
                0,
                1,
                ptr::null_mut(),
                None,
                room as *mut c_void,
                Some(woken),
                &mut function,
            )
        })?;
        // SAFETY: just made, on this thread.
        check(unsafe { sys::napi_unref_threadsafe_function(raw, function) })?;
        Ok(Wake(function))
    }

    /// Wakes the engine.
    pub fn ring(&self) {
        // SAFETY: the post drops this before the engine ends (`Room::leave`), under the lock in which it is used. The queue has
        // no limit, so nothing can fail that would matter.
        unsafe {
            sys::napi_call_threadsafe_function(
                self.0,
                ptr::null_mut(),
                sys::ThreadsafeFunctionCallMode::nonblocking,
            )
        };
    }
}

unsafe extern "C" fn woken(
    env: sys::napi_env,
    _function: sys::napi_value,
    context: *mut c_void,
    _data: *mut c_void,
) {
    // Without an environment the engine is ending.
    if env.is_null() {
        return;
    }
    let Some(room) = Room::find(context as usize) else {
        return;
    };
    let env = Env::from_raw(env);
    // Each piece of work reports its own panic; what is left is a defect that must not reach the engine.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        room.post.work(&Scope {
            env: &env,
            room: &room,
        });
    }));
}
