//! What Python passes in and gets back: one conversion for each type of the spec.
//!
//! Printed methods name these types in their signatures. [`Value`] is `any`, [`TensorArg`] everything that is
//! viewed as a tensor, [`DTypeArg`] everything that names a dtype.

use std::path::PathBuf;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple, PyType,
};
use tenspan::ErrorKind;
use tenspan::value::{Any, AnyView, Complex, FromAny, IntoAny, Kind};

use crate::bytes;
use crate::error::{new_error, raised};
use crate::generated::{self, DType, Tensor};

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
    if let Some(ours) = generated::object_to_any(object) {
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
        let wide = number.extract::<i128>().map_err(|_| {
            new_error(
                ErrorKind::OverflowError,
                format!("{number} has more than 128 bits"),
            )
        })?;
        return Ok(Some(Any::int(wide)));
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
fn memory(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::Tensor>> {
    if let Some(tensor) = bytes::numpy::tensor(object)? {
        return Ok(Some(tensor));
    }
    if let Some(tensor) = bytes::tensor(object)? {
        return Ok(Some(tensor));
    }
    // A class has the method too, and cannot be called with it.
    if object.is_instance_of::<PyType>() || !object.hasattr("__array__")? {
        return Ok(None);
    }
    let array = object
        .py()
        .import("numpy")?
        .getattr("asarray")?
        .call1((object,))?;
    bytes::numpy::tensor(&array)
}

/// A tensor, or an array of another library that is viewed as one; lists of numbers are copied.
pub struct TensorArg(pub tenspan::Tensor);

impl<'py> FromPyObject<'_, 'py> for TensorArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(tensor) = object.cast::<Tensor>() {
            return Ok(TensorArg(tensor.get().0.clone()));
        }
        if let Some(tensor) = memory(&object)? {
            return Ok(TensorArg(tensor));
        }
        if items(&object, 0)?.is_some()
            || object.is_instance_of::<PyInt>()
            || object.is_instance_of::<PyFloat>()
        {
            let Value(list) = object.extract()?;
            return tenspan::asarray(list.view(), None)
                .map(TensorArg)
                .map_err(raised);
        }
        Err(new_error(
            ErrorKind::TypeError,
            format!(
                "a tensor or an array wanted, found {}",
                bytes::type_name(&object)
            ),
        ))
    }
}

/// A tensor or an array that is written: never one that would have to be copied first.
pub struct TensorOut(pub tenspan::Tensor);

impl<'py> FromPyObject<'_, 'py> for TensorOut {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if items(&object, 0)?.is_some() || plain(&object)?.is_some() {
            let found = bytes::type_name(&object);
            return Err(new_error(
                ErrorKind::TypeError,
                format!("a tensor or an array to write into wanted, found {found}"),
            ));
        }
        object
            .extract::<TensorArg>()
            .map(|TensorArg(tensor)| TensorOut(tensor))
    }
}

/// A dtype, one of its names, or the dtype object of another library.
pub struct DTypeArg(pub tenspan::DType);

impl DTypeArg {
    /// The default of an argument.
    pub fn named(name: tenspan::DTypeName) -> Self {
        DTypeArg(tenspan::DType::Known(name))
    }
}

impl<'py> FromPyObject<'_, 'py> for DTypeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(dtype) = dtype(&object)? {
            return Ok(DTypeArg(dtype));
        }
        let Ok(name) = object.cast::<PyString>() else {
            return Err(new_error(
                ErrorKind::TypeError,
                format!("a dtype or its name wanted, found {}", object.repr()?),
            ));
        };
        tenspan::DType::new(&name.to_cow()?)
            .map(DTypeArg)
            .map_err(raised)
    }
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

/// A shape or another row of whole numbers; one number alone stands for a row of one.
pub struct Integers<T>(pub Vec<T>);

impl<'py, T> FromPyObject<'_, 'py> for Integers<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
        if !is_text && let Ok(items) = object.try_iter() {
            let read = |(i, item): (usize, PyResult<Bound<'py, PyAny>>)| integer(&item?, Some(i));
            return items
                .enumerate()
                .map(read)
                .collect::<PyResult<_>>()
                .map(Integers);
        }
        Ok(Integers(vec![integer(&object, None)?]))
    }
}

fn integer<'py, T>(object: &Bound<'py, PyAny>, position: Option<usize>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    object.extract::<T>().map_err(|error| {
        let py = object.py();
        if error.is_instance_of::<PyOverflowError>(py) {
            return new_error(
                ErrorKind::OverflowError,
                format!("{object} does not fit {}", std::any::type_name::<T>()),
            );
        }
        let place = position.map_or(String::new(), |i| format!(" at position {i}"));
        new_error(
            ErrorKind::TypeError,
            format!(
                "an integer wanted{place}, found {}",
                bytes::type_name(object)
            ),
        )
    })
}

/// A row of whole numbers as all arguments of a method: one by one, or one row.
pub struct Spread<T>(pub Vec<T>);

impl<'py, T> FromPyObject<'_, 'py> for Spread<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let arguments = object.cast::<PyTuple>()?;
        let Integers(row) = if arguments.len() == 1 {
            arguments.get_item(0)?.extract()?
        } else {
            object.extract()?
        };
        Ok(Spread(row))
    }
}

/// Text that core gives owned or borrowed.
pub fn text<'py>(py: Python<'py>, text: impl AsRef<str>) -> Bound<'py, PyString> {
    PyString::new(py, text.as_ref())
}

/// A path of the file system.
pub struct Path(String);

impl Path {
    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Path {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let path: PathBuf = object.extract()?;
        let refused = |path: std::ffi::OsString| {
            new_error(
                ErrorKind::ValueError,
                format!("the path {path:?} is not UTF-8"),
            )
        };
        path.into_os_string()
            .into_string()
            .map(Path)
            .map_err(refused)
    }
}

/// Text, or a dtype that stands for its name.
pub struct Text(String);

impl Text {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match dtype(&object)? {
            Some(dtype) => Ok(Text(dtype.name())),
            None => object.extract().map(Text),
        }
    }
}

/// Tensors by name, in the order of a mapping.
pub struct Tensors(pub Vec<(String, tenspan::Tensor)>);

impl<'py> FromPyObject<'_, 'py> for Tensors {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let read = |(name, value): (String, Bound<'py, PyAny>)| match value.extract::<TensorArg>() {
            Ok(TensorArg(tensor)) => Ok((name, tensor)),
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Err(new_error(
                ErrorKind::TypeError,
                format!("`{name}`: {}", error.value(value.py())),
            )),
            Err(error) => Err(error),
        };
        entries(&object)?
            .into_iter()
            .map(read)
            .collect::<PyResult<_>>()
            .map(Tensors)
    }
}

/// Names and values of any mapping.
///
/// # Errors
/// `TypeError` for an object that is no mapping, or for a key that is no text.
pub fn entries<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let Ok(mapping) = object.cast::<PyMapping>() else {
        return Err(new_error(
            ErrorKind::TypeError,
            format!("a mapping wanted, found {}", bytes::type_name(object)),
        ));
    };
    mapping
        .items()?
        .iter()
        .map(|pair| pair.extract::<(String, Bound<'py, PyAny>)>())
        .collect()
}

/// A value of core as an object.
///
/// # Errors
/// `TypeError` for objects that this front has no class for.
pub fn to_python<'py>(py: Python<'py>, value: AnyView<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value.kind() {
        Kind::None => py.None().into_bound(py),
        Kind::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Kind::Int(number) => number.into_pyobject(py)?.into_any(),
        Kind::BigInt(number) => number.into_pyobject(py)?.into_any(),
        Kind::Float(number) => PyFloat::new(py, number).into_any(),
        Kind::Pointer(address) => address.into_pyobject(py)?.into_any(),
        Kind::DType(dtype) => Bound::new(py, DType(dtype))?.into_any(),
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
        Kind::Function(_) | Kind::Other(_) => match generated::any_to_object(py, &value)? {
            Some(object) => object,
            None => {
                return Err(new_error(
                    ErrorKind::TypeError,
                    format!(
                        "a value of type {} has no class in Python",
                        value.type_name()
                    ),
                ));
            }
        },
    })
}

/// An object of one of our classes out of a value, if it is one of them.
pub fn class_from_any<'a, T: FromAny<'a>>(value: &'a AnyView<'a>) -> Option<T> {
    T::from_any(value).ok().flatten()
}

/// A class of `_collections_abc`, which every interpreter has loaded at start.
fn abstract_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("_collections_abc")?.getattr(name)
}

/// A live view of a mapping: `KeysView`, `ValuesView` or `ItemsView`.
///
/// # Errors
/// None of its own.
pub fn mapping_view<'py>(mapping: &Bound<'py, PyAny>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
    abstract_class(mapping.py(), kind)?.call1((mapping,))
}

/// Makes a class count as a mapping, and gives it the methods that follow from those it has.
///
/// # Errors
/// None of its own.
pub fn register_mapping<T: pyo3::PyTypeInfo>(py: Python<'_>, writable: bool) -> PyResult<()> {
    let parent = abstract_class(
        py,
        if writable {
            "MutableMapping"
        } else {
            "Mapping"
        },
    )?;
    let class = py.get_type::<T>();
    parent.call_method1("register", (&class,))?;
    if writable {
        // `pop` tells a missing default from None by a private mark of its class.
        for name in [
            "pop",
            "popitem",
            "setdefault",
            "update",
            "_MutableMapping__marker",
        ] {
            class.setattr(name, parent.getattr(name)?)?;
        }
    }
    Ok(())
}
