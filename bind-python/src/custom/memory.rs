//! Memory of others as tensors: buffers, DLPack, addresses. Pickles hand memory over too.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tenspan::shape::Dims;
use tenspan::{DType, ErrorKind};

use crate::bytes::{self, dlpack, numpy, owner::Owner, pointer};
use crate::error::{new_error, raised};
use crate::generated::Tensor;

/// From this protocol on, pickles take memory out of band.
const OUT_OF_BAND: i32 = 5;

/// `Tensor.owner`.
pub fn tensor_owner<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let owner = Owner::of(py, &tensor.get().0);
    Ok(owner.unwrap_or_else(|| py.None().into_bound(py)))
}

/// `from_buffer`.
pub fn from_buffer(
    buffer: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    shape: Option<&Dims<u64>>,
    offset: u64,
) -> PyResult<Tensor> {
    let shape = shape.map(|shape| &**shape);
    let own = match dtype {
        Some(_) => None,
        None => Some(bytes::tensor(buffer)?),
    };
    let Some(own) = own else {
        let dtype = dtype.unwrap_or(DType::U8);
        return pointer::reinterpret(buffer, dtype, shape, offset).map(Tensor);
    };
    let Some(tensor) = own else {
        let message = format!(
            "an object that exports a buffer wanted, found {}",
            bytes::type_name(buffer)
        );
        return Err(new_error(ErrorKind::TypeError, message));
    };
    if offset == 0 && shape.is_none() {
        return Ok(Tensor(tensor));
    }
    pointer::reinterpret(buffer, tensor.dtype(), shape, offset).map(Tensor)
}

/// `from_dlpack`.
pub fn from_dlpack(x: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = x.py();
    let shared = if let Ok(ours) = x.cast::<Tensor>() {
        Some(ours.get().0.clone())
    } else if copy.is_none()
        && let Some(array) = numpy::tensor(x)?
    {
        Some(array)
    } else {
        dlpack::tensor(x, copy)?
    };
    let Some(tensor) = shared else {
        let message = format!(
            "an object with __dlpack__ or a DLPack capsule wanted, found {}",
            bytes::type_name(x)
        );
        return Err(new_error(ErrorKind::TypeError, message));
    };
    if copy != Some(true) || tensor.copied() {
        return Ok(Tensor(tensor));
    }
    let copy = py.detach(|| dlpack::duplicate(&tensor)).map_err(raised)?;
    Ok(Tensor(copy.as_copied()))
}

/// `from_pointer`.
#[inline(always)]
pub fn from_pointer(
    address: u64,
    shape: &[u64],
    dtype: DType,
    strides: Option<&Dims<i64>>,
    owner: Option<Bound<'_, PyAny>>,
    readonly: bool,
) -> PyResult<Tensor> {
    let strides = strides.map(|strides| &**strides);
    pointer::tensor(address, shape, dtype, strides, owner.as_ref(), readonly).map(Tensor)
}

#[pymethods]
impl Tensor {
    /// The elements as bytes, with shape and dtype. Of protocol 5 on the bytes may be taken out of band, without a copy.
    fn __reduce_ex__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        protocol: i32,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let tensor = &slf.get().0;
        if tensor.dtype().is_opaque() {
            return Err(new_error(
                ErrorKind::TypeError,
                format!("{tensor:?} cannot be pickled: its dtype is unknown"),
            ));
        }
        let module = py.import("tenspan._tenspan")?;
        let shape = PyTuple::new(py, tensor.shape())?;
        let dtype = tensor.dtype().name();
        if protocol < OUT_OF_BAND {
            let bytes = py.detach(|| tensor.tobytes()).map_err(raised)?;
            let make = module.getattr("from_bytes")?;
            return (make, (PyBytes::new(py, &bytes), shape, dtype)).into_pyobject(py);
        }
        let packed = py.detach(|| tensor.contiguous()).map_err(raised)?;
        let bytes = Bound::new(py, Tensor(packed.as_bytes().map_err(raised)?))?;
        let buffer = py
            .import("pickle")?
            .getattr("PickleBuffer")?
            .call1((bytes,))?;
        (module.getattr("from_buffer")?, (buffer, dtype, shape)).into_pyobject(py)
    }
}
