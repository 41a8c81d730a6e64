//! Any object of Python as a value that a function gets.
//!
//! What is of one of the usual classes is read where it lies. Lists, tuples and dictionaries become containers, with all they hold;
//! how objects of other classes are passed is found out once for each class, see [`protocol`](super::protocol).

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use tenspan::value::{Any, Complex, IntoAny, Kind};
use tenspan::{ErrorKind, Function};

use super::protocol::{self, Way};
use super::{dtype, memory};
use crate::bytes;
use crate::bytes::device::{Passed, Stream};
use crate::bytes::held;
use crate::callback::Callable;
use crate::error::{caught, new_error};
use crate::generated;

/// Containers inside containers that are followed. What holds itself would not end, and is found out before.
const DEEPEST: usize = 200;

/// The value of an object.
///
/// # Errors
/// `TypeError` for what holds itself or is nested too deep, or what a method of the object raises.
pub fn to_any(object: &Bound<'_, PyAny>) -> PyResult<Any> {
    match bytes::argument::owned(object) {
        Some(value) => Ok(value),
        None => Walk::default().value(object),
    }
}

/// The value of an object that is an argument of a call.
///
/// # Errors
/// As [`to_any`].
pub fn passed(object: &Bound<'_, PyAny>) -> PyResult<Passed> {
    let mut walk = Walk::default();
    let value = walk.value(object)?;
    let stream = walk.stream;
    Ok(Passed { value, stream })
}

/// The function of a function or of a callable; nothing for other objects.
///
/// # Errors
/// As [`to_any`].
pub fn function(object: &Bound<'_, PyAny>) -> PyResult<Option<Function>> {
    if bytes::argument::owned(object).is_none() && !object.is_callable() {
        return Ok(None);
    }
    if let Kind::Function(function) = to_any(object)?.kind() {
        return Ok(Some(function));
    }
    if !object.is_callable() {
        return Ok(None);
    }
    Ok(match Callable::value_of(object).kind() {
        Kind::Function(function) => Some(function),
        _ => None,
    })
}

/// Containers that are converted already, by address.
type Known<'py> = HashMap<usize, (Bound<'py, PyAny>, Any)>;

/// What is being converted, from the outermost object inwards.
#[derive(Default)]
struct Walk<'py> {
    inside: Vec<Bound<'py, PyAny>>,
    /// One that is found in many places is one container there, too.
    known: Option<Box<Known<'py>>>,
    /// The stream of the first tensor in memory of a device that names one.
    stream: Option<Stream>,
}

impl<'py> Walk<'py> {
    fn value(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Any> {
        if let Some(value) = bytes::argument::owned(object) {
            return Ok(value);
        }
        if let Some(tensor) = bytes::numpy::lend::exact(object) {
            return tensor.map(IntoAny::into_any);
        }
        if protocol::is_plain_callable(object.py(), object.get_type_ptr()) {
            return Ok(Callable::value_of(object));
        }
        if let Ok(list) = object.cast_exact::<PyList>() {
            return self.within(object, |walk| walk.list(list));
        }
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            return self.within(object, |walk| walk.tuple(tuple));
        }
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            return self.within(object, |walk| walk.dict(dict));
        }
        self.by_class(object)
    }

    /// Follows an object inwards.
    fn within(
        &mut self,
        object: &Bound<'py, PyAny>,
        work: impl FnOnce(&mut Self) -> PyResult<Any>,
    ) -> PyResult<Any> {
        let address = object.as_ptr() as usize;
        if let Some((_, known)) = self.known.as_ref().and_then(|known| known.get(&address)) {
            return Ok(known.clone());
        }
        if self.inside.len() >= DEEPEST {
            let message = format!("values are nested more than {DEEPEST} deep");
            return Err(new_error(ErrorKind::TypeError, message));
        }
        if self.inside.iter().any(|outer| outer.is(object)) {
            let found = bytes::type_name(object);
            let message = format!("a {found} holds itself, and cannot be passed: that is a cycle");
            return Err(new_error(ErrorKind::TypeError, message));
        }
        self.inside.push(object.clone());
        let made = work(self);
        self.inside.pop();
        if let (Ok(made), false) = (&made, self.inside.is_empty()) {
            let known = self.known.get_or_insert_default();
            known.insert(address, (object.clone(), made.clone()));
        }
        made
    }

    fn list(&mut self, list: &Bound<'py, PyList>) -> PyResult<Any> {
        let items = bytes::argument::list_items(list, |item| self.value(item))?;
        Ok(Any::array(items))
    }

    fn tuple(&mut self, tuple: &Bound<'py, PyTuple>) -> PyResult<Any> {
        let items = tuple.iter().map(|item| self.value(&item));
        items.collect::<PyResult<Vec<_>>>().map(Any::array)
    }

    fn dict(&mut self, dict: &Bound<'py, PyDict>) -> PyResult<Any> {
        let mut entries = Vec::with_capacity(dict.len());
        // As for a list.
        for pair in dict.items() {
            let (key, value) = pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
            entries.push((self.value(&key)?, self.value(&value)?));
        }
        let map = tenspan::Map::from_entries(entries).map_err(crate::error::raised)?;
        Ok(map.into_any())
    }

    fn memory(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Any> {
        if let Some(passed) = bytes::device::passed(object)? {
            self.stream = self.stream.or(passed.stream);
            return Ok(passed.value);
        }
        Ok(match memory(object)? {
            Some(tensor) => tensor.into_any(),
            None => held::opaque(object),
        })
    }

    fn by_class(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Any> {
        let py = object.py();
        if bytes::object::is_class(object.get_type_ptr()) {
            let message = "an object that its __init__ has not made yet cannot be passed";
            return Err(new_error(ErrorKind::TypeError, message));
        }
        match protocol::way(object)? {
            Way::View => {
                let one_row_of_bytes = object.getattr("ndim")?.extract::<u32>()? == 1
                    && object.getattr("format")?.extract::<String>()? == "B";
                if one_row_of_bytes {
                    return bytes::contents(object).map(|bytes| Any::bytes(&bytes));
                }
                self.memory(object)
            }
            Way::Int => whole(object),
            Way::Float => object.extract::<f64>().map(Any::float),
            Way::Text => {
                let text = object.cast::<PyString>()?;
                Ok(Any::string(text.to_cow()?.as_ref()))
            }
            Way::Bytes => bytes::contents(object).map(|bytes| Any::bytes(&bytes)),
            Way::Complex => {
                let number = object.cast::<PyComplex>()?;
                let (re, im) = (number.real(), number.imag());
                Ok(Complex { re, im }.into_any())
            }
            Way::List => {
                let list = object.cast::<PyList>()?;
                self.within(object, |walk| walk.list(list))
            }
            Way::Tuple => {
                let tuple = object.cast::<PyTuple>()?;
                self.within(object, |walk| walk.tuple(tuple))
            }
            Way::Dict => {
                let dict = object.cast::<PyDict>()?;
                self.within(object, |walk| walk.dict(dict))
            }
            Way::Ours => generated::object_to_any(object)
                .or_else(|| crate::container::unknown(object))
                .ok_or_else(|| lost(object)),
            Way::Neighbour => Ok(match bytes::neighbour::value(object)? {
                Some(value) => value,
                None => held::opaque(object),
            }),
            Way::Scalar => {
                let item = object.call_method0("item")?;
                if item.is_instance(&object.get_type())? {
                    return Ok(held::opaque(object));
                }
                self.value(&item)
            }
            Way::Memory => self.memory(object),
            Way::DType => dtype(object)?.map(Any::dtype).ok_or_else(|| lost(object)),
            Way::Named => {
                let name = object.str()?.to_string();
                let dtype = tenspan::DType::new(name.trim_start_matches("torch."));
                dtype.map(Any::dtype).map_err(crate::error::raised)
            }
            Way::Device => {
                let device = tenspan::Device::new(&object.str()?.to_string());
                device.map(Any::device).map_err(crate::error::raised)
            }
            Way::Exception => {
                let exception = PyErr::from_value(object.clone());
                Ok(caught(py, exception).into_any())
            }
            Way::Address => {
                let value = object.getattr("value")?;
                let address = if value.is_none() { 0 } else { value.extract()? };
                Ok(Any::pointer(address))
            }
            Way::Callable => Ok(Callable::value_of(object)),
            Way::AsObject(name) => {
                let given = object.call_method0(name.bind(py))?;
                bytes::argument::owned(&given).ok_or_else(|| {
                    let message = format!(
                        "{name} of {} wants an object of tenspan, and gave {}",
                        bytes::type_name(object),
                        bytes::type_name(&given)
                    );
                    new_error(ErrorKind::TypeError, message)
                })
            }
            Way::AsValue(name) => self.within(object, |walk| {
                let given = object.call_method0(name.bind(py))?;
                walk.value(&given)
            }),
            Way::AsPointer(name) => {
                let given = object.call_method0(name.bind(py))?;
                let address = given.extract::<super::arguments::Address>()?;
                Ok(Any::pointer(address.0))
            }
            Way::AsStream => {
                let given = object.call_method0("__cuda_stream__")?;
                let (_, stream) = given.extract::<(i64, u64)>()?;
                Ok(Any::pointer(stream))
            }
            Way::AsInt(name) => whole(&object.call_method0(name.bind(py))?),
            Way::AsFloat(name) => {
                let given = object.call_method0(name.bind(py))?;
                let is_number =
                    given.is_instance_of::<PyFloat>() || given.is_instance_of::<PyInt>();
                if !is_number {
                    let found = bytes::type_name(&given);
                    let message = format!("{name} wants a number, and gave {found}");
                    return Err(new_error(ErrorKind::TypeError, message));
                }
                given.extract().map(Any::float)
            }
            Way::Opaque => Ok(held::opaque(object)),
        }
    }
}

/// The items of anything that can be iterated.
///
/// # Errors
/// As [`to_any`], and what the iteration raises.
pub fn items(object: &Bound<'_, PyAny>) -> PyResult<Vec<Any>> {
    let mut walk = Walk::default();
    let list = match object.cast_exact::<PyList>() {
        Ok(list) => list.clone(),
        Err(_) => object
            .py()
            .get_type::<PyList>()
            .call1((object,))?
            .cast_into()?,
    };
    bytes::argument::list_items(&list, |item| walk.value(item))
}

/// Keys and values of a mapping, or of pairs.
///
/// # Errors
/// As [`items`].
pub fn entries(object: &Bound<'_, PyAny>) -> PyResult<Vec<(Any, Any)>> {
    let mut walk = Walk::default();
    if let Some(keys) = object.getattr_opt("keys")? {
        let mut entries = Vec::new();
        for key in keys.call0()?.try_iter()? {
            let key = key?;
            let value = object.get_item(&key)?;
            entries.push((walk.value(&key)?, walk.value(&value)?));
        }
        return Ok(entries);
    }
    let mut entries = Vec::new();
    for pair in object.try_iter()? {
        let pair = pair?;
        let parts: Vec<Bound<'_, PyAny>> = pair.try_iter()?.collect::<PyResult<_>>()?;
        let [key, value] = parts.as_slice() else {
            let count = parts.len();
            let message = format!("a pair of key and value wanted, found {count} values");
            return Err(new_error(ErrorKind::ValueError, message));
        };
        entries.push((walk.value(key)?, walk.value(value)?));
    }
    Ok(entries)
}

/// A whole number of any size.
fn whole(number: &Bound<'_, PyAny>) -> PyResult<Any> {
    match number.cast::<PyInt>() {
        Ok(number) => bytes::long::value(number),
        Err(_) => {
            let found = bytes::type_name(number);
            let message = format!("an integer wanted, found {found}");
            Err(new_error(ErrorKind::TypeError, message))
        }
    }
}

fn lost(object: &Bound<'_, PyAny>) -> PyErr {
    let found = bytes::type_name(object);
    let message = format!("a value of type {found} cannot cross the border");
    new_error(ErrorKind::TypeError, message)
}
