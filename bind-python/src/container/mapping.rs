//! What `Map` and `Dict` have in common: what they are made of, compared with and joined with.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tenspan::value::{Any, IntoAny, try_equal};

use super::{Dict, Map};
use crate::error::raised;
use crate::value::convert;

/// What a mapping is made of: a mapping or pairs, then what is given by name.
///
/// # Errors
/// What the conversion of keys and values raises.
pub fn given(
    items: Option<&Bound<'_, PyAny>>,
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<(Any, Any)>> {
    let mut entries = items.map_or_else(|| Ok(Vec::new()), convert::entries)?;
    if let Some(named) = named {
        entries.extend(convert::entries(named)?);
    }
    Ok(entries)
}

/// Whether a mapping equals another object; `NotImplemented` when that is no mapping of ours or of Python's own class.
///
/// # Errors
/// What the conversion of the other raises.
pub fn equals<'py>(
    own: Any,
    other: &Bound<'py, PyAny>,
    negated: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = other.py();
    let other = if let Ok(map) = other.cast::<Map>() {
        map.get().0.clone().into_any()
    } else if let Ok(dict) = other.cast::<Dict>() {
        dict.get().0.clone().into_any()
    } else if other.is_instance_of::<PyDict>() {
        let entries = convert::entries(other)?;
        tenspan::Map::from_entries(entries)
            .map_err(raised)?
            .into_any()
    } else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    let same = try_equal(own.view(), other.view()).map_err(raised)? != negated;
    Ok(pyo3::types::PyBool::new(py, same).to_owned().into_any())
}

/// The entries of a mapping joined with those of what stands beside `|`, on whose right the mapping stands when `reversed`; nothing
/// for what is no mapping.
///
/// # Errors
/// As [`given`].
pub fn joined(
    own: Vec<(Any, Any)>,
    other: &Bound<'_, PyAny>,
    reversed: bool,
) -> PyResult<Option<Vec<(Any, Any)>>> {
    if other.getattr_opt("keys")?.is_none() {
        return Ok(None);
    }
    let other = convert::entries(other)?;
    let (mut first, second) = if reversed { (other, own) } else { (own, other) };
    first.extend(second);
    Ok(Some(first))
}

/// The error of a key that is not there: the key itself.
#[cold]
pub fn missing(key: &Bound<'_, PyAny>) -> PyErr {
    PyKeyError::new_err((key.clone().unbind(),))
}
