//! What stands between brackets after a tensor: views by position, slice, `...` and `None`; and how tensors compare.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyComplex, PyEllipsis, PyFloat, PyInt, PyList, PySlice, PyString, PyTuple,
};
use tenspan::ErrorKind;
use tenspan::shape::Dims;

use crate::bytes;
use crate::error::{new_error, raised};
use crate::generated::Tensor;
use crate::value::Value;
use crate::value::arguments::TensorArg;

/// The view that a key selects.
///
/// # Errors
/// `IndexError` out of bounds, `TypeError` for a key of another kind, or what core reports of the view.
pub fn tensor_item(tensor: &tenspan::Tensor, key: &Bound<'_, PyAny>) -> PyResult<tenspan::Tensor> {
    if key.is_exact_instance_of::<PyInt>() {
        return tensor.select(0, position(key)?).map_err(raised);
    }
    if let Ok(slice) = key.cast::<PySlice>()
        && tensor.ndim() > 0
    {
        return sliced(tensor, 0, slice);
    }
    let keys = match key.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![key.clone()],
    };
    let is_ellipsis = |key: &Bound<'_, PyAny>| key.is_instance_of::<PyEllipsis>();
    let taken = keys
        .iter()
        .filter(|key| !key.is_none() && !is_ellipsis(key))
        .count();
    let ndim = tensor.ndim() as usize;
    if taken > ndim {
        return Err(new_error(
            ErrorKind::IndexError,
            format!("{taken} indices for a tensor with {ndim} dimensions"),
        ));
    }
    if keys.iter().filter(|key| is_ellipsis(key)).count() > 1 {
        return Err(new_error(
            ErrorKind::IndexError,
            "an index can have one `...`",
        ));
    }
    let mut view = tensor.clone();
    let mut axis = 0;
    for key in &keys {
        if is_ellipsis(key) {
            axis += ndim - taken;
        } else if key.is_none() {
            view = with_axis(&view, axis)?;
            axis += 1;
        } else if let Ok(slice) = key.cast::<PySlice>() {
            view = sliced(&view, axis, slice)?;
            axis += 1;
        } else {
            view = view.select(axis as i32, position(key)?).map_err(raised)?;
        }
    }
    Ok(view)
}

fn sliced(
    tensor: &tenspan::Tensor,
    axis: usize,
    slice: &Bound<'_, PySlice>,
) -> PyResult<tenspan::Tensor> {
    let py = slice.py();
    let start = bound(slice, intern!(py, "start"))?;
    let stop = bound(slice, intern!(py, "stop"))?;
    let step = bound(slice, intern!(py, "step"))?.unwrap_or(1);
    tensor.slice(axis as i32, start, stop, step).map_err(raised)
}

/// A whole number; `True` is none.
fn position(key: &Bound<'_, PyAny>) -> PyResult<i64> {
    let wrong = || {
        let found = bytes::type_name(key);
        new_error(
            ErrorKind::TypeError,
            format!(
                "an index is an integer, a slice, `...` or None, found {found}; numpy() has more ways"
            ),
        )
    };
    if key.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    key.extract::<i64>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(key.py()) {
            wrong()
        } else {
            new_error(
                ErrorKind::IndexError,
                format!("index {key} is out of bounds"),
            )
        }
    })
}

/// A bound of a slice; numbers of more than 64 bits are as good as the largest of 64.
fn bound(slice: &Bound<'_, PySlice>, name: &Bound<'_, PyString>) -> PyResult<Option<i64>> {
    let value = slice.getattr(name)?;
    if value.is_none() {
        return Ok(None);
    }
    match value.extract::<i64>() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyTypeError>(slice.py()) => Err(error),
        Err(_) => Ok(Some(if value.lt(0)? { i64::MIN } else { i64::MAX })),
    }
}

/// The same elements with a dimension of one more position in front of `axis`.
fn with_axis(tensor: &tenspan::Tensor, axis: usize) -> PyResult<tenspan::Tensor> {
    let (mut shape, mut strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    shape.insert(axis, 1);
    strides.insert(axis, tensor.dtype().block_bytes() as i64);
    let offset = tensor
        .data_ptr()
        .saturating_sub(tensor.storage().start().as_ptr() as u64);
    let view = tenspan::Tensor::new(
        tensor.storage().clone(),
        offset,
        tensor.dtype(),
        &shape,
        Some(&strides),
    )
    .map_err(raised)?;
    Ok(if tensor.readonly() {
        view.as_readonly()
    } else {
        view
    })
}

/// The same elements seen in a larger shape, as NumPy stretches what is assigned: dimensions of one position repeat it, and
/// outer ones are added, or dropped when they have one position.
fn stretched(source: &tenspan::Tensor, shape: &[u64]) -> PyResult<tenspan::Tensor> {
    if source.shape() == shape {
        return Ok(source.clone());
    }
    let mismatch = || {
        let message = format!(
            "the source has shape {:?}, which does not stretch to {shape:?} of the destination",
            source.shape()
        );
        new_error(ErrorKind::ShapeMismatch, message)
    };
    let mut inner = source.shape().iter().zip(source.strides()).rev();
    let mut strides: Dims<i64> = shape.iter().map(|_| 0).collect();
    let last = shape.len().wrapping_sub(1);
    for (axis, (n, stride)) in shape.iter().zip(strides.iter_mut()).enumerate().rev() {
        // Blocks cannot be repeated element by element.
        let may_repeat = axis != last || source.dtype().is_plain();
        match inner.next() {
            Some((found, step)) if found == n => *stride = *step,
            Some((1, _)) | None if may_repeat => {}
            _ => return Err(mismatch()),
        }
    }
    if inner.any(|(n, _)| *n != 1) {
        return Err(mismatch());
    }
    let offset = source
        .data_ptr()
        .saturating_sub(source.storage().start().as_ptr() as u64);
    let storage = source.storage().clone();
    tenspan::Tensor::new(storage, offset, source.dtype(), shape, Some(&strides)).map_err(raised)
}

/// Whether something is one number.
fn is_number(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyComplex>()
        || bytes::numpy::is_scalar(value)?)
}

#[pymethods]
impl Tensor {
    /// Writes a number into all elements of a view, or the elements of another tensor, stretched to its shape.
    fn __setitem__(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let target = tensor_item(&self.0, key)?;
        let source = if is_number(value)? {
            let Value(number) = value.extract()?;
            let row = &target.shape()[target.shape().len().saturating_sub(1)..];
            tenspan::full(row, number.view(), target.dtype()).map_err(raised)?
        } else {
            value.extract::<TensorArg>()?.0
        };
        let source = stretched(&source, target.shape())?;
        py.detach(|| tenspan::copy(&source, &target, &Default::default()))
            .map_err(raised)
    }

    /// Whether shape and numbers are equal, as ``equals`` tells; other objects than tensors and arrays are unequal.
    fn __eq__<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_list = other.is_instance_of::<PyTuple>() || other.is_instance_of::<PyList>();
        if is_list || is_number(other)? {
            return Ok(py.NotImplemented().into_bound(py));
        }
        match other.extract::<TensorArg>() {
            Ok(TensorArg(other)) => {
                let same = py.detach(|| self.0.equals(&other)).map_err(raised)?;
                Ok(PyBool::new(py, same).to_owned().into_any())
            }
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                Ok(py.NotImplemented().into_bound(py))
            }
            Err(error) => Err(error),
        }
    }

    fn __ne__<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let same = self.__eq__(py, other)?;
        match same.cast::<PyBool>() {
            Ok(same) => Ok(PyBool::new(py, !same.is_true()).to_owned().into_any()),
            Err(_) => Ok(same.clone()),
        }
    }
}
