//! Any value as an object of Python: containers and functions as their classes, what others made as [`Foreign`].

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyFloat, PyString};
use tenspan::abi::layout::index;
use tenspan::abi::object::ObjectRef;
use tenspan::value::{Any, AnyView, Class, Complex, IntoAny, Kind};

use super::class_from_any;
use crate::bytes::{device, function, held, identity, long};
use crate::container::{self, Foreign};
use crate::error;
use crate::generated::{self, DType, Device, Tensor};

/// The object of a value.
///
/// # Errors
/// None but of memory.
pub fn wrap<'py>(py: Python<'py>, value: &Any) -> PyResult<Bound<'py, PyAny>> {
    wrap_view(py, &value.view())
}

/// The object of what becomes a value.
///
/// # Errors
/// As [`wrap`].
pub fn object<'py>(py: Python<'py>, value: impl IntoAny) -> PyResult<Bound<'py, PyAny>> {
    wrap(py, &value.into_any())
}

/// The object of a value that someone else owns.
///
/// # Errors
/// As [`wrap`].
pub fn wrap_view<'py>(py: Python<'py>, value: &AnyView<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value.kind() {
        Kind::None => py.None().into_bound(py),
        Kind::Bool(value) => pyo3::types::PyBool::new(py, value).to_owned().into_any(),
        Kind::Int(number) => number.into_pyobject(py)?.into_any(),
        Kind::BigInt(number) => long::object(py, number)?,
        Kind::Float(number) => PyFloat::new(py, number).into_any(),
        Kind::Str(text) => PyString::new(py, text).into_any(),
        Kind::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Kind::DType(dtype) => Bound::new(py, DType(dtype))?.into_any(),
        Kind::Device(device) => Bound::new(py, Device(device))?.into_any(),
        Kind::Pointer(address) => pointer(py, address)?,
        Kind::Tensor(tensor) => tensor_object(py, tensor)?,
        Kind::Function(function) => function::wrap(py, function.object())?,
        Kind::Error(error) => error::exception(py, &error)?,
        Kind::Opaque(opaque) => match held::original(py, &opaque) {
            Some(original) => original,
            None => foreign(py, value)?,
        },
        Kind::Other(index) if index == <Complex as Class>::type_index() => {
            let number = class_from_any::<Complex>(value).unwrap_or_default();
            PyComplex::from_doubles(py, number.re, number.im).into_any()
        }
        Kind::Array(_) | Kind::List(_) | Kind::Map(_) | Kind::Dict(_) | Kind::Shape(_) => {
            match value.object() {
                Some(object) => container::wrap(py, object)?,
                None => foreign(py, value)?,
            }
        }
        Kind::Other(_) => match generated::any_to_object(py, value)? {
            Some(object) => object,
            None => other(py, value)?,
        },
    })
}

/// A new object for an object of core, remembered as its wrapper.
///
/// # Errors
/// None but of memory.
pub fn remembered<'py, T>(
    py: Python<'py>,
    object: &ObjectRef,
    class: T,
) -> PyResult<Bound<'py, PyAny>>
where
    T: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True>
        + Sync
        + Into<pyo3::PyClassInitializer<T>>,
{
    let made = Bound::new(py, class)?;
    let value = std::ptr::from_ref(made.get()) as usize;
    let made = made.into_any();
    identity::keep(object, &made, value);
    Ok(made)
}

fn tensor_object<'py>(py: Python<'py>, tensor: tenspan::Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let Some(known) = identity::find(py, tensor.object()) {
        return Ok(known);
    }
    let object = tensor.object().clone();
    remembered(py, &object, Tensor(tensor))
}

/// An address as `ctypes` has it.
fn pointer<'py>(py: Python<'py>, address: u64) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("ctypes")?.getattr("c_void_p")?;
    if address == 0 {
        return class.call0();
    }
    class.call1((address,))
}

/// The object of a value whose class has fields, or of something that Python has no class for.
fn other<'py>(py: Python<'py>, value: &AnyView<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value
        .object()
        .filter(|object| object.type_index() >= index::DYNAMIC)
    {
        Some(object) => crate::bytes::object::wrap(py, object),
        None => foreign(py, value),
    }
}

fn foreign<'py>(py: Python<'py>, value: &AnyView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let Some(object) = value.object() else {
        return Ok(Bound::new(py, Foreign(value.to_any()))?.into_any());
    };
    if let Some(known) = device::original(py, &object).or_else(|| identity::find(py, &object)) {
        return Ok(known);
    }
    remembered(py, &object, Foreign(value.to_any()))
}
