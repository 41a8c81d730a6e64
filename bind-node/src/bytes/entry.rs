//! The native functions behind a call: no macros, since these cost more than most of what is called.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use napi::bindgen_prelude::{Array, Env, FromNapiValue, Object, ToNapiValue, Unknown};
use napi::{Status, sys};

use super::check;
use crate::host::Scope;
use crate::packed::Answer;
use crate::room::Room;
use crate::{dynamic, error, packed, panicked};

/// Most arguments that are passed as such.
const MOST: usize = 8;

type Callback = unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// An object with the functions that calls of a room go through.
pub fn functions<'env>(env: &'env Env, room: &Room) -> napi::Result<Object<'env>> {
    note(env.raw(), room);
    let mut object = Object::new(env)?;
    let all: [(&CStr, &str, Callback); 8] = [
        (c"run", "run", run),
        (c"runWith", "runWith", run_with),
        (c"call", "call", call),
        (c"release", "release", release),
        (c"watch", "watch", watch),
        (c"invoke", "invoke", invoke),
        (c"callDynamic", "callDynamic", call_dynamic),
        (c"address", "address", address),
    ];
    for (c_name, name, callback) in all {
        let mut function = ptr::null_mut();
        // SAFETY: the name ends with NUL. The room lives as long as the environment (`Room::open`), and so as long as the
        // function can be called.
        check(unsafe {
            sys::napi_create_function(
                env.raw(),
                c_name.as_ptr(),
                name.len() as isize,
                Some(callback),
                ptr::from_ref(room).cast_mut().cast(),
                &mut function,
            )
        })?;
        // SAFETY: a value of this scope.
        let function = unsafe { Unknown::from_raw_unchecked(env.raw(), function) };
        object.set(name, function)?;
    }
    Ok(object)
}

/// The room of a native call, and how many of its arguments were put into `values`.
///
/// # Safety
/// Called by the engine with a function that [`functions`] made.
#[inline]
unsafe fn passed<'env>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    values: &mut [sys::napi_value],
) -> Option<(&'env Room, usize)> {
    let mut count = values.len();
    let mut data: *mut c_void = ptr::null_mut();
    // SAFETY: the caller says that both are of the current call; there is room for `count` values.
    let status = unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &mut count,
            values.as_mut_ptr(),
            ptr::null_mut(),
            &mut data,
        )
    };
    if status != sys::Status::napi_ok {
        return None;
    }
    // SAFETY: `functions` gave this pointer, of a room that lives as long as the environment.
    let room = unsafe { &*data.cast::<Room>() };
    Some((room, count.min(values.len())))
}

/// The environment that was first opened, and its room. A call that needs nothing but its room asks the engine for nothing where
/// it is of this environment, as most calls are.
static FIRST: AtomicPtr<sys::napi_env__> = AtomicPtr::new(ptr::null_mut());
static FIRST_ROOM: AtomicPtr<Room> = AtomicPtr::new(ptr::null_mut());

/// What no environment is called: an environment that was opened twice is not known by its room.
const AMBIGUOUS: *mut sys::napi_env__ = ptr::without_provenance_mut(1);

/// Notes the room of an environment.
fn note(env: sys::napi_env, room: &Room) {
    let (unset, order) = (ptr::null_mut(), Ordering::Relaxed);
    match FIRST.compare_exchange(unset, env, order, order) {
        // All that finds the environment is on this thread, and so after this.
        Ok(_) => FIRST_ROOM.store(ptr::from_ref(room).cast_mut(), order),
        Err(first) if first == env => FIRST.store(AMBIGUOUS, order),
        Err(_) => {}
    }
}

/// Forgets the room of an environment that ends.
pub fn forget(env: sys::napi_env) {
    let order = Ordering::Relaxed;
    // Where it is another, there is nothing to forget.
    let _ = FIRST.compare_exchange(env, ptr::null_mut(), order, order);
}

/// The room of a native call without arguments.
///
/// # Safety
/// As [`passed`].
#[inline]
unsafe fn entered<'env>(env: sys::napi_env, info: sys::napi_callback_info) -> Option<&'env Room> {
    if FIRST.load(Ordering::Relaxed) == env {
        // SAFETY: the room of this environment, noted on this thread; it lives as long as the environment.
        return Some(unsafe { &*FIRST_ROOM.load(Ordering::Relaxed) });
    }
    // SAFETY: the caller says so.
    let (room, _) = unsafe { passed(env, info, &mut []) }?;
    Some(room)
}

/// Runs the body of a function in a room; a panic or an error becomes an exception.
#[inline]
fn finish(
    env: sys::napi_env,
    room: &Room,
    body: impl FnOnce(&Scope<'_>) -> Answer,
) -> sys::napi_value {
    let env = Env::from_raw(env);
    let scope = Scope { env: &env, room };
    // One word comes out of it: more would go through memory.
    let body = || body(&scope).unwrap_or_else(|error| throw(&scope, *error));
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(panic) => throw(&scope, error::throw(&scope, &panicked(panic))),
    }
}

#[cold]
fn throw(scope: &Scope<'_>, error: napi::Error) -> sys::napi_value {
    if error.status != Status::PendingException {
        // SAFETY: of the current call.
        unsafe { napi::JsError::from(error).throw_into(scope.env.raw()) };
    }
    ptr::null_mut()
}

/// All arguments are packed.
unsafe extern "C" fn run(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    // SAFETY: the engine calls this.
    let Some(room) = (unsafe { entered(env, info) }) else {
        return ptr::null_mut();
    };
    finish(env, room, packed::run)
}

/// Some arguments are typed arrays, and are passed in their positions.
unsafe extern "C" fn run_with(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let mut values = [ptr::null_mut(); MOST];
    // SAFETY: the engine calls this.
    let Some((room, count)) = (unsafe { passed(env, info, &mut values) }) else {
        return ptr::null_mut();
    };
    finish(env, room, |scope| packed::run_with(scope, &values[..count]))
}

/// The argument is an array of the arguments.
unsafe extern "C" fn call(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut values = [ptr::null_mut()];
    // SAFETY: the engine calls this.
    let Some((room, _)) = (unsafe { passed(env, info, &mut values) }) else {
        return ptr::null_mut();
    };
    finish(env, room, |scope| {
        // SAFETY: an argument of the current call; what is no array is reported.
        let list: Array<'_> = unsafe { Array::from_napi_value(env, values[0]) }?;
        packed::call(scope, &list)
    })
}

/// Looks after an object, by its number.
unsafe extern "C" fn watch(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut values = [ptr::null_mut(); 2];
    // SAFETY: the engine calls this.
    let Some((room, _)) = (unsafe { passed(env, info, &mut values) }) else {
        return ptr::null_mut();
    };
    finish(env, room, |scope| {
        let [object, number] = values;
        // SAFETY: an argument of the current call; what is no number is reported.
        let number = unsafe { f64::from_napi_value(env, number) }?;
        room.watched.add(scope.env, object, number)?;
        Ok(ptr::null_mut())
    })
}

/// Lets go of the value of a number.
unsafe extern "C" fn release(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut values = [ptr::null_mut()];
    // SAFETY: the engine calls this.
    let Some((room, _)) = (unsafe { passed(env, info, &mut values) }) else {
        return ptr::null_mut();
    };
    finish(env, room, |scope| {
        // SAFETY: an argument of the current call; what is no number is reported.
        let number = unsafe { f64::from_napi_value(env, values[0]) }?;
        room.objects.release(number);
        room.tell(scope.env);
        Ok(ptr::null_mut())
    })
}

/// A function of core is called with arguments that are all packed.
unsafe extern "C" fn invoke(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    // SAFETY: the engine calls this.
    let Some(room) = (unsafe { entered(env, info) }) else {
        return ptr::null_mut();
    };
    finish(env, room, dynamic::invoke)
}

/// The argument is an array of the arguments of a dynamic call.
unsafe extern "C" fn call_dynamic(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let mut values = [ptr::null_mut()];
    // SAFETY: the engine calls this.
    let Some((room, _)) = (unsafe { passed(env, info, &mut values) }) else {
        return ptr::null_mut();
    };
    finish(env, room, |scope| {
        // SAFETY: an argument of the current call; what is no array is reported.
        let list: Array<'_> = unsafe { Array::from_napi_value(env, values[0]) }?;
        dynamic::call(scope, &list)
    })
}

/// The address of the object of core that a number stands for, as a number; 0 for values that are none.
unsafe extern "C" fn address(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut values = [ptr::null_mut()];
    // SAFETY: the engine calls this.
    let Some((room, _)) = (unsafe { passed(env, info, &mut values) }) else {
        return ptr::null_mut();
    };
    finish(env, room, |scope| {
        // SAFETY: an argument of the current call; what is no number is reported.
        let number = unsafe { f64::from_napi_value(env, values[0]) }?;
        let found = dynamic::address_of(scope, number);
        // SAFETY: a number becomes a value of the current scope.
        Ok(unsafe { f64::to_napi_value(env, found) }?)
    })
}
