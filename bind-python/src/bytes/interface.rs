//! `__array_interface__`: memory described in a dictionary, given and taken.

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use tenspan::dtype::Class;
use tenspan::{DType, ErrorKind};

use super::export::address;
use super::owner::Owner;
use super::type_name;
use crate::error::{new_error, raised};
use crate::generated::Tensor;

const VERSION: u32 = 3;

#[pymethods]
impl Tensor {
    /// The memory in NumPy's terms. Dtypes that these have no name for (`bfloat16`, `float8`, block types) have none.
    #[getter]
    fn __array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, tensor) = (slf.py(), &slf.get().0);
        let Some(kind) = kind(tensor.dtype()) else {
            // NumPy then asks for `__array__`, which knows more dtypes.
            let message = format!("{} has no name in an array interface", tensor.dtype());
            return Err(PyAttributeError::new_err(message));
        };
        let interface = PyDict::new(py);
        interface.set_item("version", VERSION)?;
        interface.set_item("shape", PyTuple::new(py, tensor.shape())?)?;
        interface.set_item("typestr", typestr(kind, tensor.dtype().block_bytes()))?;
        interface.set_item("data", (address(tensor).addr(), tensor.readonly()))?;
        let strides = match tensor.is_contiguous() {
            true => None,
            false => Some(PyTuple::new(py, tensor.strides())?),
        };
        interface.set_item("strides", strides)?;
        Ok(interface)
    }
}

fn typestr(kind: char, bytes: u64) -> String {
    let order = match bytes {
        1 => '|',
        _ if cfg!(target_endian = "little") => '<',
        _ => '>',
    };
    format!("{order}{kind}{bytes}")
}

fn kind(dtype: DType) -> Option<char> {
    Some(match dtype.class() {
        Class::Float if matches!(dtype, DType::F64 | DType::F32 | DType::F16) => 'f',
        Class::Signed => 'i',
        Class::Unsigned => 'u',
        Class::Bool => 'b',
        Class::Complex => 'c',
        _ => return None,
    })
}

/// The dtype of a description such as `<f4`.
fn dtype(typestr: &str) -> Option<DType> {
    let mut rest = typestr.chars();
    let (order, kind) = (rest.next()?, rest.next()?);
    let bytes: u8 = rest.as_str().parse().ok()?;
    let foreign = if cfg!(target_endian = "little") {
        '>'
    } else {
        '<'
    };
    if order == foreign && bytes > 1 {
        return None;
    }
    let class = match kind {
        'i' => 0,
        'u' => 1,
        'f' => 2,
        'c' => 5,
        'b' => 6,
        _ => return None,
    };
    DType::from_dlpack(class, bytes.checked_mul(8)?)
}

/// A tensor over what an object describes, which it keeps alive; `None` for objects without a description.
///
/// # Errors
/// `TypeError` for a description that is none, or of elements that tenspan does not have, and those of
/// [`tenspan::from_memory`].
pub fn tensor(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::Tensor>> {
    if object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    let Some(found) = object.getattr_opt(pyo3::intern!(object.py(), "__array_interface__"))? else {
        return Ok(None);
    };
    let wrong = |what: &str| {
        new_error(
            ErrorKind::TypeError,
            format!("the __array_interface__ of {} {what}", type_name(object)),
        )
    };
    let interface = found
        .cast::<PyDict>()
        .map_err(|_| wrong("is no dictionary"))?;
    let member =
        |name: &str| Ok::<_, PyErr>(interface.get_item(name)?.filter(|value| !value.is_none()));
    let typestr: String = member("typestr")?
        .ok_or_else(|| wrong("has no typestr"))?
        .extract()?;
    let dtype = dtype(&typestr).ok_or_else(|| {
        wrong(&format!(
            "has typestr '{typestr}', which is no dtype of tenspan in native byte order"
        ))
    })?;
    let shape: Vec<u64> = member("shape")?
        .ok_or_else(|| wrong("has no shape"))?
        .extract()?;
    let strides: Option<Vec<i64>> = member("strides")?
        .map(|strides| strides.extract())
        .transpose()?;
    // Without an address the memory is that of the object's buffer, which was looked for before.
    let data = member("data")?.ok_or_else(|| wrong("has no data"))?;
    let data = data
        .cast::<PyTuple>()
        .map_err(|_| wrong("has data that are no (address, readonly)"))?;
    let (address, readonly): (u64, bool) = data.extract()?;
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    // The dictionary may hold what the memory belongs to.
    let keeper = Owner::described(object, &found);
    // SAFETY: the description is the promise that the memory is there as long as the object and the dictionary are.
    unsafe { tenspan::from_memory(start, dtype, &shape, strides.as_deref(), readonly, keeper) }
        .map(Some)
        .map_err(raised)
}
