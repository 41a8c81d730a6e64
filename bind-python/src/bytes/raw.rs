//! Functions and methods that the interpreter calls without anything of PyO3 in between.
//!
//! Such a function looks at its arguments where they lie, and does what is mostly asked of it; whatever else it gets it
//! hands on to the ordinary function of the same name, which then also says what is wrong. So both are one to whoever
//! calls them.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

/// A function of C with positional arguments, then those of the names in a tuple that may be null.
pub type Function = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// The arguments of one call.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    /// The positional ones, then those by name.
    pub all: &'a [*mut ffi::PyObject],
    /// How many are positional.
    pub positional: usize,
    /// A tuple of the names of the others, or null when there are none.
    pub names: *mut ffi::PyObject,
}

impl Arguments<'_> {
    /// The arguments that the interpreter passes to a [`Function`].
    ///
    /// # Safety
    /// As the interpreter gives them, and for as long as the call lasts.
    #[inline]
    pub unsafe fn new(
        start: *const *mut ffi::PyObject,
        positional: ffi::Py_ssize_t,
        names: *mut ffi::PyObject,
    ) -> Self {
        let named = match names.is_null() {
            true => 0,
            // SAFETY: a tuple.
            false => unsafe { ffi::PyTuple_Size(names) },
        };
        let all = match (positional + named) as usize {
            0 => &[],
            // SAFETY: so many arguments stand there during the call.
            count => unsafe { std::slice::from_raw_parts(start, count) },
        };
        Arguments {
            all,
            positional: positional as usize,
            names,
        }
    }

    /// The values that are given by name, each with the address of its name.
    #[inline]
    pub fn named(&self) -> impl Iterator<Item = (*mut ffi::PyObject, *mut ffi::PyObject)> {
        let names = self.names;
        let values = self.all[self.positional..].iter().enumerate();
        values.map(move |(position, value)| {
            // SAFETY: there are as many names as values, so the tuple is there and long enough.
            let name = unsafe { ffi::PyTuple_GetItem(names, position as ffi::Py_ssize_t) };
            (name, *value)
        })
    }
}

/// Does the work of a call: what `quick` gives, or when that is nothing, what the ordinary function gives.
///
/// # Safety
/// Called by the interpreter, attached, with the arguments of a call.
#[inline]
pub unsafe fn call(
    ordinary: &PyOnceLock<Py<PyAny>>,
    receiver: Option<*mut ffi::PyObject>,
    arguments: Arguments<'_>,
    quick: impl FnOnce(Python<'_>) -> Option<*mut ffi::PyObject>,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls functions attached.
    let py = unsafe { Python::assume_attached() };
    // A panic is told by the ordinary function, if it meets it too.
    if let Ok(Some(result)) = catch_unwind(AssertUnwindSafe(|| quick(py))) {
        return result;
    }
    hand_on(ordinary, receiver, arguments)
}

/// Calls the ordinary function.
#[cold]
fn hand_on(
    ordinary: &PyOnceLock<Py<PyAny>>,
    receiver: Option<*mut ffi::PyObject>,
    arguments: Arguments<'_>,
) -> *mut ffi::PyObject {
    let called = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| match ordinarily(py, ordinary, receiver, arguments) {
            Ok(result) => result.into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        })
    }));
    called.unwrap_or(std::ptr::null_mut())
}

fn ordinarily<'py>(
    py: Python<'py>,
    ordinary: &PyOnceLock<Py<PyAny>>,
    receiver: Option<*mut ffi::PyObject>,
    arguments: Arguments<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let object = |address: &*mut ffi::PyObject| {
        // SAFETY: the caller lends an object.
        unsafe { Bound::from_borrowed_ptr(py, *address) }
    };
    let positional = receiver
        .iter()
        .chain(&arguments.all[..arguments.positional]);
    let positional = PyTuple::new(py, positional.map(object).collect::<Vec<_>>())?;
    let named = PyDict::new(py);
    for (name, value) in arguments.named() {
        named.set_item(object(&name), object(&value))?;
    }
    let function = ordinary.get(py).ok_or_else(|| {
        crate::error::new_error(
            tenspan::ErrorKind::InternalError,
            "a function was not added",
        )
    })?;
    function.bind(py).call(positional, Some(&named))
}

/// Puts a method in the place of an ordinary one of a class, which it hands on to.
///
/// # Errors
/// None but of memory.
pub fn add_method(
    class: &Bound<'_, pyo3::types::PyType>,
    name: &'static CStr,
    function: Function,
    keep: &PyOnceLock<Py<PyAny>>,
) -> PyResult<()> {
    let py = class.py();
    let text = name.to_string_lossy();
    let ordinary = class.getattr(text.as_ref())?;
    let definition = definition(name, function, &ordinary)?;
    // SAFETY: a definition that lives as long as the process, for a class whose objects the function takes.
    let made = unsafe { ffi::PyDescr_NewMethod(class.as_type_ptr(), definition) };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    keep.get_or_init(py, || ordinary.unbind());
    class.setattr(text.as_ref(), made)
}

/// A definition with the signature and the docs of the ordinary function, which lives as long as the process.
fn definition(
    name: &'static CStr,
    function: Function,
    ordinary: &Bound<'_, PyAny>,
) -> PyResult<*mut ffi::PyMethodDef> {
    let text = |attribute: &str| -> PyResult<String> {
        let found = ordinary.getattr(attribute)?;
        if found.is_none() {
            Ok(String::new())
        } else {
            found.extract()
        }
    };
    // The interpreter reads the signature off the docs.
    let (signature, docs) = (text("__text_signature__")?, text("__doc__")?);
    let docs = CString::new(format!(
        "{}{signature}\n--\n\n{docs}",
        name.to_string_lossy()
    ))?;
    let definition = ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: function,
        },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: docs.into_raw().cast_const().cast::<c_char>(),
    };
    Ok(Box::into_raw(Box::new(definition)))
}

/// Puts a function in the place of an ordinary one of the module, which it hands on to.
///
/// # Errors
/// None but of memory.
pub fn add_function(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    function: Function,
    ordinary: &Bound<'_, PyAny>,
    keep: &PyOnceLock<Py<PyAny>>,
) -> PyResult<()> {
    let py = module.py();
    let definition = definition(name, function, ordinary)?;
    let module_name = PyString::new(py, "tenspan");
    // SAFETY: a definition that lives as long as the process; the module and its name are counted by the function.
    let made = unsafe { ffi::PyCFunction_NewEx(definition, module.as_ptr(), module_name.as_ptr()) };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    keep.get_or_init(py, || ordinary.clone().unbind());
    module.add(name.to_string_lossy().as_ref(), made)
}
