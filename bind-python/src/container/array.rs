//! `Array`: values in order that never change.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};
use tenspan::ErrorKind;
use tenspan::value::{Any, IntoAny, equal, try_equal};

use super::iterate::{Items, Iterator};
use super::position::{self, Key, bounds, positions};
use super::{List, class_of, repr};
use crate::bytes::identity;
use crate::error::{new_error, raised};
use crate::value::convert;
use crate::value::wrap::wrap;

/// Values in order that never change. Equal to every sequence with equal items.
#[pyclass(frozen, weakref, generic, module = "tenspan")]
pub struct Array(pub tenspan::Array);

impl Drop for Array {
    fn drop(&mut self) {
        identity::forget(self.0.object(), std::ptr::from_ref(self) as usize);
    }
}

/// The items of a sequence that compares equal to one of ours with the same items; nothing for other objects.
///
/// # Errors
/// What the conversion of the items raises.
pub fn comparable(other: &Bound<'_, PyAny>) -> PyResult<Option<Any>> {
    if let Ok(array) = other.cast::<Array>() {
        return Ok(Some(array.get().0.clone().into_any()));
    }
    if let Ok(list) = other.cast::<List>() {
        return Ok(Some(list.get().0.clone().into_any()));
    }
    if other.is_instance_of::<PyList>() || other.is_instance_of::<PyTuple>() {
        return convert::items(other).map(|items| Some(Any::array(items)));
    }
    Ok(None)
}

/// Whether a sequence equals another object; `NotImplemented` when that is no sequence.
///
/// # Errors
/// As [`comparable`].
pub fn equals<'py>(
    own: Any,
    other: &Bound<'py, PyAny>,
    negated: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = other.py();
    Ok(match comparable(other)? {
        Some(other) => {
            let same = try_equal(own.view(), other.view()).map_err(raised)? != negated;
            pyo3::types::PyBool::new(py, same).to_owned().into_any()
        }
        None => py.NotImplemented().into_bound(py),
    })
}

/// The items of what is added to a sequence; nothing for what cannot be iterated.
///
/// # Errors
/// What the iteration or the conversion raises.
pub fn added(other: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Any>>> {
    match other.try_iter() {
        Ok(_) => convert::items(other).map(Some),
        Err(_) => Ok(None),
    }
}

/// The position of a value in a part of the items.
///
/// # Errors
/// `ValueError` when it is not there.
pub fn find(items: &[Any], value: &Bound<'_, PyAny>, start: i64, stop: i64) -> PyResult<usize> {
    let wanted = convert::to_any(value)?;
    let part = bounds(start, stop, items.len());
    let first = part.start;
    let found = items[part]
        .iter()
        .position(|item| equal(item.view(), wanted.view()));
    found.map(|at| first + at).ok_or_else(|| {
        let shown = value
            .repr()
            .map_or_else(|_| "the value".to_owned(), |text| text.to_string());
        new_error(
            ErrorKind::ValueError,
            format!("{shown} is not among the items"),
        )
    })
}

/// The items over and over again.
///
/// # Errors
/// `MemoryError` when there would be more than memory has room for.
pub fn repeated(items: &[Any], count: isize) -> PyResult<Vec<Any>> {
    let count = count.max(0) as usize;
    let total = items
        .len()
        .checked_mul(count)
        .filter(|total| *total < 1 << 40);
    let mut made = Vec::new();
    let room = total.and_then(|total| made.try_reserve_exact(total).ok());
    room.ok_or_else(|| new_error(ErrorKind::MemoryError, "no memory for so many items"))?;
    for _ in 0..count {
        made.extend_from_slice(items);
    }
    Ok(made)
}

#[pymethods]
impl Array {
    #[new]
    #[pyo3(signature = (items=None, /), text_signature = "(items=(), /)")]
    fn new(items: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let items = items.map_or_else(|| Ok(Vec::new()), |items| convert::items(&items))?;
        Ok(Array(tenspan::Array::from_vec(items)))
    }

    fn __len__(&self) -> usize {
        self.0.items().len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if key.is_exact_instance_of::<PyInt>()
            && let Ok(at) = key.extract::<i64>()
            && let Ok(at) = usize::try_from(at)
            && let Some(item) = self.0.items().get(at)
        {
            return wrap(py, item);
        }
        let items = self.0.items();
        match position::key(key, items.len() as u64)? {
            Key::At(at) => wrap(py, &self.0.get(at).map_err(raised)?),
            Key::Range { start, step, count } => {
                let chosen = positions(start, step, count).map(|at| items[at].clone());
                let made = Array(tenspan::Array::from_vec(chosen.collect()));
                Ok(Bound::new(py, made)?.into_any())
            }
        }
    }

    fn __iter__(&self) -> Iterator {
        Iterator::forwards(Items::Array(self.0.clone()))
    }

    fn __reversed__(&self) -> Iterator {
        Iterator::backwards(Items::Array(self.0.clone()))
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
        let items = [self.0.items(), &added].concat();
        Ok(Bound::new(py, Array(tenspan::Array::from_vec(items)))?.into_any())
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Some(before) = added(other)? else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let items = [&before, self.0.items()].concat();
        Ok(Bound::new(py, Array(tenspan::Array::from_vec(items)))?.into_any())
    }

    fn __mul__(&self, count: isize) -> PyResult<Array> {
        repeated(self.0.items(), count).map(|items| Array(tenspan::Array::from_vec(items)))
    }

    fn __rmul__(&self, count: isize) -> PyResult<Array> {
        self.__mul__(count)
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, false)
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        equals(self.0.clone().into_any(), other, true)
    }

    /// That of a tuple with the same items, which is equal.
    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        PyTuple::new(slf.py(), slf.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        repr::sequence(py, "Array", self.0.object(), self.0.items())
    }

    /// The position of the first item that equals a value.
    #[pyo3(signature = (value, start=0, stop=i64::MAX))]
    fn index(&self, value: &Bound<'_, PyAny>, start: i64, stop: i64) -> PyResult<usize> {
        find(self.0.items(), value, start, stop)
    }

    /// How many items equal a value.
    fn count(&self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let wanted = convert::to_any(value)?;
        let same = |item: &&Any| equal(item.view(), wanted.view());
        Ok(self.0.items().iter().filter(same).count())
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let items = PyList::new(py, slf.try_iter()?.collect::<PyResult<Vec<_>>>()?)?;
        (class_of::<Array>(py), (items,)).into_pyobject(py)
    }
}
