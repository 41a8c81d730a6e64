//! Functions that take no time worth speaking of, called with arguments that are read where they lie.
//!
//! Glue is printed for each function that the spec calls quick: a [`Quick`] beside the ordinary function, which it calls
//! itself. What an argument mostly is, [`Read`] knows; when one is anything else, or something is wrong, the ordinary
//! function is called by the interpreter's own way.

use std::ffi::CStr;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyString, PyTuple};
use pyo3::{BoundObject, ffi};
use tenspan::shape::Dims;
use tenspan::{DType, DTypeName};

use super::raw::{self, Arguments};
use crate::value::arguments::{Address, DTypeArg, Integers};

/// Most parameters that a quick function has.
const MOST: usize = 8;

/// A function that is called quickly.
pub trait Quick {
    /// Its name.
    const NAME: &'static CStr;
    /// Names of its parameters, in their order; at most 8.
    const PARAMETERS: &'static [&'static str];

    /// What is kept for it.
    fn place() -> &'static Place;

    /// Calls the ordinary function with what is given. Nothing when that is not what it mostly is.
    fn call<'py>(given: &Given<'_, 'py>) -> Option<Bound<'py, PyAny>>;
}

/// The ordinary function, and the names of the parameters as the interpreter has them.
pub struct Place {
    ordinary: PyOnceLock<Py<PyAny>>,
    names: PyOnceLock<Vec<Py<PyString>>>,
}

impl Place {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "made in statics alone")]
    pub const fn new() -> Place {
        Place {
            ordinary: PyOnceLock::new(),
            names: PyOnceLock::new(),
        }
    }
}

/// Puts a quick function in the place of an ordinary one of the module.
///
/// # Errors
/// None but of memory.
pub fn add<Q: Quick>(module: &Bound<'_, PyModule>, ordinary: &Bound<'_, PyAny>) -> PyResult<()> {
    const { assert!(Q::PARAMETERS.len() <= MOST) };
    let py = module.py();
    let place = Q::place();
    place.names.get_or_init(py, || {
        let names = Q::PARAMETERS.iter();
        names
            .map(|name| PyString::intern(py, name).unbind())
            .collect()
    });
    raw::add_function(module, Q::NAME, call::<Q>, ordinary, &place.ordinary)
}

unsafe extern "C" fn call<Q: Quick>(
    _module: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, positional, names) };
    let place = Q::place();
    let quick = |py: Python<'_>| {
        let given = Given::of(py, Q::PARAMETERS.len(), place, arguments)?;
        Q::call(&given).map(Bound::into_ptr)
    };
    // SAFETY: the interpreter calls this, attached.
    unsafe { raw::call(&place.ordinary, None, arguments, quick) }
}

/// What stands for each parameter: an object that the caller keeps during the call, or null.
pub struct Given<'a, 'py> {
    py: Python<'py>,
    values: [*mut ffi::PyObject; MOST],
    arguments: std::marker::PhantomData<&'a ()>,
}

impl<'a, 'py> Given<'a, 'py> {
    #[inline(always)]
    fn of(
        py: Python<'py>,
        parameters: usize,
        place: &Place,
        arguments: Arguments<'a>,
    ) -> Option<Self> {
        let mut values = [std::ptr::null_mut(); MOST];
        let positional = arguments.all.get(..arguments.positional)?;
        if positional.len() > parameters {
            return None;
        }
        for (value, given) in values.iter_mut().zip(positional) {
            *value = *given;
        }
        for (name, given) in arguments.named() {
            let names = place.names.get(py)?;
            let position = names.iter().position(|known| known.as_ptr() == name)?;
            let value = &mut values[position];
            if !value.is_null() {
                return None;
            }
            *value = given;
        }
        Some(Given {
            py,
            values,
            arguments: std::marker::PhantomData,
        })
    }

    /// An argument that must be given.
    #[inline(always)]
    pub fn at<T: Read<'py>>(&self, position: usize) -> Option<T> {
        let value = self.values[position];
        if value.is_null() {
            return None;
        }
        // SAFETY: an object that the caller keeps during the call.
        T::read(unsafe { Borrowed::from_ptr(self.py, value) })
    }

    /// An argument that has a default.
    #[inline(always)]
    pub fn or<T: Read<'py>>(&self, position: usize, default: T) -> Option<T> {
        if self.values[position].is_null() {
            Some(default)
        } else {
            self.at(position)
        }
    }

    /// The result as an object.
    #[inline(always)]
    pub fn made<T: IntoPyObject<'py>>(&self, result: PyResult<T>) -> Option<Bound<'py, PyAny>> {
        let object = result.ok()?.into_pyobject(self.py).ok()?;
        Some(object.into_any().into_bound())
    }
}

/// A type of arguments that can be read off an object of the class that it mostly is of.
pub trait Read<'py>: Sized {
    /// The value; nothing for an object of another class, and for one that does not fit.
    fn read(object: Borrowed<'_, 'py, PyAny>) -> Option<Self>;
}

impl Read<'_> for u64 {
    #[inline(always)]
    fn read(object: Borrowed<'_, '_, PyAny>) -> Option<u64> {
        object.cast_exact::<PyInt>().ok()?;
        // SAFETY: a whole number, and the thread is attached.
        let number = unsafe { ffi::PyLong_AsSize_t(object.as_ptr()) };
        (number != usize::MAX || !is_refused()).then_some(number as u64)
    }
}

impl Read<'_> for i64 {
    #[inline(always)]
    fn read(object: Borrowed<'_, '_, PyAny>) -> Option<i64> {
        object.cast_exact::<PyInt>().ok()?;
        // SAFETY: a whole number, and the thread is attached.
        let number = unsafe { ffi::PyLong_AsSsize_t(object.as_ptr()) };
        (number != -1 || !is_refused()).then_some(number as i64)
    }
}

/// Whether an exception tells that a number did not fit. It is forgotten.
#[cold]
fn is_refused() -> bool {
    // SAFETY: the thread is attached.
    let refused = unsafe { !ffi::PyErr_Occurred().is_null() };
    // SAFETY: as above.
    unsafe { ffi::PyErr_Clear() };
    refused
}

impl Read<'_> for bool {
    #[inline(always)]
    fn read(object: Borrowed<'_, '_, PyAny>) -> Option<bool> {
        let object = object.as_ptr();
        // SAFETY: this object lives as long as the interpreter.
        let is_true = object == unsafe { ffi::Py_True() };
        // SAFETY: as above.
        let is_false = object == unsafe { ffi::Py_False() };
        (is_true || is_false).then_some(is_true)
    }
}

impl<'py, T: Read<'py>> Read<'py> for Option<T> {
    #[inline(always)]
    fn read(object: Borrowed<'_, 'py, PyAny>) -> Option<Self> {
        if object.is_none() {
            return Some(None);
        }
        T::read(object).map(Some)
    }
}

impl<'py> Read<'py> for Bound<'py, PyAny> {
    #[inline(always)]
    fn read(object: Borrowed<'_, 'py, PyAny>) -> Option<Self> {
        Some(object.to_owned())
    }
}

impl Read<'_> for Address {
    #[inline(always)]
    fn read(object: Borrowed<'_, '_, PyAny>) -> Option<Self> {
        u64::read(object).map(Address)
    }
}

impl<'py, T: Read<'py> + Copy + Default> Read<'py> for Integers<T> {
    #[inline(always)]
    fn read(object: Borrowed<'_, 'py, PyAny>) -> Option<Self> {
        object.cast_exact::<PyTuple>().ok()?;
        let row = object.as_ptr();
        // SAFETY: a tuple, and the thread is attached.
        let len = unsafe { ffi::PyTuple_Size(row) };
        let mut dims = Dims::zeros(len as usize);
        for (position, value) in dims.iter_mut().enumerate() {
            // SAFETY: as above; the position is inside.
            let item = unsafe { ffi::PyTuple_GetItem(row, position as ffi::Py_ssize_t) };
            // SAFETY: the tuple keeps the item.
            *value = T::read(unsafe { Borrowed::from_ptr(object.py(), item) })?;
        }
        Some(Integers(dims))
    }
}

impl Read<'_> for DTypeArg {
    #[inline(always)]
    fn read(object: Borrowed<'_, '_, PyAny>) -> Option<Self> {
        let names = NAMES.get_or_init(object.py(), || Names::new(object.py()));
        names.find(object.as_ptr()).map(DTypeArg)
    }
}

static NAMES: PyOnceLock<Names> = PyOnceLock::new();

/// The names of dtypes as the interpreter has them: names that stand in a program are the same objects.
struct Names([Option<(Py<PyString>, DType)>; Names::PLACES]);

impl Names {
    /// More than twice as many as there are names, so that a search is short.
    const PLACES: usize = 256;

    fn new(py: Python<'_>) -> Names {
        let mut names = Names([const { None }; Names::PLACES]);
        for name in DTypeName::ALL {
            let dtype = DType::Known(*name);
            for text in std::iter::once(name.as_str()).chain(dtype.aliases().iter().copied()) {
                let text = PyString::intern(py, text);
                let place = names.place(text.as_ptr());
                names.0[place].get_or_insert((text.unbind(), dtype));
            }
        }
        names
    }

    /// Where a name is, or an empty place.
    #[inline(always)]
    fn place(&self, name: *mut ffi::PyObject) -> usize {
        // Objects begin at multiples of 16.
        let mut place = name.addr() >> 4;
        loop {
            match &self.0[place % Names::PLACES] {
                Some((known, _)) if known.as_ptr() != name => place += 1,
                _ => return place % Names::PLACES,
            }
        }
    }

    #[inline(always)]
    fn find(&self, name: *mut ffi::PyObject) -> Option<DType> {
        self.0[self.place(name)].as_ref().map(|(_, dtype)| *dtype)
    }
}
