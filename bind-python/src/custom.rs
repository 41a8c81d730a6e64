//! What only Python has: the `[Custom]` operations of the spec, and the manners of its classes.
//!
//! Printed code calls the functions here and in [`memory`], where memory of others becomes a tensor. The other files add
//! methods to the printed classes: [`tensor`] numbers, copies and arrays, [`index`] what stands between brackets,
//! [`repr`] texts for a person, [`module`] functions of modules as attributes, [`manners`] the rest. [`registry`] has functions by name,
//! [`object`] classes of objects.

use pyo3::prelude::*;
use tenspan::ErrorKind;

use crate::bytes;
use crate::error::{new_error, raised};
use crate::generated::Tensor;

mod device;
mod index;
mod manners;
mod memory;
mod module;
mod neighbour;
mod object;
mod registry;
mod repr;
mod tensor;

pub use index::tensor_item;
pub use memory::{from_buffer, from_dlpack, from_pointer, tensor_owner};
pub use registry::add as register;

/// `Tensor.numpy`.
pub fn tensor_numpy<'py>(
    owner: &Bound<'py, Tensor>,
    allow_copy: bool,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let tensor = &owner.get().0;
    if let Some(out) = out {
        bytes::numpy::fill(tensor, &out)?;
        return Ok(out);
    }
    if !tensor.dtype().is_quantized() {
        return bytes::numpy::array(owner);
    }
    if !allow_copy {
        let message = format!(
            "{tensor:?} cannot be shown without a copy; numpy(allow_copy=True) decodes it, numpy(out=array) decodes into an array"
        );
        return Err(new_error(ErrorKind::ValueError, message));
    }
    let py = owner.py();
    let decoded = py
        .detach(|| tenspan::cast(tensor, tenspan::DType::F32, None))
        .map_err(raised)?;
    bytes::numpy::array(&Bound::new(py, Tensor(decoded))?)
}

/// `from_numpy`.
pub fn from_numpy(array: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    match bytes::numpy::tensor(array)? {
        Some(tensor) => Ok(Tensor(tensor)),
        None => Err(new_error(
            ErrorKind::TypeError,
            format!("a NumPy array wanted, found {}", bytes::type_name(array)),
        )),
    }
}

/// Positions along the outermost dimension; a scalar has no length.
pub fn tensor_len(tensor: &tenspan::Tensor) -> PyResult<usize> {
    if tensor.ndim() == 0 {
        return Err(new_error(
            ErrorKind::TypeError,
            "a tensor without dimensions has no length",
        ));
    }
    Ok(tensor.len() as usize)
}
