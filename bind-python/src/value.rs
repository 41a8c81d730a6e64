//! What Python passes in and gets back: one conversion for each type of the spec.
//!
//! [`Value`] is `any`, in; [`to_python`] is `any`, out; [`convert`] and [`wrap`](mod@wrap) are the same for functions, where any object has a value. [`arguments`] has the narrower types that printed methods name
//! in their signatures, [`mapping`] what makes a class a mapping.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use tenspan::ErrorKind;
use tenspan::value::{Any, AnyView, Complex, FromAny, IntoAny, Kind};

use crate::bytes;
use crate::error::new_error;
use crate::generated::{self, DType, Device, Tensor};

pub mod arguments;
pub mod convert;
pub mod mapping;
pub mod protocol;
pub mod wrap;

pub use wrap::object;

/// Lists inside lists that are followed; one that holds itself would not end.
const DEEPEST: usize = 64;

/// `any`: every value that can cross a border.
pub struct Value(pub Any);

impl<'py> FromPyObject<'_, 'py> for Value {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        any(&object, 0).map(Value)
    }
}

fn any(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Any> {
    if let Some(plain) = plain(object)? {
        return Ok(plain);
    }
    if let Some(items) = items(object, depth)? {
        return items
            .map(|item| any(&item?, depth + 1))
            .collect::<PyResult<Vec<_>>>()
            .map(Any::array);
    }
    if let Some(ours) = generated::object_to_any(object).or_else(|| bytes::argument::owned(object))
    {
        return Ok(ours);
    }
    if bytes::numpy::is_scalar(object)? {
        return any(&object.call_method0("item")?, depth + 1);
    }
    if let Some(tensor) = memory(object)? {
        return Ok(tensor.into_any());
    }
    if let Some(dtype) = dtype(object)? {
        return Ok(Any::dtype(dtype));
    }
    Err(new_error(
        ErrorKind::TypeError,
        format!(
            "a value of type {} cannot cross the border",
            bytes::type_name(object)
        ),
    ))
}

/// None, booleans, numbers, text and bytes.
fn plain(object: &Bound<'_, PyAny>) -> PyResult<Option<Any>> {
    if object.is_none() {
        return Ok(Some(Any::NONE));
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Some(Any::bool(value.is_true())));
    }
    if let Ok(number) = object.cast::<PyInt>() {
        return bytes::long::value(number).map(Some);
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Some(Any::float(number.extract()?)));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Some(Any::string(text.to_cow()?.as_ref())));
    }
    if let Ok(number) = object.cast::<PyComplex>() {
        return Ok(Some(
            Complex {
                re: number.real(),
                im: number.imag(),
            }
            .into_any(),
        ));
    }
    Ok(object
        .cast::<PyBytes>()
        .ok()
        .map(|bytes| Any::bytes(bytes.as_bytes())))
}

type Items<'py> = Box<dyn Iterator<Item = PyResult<Bound<'py, PyAny>>> + 'py>;

/// What a list or a tuple holds.
fn items<'py>(object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Option<Items<'py>>> {
    let items: Items<'py> = if let Ok(list) = object.cast::<PyList>() {
        Box::new(list.clone().into_iter().map(Ok))
    } else if let Ok(tuple) = object.cast::<PyTuple>() {
        Box::new(tuple.clone().into_iter().map(Ok))
    } else {
        return Ok(None);
    };
    if depth >= DEEPEST {
        return Err(new_error(
            ErrorKind::ValueError,
            format!("lists are nested more than {DEEPEST} deep"),
        ));
    }
    Ok(Some(items))
}

/// A tensor over what an object exports, without a copy where that is possible.
///
/// An array of NumPy is read directly; then come the buffer protocol, DLPack, `__array_interface__` and `__array__`. An
/// exporter whose buffer has elements that the protocol cannot name may still name them otherwise.
fn memory(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::Tensor>> {
    if let Some(tensor) = bytes::numpy::tensor(object)? {
        return Ok(Some(tensor));
    }
    let buffer = bytes::tensor(object);
    if let Ok(Some(_)) = buffer {
        return buffer;
    }
    if let Some(tensor) = bytes::dlpack::tensor(object, None)? {
        return Ok(Some(tensor));
    }
    buffer?;
    if let Some(tensor) = bytes::interface::tensor(object)? {
        return Ok(Some(tensor));
    }
    // A class has the method too, and cannot be called with it.
    if object.is_instance_of::<PyType>() || !object.hasattr("__array__")? {
        return Ok(None);
    }
    bytes::numpy::from_array_protocol(object).map(Some)
}

/// A value of core as an object, arrays as lists: what properties and methods give.
///
/// # Errors
/// None but of memory.
pub fn to_python<'py>(py: Python<'py>, value: AnyView<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value.kind() {
        Kind::None => py.None().into_bound(py),
        Kind::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Kind::Int(number) => number.into_pyobject(py)?.into_any(),
        Kind::BigInt(number) => bytes::long::object(py, number)?,
        Kind::Float(number) => PyFloat::new(py, number).into_any(),
        Kind::Pointer(address) => address.into_pyobject(py)?.into_any(),
        Kind::DType(dtype) => Bound::new(py, DType(dtype))?.into_any(),
        Kind::Device(device) => Bound::new(py, Device(device))?.into_any(),
        Kind::Str(text) => PyString::new(py, text).into_any(),
        Kind::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Kind::Tensor(tensor) => Bound::new(py, Tensor(tensor))?.into_any(),
        Kind::Array(items) => {
            let items = AnyView::slice(items)
                .iter()
                .map(|item| to_python(py, *item))
                .collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Kind::Other(index) if index == <Complex as tenspan::value::Class>::type_index() => {
            let number = class_from_any::<Complex>(&value).unwrap_or_default();
            PyComplex::from_doubles(py, number.re, number.im).into_any()
        }
        _ => wrap::wrap_view(py, &value)?,
    })
}

/// An object of one of our classes out of a value, if it is one of them.
pub fn class_from_any<'a, T: FromAny<'a>>(value: &'a AnyView<'a>) -> Option<T> {
    T::from_any(value).ok().flatten()
}

/// The dtype of our own object, of a class of Python's numbers, or of NumPy's objects and classes.
fn dtype(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::DType>> {
    if let Ok(dtype) = object.cast::<DType>() {
        return Ok(Some(dtype.get().0));
    }
    if object.is_instance_of::<PyString>() {
        return Ok(None);
    }
    let py = object.py();
    for (class, dtype) in [
        (py.get_type::<PyFloat>(), tenspan::DType::F64),
        (py.get_type::<PyInt>(), tenspan::DType::I64),
        (py.get_type::<PyBool>(), tenspan::DType::BOOL),
        (py.get_type::<PyComplex>(), tenspan::DType::C128),
    ] {
        if object.is(&class) {
            return Ok(Some(dtype));
        }
    }
    bytes::numpy::dtype(object)
}

/// Text that core gives owned or borrowed.
pub fn text<'py>(py: Python<'py>, text: impl AsRef<str>) -> Bound<'py, PyString> {
    PyString::new(py, text.as_ref())
}
