//! Numbers, copies and arrays out of a tensor, by the protocols of Python.

use pyo3::prelude::*;
use tenspan::ErrorKind;
use tenspan::dtype::Class;

use super::tensor_numpy;
use crate::bytes::{dlpack, identity};
use crate::error::{new_error, raised};
use crate::generated::Tensor;
use crate::value::to_python;

#[pymethods]
impl Tensor {
    /// The elements for NumPy; a quantized tensor is decoded only when `copy` is true.
    #[pyo3(signature = (dtype=None, *, copy=None), text_signature = "($self, dtype=None, *, copy=None)")]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let must_copy = copy == Some(true);
        let array = tensor_numpy(slf, must_copy, None)?;
        let is_new = slf.get().0.dtype().is_quantized();
        let Some(dtype) = dtype else {
            return if must_copy && !is_new {
                array.call_method0("copy")
            } else {
                Ok(array)
            };
        };
        let arguments = pyo3::types::PyDict::new(slf.py());
        arguments.set_item("copy", must_copy && !is_new)?;
        let converted = array.call_method("astype", (dtype,), Some(&arguments))?;
        if copy == Some(false) && !converted.is(&array) {
            return Err(new_error(
                ErrorKind::ValueError,
                "the conversion to another dtype needs a copy, and copy=False was given",
            ));
        }
        Ok(converted)
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyFloat>()
            .call1((self.scalar(py)?,))
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyInt>()
            .call1((self.scalar(py)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.dtype().class() {
            Class::Signed | Class::Unsigned => self.scalar(py),
            _ => Err(new_error(
                ErrorKind::TypeError,
                format!("{:?} is no integer", self.0),
            )),
        }
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        if self.0.size() != 1 {
            let message = format!(
                "the truth of {} elements is ambiguous; compare with numpy()",
                self.0.size()
            );
            return Err(new_error(ErrorKind::ValueError, message));
        }
        self.scalar(py)?.is_truthy()
    }

    /// The same elements: what is written through one is seen through both.
    fn __copy__(&self) -> Tensor {
        Tensor(self.0.clone())
    }

    /// Other elements with the same values.
    fn __deepcopy__(&self, py: Python<'_>, _memo: Bound<'_, PyAny>) -> PyResult<Tensor> {
        py.detach(|| dlpack::duplicate(&self.0))
            .map(Tensor)
            .map_err(raised)
    }
}

impl Tensor {
    /// The only element, as a number.
    fn scalar<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.item().map_err(raised)?.view())
    }
}

/// Values that never were in an object of Python are told by their address.
impl Drop for Tensor {
    fn drop(&mut self) {
        identity::forget(self.0.object(), std::ptr::from_ref(self) as usize);
    }
}
