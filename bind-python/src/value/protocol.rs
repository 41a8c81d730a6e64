//! How objects of a class are passed, found out once for each class.
//!
//! A class says it by methods of agreed names, each with the prefix of this library or that of the public value ABI:
//!
//! | method | gives |
//! | --- | --- |
//! | `__tenspan_object__` | an object of tenspan that stands for this one |
//! | `__tenspan_opaque_ptr__` | an address |
//! | `__tenspan_int__`, `__tenspan_float__` | a number |
//! | `__tenspan_value__` | any other value, which is passed instead |
//! | `__cuda_stream__` | a version and the address of a stream |
//! | `__dlpack__` and the other ways to memory | a tensor |
//!
//! Objects of the package `tvm_ffi` are of the same ABI, and are passed as they are.

use std::collections::HashMap;

use pyo3::exceptions::PyBaseException;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PyString,
    PyTuple, PyType, PyWeakrefReference,
};
use std::sync::{Mutex, PoisonError};

use crate::bytes;
use crate::container;

/// How an object is passed.
#[derive(Debug)]
pub enum Way {
    /// As a whole number.
    Int,
    /// As a number with a point.
    Float,
    /// As text.
    Text,
    /// As bytes.
    Bytes,
    /// As a complex number.
    Complex,
    /// As an array of its items.
    List,
    /// As an array of its items.
    Tuple,
    /// As a map of its items.
    Dict,
    /// As what it wraps.
    Ours,
    /// As the object of the other runtime that it wraps.
    Neighbour,
    /// As the number that it is for NumPy.
    Scalar,
    /// As a tensor over its memory.
    Memory,
    /// As bytes, or a tensor over its memory when it is no plain row of bytes.
    View,
    /// As a dtype.
    DType,
    /// As a dtype that its text names.
    Named,
    /// As a device that its text names.
    Device,
    /// As an error.
    Exception,
    /// As the address that a pointer of ctypes holds.
    Address,
    /// As a function.
    Callable,
    /// As the object of tenspan that a method gives.
    AsObject(Py<PyString>),
    /// As what a method gives.
    AsValue(Py<PyString>),
    /// As the address that a method gives.
    AsPointer(Py<PyString>),
    /// As the stream of CUDA that it is.
    AsStream,
    /// As the whole number that a method gives.
    AsInt(Py<PyString>),
    /// As the number that a method gives.
    AsFloat(Py<PyString>),
    /// As itself, which no other language looks into.
    Opaque,
}

impl Way {
    fn clone_ref(&self, py: Python<'_>) -> Way {
        match self {
            Way::Int => Way::Int,
            Way::Float => Way::Float,
            Way::Text => Way::Text,
            Way::Bytes => Way::Bytes,
            Way::Complex => Way::Complex,
            Way::List => Way::List,
            Way::Tuple => Way::Tuple,
            Way::Dict => Way::Dict,
            Way::Ours => Way::Ours,
            Way::Neighbour => Way::Neighbour,
            Way::Scalar => Way::Scalar,
            Way::Memory => Way::Memory,
            Way::View => Way::View,
            Way::DType => Way::DType,
            Way::Named => Way::Named,
            Way::Device => Way::Device,
            Way::Exception => Way::Exception,
            Way::Address => Way::Address,
            Way::Callable => Way::Callable,
            Way::AsObject(name) => Way::AsObject(name.clone_ref(py)),
            Way::AsValue(name) => Way::AsValue(name.clone_ref(py)),
            Way::AsPointer(name) => Way::AsPointer(name.clone_ref(py)),
            Way::AsStream => Way::AsStream,
            Way::AsInt(name) => Way::AsInt(name.clone_ref(py)),
            Way::AsFloat(name) => Way::AsFloat(name.clone_ref(py)),
            Way::Opaque => Way::Opaque,
        }
    }
}

/// Classes that were looked at, by address; the reference tells whether it is still the same class there.
type Known = HashMap<usize, (Py<PyWeakrefReference>, Way)>;

/// Classes that are remembered at a time.
const MOST: usize = 4096;

static KNOWN: PyOnceLock<Mutex<Known>> = PyOnceLock::new();

/// Whether a class is one of those that functions mostly are of.
#[inline]
pub fn is_plain_callable(py: Python<'_>, class: *mut ffi::PyTypeObject) -> bool {
    static CLASSES: PyOnceLock<[Py<PyType>; 3]> = PyOnceLock::new();
    let find = || -> PyResult<[Py<PyType>; 3]> {
        let types = py.import("types")?;
        let class =
            |name: &str| Ok::<_, PyErr>(types.getattr(name)?.cast_into::<PyType>()?.unbind());
        Ok([
            class("FunctionType")?,
            class("MethodType")?,
            class("BuiltinFunctionType")?,
        ])
    };
    CLASSES
        .get_or_try_init(py, find)
        .is_ok_and(|classes| classes.iter().any(|known| known.as_ptr() == class.cast()))
}

/// How an object is passed, by its class.
///
/// # Errors
/// None of its own.
pub fn way(object: &Bound<'_, PyAny>) -> PyResult<Way> {
    let py = object.py();
    let class = object.get_type();
    let address = class.as_ptr() as usize;
    let known = KNOWN.get_or_init(py, Mutex::default);
    {
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, way)) = known.get(&address)
            && pyo3::types::PyWeakrefMethods::upgrade(seen.bind(py)).is_some()
        {
            return Ok(way.clone_ref(py));
        }
    }
    // No lock is held while code of others runs.
    let way = find(object, &class)?;
    let seen = PyWeakrefReference::new(&class)?.unbind();
    let forgotten = {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let forgotten = if known.len() >= MOST {
            std::mem::take(&mut *known)
        } else {
            Known::new()
        };
        known.insert(address, (seen, way.clone_ref(py)));
        forgotten
    };
    drop(forgotten);
    Ok(way)
}

fn find(object: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> PyResult<Way> {
    let py = object.py();
    if container::is_ours(object) || crate::generated::object_to_any(object).is_some() {
        return Ok(Way::Ours);
    }
    if bytes::neighbour::is_neighbour(class)? {
        return Ok(Way::Neighbour);
    }
    let method = |what: &str| -> PyResult<Option<Py<PyString>>> {
        for prefix in ["tenspan", "tvm_ffi"] {
            let name = PyString::new(py, &format!("__{prefix}_{what}__"));
            if class.getattr_opt(&name)?.is_some() {
                return Ok(Some(name.unbind()));
            }
        }
        Ok(None)
    };
    if let Some(name) = method("object")? {
        return Ok(Way::AsObject(name));
    }
    let has = |name: &str| Ok::<_, PyErr>(class.getattr_opt(name)?.is_some());
    if has("__dlpack_c_exchange_api__")? || has("__dlpack__")? {
        return Ok(Way::Memory);
    }
    if has("__cuda_stream__")? {
        return Ok(Way::AsStream);
    }
    if let Some(name) = method("opaque_ptr")? {
        return Ok(Way::AsPointer(name));
    }
    if let Some(name) = method("int")? {
        return Ok(Way::AsInt(name));
    }
    if let Some(name) = method("float")? {
        return Ok(Way::AsFloat(name));
    }
    if let Some(name) = method("value")? {
        return Ok(Way::AsValue(name));
    }
    by_kind(object, class)
}

/// How an object of a class without any of the methods is passed.
fn by_kind(object: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> PyResult<Way> {
    macro_rules! kinds {
        ($($class:ty => $way:ident),* $(,)?) => { $(
            if object.is_instance_of::<$class>() {
                return Ok(Way::$way);
            }
        )* };
    }
    kinds! {
        PyInt => Int, PyFloat => Float, PyString => Text, PyBytes => Bytes, PyByteArray => Bytes,
        PyComplex => Complex, PyList => List, PyTuple => Tuple, PyDict => Dict, PyBaseException => Exception,
    }
    if bytes::numpy::is_scalar(object)? {
        return Ok(Way::Scalar);
    }
    if object.is_instance_of::<PyMemoryView>() {
        return Ok(Way::View);
    }
    // A class is an object too, and can be called.
    if object.is_instance_of::<PyType>() {
        return Ok(Way::Callable);
    }
    let (name, module) = (class.name()?.to_string(), class.module()?.to_string());
    match (module.as_str(), name.as_str()) {
        ("ctypes", "c_void_p") => return Ok(Way::Address),
        ("torch", "dtype") => return Ok(Way::Named),
        ("torch", "device") => return Ok(Way::Device),
        _ => {}
    }
    if super::dtype(object).ok().flatten().is_some() {
        return Ok(Way::DType);
    }
    let is_array = ["__array_interface__", "__array__"]
        .into_iter()
        .map(|name| class.getattr_opt(name))
        .any(|found| matches!(found, Ok(Some(_))));
    if bytes::has_buffer(object) || is_array {
        return Ok(Way::Memory);
    }
    Ok(if object.is_callable() {
        Way::Callable
    } else {
        Way::Opaque
    })
}
