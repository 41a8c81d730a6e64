//! Fields as attributes: a descriptor of the interpreter's own, which calls the getter at the offset of the field.

use std::ffi::{CString, c_int, c_void};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;
use tenspan::ErrorKind;
use tenspan::abi::types::flag;
use tenspan::object::Field;

use super::super::argument::with_values;
use super::super::function::call::plain_object;
use super::super::function::guarded;
use super::{instance, made, unmade};
use crate::error::{new_error, raised_by_call};
use crate::value::wrap;

/// The attribute of a class for a field; it lives as long as the process.
///
/// # Errors
/// None but of memory, or of a name with a NUL.
pub fn attribute<'py>(class: &Bound<'py, PyType>, field: Field) -> PyResult<Bound<'py, PyAny>> {
    let info = field.info();
    let name = CString::new(info.name())?;
    let doc = CString::new(info.doc())?;
    let set: Option<ffi::setter> = info.is(flag::WRITABLE).then_some(set);
    let definition = ffi::PyGetSetDef {
        name: name.into_raw(),
        get: Some(get),
        set,
        doc: doc.into_raw(),
        closure: Box::into_raw(Box::new(field)).cast(),
    };
    let definition = Box::into_raw(Box::new(definition));
    // SAFETY: a class, and a definition that lives as long as the process.
    let made = unsafe { ffi::PyDescr_NewGetSet(class.as_type_ptr(), definition) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(class.py(), made) }
}

/// The field behind the last argument of a getter or setter.
fn field<'a>(closure: *mut c_void) -> &'a Field {
    // SAFETY: the interpreter passes what stands in the definition.
    unsafe { &*closure.cast() }
}

unsafe extern "C" fn get(object: *mut ffi::PyObject, closure: *mut c_void) -> *mut ffi::PyObject {
    // The interpreter checked the class.
    let Some(held) = &instance(object).object else {
        return guarded(|_| Err(unmade()));
    };
    match field(closure).get(held) {
        Ok(value) => match plain_object(value.view()) {
            Some(object) => object,
            None => guarded(|py| wrap::wrap(py, &value)),
        },
        Err(error) => guarded(|_| Err(raised_by_call(&error))),
    }
}

unsafe extern "C" fn set(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    closure: *mut c_void,
) -> c_int {
    let done = guarded(|py| {
        let field = field(closure);
        if value.is_null() {
            let message = format!("field `{}` cannot be deleted", field.info().name());
            return Err(new_error(ErrorKind::TypeError, message));
        }
        put(py, object, field, value)?;
        Ok(py.None().into_bound(py))
    });
    if done.is_null() {
        return -1;
    }
    // SAFETY: the new reference of `guarded`.
    unsafe { ffi::Py_DECREF(done) };
    0
}

/// Writes a field, whether or not that is allowed to others.
///
/// # Errors
/// `TypeError` for a value of another kind, or what the setter raises.
pub fn put(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    field: &Field,
    value: *mut ffi::PyObject,
) -> PyResult<()> {
    let held = made(object)?;
    with_values(py, &[value], |views| {
        field
            .put(held, views[0])
            .map_err(|error| raised_by_call(&error))
    })
}
