//! Attributes, text and comparison of functions.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};
use tenspan::ErrorKind;
use tenspan::value::Any;

use super::{Object, guarded, in_value};
use crate::bytes;
use crate::callback;
use crate::error::new_error;

/// The object behind an address that the interpreter passes to a slot.
fn fields<'a>(object: *mut ffi::PyObject) -> &'a Object {
    // SAFETY: the interpreter calls slots with objects of the class, and keeps them during the call.
    unsafe { &*object.cast() }
}

/// The function of an object.
fn function(object: *mut ffi::PyObject) -> PyResult<tenspan::Function> {
    let held = fields(object).function.as_ref();
    held.and_then(|held| in_value(&Any::object(held.clone())))
        .ok_or_else(|| new_error(ErrorKind::RuntimeError, "the function is gone"))
}

/// Table of the attributes, which lives as long as the process.
pub fn table() -> *mut ffi::PyGetSetDef {
    let read =
        |name: &'static std::ffi::CStr, get, set, doc: &'static std::ffi::CStr| ffi::PyGetSetDef {
            name: name.as_ptr(),
            get: Some(get),
            set,
            doc: doc.as_ptr(),
            closure: std::ptr::null_mut(),
        };
    let entries = [
        read(
            c"name",
            name as ffi::getter,
            None,
            c"What the function is called in messages, when it says so.",
        ),
        read(
            c"__name__",
            dunder_name,
            None,
            c"The name, if there is one.",
        ),
        read(
            c"parameters",
            parameters,
            None,
            c"The names of its parameters in order, when it says them; these can be given by name.",
        ),
        read(
            c"release_gil",
            release_gil,
            Some(set_release_gil as ffi::setter),
            c"Whether other threads of Python run while this object's function does.",
        ),
        read(
            c"__dict__",
            ffi::PyObject_GenericGetDict,
            Some(ffi::PyObject_GenericSetDict),
            c"Attributes of this object.",
        ),
        ffi::PyGetSetDef::default(),
    ];
    Box::leak(Box::new(entries)).as_mut_ptr()
}

/// Table of the methods, which lives as long as the process.
pub fn methods() -> *mut ffi::PyMethodDef {
    let method = |name: &'static std::ffi::CStr, function, flags| ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunction: function,
        },
        ml_flags: flags,
        ml_doc: std::ptr::null(),
    };
    let entries = [
        method(c"__copy__", itself, ffi::METH_NOARGS),
        method(c"__deepcopy__", itself, ffi::METH_O),
        method(c"__reduce__", reduce, ffi::METH_NOARGS),
        method(c"__tvm_ffi_object__", neighbour, ffi::METH_NOARGS),
        ffi::PyMethodDef::zeroed(),
    ];
    Box::leak(Box::new(entries)).as_mut_ptr()
}

/// The function as one of the package `tvm_ffi`.
unsafe extern "C" fn neighbour(
    object: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| bytes::neighbour::as_neighbour(py, function(object)?.object()))
}

/// Binds a method to an object. Calls of methods do without.
pub unsafe extern "C" fn bind(
    method: *mut ffi::PyObject,
    object: *mut ffi::PyObject,
    _class: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: an object that the interpreter keeps during the call.
        let method = unsafe { Bound::from_borrowed_ptr(py, method) };
        // SAFETY: as above, or null when the method is asked of the class.
        match unsafe { Bound::from_borrowed_ptr_or_opt(py, object) } {
            None => Ok(method),
            Some(object) => py
                .import("types")?
                .getattr("MethodType")?
                .call1((method, object)),
        }
    })
}

unsafe extern "C" fn name(object: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    guarded(|py| {
        let name = callback::name(py, &function(object)?);
        Ok(name.map_or_else(
            || py.None().into_bound(py),
            |name| PyString::new(py, &name).into_any(),
        ))
    })
}

unsafe extern "C" fn dunder_name(object: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    guarded(|py| match callback::name(py, &function(object)?) {
        Some(name) => Ok(PyString::new(py, &name).into_any()),
        None => Err(PyAttributeError::new_err("the function has no name")),
    })
}

unsafe extern "C" fn parameters(object: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    guarded(|py| match callback::parameters(py, &function(object)?)? {
        Some(names) => Ok(PyTuple::new(py, names)?.into_any()),
        None => Ok(py.None().into_bound(py)),
    })
}

unsafe extern "C" fn release_gil(object: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    guarded(|py| {
        Ok(
            PyBool::new(py, fields(object).release_gil.load(Ordering::Relaxed))
                .to_owned()
                .into_any(),
        )
    })
}

unsafe extern "C" fn set_release_gil(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    _: *mut c_void,
) -> c_int {
    let set = guarded(|py| {
        // SAFETY: an object, or null when the attribute is deleted.
        let value = unsafe { Bound::from_borrowed_ptr_or_opt(py, value) };
        let value =
            value.ok_or_else(|| PyAttributeError::new_err("release_gil cannot be deleted"))?;
        let on = value.is_truthy()?;
        fields(object).release_gil.store(on, Ordering::Relaxed);
        Ok(py.None().into_bound(py))
    });
    if set.is_null() {
        return -1;
    }
    // SAFETY: the reference that was made above.
    unsafe { ffi::Py_DECREF(set) };
    0
}

pub unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guarded(|py| {
        let text = match function(object) {
            Ok(function) => {
                let name = callback::name(py, &function).unwrap_or_default();
                let parameters = callback::parameters(py, &function)?;
                match (
                    name.is_empty(),
                    parameters.filter(|names| !names.is_empty()),
                ) {
                    (true, _) => format!("<tenspan.Function at {object:p}>"),
                    (false, None) => format!("<tenspan.Function {name}>"),
                    (false, Some(names)) => {
                        format!("<tenspan.Function {name}({})>", names.join(", "))
                    }
                }
            }
            Err(_) => "<tenspan.Function, gone>".to_owned(),
        };
        Ok(PyString::new(py, &text).into_any())
    })
}

pub unsafe extern "C" fn hash(object: *mut ffi::PyObject) -> ffi::Py_hash_t {
    let held = fields(object).function.as_ref();
    let address = held.map_or(object as usize, |held| held.handle().as_ptr() as usize);
    // -1 says that an exception is set, which no half of an address is.
    (address >> 4) as ffi::Py_hash_t
}

pub unsafe extern "C" fn compare(
    object: *mut ffi::PyObject,
    other: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: an object that the caller keeps.
        let class = unsafe { ffi::Py_TYPE(other) };
        let (left, right) = (fields(object).function.as_ref(), super::of(other, class));
        let same = match (left, right) {
            (Some(left), Some(right)) => left.handle() == right.handle(),
            _ => object == other,
        };
        Ok(match operation {
            ffi::Py_EQ if right.is_some() => PyBool::new(py, same).to_owned().into_any(),
            ffi::Py_NE if right.is_some() => PyBool::new(py, !same).to_owned().into_any(),
            _ => py.NotImplemented().into_bound(py),
        })
    })
}

/// A function is its own copy.
unsafe extern "C" fn itself(
    object: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: an object that the caller keeps.
    unsafe { ffi::Py_NewRef(object) }
}

unsafe extern "C" fn reduce(
    _object: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|_| {
        Err(new_error(
            ErrorKind::TypeError,
            "a Function cannot be pickled",
        ))
    })
}
