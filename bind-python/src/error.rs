//! Errors as exceptions, in both directions.
//!
//! A kind that is named like an exception of Python raises exactly that one. Every other kind has a class of its own
//! that derives from `tenspan.Error` and from the builtin it is a case of, so that `except ValueError` and
//! `except tenspan.Error` both find it. All of them have `kind`. Which class belongs to which kind is printed
//! from the spec: see [`generated::errors`](crate::generated::errors).

mod frames;

use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyBaseException, PyException, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use tenspan::value::Any;
use tenspan::{Error, ErrorKind};

use crate::bytes::argument;
use crate::generated::errors;
use crate::value::wrap;
use frames::Passage;

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
    match error.kind() {
        ErrorKind::KeyError if error.key().is_none() => raised(error.with_key(Any::string(key))),
        _ => raised(error),
    }
}

fn to_exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    exception(py, error).map(PyErr::from_value)
}

/// The exception of an error as an object, not raised.
///
/// # Errors
/// What making it raises.
pub fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let origin = error.origin();
    let origin = origin.and_then(|origin| origin.downcast_ref::<Origin>());
    if let Some(origin) = origin
        && let Some(own) = &origin.exception
    {
        let own = own.bind(py);
        if let Some(passed) = error.passed() {
            frames::note(own, origin, passed);
        }
        return Ok(own.clone().into_any());
    }
    let known = error.kind_name() == error.kind().as_str();
    let value = match registered(py, error.kind_name()) {
        Some(class) => class.call1((error.message(),))?,
        None if known => instance(py, error)?,
        None => foreign_class(py, error)?.call1((error.message(),))?,
    };
    value.setattr(pyo3::intern!(py, "kind"), error.kind_name())?;
    if let Some(cause) = error.cause() {
        value.setattr("__cause__", exception(py, cause)?)?;
    }
    Ok(value)
}

/// As [`raised`], with a note of where in other languages the error was made and what it passed through.
pub fn raised_by_call(error: &Error) -> PyErr {
    Python::attach(|py| {
        let made = exception(py, error).and_then(|value| {
            if error.origin().is_none() && !error.traceback().is_empty() {
                let mut lines: Vec<&str> = error.traceback().lines().collect();
                // Python shows the most recent frame last.
                lines.reverse();
                let text = format!(
                    "In other languages (most recent call last):\n{}",
                    lines.join("\n")
                );
                let notes = pyo3::intern!(py, "__notes__");
                match error.key() {
                    Some(_) => value.setattr(notes, [error.message(), &text])?,
                    None => value.setattr(notes, [text])?,
                }
            }
            Ok(PyErr::from_value(value))
        });
        made.unwrap_or_else(|failure| failure)
    })
}

/// An exception that travels with an error, and where it has been. It may be let go on any thread, and then attaches.
struct Origin {
    exception: Option<Py<PyBaseException>>,
    /// The first of the functions that it had left when the error was made, which know of the others.
    traceback: Option<Py<PyAny>>,
    /// What it passed in other languages before it came to Python the last time.
    passed: Vec<Passage>,
}

impl Drop for Origin {
    fn drop(&mut self) {
        // When there is no interpreter any more, the exception ends with the process.
        let mut held = ManuallyDrop::new((self.exception.take(), self.traceback.take()));
        Python::try_attach(|_| {
            let (exception, traceback) = &mut *held;
            drop((exception.take(), traceback.take()));
        });
    }
}

/// Classes of kinds that were registered, by the name of the kind.
static REGISTERED: Mutex<Vec<(String, Py<PyType>)>> = Mutex::new(Vec::new());

fn registry() -> MutexGuard<'static, Vec<(String, Py<PyType>)>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a class the one for errors of a kind, in the place of another.
pub fn register_class(kind: String, class: &Bound<'_, PyType>) {
    let class = class.clone().unbind();
    let _old = {
        let mut registry = registry();
        let at = registry.iter().position(|(known, _)| *known == kind);
        let old = at.map(|at| registry.remove(at));
        registry.push((kind, class));
        old
    };
}

fn registered<'py>(py: Python<'py>, kind: &str) -> Option<Bound<'py, PyType>> {
    let registry = registry();
    let found = registry.iter().find(|(known, _)| known == kind);
    found.map(|(_, class)| class.bind(py).clone())
}

/// The class of a kind that the spec does not have: also the nearest one that it has.
fn foreign_class<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyType>> {
    static MADE: Mutex<Vec<(String, ErrorKind, Py<PyType>)>> = Mutex::new(Vec::new());
    /// Kinds that are remembered; of the others each error has a class of its own.
    const MOST: usize = 1000;
    let (name, kind) = (error.kind_name(), error.kind());
    let known = {
        let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter()
            .find(|(known, nearest, _)| known == name && *nearest == kind)
            .map(|(_, _, class)| class.bind(py).clone())
    };
    if let Some(known) = known {
        return Ok(known);
    }
    let nearest = class(py, kind)?;
    let base = base(py)?;
    let bases = match nearest.is_subclass(base)? {
        true => (nearest,).into_pyobject(py)?,
        false => (base, nearest).into_pyobject(py)?,
    };
    let docs = "An error of a kind that only the code that raised it knows.";
    let made = new_class(py, name, bases, docs, name)?;
    let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() < MOST {
        all.push((name.to_owned(), kind, made.clone_ref(py)));
    }
    Ok(made.into_bound(py))
}

fn instance<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let message = error.message();
    if let Some(key) = error.key() {
        // As Python's own mappings raise it; what there is to say besides stands in a note.
        let value = class(py, error.kind())?.call1((wrap::wrap(py, key)?,))?;
        value.setattr(pyo3::intern!(py, "__notes__"), [message])?;
        return Ok(value);
    }
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
    told(exception.into_value(py).into_bound(py), 0)
}

/// Causes of causes that are told of.
const MOST_CAUSES: u32 = 16;

fn told(value: Bound<'_, PyBaseException>, depth: u32) -> Error {
    let py = value.py();
    let (kind, name) = kind_of(value.as_any());
    let message = value
        .str()
        .map_or_else(|_| String::new(), |text| text.to_string());
    let mut error = Error::named(kind, &name, message);
    if let Some(key) = key_of(kind, value.as_any()) {
        error = error.with_key(key);
    }
    let cause = value.getattr(pyo3::intern!(py, "__cause__")).ok();
    let cause = cause.and_then(|cause| cause.cast_into::<PyBaseException>().ok());
    if let Some(cause) = cause.filter(|_| depth < MOST_CAUSES) {
        error = error.with_cause(told(cause, depth + 1));
    }
    // The exception may pass further functions later on; those up to here are kept.
    let traceback = value.getattr(pyo3::intern!(py, "__traceback__")).ok();
    let origin = Origin {
        passed: frames::passed(&value),
        exception: Some(value.unbind()),
        traceback: traceback
            .filter(|frames| !frames.is_none())
            .map(Bound::unbind),
    };
    error.with_traced_origin(Arc::new(origin), frames::text)
}

/// The key of a KeyError, when it is one that every language has.
fn key_of(kind: ErrorKind, value: &Bound<'_, PyAny>) -> Option<Any> {
    if kind != ErrorKind::KeyError {
        return None;
    }
    let arguments = value.getattr(pyo3::intern!(value.py(), "args")).ok()?;
    let arguments = arguments.cast_into::<PyTuple>().ok()?;
    match arguments.len() {
        1 => argument::owned(&arguments.get_item(0).ok()?),
        _ => None,
    }
}

/// The kind of an exception, and its name: what it says itself, what its class is registered for, or the name of its class.
fn kind_of(value: &Bound<'_, PyAny>) -> (ErrorKind, String) {
    let py = value.py();
    let class = value.get_type();
    let of_class = |class: &Bound<'_, PyType>| -> Option<String> {
        let registry = registry();
        let found = registry.iter().find(|(_, known)| known.is(class));
        found.map(|(kind, _)| kind.clone())
    };
    let own = || {
        value
            .getattr_opt(pyo3::intern!(py, "kind"))
            .ok()??
            .extract()
            .ok()
    };
    let named = || class.name().ok().map(|name| name.to_string());
    let is_builtin = class.module().is_ok_and(|module| module == "builtins");
    let name = match is_builtin {
        true => named(),
        false => of_class(&class).or_else(own).or_else(named),
    };
    let name = name.unwrap_or_else(|| "RuntimeError".to_owned());
    if let Some(kind) = ErrorKind::from_str_exact(&name) {
        return (kind, name);
    }
    // The nearest class that is a kind says what others may take it for.
    let nearest = class.mro().iter().find_map(|class| {
        let name = class.cast::<PyType>().ok()?.name().ok()?.to_string();
        ErrorKind::from_str_exact(&name)
    });
    (nearest.unwrap_or(ErrorKind::RuntimeError), name)
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
            ErrorKind::RuntimeError.as_str(),
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
            new_class(py, name, PyTuple::new(py, all)?, docs, kind.as_str())
        }
    }
}

fn new_class(
    py: Python<'_>,
    name: &str,
    bases: Bound<'_, PyTuple>,
    docs: &str,
    kind: &str,
) -> PyResult<Py<PyType>> {
    let members = PyDict::new(py);
    members.set_item("__module__", "tenspan")?;
    members.set_item("__doc__", docs)?;
    members.set_item("kind", kind)?;
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
