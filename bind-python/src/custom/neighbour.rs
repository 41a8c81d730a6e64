//! Containers as objects of the package `tvm_ffi`, which asks for them by a method of an agreed name.

use pyo3::prelude::*;

use crate::bytes::neighbour::as_neighbour;
use crate::container::{Array, Dict, List, Map, Shape};

macro_rules! neighbours {
    ($($class:ident),*) => { $(
        #[pymethods]
        impl $class {
            fn __tvm_ffi_object__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                as_neighbour(py, self.0.object())
            }
        }
    )* };
}

neighbours!(Array, List, Map, Dict);

#[pymethods]
impl Shape {
    /// A shape is no object there but a tuple, so it is given as a value.
    fn __tvm_ffi_value__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_neighbour(py, self.0.object())
    }
}
