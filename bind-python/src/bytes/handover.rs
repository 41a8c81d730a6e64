//! `__dlpack__` as others mostly call it: with names, for a capsule that knows versions, without a copy.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
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
            is_versioned = is_current(value);
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
fn is_current(version: *mut ffi::PyObject) -> bool {
    // SAFETY: an object; of a tuple of two the first is there; an exact int is read, and no exception is left behind.
    unsafe {
        if ffi::PyTuple_CheckExact(version) == 0 || ffi::PyTuple_Size(version) != 2 {
            return false;
        }
        let (major, minor) = (
            ffi::PyTuple_GetItem(version, 0),
            ffi::PyTuple_GetItem(version, 1),
        );
        if ffi::PyLong_CheckExact(major) == 0 || ffi::PyLong_CheckExact(minor) == 0 {
            return false;
        }
        let mut overflow = 0;
        let major = ffi::PyLong_AsLongLongAndOverflow(major, &mut overflow);
        overflow == 0 && major >= 1
    }
}
