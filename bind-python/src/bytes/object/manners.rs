//! What every object of Python can: text, comparison, hash, copies.

use std::ffi::{CStr, c_int};
use std::panic::catch_unwind;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tenspan::ErrorKind;
use tenspan::abi::object::ObjectRef;
use tenspan::abi::types::{Hook, flag};
use tenspan::object::{self, Object, ObjectType, hooks};
use tenspan::value::{self, Any, IntoAny};

use super::super::function::guarded;
use super::{allocate, class, ffi_init, instance, is_class, made, object};
use crate::error::{caught, new_error, raised_by_call};
use crate::value::wrap::wrap;

/// Table of the methods, which lives as long as the process.
pub fn methods() -> *mut ffi::PyMethodDef {
    let method =
        |name: &'static CStr, ml_meth, flags: c_int, doc: &'static CStr| ffi::PyMethodDef {
            ml_name: name.as_ptr(),
            ml_meth,
            ml_flags: flags,
            ml_doc: doc.as_ptr(),
        };
    let plain = |function| ffi::PyMethodDefPointer {
        PyCFunction: function,
    };
    let fast = ffi::PyMethodDefPointer {
        PyCFunctionFastWithKeywords: ffi_init,
    };
    let entries = [
        method(
            c"__ffi_init__",
            fast,
            ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            c"Makes the object by the constructor of its type: to be called in __init__.",
        ),
        method(
            c"same_as",
            plain(same_as),
            ffi::METH_O,
            c"same_as($self, other, /)\n--\n\nWhether both are the very same object.",
        ),
        method(
            c"__copy__",
            plain(copy),
            ffi::METH_NOARGS,
            c"Another object with the same fields.",
        ),
        method(
            c"__reduce__",
            plain(reduce),
            ffi::METH_NOARGS,
            c"The class and the fields, for pickle.",
        ),
        ffi::PyMethodDef::zeroed(),
    ];
    Box::leak(Box::new(entries)).as_mut_ptr()
}

/// Another object of Python that is of this class too, and made.
fn other(object: *mut ffi::PyObject) -> Option<Object> {
    // SAFETY: an object that the caller keeps.
    let class = unsafe { ffi::Py_TYPE(object) };
    let held = is_class(class).then(|| instance(object).object.clone())?;
    held.map(Object::from_object)
}

pub unsafe extern "C" fn repr(this: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guarded(|py| {
        let Some(held) = &instance(this).object else {
            return Ok(pyo3::types::PyString::new(py, "<an object that is not made>").into_any());
        };
        // SAFETY: an object that the caller keeps.
        let entered = unsafe { ffi::Py_ReprEnter(this) };
        if entered < 0 {
            return Err(PyErr::fetch(py));
        }
        if entered > 0 {
            return Ok(pyo3::types::PyString::new(py, "...").into_any());
        }
        let text = text(py, held);
        // SAFETY: as above.
        unsafe { ffi::Py_ReprLeave(this) };
        Ok(pyo3::types::PyString::new(py, &text?).into_any())
    })
}

fn text(py: Python<'_>, held: &ObjectRef) -> PyResult<String> {
    let show = || {
        tenspan::Function::new(|args| {
            let value = args.first().copied().unwrap_or_default().to_any();
            Python::attach(|py| {
                let text = wrap(py, &value).and_then(|value| value.repr());
                text.map(|text| Any::string(&text.to_string_lossy()))
                    .map_err(|exception| caught(py, exception))
            })
        })
    };
    let says = Hook::Repr.of(held.type_index()).is_some();
    // A text is wanted in any case, so one that cannot be made is passed over.
    if says && let Ok(Some(text)) = hooks::shown(held, &show()) {
        return Ok(text);
    }
    let key = Object::from_object(held.clone()).type_key();
    let mut text = format!("{key}(");
    for (i, (name, value)) in object::shown(held).iter().enumerate() {
        let value = wrap(py, value)?.repr()?;
        let comma = if i == 0 { "" } else { ", " };
        text.push_str(&format!("{comma}{name}={value}"));
    }
    text.push(')');
    Ok(text)
}

pub unsafe extern "C" fn hash(this: *mut ffi::PyObject) -> ffi::Py_hash_t {
    let Some(held) = &instance(this).object else {
        return this as ffi::Py_hash_t >> 4;
    };
    let value = held.clone();
    let hashed = catch_unwind(|| value::try_hash(Any::object(value).view())).unwrap_or(Ok(0));
    match hashed.map(|hash| hash as ffi::Py_hash_t) {
        // This would say that an exception is set.
        Ok(-1) => -2,
        Ok(hash) => hash,
        Err(error) => {
            let none = guarded(|_| Err(raised_by_call(&error)));
            debug_assert!(none.is_null());
            -1
        }
    }
}

pub unsafe extern "C" fn compare(
    this: *mut ffi::PyObject,
    that: *mut ffi::PyObject,
    operation: c_int,
) -> *mut ffi::PyObject {
    guarded(|py| {
        let is_equality = matches!(operation, ffi::Py_EQ | ffi::Py_NE);
        let raised = |error| raised_by_call(&error);
        let answer = match (other(this), other(that)) {
            (Some(this), Some(that)) if is_equality => {
                let same = value::try_equal(this.into_any().view(), that.into_any().view());
                Some(same.map_err(raised)? == (operation == ffi::Py_EQ))
            }
            (Some(this), Some(that)) => {
                let order = hooks::ordered(this.object(), that.object());
                order.map_err(raised)?.map(|order| match operation {
                    ffi::Py_LT => order.is_lt(),
                    ffi::Py_LE => order.is_le(),
                    ffi::Py_GT => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
            (None, None) if this == that && is_equality => Some(operation == ffi::Py_EQ),
            _ => None,
        };
        let Some(answer) = answer else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        Ok(pyo3::types::PyBool::new(py, answer).to_owned().into_any())
    })
}

unsafe extern "C" fn same_as(
    this: *mut ffi::PyObject,
    that: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        let this = made(this)?.handle();
        let same = other(that).is_some_and(|that| that.object().handle() == this);
        Ok(pyo3::types::PyBool::new(py, same).to_owned().into_any())
    })
}

unsafe extern "C" fn copy(this: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guarded(|py| {
        let copy = object(this)?
            .copy()
            .map_err(|error| raised_by_call(&error))?;
        // SAFETY: an object that the caller keeps.
        let class = unsafe { ffi::Py_TYPE(this) };
        allocate(py, class, Some(copy.object().clone()))
    })
}

/// The class, and the fields that make the object anew.
unsafe extern "C" fn reduce(this: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guarded(|py| {
        let held = object(this)?;
        let fields = PyDict::new(py);
        for field in held.object_type().fields() {
            let value = field
                .get(held.object())
                .map_err(|error| raised_by_call(&error))?;
            fields.set_item(field.info().name(), wrap(py, &value)?)?;
        }
        // SAFETY: an object that the caller keeps.
        let this = unsafe { Borrowed::from_ptr(py, this) };
        let rebuild = py.import("tenspan._tenspan")?.getattr("_rebuild")?;
        let state = this.getattr_opt("__dict__")?;
        let class = this.get_type();
        let standing = class::registered(py, held.object_type().index());
        // A class that was made by itself is found again by the key of its type only.
        let is_automatic = standing.is_some_and(|(known, automatic)| automatic && known.is(&class));
        let class = match is_automatic {
            true => pyo3::types::PyString::new(py, held.type_key()).into_any(),
            false => class.into_any(),
        };
        let made = (class, fields).into_pyobject(py)?;
        let parts = match state {
            Some(state) => PyTuple::new(py, [rebuild, made.into_any(), state])?,
            None => PyTuple::new(py, [rebuild, made.into_any()])?,
        };
        Ok(parts.into_any())
    })
}

/// Makes an object of a class, or of the type of a key, from its fields, as [`reduce`] gave them.
///
/// # Errors
/// `TypeError` for a class whose objects are not made of their fields.
pub fn rebuild<'py>(
    class: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    if let Ok(key) = class.cast::<pyo3::types::PyString>() {
        let of = ObjectType::of(&key.to_cow()?).map_err(|error| raised_by_call(&error))?;
        return super::wrap(py, remade(of, fields)?.object().clone());
    }
    let class = class.cast::<pyo3::types::PyType>()?.as_type_ptr();
    if !is_class(class) {
        let message = "a class of objects is wanted";
        return Err(new_error(ErrorKind::TypeError, message));
    }
    let made = allocate(py, class, None)?;
    let object = remade(class::type_of(&made)?, fields)?;
    super::fill(&made, object.object().clone());
    Ok(made)
}

fn remade(of: ObjectType, fields: &Bound<'_, PyDict>) -> PyResult<Object> {
    let mut given = Vec::new();
    let mut later = Vec::new();
    for field in of.fields() {
        let name = field.info().name();
        let Some(value) = fields.get_item(name)? else {
            continue;
        };
        let value = crate::value::convert::to_any(&value)?;
        if field.info().is(flag::INIT_OFF) {
            later.push((field, value));
        } else {
            given.push((name, value));
        }
    }
    let named = given.iter().map(|(name, value)| (*name, value.view()));
    let named: Vec<_> = named.collect();
    let raised = |error| raised_by_call(&error);
    let object = of.from_fields(&[], &named).map_err(raised)?;
    for (field, value) in later {
        field.put(object.object(), value.view()).map_err(raised)?;
    }
    Ok(object)
}
