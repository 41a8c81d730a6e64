//! `List`: values in order that can be changed.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};
use tenspan::ErrorKind;
use tenspan::value::{Any, IntoAny, equal};

use super::array::{added, equals, find, repeated};
use super::iterate::{Items, Iterator};
use super::position::{self, Key, positions};
use super::{class_of, repr};
use crate::bytes::identity;
use crate::error::{new_error, raised};
use crate::value::convert;
use crate::value::wrap::wrap;

/// Values in order that can be changed; everybody who holds the list sees it, in whatever language.
#[pyclass(frozen, weakref, generic, module = "tenspan")]
pub struct List(pub tenspan::List);

impl Drop for List {
    fn drop(&mut self) {
        identity::forget(self.0.object(), std::ptr::from_ref(self) as usize);
    }
}

impl List {
    fn of(items: Vec<Any>) -> PyResult<List> {
        tenspan::List::from_vec(items).map(List).map_err(raised)
    }

    /// Puts items in the place of a range. What stood there may run code of others as it goes, after the list is changed.
    fn replace(&self, range: std::ops::Range<usize>, items: Vec<Any>) -> PyResult<()> {
        self.0.replace(range, items).map(drop).map_err(raised)
    }
}

#[pymethods]
impl List {
    #[new]
    #[pyo3(signature = (items=None, /), text_signature = "(items=(), /)")]
    fn new(items: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        List::of(items.map_or_else(|| Ok(Vec::new()), |items| convert::items(&items))?)
    }

    fn __len__(&self) -> usize {
        self.0.len() as usize
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if key.is_exact_instance_of::<PyInt>() {
            return wrap(py, &self.0.get(position::index(key)?).map_err(raised)?);
        }
        match position::key(key, self.0.len())? {
            Key::At(at) => wrap(py, &self.0.get(at).map_err(raised)?),
            Key::Range { start, step, count } => {
                let items = self.0.items();
                let chosen = positions(start, step, count).filter_map(|at| items.get(at).cloned());
                Ok(Bound::new(py, List::of(chosen.collect())?)?.into_any())
            }
        }
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match position::key(key, self.0.len())? {
            Key::At(at) => {
                let value = convert::to_any(value)?;
                self.0.set(at, value.view()).map_err(raised)
            }
            Key::Range { .. } => {
                let items = convert::items(value)?;
                // The list may have changed while the items were made.
                let Key::Range { start, step, count } = position::key(key, self.0.len())? else {
                    return Ok(());
                };
                if step == 1 {
                    return self.replace(start..start + count, items);
                }
                if items.len() != count {
                    let message = format!(
                        "{} items cannot take the places of {count} in a slice with a step",
                        items.len()
                    );
                    return Err(new_error(ErrorKind::ValueError, message));
                }
                for (at, item) in positions(start, step, count).zip(items) {
                    self.0.set(at as i64, item.view()).map_err(raised)?;
                }
                Ok(())
            }
        }
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        match position::key(key, self.0.len())? {
            Key::At(at) => self.0.remove(at).map(drop).map_err(raised),
            Key::Range {
                start,
                step: 1,
                count,
            } => self.replace(start..start + count, Vec::new()),
            Key::Range { start, step, count } => {
                let mut gone: Vec<usize> = positions(start, step, count).collect();
                gone.sort_unstable();
                let items = self.0.items();
                let left = items
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| gone.binary_search(at).is_err())
                    .map(|(_, item)| item.clone());
                self.replace(0..items.len(), left.collect())
            }
        }
    }

    fn __iter__(&self) -> Iterator {
        Iterator::forwards(Items::List(self.0.clone()))
    }

    fn __reversed__(&self) -> Iterator {
        Iterator::backwards(Items::List(self.0.clone()))
    }

    fn __contains__(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let wanted = convert::to_any(value)?;
        Ok(self.0.index_of(wanted.view()).is_some())
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(added) = added(other)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let mut items = self.0.items();
        items.extend(added);
        Ok(Bound::new(py, List::of(items)?)?.into_any())
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(mut items) = added(other)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        items.extend(self.0.items());
        Ok(Bound::new(py, List::of(items)?)?.into_any())
    }

    fn __iadd__(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.extend(other)
    }

    fn __mul__(&self, count: isize) -> PyResult<List> {
        List::of(repeated(&self.0.items(), count)?)
    }

    fn __rmul__(&self, count: isize) -> PyResult<List> {
        self.__mul__(count)
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, false)
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, true)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        repr::sequence(py, "List", self.0.object(), &self.0.items())
    }

    /// Adds a value at the end.
    #[pyo3(signature = (value, /))]
    fn append(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.replace(usize::MAX..usize::MAX, vec![convert::to_any(value)?])
    }

    /// Adds values at the end.
    #[pyo3(signature = (values, /))]
    fn extend(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.replace(usize::MAX..usize::MAX, convert::items(values)?)
    }

    /// Puts a value in front of the one at a position.
    #[pyo3(signature = (index, value, /))]
    fn insert(&self, index: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (at, value) = (position::index(index)?, convert::to_any(value)?);
        let at = position::bounds(at, i64::MAX, self.0.len() as usize).start;
        self.replace(at..at, vec![value])
    }

    /// Takes the value at a position out, the last one unless told otherwise.
    #[pyo3(signature = (index=None, /), text_signature = "($self, index=-1, /)")]
    fn pop<'py>(
        &self,
        py: Python<'py>,
        index: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let at = index.map_or(Ok(-1), |index| position::index(&index))?;
        if self.0.is_empty() {
            return Err(PyIndexError::new_err("pop from an empty list"));
        }
        wrap(py, &self.0.remove(at).map_err(raised)?)
    }

    /// Takes the first item that equals a value out.
    #[pyo3(signature = (value, /))]
    fn remove(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let at = find(&self.0.items(), value, 0, i64::MAX)?;
        self.replace(at..at + 1, Vec::new())
    }

    /// Turns the order round.
    fn reverse(&self) -> PyResult<()> {
        let mut items = self.0.items();
        items.reverse();
        self.replace(0..items.len(), items)
    }

    /// Takes all values out.
    fn clear(&self) {
        self.0.clear();
    }

    /// Another list with the same values.
    fn copy(&self) -> PyResult<List> {
        List::of(self.0.items())
    }

    /// The position of the first item that equals a value.
    #[pyo3(signature = (value, start=0, stop=i64::MAX))]
    fn index(&self, value: &Bound<'_, PyAny>, start: i64, stop: i64) -> PyResult<usize> {
        find(&self.0.items(), value, start, stop)
    }

    /// How many items equal a value.
    fn count(&self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let wanted = convert::to_any(value)?;
        let same = |item: &&Any| equal(item.view(), wanted.view());
        Ok(self.0.items().iter().filter(same).count())
    }

    fn __copy__(&self) -> PyResult<List> {
        self.copy()
    }

    /// Empty at first and filled then, so that a list that holds itself can be made again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let class = class_of::<List>(py);
        (class, PyTuple::empty(py), py.None(), slf.try_iter()?).into_pyobject(py)
    }
}
