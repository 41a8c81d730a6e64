//! Element types of NumPy and ml_dtypes as dtypes.

use std::ffi::c_int;

use pyo3::prelude::*;
use pyo3::types::PyType;
use tenspan::{DType, ErrorKind};

use super::Numpy;
use crate::error::new_error;

/// The dtype of a number of NumPy's own element types.
pub fn builtin(number: c_int) -> Option<DType> {
    const LONG: bool = size_of::<std::ffi::c_long>() == 8;
    Some(match number {
        0 => DType::BOOL,
        1 => DType::I8,
        2 => DType::U8,
        3 => DType::I16,
        4 => DType::U16,
        5 => DType::I32,
        6 => DType::U32,
        7 if LONG => DType::I64,
        7 => DType::I32,
        8 if LONG => DType::U64,
        8 => DType::U32,
        9 => DType::I64,
        10 => DType::U64,
        11 => DType::F32,
        12 => DType::F64,
        14 => DType::C64,
        15 => DType::C128,
        23 => DType::F16,
        _ => return None,
    })
}

/// The dtype of a dtype object or scalar type of NumPy or ml_dtypes; `None` for other objects.
///
/// # Errors
/// `TypeError` when tenspan has no such dtype.
pub fn dtype(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    let py = object.py();
    if Numpy::if_imported(py)?.is_none() {
        return Ok(None);
    }
    let numpy = py.import("numpy")?;
    let make = numpy.getattr("dtype")?;
    let described = match object.cast::<PyType>() {
        Ok(class) if class.is_subclass(&numpy.getattr("generic")?)? => make.call1((class,))?,
        _ if object.is_instance(&make)? => object.clone(),
        _ => return Ok(None),
    };
    let name: String = described.getattr("name")?.extract()?;
    if !described.getattr("isnative")?.extract::<bool>()? {
        let message = format!(
            "{name} in foreign byte order is no dtype of tenspan; convert with array.astype('{name}')"
        );
        return Err(new_error(ErrorKind::TypeError, message));
    }
    match DType::new(&name) {
        Ok(dtype) if dtype.is_plain() => Ok(Some(dtype)),
        _ => Err(new_error(
            ErrorKind::TypeError,
            format!("tenspan has no dtype for '{name}' of NumPy"),
        )),
    }
}

/// Whether an object is a scalar of NumPy, such as `numpy.float32(1)`.
///
/// # Errors
/// None of its own.
pub fn is_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    match Numpy::if_imported(py)? {
        Some(_) => object.is_instance(&py.import("numpy")?.getattr("generic")?),
        None => Ok(false),
    }
}
