//! Functions of Python that core calls back.
//!
//! Core calls from where the interpreter is not held, on any thread; each call attaches first. An exception
//! travels through core as the origin of an error and comes out as the same object. A [`Callback`] is called for the time of one
//! method; a [`Callable`] is a function of core, which every language may keep.

use std::mem::ManuallyDrop;
use std::sync::OnceLock;

use pyo3::call::PyCallArgs;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tenspan::abi::closure::Body;
use tenspan::abi::object::ObjectRef;
use tenspan::value::{Any, AnyView, Kind};
use tenspan::{Error, ErrorKind, Function};

use crate::bytes::function::call::call_object;
use crate::bytes::held::{Held, Sort, give_up, hold, known_function, lend, lend_again, settle};
use crate::bytes::spare;
use crate::error::{caught, new_error};
use crate::value::convert;

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

/// A callable of Python as the body of a function of core.
pub struct Callable {
    held: Held,
    /// What `inspect.signature` says, asked for by the first call with names.
    signature: OnceLock<Py<PyAny>>,
}

impl Callable {
    /// The function of core that calls an object, as a value.
    pub fn value_of(object: &Bound<'_, PyAny>) -> Any {
        Any::object(hold(object, Sort::Function, Callable::make, held_by))
    }

    /// As [`Callable::value_of`], for the time of a call: [`Callable::settle`] is asked for after it.
    pub fn lend(object: &Bound<'_, PyAny>) -> ObjectRef {
        known_function(object)
            .or_else(|| Callable::lend_again(object))
            .unwrap_or_else(|| Callable::make(lend(object, Sort::Function)))
    }

    /// A function that was lent before, of another object now.
    fn lend_again(object: &Bound<'_, PyAny>) -> Option<ObjectRef> {
        let function = spare::take(object.py())?;
        lend_again(&callable(&function)?.held, object);
        Some(function)
    }

    /// Ends the lending of a function: it becomes the one of its callable if somebody kept it, and is given up otherwise.
    pub fn settle(py: Python<'_>, function: ObjectRef) {
        let Some(callable) = callable(&function) else {
            return;
        };
        if !function.is_unique() {
            return settle(&function, &callable.held);
        }
        let again = callable.held.is_lent() && callable.signature.get().is_none();
        give_up(py, &callable.held);
        if again {
            spare::put(py, function);
        }
    }

    fn make(held: Held) -> ObjectRef {
        let signature = OnceLock::new();
        let callable = Callable { held, signature };
        Function::of(None, callable).object().clone()
    }

    /// The object that is called.
    pub fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.held.object(py)
    }

    /// Its address, for the collector of garbage.
    pub fn address(&self) -> *mut ffi::PyObject {
        self.held.address() as *mut ffi::PyObject
    }

    fn signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.signature.get() {
            return Ok(known.bind(py).clone());
        }
        let inspect = py.import("inspect")?;
        let asked = inspect.call_method1("signature", (self.object(py),))?;
        // Another thread may have asked as well, and was told the same.
        let _ = self.signature.set(asked.clone().unbind());
        Ok(asked)
    }
}

fn held_by(function: &ObjectRef) -> Option<&Held> {
    callable(function).map(|callable| &callable.held)
}

impl Body for Callable {
    fn call(&self, args: &[AnyView<'_>]) -> tenspan::Result<Any> {
        let called = Python::try_attach(|py| {
            let result = match self.held.borrowed(py) {
                Some(object) => call_object(object, args),
                None => return Err(gone()),
            };
            match result {
                Ok(result) if result.is_none() => Ok(Any::NONE),
                Ok(result) => convert::to_any(&result).map_err(|raised| caught(py, raised)),
                Err(exception) => Err(caught(py, exception)),
            }
        });
        called.unwrap_or_else(|| Err(gone()))
    }

    fn value(&self) -> &(dyn std::any::Any + Send + Sync) {
        self
    }
}

impl Drop for Callable {
    fn drop(&mut self) {
        let mut signature = ManuallyDrop::new(self.signature.take());
        if signature.is_some() {
            Python::try_attach(|_| drop(signature.take()));
        }
    }
}

#[cold]
fn gone() -> Error {
    let message = "a function of Python was called after the end of the interpreter";
    Error::new(ErrorKind::RuntimeError, message)
}

/// The callable of Python that a function was made of.
pub fn callable(function: &ObjectRef) -> Option<&Callable> {
    tenspan::abi::closure::value(function)?.downcast_ref()
}

/// What a function is called: what it says, or the name of the callable of Python.
pub fn name(py: Python<'_>, function: &Function) -> Option<String> {
    if let Some(name) = function.name() {
        return Some(name.to_owned());
    }
    let object = callable(function.object())?.object(py);
    let name = object.getattr_opt("__qualname__").ok()??;
    name.extract().ok()
}

/// The names of the parameters of a function that can be given by name.
///
/// # Errors
/// What `inspect.signature` raises.
pub fn parameters(py: Python<'_>, function: &Function) -> PyResult<Option<Vec<String>>> {
    if let Some(names) = function.parameters().filter(|names| !names.is_empty()) {
        return Ok(Some(names.to_vec()));
    }
    let Some(callable) = callable(function.object()) else {
        return Ok(None);
    };
    let Ok(signature) = callable.signature(py) else {
        // Some callables that are written in C have none.
        return Ok(None);
    };
    let names = signature.getattr("parameters")?.call_method0("keys")?;
    let names: PyResult<Vec<String>> = names.try_iter()?.map(|name| name?.extract()).collect();
    names.map(Some)
}

/// The arguments of a call with names as a tuple, in the order of the parameters.
///
/// # Errors
/// `TypeError` when a name is unknown or given twice, or an argument is missing.
pub fn in_order<'py>(
    function: &ObjectRef,
    positional: &Bound<'py, PyTuple>,
    named: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = positional.py();
    let value = Any::object(function.clone());
    let Kind::Function(declared) = value.kind() else {
        return Err(new_error(ErrorKind::TypeError, "no function"));
    };
    let title = declared.name().unwrap_or("the function");
    let names = declared.parameters().filter(|names| !names.is_empty());
    if let Some(names) = names {
        return by_declaration(title, names, positional, named);
    }
    let Some(callable) = callable(function) else {
        let message = format!(
            "{title} takes no arguments by name: it does not say how its parameters are called"
        );
        return Err(new_error(ErrorKind::TypeError, message));
    };
    let bound = callable
        .signature(py)?
        .call_method("bind", positional, Some(named))?;
    bound.call_method0("apply_defaults")?;
    if bound.getattr("kwargs")?.len()? > 0 {
        let message = "parameters that can only be given by name cannot be passed on to a function of another language";
        return Err(new_error(ErrorKind::TypeError, message));
    }
    Ok(bound.getattr("args")?.cast_into::<PyTuple>()?)
}

fn by_declaration<'py>(
    title: &str,
    names: &[String],
    positional: &Bound<'py, PyTuple>,
    named: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyTuple>> {
    let wrong = |message: String| new_error(ErrorKind::TypeError, message);
    let mut places: Vec<Option<Bound<'py, PyAny>>> = positional.iter().map(Some).collect();
    let given = places.len();
    places.resize(given.max(names.len()), None);
    for (name, value) in named {
        let name: String = name.extract()?;
        let Some(at) = names.iter().position(|known| *known == name) else {
            let known = names.join(", ");
            return Err(wrong(format!(
                "{title} has no parameter `{name}`; it has {known}"
            )));
        };
        if places[at].replace(value).is_some() {
            return Err(wrong(format!("{title}: argument `{name}` is given twice")));
        }
    }
    // The function itself knows which of the last ones may be left out.
    while places.last().is_some_and(Option::is_none) {
        places.pop();
    }
    if let Some(at) = places.iter().position(Option::is_none) {
        let message = format!("{title}: argument {at}, `{}`, is missing", names[at]);
        return Err(wrong(message));
    }
    let all: Vec<_> = places.into_iter().flatten().collect();
    PyTuple::new(positional.py(), all)
}
