//! Objects: their counts, boxes for addresses of others, and values that are made to last.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::{give, guarded, held, null, required, write};
use crate::abi::any::AnyView;
use crate::abi::layout::{ObjectHeader, RawAny, index};
use crate::abi::native::Release;
use crate::abi::object::{self, Boxed};
use crate::abi::types;
use crate::error::{Error, ErrorKind};

/// Adds a strong reference.
pub unsafe extern "C" fn object_inc_ref(object: *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a live object; the new count is the caller's.
        let object = unsafe { held(object, "the object to count") }?;
        let _ = object.into_handle();
        Ok(())
    })
}

/// Gives up a strong reference.
pub unsafe extern "C" fn object_dec_ref(object: *mut c_void) -> c_int {
    guarded(|| {
        let object = NonNull::new(object.cast::<ObjectHeader>())
            .ok_or_else(|| null("the object to release"))?;
        // SAFETY: the caller owns a count of a live object, and gives it up.
        unsafe { object::release(object) };
        Ok(())
    })
}

/// An address of someone else's, and what frees what is there.
#[repr(C)]
struct Content {
    address: *mut c_void,
    deleter: Option<Release>,
}

// SAFETY: the address is not followed here; by the rules of the ABI any thread may hold and release an object.
unsafe impl Send for Content {}
// SAFETY: as above.
unsafe impl Sync for Content {}

impl Drop for Content {
    fn drop(&mut self) {
        if let Some(deleter) = self.deleter {
            // SAFETY: called once, with the address that came with it.
            unsafe { deleter(self.address) }
        }
    }
}

/// An object around an address; `deleter` is called with it when the object goes.
pub unsafe extern "C" fn object_create_opaque(
    content: *mut c_void,
    type_index: i32,
    deleter: Option<Release>,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        if type_index != index::OPAQUE && !types::is_a(type_index, index::OPAQUE) {
            let message = format!(
                "an opaque object wants the type `ffi.OpaquePyObject`, found `{}`",
                types::info_or_unknown(type_index).key()
            );
            return Err(Error::new(ErrorKind::RuntimeError, message));
        }
        let content = Content {
            address: content,
            deleter,
        };
        // SAFETY: the caller gives room for a handle.
        unsafe { give(out, Boxed::object(type_index, content, 0).0) }
    })
}

/// Owns a value: what is borrowed for a call is copied, an object is counted.
pub unsafe extern "C" fn any_view_to_owned_any(view: *const RawAny, out: *mut RawAny) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid value, as below.
        let view = unsafe { required(view, "the value") }?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        // SAFETY: as above.
        let view = unsafe { AnyView::from_raw(*view) };
        let owned = if view.type_index() == index::RVALUE_REF {
            // SAFETY: as above; the object is taken out of the place that refers to it.
            unsafe { view.take_referred() }
        } else {
            view.to_any()
        };
        if owned.view().type_index() == index::DLTENSOR {
            let message = "a DLTensor is lent for the time of a call and cannot be owned; pass a tensor object";
            return Err(Error::new(ErrorKind::TypeError, message));
        }
        // SAFETY: the caller gives room for a value.
        unsafe { write(out, owned.into_raw()) }
    })
}
