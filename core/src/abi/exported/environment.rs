//! What a thread has set up around a call: streams of devices, who allocates tensors, and whether a signal came.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use super::{c_text, give, guarded, null, required, tensor};
use crate::abi::dlpack;
use crate::abi::layout::{DLManagedTensorVersioned, DLTensor};
use crate::device::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::stream;

/// Tells whoever called an allocator what is wrong: their context, a kind, a message.
pub type SetError = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);
/// Makes a tensor like another one: prototype, result, then what is called with an error.
pub type TensorAllocator = unsafe extern "C" fn(
    *mut DLTensor,
    *mut *mut DLManagedTensorVersioned,
    *mut c_void,
    Option<SetError>,
) -> c_int;

thread_local! {
    static ALLOCATOR: Cell<Option<TensorAllocator>> = const { Cell::new(None) };
}

static GLOBAL_ALLOCATOR: RwLock<Option<TensorAllocator>> = RwLock::new(None);

fn device(device_type: i32, device_id: i32) -> Device {
    Device {
        device_type,
        device_id,
    }
}

/// Sets the stream of a device on this thread.
pub unsafe extern "C" fn env_set_stream(
    device_type: i32,
    device_id: i32,
    stream: *mut c_void,
    original: *mut *mut c_void,
) -> c_int {
    let before = stream::set(device(device_type, device_id), stream as u64);
    if !original.is_null() {
        // SAFETY: the caller gives room for a stream.
        unsafe { original.write(before as *mut c_void) };
    }
    0
}

/// The stream of a device on this thread; null when none is set.
pub unsafe extern "C" fn env_get_stream(device_type: i32, device_id: i32) -> *mut c_void {
    stream::get(device(device_type, device_id)) as *mut c_void
}

/// Sets who allocates tensors on this thread, and for all threads that set nobody when asked to.
pub unsafe extern "C" fn env_set_dlpack_managed_tensor_allocator(
    allocator: Option<TensorAllocator>,
    also_global: c_int,
    original: *mut Option<TensorAllocator>,
) -> c_int {
    let before = ALLOCATOR.try_with(|slot| slot.replace(allocator));
    if !original.is_null() {
        // SAFETY: the caller gives room for an address.
        unsafe { original.write(before.ok().flatten()) };
    }
    if also_global != 0 {
        *GLOBAL_ALLOCATOR
            .write()
            .unwrap_or_else(PoisonError::into_inner) = allocator;
    }
    0
}

/// Who allocates tensors on this thread, or else for all.
pub unsafe extern "C" fn env_get_dlpack_managed_tensor_allocator() -> Option<TensorAllocator> {
    let mine = ALLOCATOR.try_with(Cell::get).ok().flatten();
    mine.or_else(|| {
        *GLOBAL_ALLOCATOR
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    })
}

/// A tensor like a prototype, of the allocator. Without one, a tensor in memory of the CPU is made here.
pub unsafe extern "C" fn env_tensor_alloc(
    prototype: *mut DLTensor,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid description, and room for a handle. So below.
        let described = unsafe { required(prototype, "the prototype of a tensor") }?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        // SAFETY: as above.
        let Some(allocator) = (unsafe { env_get_dlpack_managed_tensor_allocator() }) else {
            if !dlpack::is_readable(described.device.device_type) {
                let message = format!(
                    "nobody is set to allocate tensors on device {} number {}",
                    described.device.device_type, described.device.device_id
                );
                return Err(Error::new(ErrorKind::RuntimeError, message));
            }
            // SAFETY: as above.
            let made = unsafe { dlpack::like(described) }?;
            // SAFETY: as above.
            return unsafe { give(out, made.into_object()) };
        };
        let mut made = std::ptr::null_mut();
        let mut failure: Option<Error> = None;
        // SAFETY: an allocator takes these.
        let code = unsafe {
            allocator(
                prototype,
                &raw mut made,
                (&raw mut failure).cast(),
                Some(note),
            )
        };
        let Some(made) = NonNull::new(made).filter(|_| code == 0) else {
            return Err(failure.unwrap_or_else(|| {
                let message = format!("the allocator of tensors returned {code} without an error");
                Error::new(ErrorKind::RuntimeError, message)
            }));
        };
        // SAFETY: the allocator made a tensor for the caller.
        let object = unsafe { tensor::own(made) }?;
        // SAFETY: as above.
        unsafe { give(out, object) }
    })
}

/// Keeps the error of an allocator.
unsafe extern "C" fn note(context: *mut c_void, kind: *const c_char, message: *const c_char) {
    // SAFETY: an allocator is called with the address of such a place, and calls this with it.
    let slot = unsafe { &mut *context.cast::<Option<Error>>() };
    // SAFETY: it gives strings, as below.
    let kind = unsafe { c_text(kind) };
    // SAFETY: as above.
    let message = unsafe { c_text(message) };
    *slot = Some(Error::from_kind_name(&kind, message));
}

/// Whether something came that ends the work, as an error.
pub type SignalCheck = fn() -> Result<()>;

static SIGNAL_CHECK: OnceLock<SignalCheck> = OnceLock::new();

/// Sets what looks for signals, once, by the front of the process.
pub fn set_signal_check(check: SignalCheck) {
    let _ = SIGNAL_CHECK.set(check);
}

/// Functions of Python that another module may register, by name.
static FUNCTIONS: [(&str, AtomicPtr<c_void>); 3] = [
    ("PyErr_CheckSignals", AtomicPtr::new(std::ptr::null_mut())),
    ("PyGILState_Ensure", AtomicPtr::new(std::ptr::null_mut())),
    ("PyGILState_Release", AtomicPtr::new(std::ptr::null_mut())),
];

/// Looks for signals: what the front says, or else the registered functions of Python.
pub unsafe extern "C" fn env_check_signals() -> c_int {
    guarded(|| {
        if let Some(check) = SIGNAL_CHECK.get() {
            return check();
        }
        // SAFETY: functions are registered under the names of what they are.
        unsafe { check_registered() }
    })
}

/// # Safety
/// What is registered under a name is the function of that name.
unsafe fn check_registered() -> Result<()> {
    let [check, ensure, release] = [0, 1, 2].map(|i| FUNCTIONS[i].1.load(Ordering::Acquire));
    if check.is_null() {
        return Ok(());
    }
    // SAFETY: the caller says so.
    let check: extern "C" fn() -> c_int = unsafe { std::mem::transmute(check) };
    if ensure.is_null() || release.is_null() {
        return signalled(check());
    }
    // SAFETY: as above.
    let ensure: extern "C" fn() -> c_int = unsafe { std::mem::transmute(ensure) };
    // SAFETY: as above.
    let release: extern "C" fn(c_int) = unsafe { std::mem::transmute(release) };
    let state = ensure();
    let code = check();
    release(state);
    signalled(code)
}

fn signalled(code: c_int) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    let message = "a signal came, and an exception is set";
    Err(Error::from_kind_name("EnvErrorAlreadySet", message))
}

/// Registers a function of Python.
pub unsafe extern "C" fn env_register_c_api(name: *const c_char, symbol: *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a string.
        let name = unsafe { c_text(name) };
        let Some((_, place)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let names = FUNCTIONS.iter().map(|(known, _)| *known);
            let missing = Error::missing_key("function to register", &name, names);
            return Err(Error::new(ErrorKind::ValueError, missing.message()));
        };
        place.store(symbol, Ordering::Release);
        Ok(())
    })
}
