//! This copy of core as a part of a compiled module: the runtime that loaded the module keeps errors, types and functions by name, so
//! that they mean the same on both sides.
//!
//! tenspan hands a table of functions to `__tenspan_init`; another runtime of the same public ABI, which calls no such function, is looked
//! for by its names when a function is first entered. [`module!`](crate::module!) prints both ends.
#![allow(
    unsafe_code,
    reason = "functions of another library are found by name and called through C"
)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all functions of a runtime"
)]

use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::closure;
use super::exported::{API_VERSION, Api};
use super::layout::{ByteArray, ObjectHeader, RawAny, index};
use super::object::ObjectRef;
use crate::error::Result;
use crate::function::Function;
use crate::value::{Any, AnyView};

/// What a module asks of the runtime that loaded it.
struct Host {
    set_raised: unsafe extern "C" fn(*mut c_void),
    move_from_raised: unsafe extern "C" fn(*mut *mut c_void),
    type_index: unsafe extern "C" fn(*const ByteArray, i32, i32, i32, i32, i32) -> i32,
    get_global: unsafe extern "C" fn(*const ByteArray, *mut *mut c_void) -> c_int,
    set_global: unsafe extern "C" fn(*const ByteArray, *mut c_void, c_int) -> c_int,
}

/// None in a library that is no module, for good.
static HOST: OnceLock<Option<Host>> = OnceLock::new();

fn host() -> Option<&'static Host> {
    HOST.get()?.as_ref()
}

fn text(text: &str) -> ByteArray {
    ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    }
}

/// Takes the table of the runtime over. Not 0 when it is one for other modules; the error is then left with the runtime.
///
/// # Safety
/// `api` is null, or the table of a runtime, which lives as long as the process.
pub unsafe fn begin(api: *const Api) -> c_int {
    let (Some(api), wanted) = (NonNull::new(api.cast_mut()), size_of::<Api>()) else {
        return -1;
    };
    // SAFETY: every table begins with its size and its version.
    let (size, version) = unsafe { ((*api.as_ptr()).size as usize, (*api.as_ptr()).version) };
    if version != API_VERSION || size < wanted {
        if size > std::mem::offset_of!(Api, error_create) {
            // SAFETY: the table says that it has this function.
            let raise = unsafe { (*api.as_ptr()).error_set_raised_from_c_str };
            let message = c"the module was built for another version of the runtime: build it anew";
            // SAFETY: both are strings of C.
            unsafe { raise(c"RuntimeError".as_ptr(), message.as_ptr()) };
        }
        return -1;
    }
    // SAFETY: the table is as large as this library knows it, and lives as long as the process.
    let api = unsafe { api.as_ref() };
    HOST.get_or_init(|| {
        Some(Host {
            set_raised: api.error_set_raised,
            move_from_raised: api.error_move_from_raised,
            type_index: api.type_get_or_alloc_index,
            get_global: api.function_get_global,
            set_global: api.function_set_global,
        })
    });
    0
}

/// The other runtime of the process, by its public names.
#[cfg(unix)]
fn by_name() -> Option<Host> {
    let find = |name: &CStr| {
        // SAFETY: looking for a name among those that all libraries of the process see.
        NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
    };
    let (raise, take, types, get, set) = (
        find(c"TVMFFIErrorSetRaised")?,
        find(c"TVMFFIErrorMoveFromRaised")?,
        find(c"TVMFFITypeGetOrAllocIndex")?,
        find(c"TVMFFIFunctionGetGlobal")?,
        find(c"TVMFFIFunctionSetGlobal")?,
    );
    // SAFETY: functions of these names have these signatures in every version of the public ABI.
    unsafe {
        Some(Host {
            set_raised: std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(*mut c_void)>(
                raise,
            ),
            move_from_raised: std::mem::transmute::<
                NonNull<c_void>,
                unsafe extern "C" fn(*mut *mut c_void),
            >(take),
            type_index: std::mem::transmute::<
                NonNull<c_void>,
                unsafe extern "C" fn(*const ByteArray, i32, i32, i32, i32, i32) -> i32,
            >(types),
            get_global: std::mem::transmute::<
                NonNull<c_void>,
                unsafe extern "C" fn(*const ByteArray, *mut *mut c_void) -> c_int,
            >(get),
            set_global: std::mem::transmute::<
                NonNull<c_void>,
                unsafe extern "C" fn(*const ByteArray, *mut c_void, c_int) -> c_int,
            >(set),
        })
    }
}

#[cfg(not(unix))]
fn by_name() -> Option<Host> {
    None
}

/// Runs a function of a module by the ABI's calling convention.
///
/// # Safety
/// `args` points at `count` valid values that live during the call, or `count` is 0; `result` is null or a slot that holds no object and
/// may be written.
pub unsafe fn enter(
    args: *const RawAny,
    count: i32,
    result: *mut RawAny,
    body: impl FnOnce(&[AnyView<'_>]) -> Result<Any>,
) -> c_int {
    HOST.get_or_init(by_name);
    // SAFETY: the caller says the same.
    let args = unsafe { closure::views(args, count) };
    let outcome = catch_unwind(AssertUnwindSafe(|| body(args)));
    // SAFETY: the caller says the same.
    unsafe { closure::finish(outcome, result) }
}

/// Gives an error to the runtime that loaded this module; gives it back when there is none.
pub(super) fn raise(error: ObjectRef) -> Option<ObjectRef> {
    let Some(host) = host() else {
        return Some(error);
    };
    // SAFETY: the object is an error, and is kept during the call.
    unsafe { (host.set_raised)(error.handle().as_ptr().cast()) };
    None
}

/// Whether errors are kept by the runtime that loaded this module.
pub(super) fn is_guest() -> bool {
    host().is_some()
}

/// Takes the error that the runtime keeps for this thread.
pub(super) fn take() -> Option<ObjectRef> {
    let mut error = std::ptr::null_mut::<c_void>();
    // SAFETY: there is room for a handle.
    unsafe { (host()?.move_from_raised)(&raw mut error) };
    let error = NonNull::new(error.cast::<ObjectHeader>())?;
    // SAFETY: the runtime gives its reference away.
    Some(unsafe { ObjectRef::from_owned(error) })
}

/// The index that the runtime gives a class of this module. Another library may have a class of the same key that is built differently: each
/// has an index of its own.
pub(super) fn type_index(key: &str) -> Option<i32> {
    static MARK: u8 = 0;
    let host = host()?;
    let own = format!("{key}@{:x}", &raw const MARK as usize);
    // SAFETY: the key is valid during the call.
    let index = unsafe { (host.type_index)(&text(&own), -1, 1, 0, 1, index::OBJECT) };
    (index >= index::DYNAMIC).then_some(index)
}

/// The function that the runtime knows by a name; nothing when this library is no module.
pub(crate) fn global(name: &str) -> Option<Result<Option<Function>>> {
    let host = host()?;
    let mut found = std::ptr::null_mut::<c_void>();
    // SAFETY: the name is valid during the call, and there is room for a handle.
    let code = unsafe { (host.get_global)(&text(name), &raw mut found) };
    if code != 0 {
        return Some(Err(closure::left_behind(code)));
    }
    let found = NonNull::new(found.cast::<ObjectHeader>());
    // SAFETY: the runtime gives a reference to a function.
    let found = found.map(|found| unsafe { ObjectRef::from_owned(found) });
    Some(Ok(found.and_then(Function::from_object)))
}

/// Registers a function with the runtime; nothing when this library is no module.
pub(crate) fn set_global(name: &str, function: &Function, replace: bool) -> Option<Result<()>> {
    let host = host()?;
    let handle = function.object().handle().as_ptr().cast();
    // SAFETY: name and function are valid during the call.
    let code = unsafe { (host.set_global)(&text(name), handle, c_int::from(replace)) };
    Some(match code {
        0 => Ok(()),
        _ => Err(closure::left_behind(code)),
    })
}

/// A text as documentation symbols give it.
///
/// # Safety
/// As [`enter`], for `result`.
pub unsafe fn give_text(text: &str, result: *mut RawAny) -> c_int {
    // SAFETY: there are no arguments, and the caller says the same of `result`.
    unsafe { enter(std::ptr::null(), 0, result, |_| Ok(Any::string(text))) }
}
