//! Errors as exceptions, in both directions.
//!
//! A kind that is named like an exception of Python raises exactly that one. Every other kind has a class of its own
//! that derives from `tenspan.Error` and from the builtin it is a case of, so that `except ValueError` and
//! `except tenspan.Error` both find it. All of them have `kind`. Which class belongs to which kind is printed
//! from the spec: see [`generated::errors`](crate::generated::errors).

use std::sync::Arc;

use pyo3::exceptions::{PyBaseException, PyException, PyKeyError, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use tenspan::{Error, ErrorKind};

use crate::generated::errors;

/// The exception class of a kind.
pub enum Class {
    /// The builtin of the same name.
    Builtin,
    /// A class of our own.
    Own {
        /// Its name.
        name: &'static str,
        /// The builtins it derives from, beside `Error`: names with commas between them.
        bases: &'static str,
        /// Its docs.
        docs: &'static str,
    },
}

/// The exception of what this front itself finds wrong.
pub fn new_error(kind: ErrorKind, message: impl Into<String>) -> PyErr {
    raised(Error::new(kind, message))
}

/// The exception of an error. One that Python raised itself comes back as the same object.
pub fn raised(error: Error) -> PyErr {
    Python::attach(|py| to_exception(py, &error).unwrap_or_else(|failure| failure))
}

/// As [`raised`]; a KeyError has the key as its argument, and the message as a note.
pub fn raised_for_key(error: Error, key: &str) -> PyErr {
    if error.kind() != ErrorKind::KeyError || error.origin().is_some() {
        return raised(error);
    }
    Python::attach(|py| {
        let exception = PyKeyError::new_err(key.to_owned());
        let value = exception.value(py);
        let noted = value
            .call_method1("add_note", (error.message(),))
            .and_then(|_| value.setattr("kind", error.kind_name()));
        noted.err().unwrap_or(exception)
    })
}

fn to_exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    if let Some(origin) = error
        .origin()
        .and_then(|origin| origin.downcast_ref::<Py<PyBaseException>>())
    {
        return Ok(PyErr::from_value(origin.bind(py).clone().into_any()));
    }
    let known = error.kind_name() == error.kind().as_str();
    let value = if known {
        instance(py, error)?
    } else {
        base(py)?.call1((error.message(),))?
    };
    value.setattr("kind", error.kind_name())?;
    let exception = PyErr::from_value(value);
    if let Some(cause) = error.cause() {
        exception.set_cause(py, Some(to_exception(py, cause)?));
    }
    Ok(exception)
}

fn instance<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let message = error.message();
    if error.kind() == ErrorKind::OSError {
        return os_error(py, message);
    }
    class(py, error.kind())?.call1((message,))
}

/// The subclass that the number of the system stands for, such as FileNotFoundError.
fn os_error<'py>(py: Python<'py>, message: &str) -> PyResult<Bound<'py, PyAny>> {
    let class = py.get_type::<PyOSError>();
    // Errors of Rust's standard library end in the number.
    let parts = message
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" (os error "));
    match parts.and_then(|(text, number)| Some((number.parse::<i32>().ok()?, text))) {
        Some(numbered) => class.call1(numbered),
        None => class.call1((message,)),
    }
}

/// An exception of Python as an error that carries it.
pub fn caught(py: Python<'_>, exception: PyErr) -> Error {
    let value = exception.into_value(py).into_bound(py);
    let own_kind = value
        .getattr("kind")
        .and_then(|kind| kind.extract::<String>());
    let kind = own_kind.unwrap_or_else(|_| {
        value
            .get_type()
            .name()
            .map_or_else(|_| "RuntimeError".to_owned(), |name| name.to_string())
    });
    let message = value
        .str()
        .map_or_else(|_| String::new(), |text| text.to_string());
    Error::from_kind_name(&kind, message).with_origin(Arc::new(value.unbind()))
}

static BASE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static CLASSES: PyOnceLock<Vec<Py<PyType>>> = PyOnceLock::new();

/// `tenspan.Error`.
fn base(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let make = || {
        let docs = "What tenspan reports when no exception of Python says it. `kind` is the name of the kind, also of those that only a compiled module knows.";
        new_class(
            py,
            "Error",
            (py.get_type::<PyException>(),).into_pyobject(py)?,
            docs,
            ErrorKind::RuntimeError,
        )
    };
    BASE.get_or_try_init(py, make).map(|class| class.bind(py))
}

/// The class of a kind.
fn class(py: Python<'_>, kind: ErrorKind) -> PyResult<&Bound<'_, PyType>> {
    let make = || {
        ErrorKind::ALL
            .iter()
            .map(|kind| make_class(py, *kind))
            .collect::<PyResult<Vec<_>>>()
    };
    CLASSES
        .get_or_try_init(py, make)
        .map(|classes| classes[kind as usize].bind(py))
}

fn make_class(py: Python<'_>, kind: ErrorKind) -> PyResult<Py<PyType>> {
    let builtin = |name: &str| -> PyResult<Bound<'_, PyType>> {
        Ok(py.import("builtins")?.getattr(name)?.cast_into()?)
    };
    match errors::class(kind) {
        Class::Builtin => builtin(kind.as_str()).map(Bound::unbind),
        Class::Own { name, bases, docs } => {
            let mut all = vec![base(py)?.clone()];
            for name in bases.split(", ") {
                all.push(builtin(name)?);
            }
            new_class(py, name, PyTuple::new(py, all)?, docs, kind)
        }
    }
}

fn new_class(
    py: Python<'_>,
    name: &str,
    bases: Bound<'_, PyTuple>,
    docs: &str,
    kind: ErrorKind,
) -> PyResult<Py<PyType>> {
    let members = PyDict::new(py);
    members.set_item("__module__", "tenspan")?;
    members.set_item("__doc__", docs)?;
    members.set_item("kind", kind.as_str())?;
    Ok(py
        .get_type::<PyType>()
        .call1((name, bases, members))?
        .cast_into::<PyType>()?
        .unbind())
}

/// Adds `Error` and the classes of our own to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", base(py)?)?;
    for kind in ErrorKind::ALL {
        if let Class::Own { name, .. } = errors::class(*kind) {
            module.add(name, class(py, *kind)?)?;
        }
    }
    Ok(())
}
