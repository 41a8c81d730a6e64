//! The types of arguments, narrower than `any`.
//!
//! [`TensorArg`] is everything that is viewed as a tensor, [`DTypeArg`] everything that names a dtype, [`Integers`] a shape.

use std::path::PathBuf;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyMapping, PyString, PyTuple};
use tenspan::ErrorKind;
use tenspan::shape::Dims;
use tenspan::value::{Any, IntoAny};

use super::mapping::entries;
use super::{Value, dtype, items, memory, plain};
use crate::bytes;
use crate::error::{new_error, raised};
use crate::generated::Tensor;

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

/// What a tensor can be made from. Bytes are memory here, where elsewhere they are a value.
pub struct ArrayArg(pub Any);

impl<'py> FromPyObject<'_, 'py> for ArrayArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // An array of NumPy is what it mostly is.
        if bytes::numpy::is_plain_array(&object)
            && let Some(tensor) = bytes::numpy::tensor(&object)?
        {
            return Ok(ArrayArg(tensor.into_any()));
        }
        if object.is_instance_of::<PyBytes>()
            && let Some(tensor) = bytes::tensor(&object)?
        {
            return Ok(ArrayArg(tensor.into_any()));
        }
        // A number of NumPy has a dtype, which the number of Python that it is elsewhere has not.
        if bytes::numpy::is_scalar(&object)? {
            return bytes::numpy::from_array_protocol(&object)
                .map(|array| ArrayArg(array.into_any()));
        }
        object.extract().map(|Value(value)| ArrayArg(value))
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
        if !object.is_exact_instance_of::<PyString>()
            && let Some(dtype) = dtype(&object)?
        {
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

/// A memory address: a whole number, or a `ctypes.c_void_p`.
pub struct Address(pub u64);

impl<'py> FromPyObject<'_, 'py> for Address {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let wrong = || {
            let found = bytes::type_name(&object);
            let message = format!("an address is an integer or a ctypes.c_void_p, found {found}");
            new_error(ErrorKind::TypeError, message)
        };
        if object.is_instance_of::<PyBool>() {
            return Err(wrong());
        }
        if let Ok(number) = object.cast_exact::<PyInt>()
            && let Ok(address) = number.extract()
        {
            return Ok(Address(address));
        }
        let number = match object.extract::<i128>() {
            Ok(number) => number,
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => return Err(error),
            Err(_) => {
                // A pointer of ctypes has no `__index__`, but a value, which is None for a null pointer.
                let is_pointer = bytes::type_name(&object) == "c_void_p";
                let value = object.getattr_opt("value")?.filter(|_| is_pointer);
                let value = value.ok_or_else(wrong)?;
                if value.is_none() { 0 } else { value.extract()? }
            }
        };
        let (kind, problem) = match u64::try_from(number) {
            Ok(address) => return Ok(Address(address)),
            Err(_) if number < 0 => (ErrorKind::ValueError, "is negative"),
            Err(_) => (ErrorKind::OverflowError, "has more than 64 bits"),
        };
        Err(new_error(kind, format!("address {number} {problem}")))
    }
}

/// A shape or another row of whole numbers; one number alone stands for a row of one.
pub struct Integers<T>(pub Dims<T>);

impl<'py, T> FromPyObject<'_, 'py> for Integers<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Copy + Default,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A tuple of nothing but plain numbers is what shapes mostly are.
        if let Ok(row) = object.cast_exact::<PyTuple>()
            && let Some(row) = plain_row(&row)
        {
            return Ok(Integers(row));
        }
        let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
        if !is_text && let Ok(items) = object.try_iter() {
            let read = |(i, item): (usize, PyResult<Bound<'py, PyAny>>)| integer(&item?, Some(i));
            return items
                .enumerate()
                .map(read)
                .collect::<PyResult<_>>()
                .map(Integers);
        }
        let row = integer(&object, None).map(|number| [number].into_iter().collect());
        row.map(Integers)
    }
}

/// The numbers of a tuple, if they are all of Python's own class and fit.
fn plain_row<'py, T>(row: &Bound<'py, PyTuple>) -> Option<Dims<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Copy + Default,
{
    row.iter_borrowed()
        .map(|item| item.cast_exact::<PyInt>().ok()?.extract().ok())
        .collect()
}

fn integer<'py, T>(object: &Bound<'py, PyAny>, position: Option<usize>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let is_bool = object.is_instance_of::<PyBool>();
    let number = if is_bool {
        Err(PyTypeError::new_err(()))
    } else {
        object.extract::<T>()
    };
    number.map_err(|error| {
        let py = object.py();
        let place = position.map_or(String::new(), |i| format!(" at position {i}"));
        if error.is_instance_of::<PyOverflowError>(py) {
            let is_below = object.lt(0).unwrap_or(false) && object.ge(i64::MIN).unwrap_or(false);
            return if is_below {
                new_error(
                    ErrorKind::ValueError,
                    format!("{object}{place} is negative"),
                )
            } else {
                let ty = std::any::type_name::<T>();
                new_error(
                    ErrorKind::OverflowError,
                    format!("{object}{place} does not fit {ty}"),
                )
            };
        }
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
pub struct Spread<T>(pub Dims<T>);

impl<'py, T> FromPyObject<'_, 'py> for Spread<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Copy + Default,
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

/// Texts or paths, or one of them.
#[derive(Default)]
pub struct Texts(pub Vec<String>);

impl<'py> FromPyObject<'_, 'py> for Texts {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(one) = object.extract::<Path>() {
            return Ok(Texts(vec![one.0]));
        }
        let wrong = |found: &Bound<'_, PyAny>| {
            let found = bytes::type_name(found);
            let message = format!("a string or a sequence of strings wanted, found {found}");
            new_error(ErrorKind::TypeError, message)
        };
        let Some(items) = items(&object, 0)? else {
            return Err(wrong(&object));
        };
        let mut texts = Vec::new();
        for item in items {
            let item = item?;
            let text: Path = item.extract().map_err(|_| wrong(&item))?;
            texts.push(text.0);
        }
        Ok(Texts(texts))
    }
}

/// Functions of a source: a name, names, or what each does by its name.
pub struct Exports(pub Any);

impl Default for Exports {
    fn default() -> Self {
        Exports(Any::NONE)
    }
}

impl<'py> FromPyObject<'_, 'py> for Exports {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(mapping) = object.cast::<PyMapping>() else {
            return object.extract().map(|Value(value)| Exports(value));
        };
        // Pairs of a name and what it does.
        let mut pairs = Vec::new();
        for pair in mapping.items()? {
            let (Value(name), Value(doc)) = pair.extract()?;
            pairs.push(Any::array(vec![name, doc]));
        }
        Ok(Exports(Any::array(pairs)))
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
