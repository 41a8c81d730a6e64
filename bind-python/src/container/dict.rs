//! `Dict`: values by key that can be changed.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tenspan::value::IntoAny;

use super::iterate::{Items, Iterator};
use super::mapping::{equals, given, joined, missing};
use super::view::{Mapping, View, What};
use super::{class_of, remember, repr};
use crate::bytes::identity;
use crate::error::raised;
use crate::value::convert;
use crate::value::wrap::wrap;

/// Values by key, in the order in which the keys were first set; everybody who holds the dict sees its changes, in whatever
/// language. Keys are compared with their type: ``1``, ``True`` and ``1.0`` are three keys.
#[pyclass(frozen, weakref, generic, mapping, module = "tenspan")]
pub struct Dict(pub tenspan::Dict);

impl Drop for Dict {
    fn drop(&mut self) {
        identity::forget(self.0.object(), std::ptr::from_ref(self) as usize);
    }
}

/// Puts the methods of the class itself back that those of the abstract class have taken the places of.
///
/// # Errors
/// None of its own.
pub fn take_back(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Dict>();
    class.setattr("popitem", class.getattr("_popitem")?)?;
    class.delattr("_popitem")
}

#[pymethods]
impl Dict {
    #[new]
    #[pyo3(signature = (items=None, /, **named), text_signature = "(items=(), /, **named)")]
    fn new(items: Option<Bound<'_, PyAny>>, named: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let entries = given(items.as_ref(), named.as_ref())?;
        tenspan::Dict::from_entries(entries)
            .map(Dict)
            .map_err(raised)
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.find(convert::to_any(key)?.view()).map_err(raised)? {
            Some(value) => wrap(key.py(), &value),
            None => Err(missing(key)),
        }
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (key, value) = (convert::to_any(key)?, convert::to_any(value)?);
        self.0.put(key, value).map_err(raised)
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.0.take(convert::to_any(key)?.view()).map_err(raised)? {
            Some(_) => Ok(()),
            None => Err(missing(key)),
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.0.has(convert::to_any(key)?.view()).map_err(raised)
    }

    fn __iter__(&self) -> Iterator {
        Iterator::forwards(Items::Values(self.0.keys()))
    }

    fn __reversed__(&self) -> Iterator {
        Iterator::backwards(Items::Values(self.0.keys()))
    }

    /// The value of a key, or a default.
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.find(convert::to_any(key)?.view()).map_err(raised)? {
            Some(value) => wrap(key.py(), &value).map(Some),
            None => Ok(default),
        }
    }

    /// The keys, as a live view.
    fn keys(slf: &Bound<'_, Self>) -> View {
        let own = slf.get();
        remember(slf, own.0.object());
        View::new(Mapping::Dict(own.0.clone()), What::Keys)
    }

    /// The values, as a live view.
    fn values(slf: &Bound<'_, Self>) -> View {
        let own = slf.get();
        remember(slf, own.0.object());
        View::new(Mapping::Dict(own.0.clone()), What::Values)
    }

    /// Pairs of key and value, as a live view.
    fn items(slf: &Bound<'_, Self>) -> View {
        let own = slf.get();
        remember(slf, own.0.object());
        View::new(Mapping::Dict(own.0.clone()), What::Items)
    }

    /// Takes the pair that was added last out.
    fn _popitem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        while let Some((key, _)) = self.0.pairs().pop() {
            // Another thread may have taken it since.
            if let Some(value) = self.0.take(key.view()).map_err(raised)? {
                return PyTuple::new(py, [wrap(py, &key)?, wrap(py, &value)?]);
            }
        }
        Err(pyo3::exceptions::PyKeyError::new_err(
            "popitem(): the dict is empty",
        ))
    }

    /// Takes all keys out.
    fn clear(&self) {
        self.0.clear();
    }

    /// Another dict with the same keys and values.
    fn copy(&self) -> PyResult<Dict> {
        tenspan::Dict::from_entries(self.0.pairs())
            .map(Dict)
            .map_err(raised)
    }

    fn __copy__(&self) -> PyResult<Dict> {
        self.copy()
    }

    fn __or__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.joined(other, false)
    }

    fn __ror__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.joined(other, true)
    }

    fn __ior__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        for (key, value) in convert::entries(other)? {
            self.0.put(key, value).map_err(raised)?;
        }
        Ok(())
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, false)
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, true)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        repr::mapping(py, "Dict", self.0.object(), &self.0.pairs())
    }

    /// Empty at first and filled then, so that a dict that holds itself can be made again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let pairs = Bound::new(py, Iterator::forwards(Items::Pairs(self.0.pairs())))?;
        let class = class_of::<Dict>(py);
        (class, PyTuple::empty(py), py.None(), py.None(), pairs).into_pyobject(py)
    }
}

impl Dict {
    fn joined<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        reversed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(entries) = joined(self.0.pairs(), other, reversed)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let made = tenspan::Dict::from_entries(entries)
            .map(Dict)
            .map_err(raised)?;
        Ok(Bound::new(py, made)?.into_any())
    }
}
