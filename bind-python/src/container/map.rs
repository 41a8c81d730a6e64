//! `Map`: values by key that never change.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyTuple};
use tenspan::value::{Any, IntoAny};

use super::iterate::{Items, Iterator};
use super::mapping::{equals, given, joined, missing};
use super::view::{Mapping, View, What};
use super::{class_of, remember, repr};
use crate::bytes::identity;
use crate::error::raised;
use crate::value::convert;
use crate::value::wrap::wrap;

/// Values by key that never change, in the order in which the keys were first set. Keys are compared with their type: ``1``, ``True``
/// and ``1.0`` are three keys.
#[pyclass(frozen, weakref, generic, mapping, module = "tenspan")]
pub struct Map(pub tenspan::Map);

impl Drop for Map {
    fn drop(&mut self) {
        identity::forget(self.0.object(), std::ptr::from_ref(self) as usize);
    }
}

#[pymethods]
impl Map {
    #[new]
    #[pyo3(signature = (items=None, /, **named), text_signature = "(items=(), /, **named)")]
    fn new(items: Option<Bound<'_, PyAny>>, named: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let entries = given(items.as_ref(), named.as_ref())?;
        tenspan::Map::from_entries(entries).map(Map).map_err(raised)
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let wanted = convert::to_any(key)?;
        match self.0.find(wanted.view()).map_err(raised)? {
            Some(value) => wrap(key.py(), value),
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
        let wanted = convert::to_any(key)?;
        match self.0.find(wanted.view()).map_err(raised)? {
            Some(value) => wrap(key.py(), value).map(Some),
            None => Ok(default),
        }
    }

    /// The keys, as a view.
    fn keys(slf: &Bound<'_, Self>) -> View {
        let own = slf.get();
        remember(slf, own.0.object());
        View::new(Mapping::Map(own.0.clone()), What::Keys)
    }

    /// The values, as a view.
    fn values(slf: &Bound<'_, Self>) -> View {
        let own = slf.get();
        remember(slf, own.0.object());
        View::new(Mapping::Map(own.0.clone()), What::Values)
    }

    /// Pairs of key and value, as a view.
    fn items(slf: &Bound<'_, Self>) -> View {
        let own = slf.get();
        remember(slf, own.0.object());
        View::new(Mapping::Map(own.0.clone()), What::Items)
    }

    fn __or__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.joined(other, false)
    }

    fn __ror__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.joined(other, true)
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, false)
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, true)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let pairs = Iterator::forwards(Items::Pairs(self.pairs()));
        let pairs = Bound::new(py, pairs)?.try_iter()?;
        PyFrozenSet::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        repr::mapping(py, "Map", self.0.object(), &self.pairs())
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let pairs = Bound::new(py, Iterator::forwards(Items::Pairs(self.pairs())))?.try_iter()?;
        let pairs = pairs.collect::<PyResult<Vec<_>>>()?;
        (class_of::<Map>(py), (pairs,)).into_pyobject(py)
    }
}

impl Map {
    fn pairs(&self) -> Vec<(Any, Any)> {
        Mapping::Map(self.0.clone()).pairs()
    }

    fn joined<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        reversed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(entries) = joined(self.pairs(), other, reversed)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let made = tenspan::Map::from_entries(entries)
            .map(Map)
            .map_err(raised)?;
        Ok(Bound::new(py, made)?.into_any())
    }
}
