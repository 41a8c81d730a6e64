//! Another runtime of the public ABI in the process: `libtvm_ffi.so`, as the Python package `apache-tvm-ffi` brings it.
//!
//! Objects of the static types say themselves what they are, so both runtimes use those of the other. What each has for itself is the
//! slot of the error that a failed function leaves. Once an object has crossed, [`connect`] was asked for: from then on an error is left in
//! both slots, and taken from that of the other runtime first, where functions of both leave theirs.
#![allow(
    unsafe_code,
    reason = "the functions of the other runtime are C functions, found by their public names"
)]

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::layout::index;
use super::library;
use super::object::ObjectRef;

type Take = unsafe extern "C" fn(*mut *mut c_void);
type Set = unsafe extern "C" fn(*mut c_void);

/// The functions of the other runtime's slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    take: Take,
    set: Set,
}

static CONNECTED: OnceLock<Neighbour> = OnceLock::new();

/// Looks for another runtime, and shares errors with it from now on; false when there is none.
pub fn connect() -> bool {
    if CONNECTED.get().is_some() {
        return true;
    }
    let names = ["TVMFFIErrorMoveFromRaised", "TVMFFIErrorSetRaised"];
    let Some([take, set]) = library::find_together(names) else {
        return false;
    };
    let found = Neighbour {
        // SAFETY: the public header says what a function of this name takes.
        take: unsafe { std::mem::transmute::<*const c_void, Take>(take as *const c_void) },
        // SAFETY: as above.
        set: unsafe { std::mem::transmute::<*const c_void, Set>(set as *const c_void) },
    };
    let _ = CONNECTED.set(found);
    true
}

/// The other runtime, if errors are shared with one.
#[inline]
pub(super) fn connected() -> Option<Neighbour> {
    CONNECTED.get().copied()
}

impl Neighbour {
    /// Takes the error that stands in its slot.
    pub fn take(self) -> Option<ObjectRef> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the function writes the handle of an object that the caller owns, or null.
        unsafe { (self.take)(&raw mut handle) };
        // SAFETY: as above.
        let error =
            NonNull::new(handle.cast()).map(|handle| unsafe { ObjectRef::from_owned(handle) })?;
        (error.type_index() == index::ERROR).then_some(error)
    }

    /// Leaves an error in its slot.
    pub fn set(self, error: &ObjectRef) {
        // SAFETY: a live error object; the function counts it for itself.
        unsafe { (self.set)(error.handle().as_ptr().cast()) };
    }
}

/// An object of the other runtime as a value here; nothing for one of a type that only it knows.
///
/// # Safety
/// `handle` is null or of a live object.
pub unsafe fn object(handle: u64) -> Option<super::any::Any> {
    let handle = NonNull::new(handle as *mut super::layout::ObjectHeader)?;
    // SAFETY: the caller says so.
    let object = unsafe { ObjectRef::from_borrowed(handle) };
    let known = [
        index::STR,
        index::BYTES,
        index::ERROR,
        index::FUNCTION,
        index::SHAPE,
        index::TENSOR,
        index::ARRAY,
        index::MAP,
        index::LIST,
        index::DICT,
        index::BIG_INT,
    ];
    known
        .contains(&object.type_index())
        .then(|| super::any::Any::object(object))
}

/// The address of a function that returns the object whose handle it is given as a number: so the other runtime makes objects of its language.
pub fn giver() -> u64 {
    give as *const () as u64
}

unsafe extern "C" fn give(
    _context: *mut c_void,
    args: *const super::layout::RawAny,
    count: i32,
    result: *mut super::layout::RawAny,
) -> std::ffi::c_int {
    // SAFETY: by the convention so many values stand there.
    let args = unsafe { super::closure::views(args, count) };
    let handle = args.first().map_or(0, |value| value.raw().payload);
    // SAFETY: whoever has the address of this function gives it the handle of a live object.
    let object = unsafe { object(handle) };
    // SAFETY: by the convention `result` is a slot that holds no object.
    unsafe { super::closure::finish(Ok(Ok(object.unwrap_or(super::any::Any::NONE))), result) }
}
