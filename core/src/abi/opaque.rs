//! Objects that hold something of a language which only that language understands.
#![allow(
    unsafe_code,
    reason = "an object is told to be ours by the address of its deleter"
)]

use std::any::Any as StdAny;
use std::ffi::{c_int, c_void};

use super::layout::index;
use super::object::{self, Boxed, ObjectRef};

/// Something of a language, counted like every object; other languages hold it, pass it on and give it back.
#[derive(Clone)]
pub struct Opaque(ObjectRef);

/// What stands behind the header: an address for readers of the ABI, then what keeps it alive.
#[repr(C)]
struct Held {
    address: *mut c_void,
    value: Box<dyn StdAny + Send + Sync>,
}

// SAFETY: the address is not followed here; the value may be held and dropped by any thread.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

pub(super) unsafe extern "C" fn delete_held(handle: *mut c_void, flags: c_int) {
    // SAFETY: this is the deleter of objects that `Opaque::new` made of a `Held`.
    unsafe { object::delete::<Held>(handle, flags) }
}

impl Opaque {
    /// An object for `value`, which compiled modules see as `address`.
    pub fn new(address: u64, value: Box<dyn StdAny + Send + Sync>) -> Self {
        let held = Held {
            address: address as *mut c_void,
            value,
        };
        Opaque(Boxed::with_deleter(index::OPAQUE, held, 0, delete_held).0)
    }

    /// An opaque object that anyone made.
    pub fn from_object(object: ObjectRef) -> Option<Self> {
        (object.type_index() == index::OPAQUE).then(|| Opaque(object))
    }

    /// The object itself.
    pub fn object(&self) -> &ObjectRef {
        &self.0
    }

    /// The address that compiled modules see.
    pub fn address(&self) -> u64 {
        // SAFETY: every opaque object begins with an address.
        unsafe { *object::cell::<*mut c_void>(self.0.handle()) as u64 }
    }

    /// What the object holds, when it was made here.
    pub fn value(&self) -> Option<&(dyn StdAny + Send + Sync)> {
        value(&self.0)
    }
}

/// What an opaque object holds, when it was made here.
pub fn value(object: &ObjectRef) -> Option<&(dyn StdAny + Send + Sync)> {
    let ours = object.header().deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            delete_held as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    // SAFETY: the deleter tells that the object holds a `Held`, which lives as long as the reference.
    ours.then(|| unsafe { &*object::value::<Held>(object.handle()).value })
}
