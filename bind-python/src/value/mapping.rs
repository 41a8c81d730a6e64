//! Mappings: those that are passed in, and our own classes as such.

use pyo3::prelude::*;
use pyo3::types::PyMapping;
use tenspan::ErrorKind;

use crate::bytes;
use crate::error::new_error;

/// Names and values of any mapping.
///
/// # Errors
/// `TypeError` for an object that is no mapping, or for a key that is no text.
pub fn entries<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let Ok(mapping) = object.cast::<PyMapping>() else {
        return Err(new_error(
            ErrorKind::TypeError,
            format!("a mapping wanted, found {}", bytes::type_name(object)),
        ));
    };
    mapping
        .items()?
        .iter()
        .map(|pair| pair.extract::<(String, Bound<'py, PyAny>)>())
        .collect()
}

/// A class of `_collections_abc`, which every interpreter has loaded at start.
fn abstract_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("_collections_abc")?.getattr(name)
}

/// A live view of a mapping: `KeysView`, `ValuesView` or `ItemsView`.
///
/// # Errors
/// None of its own.
pub fn view<'py>(mapping: &Bound<'py, PyAny>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
    abstract_class(mapping.py(), kind)?.call1((mapping,))
}

/// Makes a class count as a mapping, and gives it the methods that follow from those it has.
///
/// # Errors
/// None of its own.
pub fn register<T: pyo3::PyTypeInfo>(py: Python<'_>, writable: bool) -> PyResult<()> {
    let parent = abstract_class(
        py,
        if writable {
            "MutableMapping"
        } else {
            "Mapping"
        },
    )?;
    let class = py.get_type::<T>();
    parent.call_method1("register", (&class,))?;
    if writable {
        // `pop` tells a missing default from None by a private mark of its class.
        for name in [
            "pop",
            "popitem",
            "setdefault",
            "update",
            "_MutableMapping__marker",
        ] {
            class.setattr(name, parent.getattr(name)?)?;
        }
    }
    Ok(())
}
