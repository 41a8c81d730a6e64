//! Function objects over an entry point of a language that has one for each of its functions, C++ above all: a call goes
//! straight there.
//!
//! ```text
//! handle + 24   FunctionCell; the entry point gets the handle
//! handle + 40   the context, for the entry point to read
//! ```
#![allow(
    unsafe_code,
    reason = "functions are entered from C and told apart by their deleter"
)]

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::closure::Signature;
use super::layout::{FunctionCell, RawAny, SafeCall, index};
use super::object::{self, Boxed, ObjectRef};

/// Frees the context of a function.
pub type Release = unsafe extern "C" fn(*mut c_void);

#[repr(C)]
struct Native {
    cell: FunctionCell,
    context: *mut c_void,
    release: Option<Release>,
    signature: Option<Arc<Signature>>,
}

const _: () = assert!(std::mem::offset_of!(Native, context) == 16);

// SAFETY: `new` asks that the context may be used and released by any thread.
unsafe impl Send for Native {}
// SAFETY: as above.
unsafe impl Sync for Native {}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: called once, when nothing can enter the function any more.
            unsafe { release(self.context) }
        }
    }
}

// Its address tells objects of ours, so there must be only one of it.
#[inline(never)]
pub(super) unsafe extern "C" fn delete_native(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects that `new` made of a `Native`.
    unsafe { object::delete::<Native>(handle, flags) }
}

/// A function object over an entry point; `release` is called with `context` when the object goes.
///
/// # Safety
/// `entry` follows the calling convention when given the handle of the object, from any thread; `release` may be called with
/// `context` from any thread, once.
pub unsafe fn new(
    context: *mut c_void,
    entry: SafeCall,
    release: Option<Release>,
    signature: Option<Signature>,
) -> ObjectRef {
    let native = Native {
        cell: FunctionCell {
            safe_call: Some(entry),
            cpp_call: std::ptr::null_mut(),
        },
        context,
        release,
        signature: signature.map(Arc::new),
    };
    Boxed::with_deleter(index::FUNCTION, native, 0, delete_native).0
}

/// An entry point that gets a context of its own, and what frees that.
struct Entered {
    entry: SafeCall,
    context: *mut c_void,
    release: Option<Release>,
}

/// A function object over an entry point that gets `context` instead of the object; `release` is called with it when the object goes.
///
/// # Safety
/// `entry` follows the calling convention when given `context`, from any thread; `release` may be called with `context` from any
/// thread, once.
pub unsafe fn with_context(
    context: *mut c_void,
    entry: SafeCall,
    release: Option<Release>,
) -> ObjectRef {
    let entered = Box::new(Entered {
        entry,
        context,
        release,
    });
    let entered = Box::into_raw(entered).cast();
    // SAFETY: `enter` and `release_entered` find such a box, and do with it what the caller allows.
    unsafe { new(entered, enter, Some(release_entered), None) }
}

unsafe extern "C" fn enter(
    handle: *mut c_void,
    args: *const RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    let Some(handle) = std::ptr::NonNull::new(handle.cast()) else {
        let message = "a function was called without its object";
        super::failure::raise(crate::Error::new(crate::ErrorKind::InternalError, message));
        return -1;
    };
    // SAFETY: objects with this entry point are made by `with_context`, and the caller keeps the object during the call. So below.
    let native: &Native = unsafe { object::value(handle) };
    // SAFETY: as above.
    let entered = unsafe { &*native.context.cast::<Entered>() };
    // SAFETY: the caller gives what every entry point wants.
    unsafe { (entered.entry)(entered.context, args, count, result) }
}

unsafe extern "C" fn release_entered(entered: *mut c_void) {
    // SAFETY: called once, with the box of `with_context`.
    let entered = unsafe { Box::from_raw(entered.cast::<Entered>()) };
    if let Some(release) = entered.release {
        // SAFETY: called once, when nothing can enter the function any more.
        unsafe { release(entered.context) }
    }
}

/// What a function says of itself, when it was made here and says something.
pub fn signature(function: &ObjectRef) -> Option<&Arc<Signature>> {
    let ours = function.header().deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            delete_native as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    // SAFETY: the deleter tells that the object was made of a `Native`, which lives as long as the reference.
    let native = ours.then(|| unsafe { object::value::<Native>(function.handle()) })?;
    native.signature.as_ref()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::function::Function;
    use crate::value::{Any, Kind};

    static RELEASED: AtomicUsize = AtomicUsize::new(0);

    /// Returns the number that its context is.
    unsafe extern "C" fn entry(
        handle: *mut c_void,
        _args: *const RawAny,
        _count: i32,
        result: *mut RawAny,
    ) -> c_int {
        // SAFETY: the context stands 40 bytes behind the handle.
        let context = unsafe { handle.cast::<usize>().wrapping_add(5).read() };
        // SAFETY: the convention gives a slot to write.
        unsafe { result.write(Any::int(context as i128).into_raw()) };
        0
    }

    unsafe extern "C" fn release(context: *mut c_void) {
        RELEASED.fetch_add(context as usize, Ordering::Relaxed);
    }

    #[test]
    fn the_entry_point_finds_its_context() {
        let signature = Signature {
            name: "native".to_owned(),
            ..Signature::default()
        };
        // SAFETY: `entry` and `release` do nothing but the above.
        let object = unsafe { new(77 as *mut c_void, entry, Some(release), Some(signature)) };
        let function = Function::from_object(object).unwrap();
        assert!(matches!(function.call(&[]).unwrap().kind(), Kind::Int(77)));
        assert_eq!(function.name(), Some("native"));
        let other = function.clone();
        drop(function);
        assert_eq!(RELEASED.load(Ordering::Relaxed), 0);
        drop(other);
        assert_eq!(RELEASED.load(Ordering::Relaxed), 77);
    }
}
