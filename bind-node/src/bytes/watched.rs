//! Objects that hold much memory, and whether they are still there.
//!
//! The engine tells of collected objects when JavaScript yields. A loop that never does would pile up the memory of
//! tensors that nothing reaches any more, so the large ones are also looked after by weak references: now and then while
//! new memory is held, what was collected meanwhile is let go.

use std::cell::{Cell, RefCell};
use std::ptr;

use napi::bindgen_prelude::Env;
use napi::sys;

use super::check;
use crate::objects::Objects;

/// Memory of an object that is worth a weak reference.
pub const LARGE: u64 = 1 << 16;

/// Memory that may be held before the first look.
const FIRST: u64 = 32 << 20;

/// The objects that are looked after.
pub struct Watched {
    entries: RefCell<Vec<Entry>>,
    /// Bytes until the next look.
    rest: Cell<u64>,
}

struct Entry {
    /// What the object is known by.
    number: f64,
    /// A weak reference to it.
    reference: sys::napi_ref,
}

impl Default for Watched {
    fn default() -> Self {
        Watched {
            entries: RefCell::default(),
            rest: Cell::new(FIRST),
        }
    }
}

impl Watched {
    /// Looks after an object from now on.
    pub fn add(&self, env: &Env, object: sys::napi_value, number: f64) -> napi::Result<()> {
        let mut reference = ptr::null_mut();
        // SAFETY: a value of the current call; anything that cannot be referred to is reported.
        check(unsafe { sys::napi_create_reference(env.raw(), object, 0, &mut reference) })?;
        self.entries.borrow_mut().push(Entry { number, reference });
        Ok(())
    }

    /// Notes memory that is held anew, and whether it is time to look.
    #[inline]
    pub fn note(&self, bytes: u64) -> bool {
        match self.rest.get().checked_sub(bytes) {
            Some(rest) => {
                self.rest.set(rest);
                false
            }
            None => true,
        }
    }

    /// Lets go of what collected objects held. The next look is when half as much memory came as there is now.
    pub fn look(&self, env: &Env, objects: &Objects) {
        let entries = self.entries.take();
        let kept = entries.into_iter().filter(|entry| {
            if objects.is_held(entry.number) {
                if is_there(env, entry.reference) {
                    return true;
                }
                objects.release(entry.number);
            }
            // SAFETY: `add` made it, of this environment, and nothing knows it any more.
            unsafe { sys::napi_delete_reference(env.raw(), entry.reference) };
            false
        });
        let kept: Vec<Entry> = kept.collect();
        self.entries.borrow_mut().extend(kept);
        self.rest.set(FIRST.max(objects.bytes() / 2));
    }
}

/// Whether the object of a weak reference was not collected.
fn is_there(env: &Env, reference: sys::napi_ref) -> bool {
    let mut scope = ptr::null_mut();
    // SAFETY: the environment is in a call.
    let status = unsafe { sys::napi_open_handle_scope(env.raw(), &mut scope) };
    if status != sys::Status::napi_ok {
        return true;
    }
    let mut object = ptr::null_mut();
    // SAFETY: a reference of this environment, not deleted yet.
    let status = unsafe { sys::napi_get_reference_value(env.raw(), reference, &mut object) };
    // SAFETY: opened above; nothing of it is used after.
    unsafe { sys::napi_close_handle_scope(env.raw(), scope) };
    status != sys::Status::napi_ok || !object.is_null()
}
