//! Functions by name, values as functions get them, and classes for kinds of errors, in the manners of Python.

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyString, PyTuple, PyType};
use tenspan::ErrorKind;

use crate::bytes;
use crate::bytes::function;
use crate::error::{self, new_error, raised};
use crate::value::convert;
use crate::value::wrap::wrap;

/// Registers a function under a name, for all languages of the process.
///
/// Without ``f`` this is a decorator: ``@register_global_func("name")``, or ``@register_global_func`` for a function that is
/// registered by its own name.
#[pyfunction]
#[pyo3(signature = (name, f=None, r#override=false), text_signature = "(name, f=None, override=False)")]
fn register_global_func<'py>(
    name: &Bound<'py, PyAny>,
    f: Option<Bound<'py, PyAny>>,
    r#override: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = name.py();
    let Ok(text) = name.cast::<PyString>() else {
        if f.is_some() || !name.is_callable() {
            let found = bytes::type_name(name);
            let message = format!("the name of a function is a string, found {found}");
            return Err(new_error(ErrorKind::TypeError, message));
        }
        let own_name: String = name.getattr("__name__")?.extract()?;
        return register(&own_name, name, r#override);
    };
    let text = text.to_string();
    if let Some(f) = f {
        return register(&text, &f, r#override);
    }
    let decorate = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let f = arguments.get_item(0)?;
        register(&text, &f, r#override)?;
        Ok::<_, PyErr>(f.unbind())
    };
    Ok(PyCFunction::new_closure(py, None, None, decorate)?.into_any())
}

fn register<'py>(
    name: &str,
    f: &Bound<'py, PyAny>,
    is_override: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(function) = convert::function(f)? else {
        let found = bytes::type_name(f);
        let message = format!("`{name}` wants a callable, found {found}");
        return Err(new_error(ErrorKind::TypeError, message));
    };
    tenspan::register_global_func(name, &function, is_override).map_err(raised)?;
    function::wrap(f.py(), function.object())
}

/// A value as a call passes it: lists and tuples as ``Array``, mappings as ``Map``, callables as ``Function``, arrays as ``Tensor``.
#[pyfunction(name = "convert")]
#[pyo3(signature = (value, /))]
fn convert_<'py>(value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if bytes::argument::owned(&value).is_some() {
        return Ok(value);
    }
    wrap(value.py(), &convert::to_any(&value)?)
}

/// Makes a class the one for errors of a kind, in both directions.
///
/// As a decorator it takes the name of the class for that of the kind.
#[pyfunction]
#[pyo3(signature = (kind, cls=None, /))]
fn register_error<'py>(
    kind: &Bound<'py, PyAny>,
    cls: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = kind.py();
    let Ok(text) = kind.cast::<PyString>() else {
        let class = class_of_errors(kind)?;
        error::register_class(class.name()?.to_string(), &class);
        return Ok(kind.clone());
    };
    let text = text.to_string();
    if let Some(class) = cls {
        error::register_class(text, &class_of_errors(&class)?);
        return Ok(class);
    }
    let decorate = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let class = arguments.get_item(0)?;
        error::register_class(text.clone(), &class_of_errors(&class)?);
        Ok::<_, PyErr>(class.unbind())
    };
    Ok(PyCFunction::new_closure(py, None, None, decorate)?.into_any())
}

fn class_of_errors<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyType>> {
    let class = object.cast::<PyType>().ok();
    let found = class.filter(|class| class.is_subclass_of::<PyBaseException>().unwrap_or(false));
    found.cloned().ok_or_else(|| {
        let shown = object
            .repr()
            .map_or_else(|_| "an object".to_owned(), |text| text.to_string());
        let message = format!("a class of exceptions wanted, found {shown}");
        new_error(ErrorKind::TypeError, message)
    })
}

/// Adds what is written by hand to the module.
///
/// # Errors
/// None but of memory.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Function", function::class(module.py())?)?;
    module.add_function(wrap_pyfunction!(register_global_func, module)?)?;
    module.add_function(wrap_pyfunction!(convert_, module)?)?;
    super::object::register(module)?;
    module.add_function(wrap_pyfunction!(register_error, module)?)?;
    crate::container::register(module)
}
