//! Values of the table of a room during a call in which JavaScript may run.
//!
//! JavaScript may dispose of an object that a running call was given. Its value then stays until the call has ended, so that
//! nothing has to be counted for it.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use tenspan::abi::closure;
use tenspan::abi::layout::index;
use tenspan::abi::object::ObjectRef;
use tenspan::value::{Any, AnyView};
use tenspan::{Error, ErrorKind, Result};

use crate::objects::{InUse, Objects};

/// Values that stay until this is dropped.
pub struct Pinned<'a> {
    objects: &'a Objects,
    /// How many were pinned before.
    before: usize,
}

impl<'a> Pinned<'a> {
    /// None so far.
    #[inline]
    pub fn new(objects: &'a Objects) -> Self {
        Pinned {
            objects,
            before: objects.pins(),
        }
    }

    /// The table, to pin more of it.
    #[inline]
    pub fn look(&self) -> Look<'_> {
        Look {
            objects: self.objects,
            in_use: self.objects.in_use(),
        }
    }
}

/// The table of a room while values of it are pinned.
pub struct Look<'p> {
    objects: &'p Objects,
    in_use: InUse<'p>,
}

impl<'p> Look<'p> {
    /// The value of a number, unless the object was disposed of.
    #[inline]
    pub fn get(&self, number: f64) -> Option<AnyView<'p>> {
        let raw = self.in_use.get(number)?.value.view().raw();
        self.objects.pin(number);
        // SAFETY: the table holds the value, and does not let go of what is pinned. The view borrows from what unpins it; the
        // table may move the 16 bytes, but not what they point at.
        Some(unsafe { AnyView::from_raw(raw) })
    }
}

impl Drop for Pinned<'_> {
    #[inline]
    fn drop(&mut self) {
        self.objects.unpin(self.before);
    }
}

/// Calls a function that someone else owns.
///
/// # Errors
/// What it raises, or that it is none.
#[inline]
pub fn call(function: AnyView<'_>, args: &[AnyView<'_>]) -> Result<Any> {
    let raw = function.raw();
    let handle = NonNull::new(raw.payload as *mut _).filter(|_| raw.type_index == index::FUNCTION);
    let Some(handle) = handle else {
        let message = format!("a function wanted, found {function:?}");
        return Err(Error::new(ErrorKind::TypeError, message));
    };
    // SAFETY: by its type the value is the handle of an object, which lives as long as the view. The count that is taken over
    // here is not given up.
    let function = ManuallyDrop::new(unsafe { ObjectRef::from_owned(handle) });
    closure::call(&function, args)
}
