//! Functions of Python that core calls back.
//!
//! Core calls from where the interpreter is not held, on any thread; each call attaches first. An exception
//! travels through core as the origin of an error and comes out as the same object.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use tenspan::ErrorKind;

use crate::error::{caught, new_error};

/// Something to call.
pub struct Callback(Py<PyAny>);

impl<'py> FromPyObject<'_, 'py> for Callback {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_callable() {
            return Ok(Callback(object.to_owned().unbind()));
        }
        Err(new_error(
            ErrorKind::TypeError,
            format!("a callable wanted, found {}", object.get_type().name()?),
        ))
    }
}

/// Calls a function, if there is one. Signals are looked after first, so that Ctrl-C ends long work in any case.
///
/// # Errors
/// The exception, as the origin of an error.
pub fn call(
    callback: Option<&Callback>,
    arguments: impl for<'py> PyCallArgs<'py>,
) -> tenspan::Result<()> {
    Python::attach(|py| {
        let called = py.check_signals().and_then(|()| match callback {
            Some(Callback(function)) => function.bind(py).call1(arguments).map(|_| ()),
            None => Ok(()),
        });
        called.map_err(|exception| caught(py, exception))
    })
}
