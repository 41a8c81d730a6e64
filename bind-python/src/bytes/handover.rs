//! `__dlpack__` as others mostly call it: with names, for a capsule that knows versions, without a copy.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyTuple};
use tenspan::abi::dlpack as abi;

use super::dlpack;
use super::raw::{self, Arguments};
use crate::generated::Tensor;

static ORDINARY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Puts the quick method in the place of the ordinary one.
///
/// # Errors
/// None but of memory.
pub fn add(py: Python<'_>) -> PyResult<()> {
    raw::add_method(&py.get_type::<Tensor>(), c"__dlpack__", call, &ORDINARY)
}

unsafe extern "C" fn call(
    tensor: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, positional, names) };
    let quick = |py: Python<'_>| {
        // SAFETY: an object that the caller keeps during the call.
        let object = unsafe { Borrowed::from_ptr(py, tensor) };
        // SAFETY: the interpreter calls a method only with objects of its class.
        let tensor = unsafe { object.cast_unchecked::<Tensor>() };
        quick(py, &tensor.get().0, arguments)
    };
    // SAFETY: the interpreter calls this, attached.
    unsafe { raw::call(&ORDINARY, Some(tensor), arguments, quick) }
}

/// The capsule, when nothing but a version of at least 1 is asked for.
fn quick(
    py: Python<'_>,
    tensor: &tenspan::Tensor,
    arguments: Arguments<'_>,
) -> Option<*mut ffi::PyObject> {
    if arguments.positional != 0 {
        return None;
    }
    let version = pyo3::intern!(py, "max_version").as_ptr();
    let optional = [
        pyo3::intern!(py, "copy").as_ptr(),
        pyo3::intern!(py, "dl_device").as_ptr(),
        pyo3::intern!(py, "stream").as_ptr(),
    ];
    let mut is_versioned = false;
    for (name, value) in arguments.named() {
        // SAFETY: the object lives as long as the interpreter.
        let is_none = value == unsafe { ffi::Py_None() };
        if name == version {
            // SAFETY: an object that the caller keeps during the call.
            is_versioned = is_current(unsafe { Borrowed::from_ptr(py, value) });
        } else if !is_none || !optional.contains(&name) {
            return None;
        }
    }
    if !is_versioned {
        return None;
    }
    let managed = abi::export(tensor, false).ok()?;
    Some(dlpack::versioned(managed))
}

/// Whether a version is a tuple of two numbers of Python, the first of which is 1 or more.
fn is_current(version: Borrowed<'_, '_, PyAny>) -> bool {
    let Ok(version) = version.cast_exact::<PyTuple>() else {
        return false;
    };
    let number = |part: Borrowed<'_, '_, PyAny>| part.cast_exact::<PyInt>().ok()?.extract().ok();
    let mut parts = version.iter_borrowed().map(number);
    let both = (parts.next().flatten(), parts.next().flatten());
    matches!(both, (Some(1u32..), Some(0u32..))) && parts.next().is_none()
}
