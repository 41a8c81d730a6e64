//! Functions: made, called, and known by name.

use std::ffi::{c_int, c_void};

use super::{extras, give, guarded, held, null, registering, required, text};
use crate::abi::any::AnyView;
use crate::abi::failure;
use crate::abi::layout::{ByteArray, FunctionCell, ObjectHeader, RawAny, SafeCall, index};
use crate::abi::native::{self, Release};
use crate::abi::object::{self, ObjectRef};
use crate::abi::types::MethodInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::registry;

/// A function object. Its entry point gets `context`, or the function object itself when there is neither a context nor a deleter.
pub unsafe extern "C" fn function_create(
    context: *mut c_void,
    entry: Option<SafeCall>,
    deleter: Option<Release>,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        let entry = entry.ok_or_else(|| null("the entry point of a function"))?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        let function = if context.is_null() && deleter.is_none() {
            // SAFETY: the caller gives an entry point by the rules of the ABI.
            unsafe { native::new(context, entry, None, None) }
        } else {
            // SAFETY: as above, with a context that any thread may use and release.
            unsafe { native::with_context(context, entry, deleter) }
        };
        // SAFETY: the caller gives room for a handle.
        unsafe { give(out, function) }
    })
}

/// A reference to the function of a name; null when there is none, which is no error.
pub unsafe extern "C" fn function_get_global(
    name: *const ByteArray,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid array.
        let name = unsafe { text(name, "the name of a function") }?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        let found = registry::get_global_func(name, true)?.or_else(|| extras::find(name));
        match found {
            // SAFETY: the caller gives room for a handle, as below.
            Some(function) => unsafe { give(out, function.object().clone()) },
            None => {
                // SAFETY: as above.
                unsafe { out.write(std::ptr::null_mut()) };
                Ok(())
            }
        }
    })
}

/// Calls a function. The slot of the result holds no object, and is left as it is by a function without one.
pub unsafe extern "C" fn function_call(
    function: *mut c_void,
    args: *mut RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    // SAFETY: the caller gives a live function or null.
    match unsafe { entry_of(function) } {
        // SAFETY: the caller gives what the entry point wants.
        Ok(entry) => unsafe { entry(function, args, count, result) },
        Err(error) => {
            failure::raise(error);
            -1
        }
    }
}

/// # Safety
/// The handle is null or of a live object.
unsafe fn entry_of(function: *mut c_void) -> Result<SafeCall> {
    let handle = std::ptr::NonNull::new(function.cast::<ObjectHeader>())
        .ok_or_else(|| null("the function to call"))?;
    // SAFETY: the caller says so.
    let type_index = unsafe { handle.as_ref() }.type_index;
    if type_index != index::FUNCTION {
        let message = format!(
            "a function is wanted to call, found {}",
            crate::abi::types::key(type_index)
        );
        return Err(Error::new(ErrorKind::TypeError, message));
    }
    // SAFETY: every function object has a cell behind its header.
    let entry = unsafe { (*object::cell::<FunctionCell>(handle)).safe_call };
    entry.ok_or_else(|| null("the entry point of the function"))
}

fn function_of(object: ObjectRef) -> Result<Function> {
    let type_index = object.type_index();
    Function::from_object(object).ok_or_else(|| {
        let found = crate::abi::types::key(type_index);
        Error::new(
            ErrorKind::TypeError,
            format!("a function is wanted, found {found}"),
        )
    })
}

/// Registers a function under a name.
pub unsafe extern "C" fn function_set_global(
    name: *const ByteArray,
    function: *mut c_void,
    allow_override: c_int,
) -> c_int {
    registering(|| {
        // SAFETY: the caller gives a valid array and a live object, as below.
        let name = unsafe { text(name, "the name of a function") }?;
        // SAFETY: as above.
        let function = function_of(unsafe { held(function, "the function to register") }?)?;
        registry::register_global_func(name, &function, allow_override != 0)
    })
}

/// Registers a function under a name, with what is known of it.
pub unsafe extern "C" fn function_set_global_from_method_info(
    info: *const MethodInfo,
    allow_override: c_int,
) -> c_int {
    registering(|| {
        // SAFETY: the caller gives a valid structure, and with it all of the below.
        let info = unsafe { required(info, "the description of a function") }?;
        // SAFETY: as above.
        let name = unsafe { text(&info.name, "the name of a function") }?;
        // SAFETY: as above.
        let value = unsafe { AnyView::from_raw(info.method) };
        let function = value
            .object()
            .ok_or_else(|| null("the function to register"))?;
        let described = registry::Description {
            // SAFETY: as above.
            doc: unsafe { text(&info.doc, "the doc of a function") }?.to_owned(),
            // SAFETY: as above.
            metadata: unsafe { text(&info.metadata, "the metadata of a function") }?.to_owned(),
        };
        let function = function_of(function)?;
        registry::register_described(name, &function, described, allow_override != 0)
    })
}
