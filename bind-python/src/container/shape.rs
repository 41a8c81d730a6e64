//! `Shape`: lengths along dimensions.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};
use tenspan::value::Any;

use super::array::find;
use super::class_of;
use super::iterate::{Items, Iterator};
use super::position::{self, Key, positions};
use crate::bytes::identity;
use crate::value::arguments::Integers;
use crate::value::convert;

/// Lengths along dimensions, as functions take and give them. Equal to a tuple or a list of the same numbers.
#[pyclass(frozen, weakref, generic, module = "tenspan")]
pub struct Shape(pub tenspan::Shape);

impl Drop for Shape {
    fn drop(&mut self) {
        identity::forget(self.0.object(), std::ptr::from_ref(self) as usize);
    }
}

impl Shape {
    fn items(&self) -> Vec<Any> {
        self.0
            .lengths()
            .iter()
            .map(|length| Any::int((*length).into()))
            .collect()
    }

    /// As a tuple, which it is compared as.
    fn tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.lengths())
    }

    fn compared<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        negated: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let same = if let Ok(shape) = other.cast::<Shape>() {
            self.0.lengths() == shape.get().0.lengths()
        } else if other.is_instance_of::<PyTuple>() || other.is_instance_of::<pyo3::types::PyList>()
        {
            self.tuple(py)?
                .eq(py.get_type::<PyTuple>().call1((other,))?)?
        } else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        Ok(pyo3::types::PyBool::new(py, same != negated)
            .to_owned()
            .into_any())
    }

    fn joined<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        reversed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        if other.is_instance_of::<PyInt>() || other.try_iter().is_err() {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let Integers(lengths) = other.extract::<Integers<i64>>()?;
        let (own, other) = (self.0.lengths(), &lengths[..]);
        let all = if reversed {
            [other, own].concat()
        } else {
            [own, other].concat()
        };
        Ok(Bound::new(py, Shape(tenspan::Shape::new(&all)))?.into_any())
    }
}

#[pymethods]
impl Shape {
    #[new]
    #[pyo3(signature = (lengths=None, /), text_signature = "(lengths=(), /)")]
    fn new(lengths: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let lengths = match lengths {
            Some(lengths) => lengths.extract::<Integers<i64>>()?.0,
            None => Default::default(),
        };
        Ok(Shape(tenspan::Shape::new(&lengths)))
    }

    fn __len__(&self) -> usize {
        self.0.lengths().len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let lengths = self.0.lengths();
        match position::key(key, lengths.len() as u64)? {
            Key::At(at) => {
                let at = tenspan::container::position("a shape", at, lengths.len());
                Ok(lengths[at.map_err(crate::error::raised)?]
                    .into_pyobject(py)?
                    .into_any())
            }
            Key::Range { start, step, count } => {
                let chosen: Vec<i64> = positions(start, step, count)
                    .map(|at| lengths[at])
                    .collect();
                Ok(Bound::new(py, Shape(tenspan::Shape::new(&chosen)))?.into_any())
            }
        }
    }

    fn __iter__(&self) -> Iterator {
        Iterator::forwards(Items::Values(self.items()))
    }

    fn __reversed__(&self) -> Iterator {
        Iterator::backwards(Items::Values(self.items()))
    }

    fn __contains__(&self, length: &Bound<'_, PyAny>) -> bool {
        length
            .extract::<i64>()
            .is_ok_and(|length| self.0.lengths().contains(&length))
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.joined(other, false)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.joined(other, true)
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.compared(other, false)
    }

    fn __ne__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.compared(other, true)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.tuple(py)?.hash()
    }

    fn __repr__(&self) -> String {
        format!("Shape({:?})", self.0.lengths())
    }

    /// The position of the first length that equals a number.
    #[pyo3(signature = (value, start=0, stop=i64::MAX))]
    fn index(&self, value: &Bound<'_, PyAny>, start: i64, stop: i64) -> PyResult<usize> {
        find(&self.items(), value, start, stop)
    }

    /// How many lengths equal a number.
    fn count(&self, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let wanted = convert::to_any(value)?;
        let same = |item: &Any| tenspan::equal(item.view(), wanted.view());
        Ok(self.items().iter().filter(|item| same(item)).count())
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (class_of::<Shape>(py), (self.tuple(py)?,)).into_pyobject(py)
    }
}
