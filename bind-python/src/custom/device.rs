//! Text, pickling and comparison of devices.

use pyo3::prelude::*;

use crate::generated::Device;

#[pymethods]
impl Device {
    fn __repr__(&self) -> String {
        format!("Device('{}')", self.0)
    }

    fn __str__(&self) -> String {
        self.0.name()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Device>().into_any(), (self.0.name(),))
    }
}
