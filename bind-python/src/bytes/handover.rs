//! `__dlpack__` and `__dlpack_device__` as others mostly call them: with names, for a capsule that knows versions, without a
//! copy.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyString, PyTuple};
use tenspan::abi::dlpack as abi;

use super::dlpack;
use super::raw::{self, Arguments};
use crate::generated::Tensor;

static ORDINARY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static ORDINARY_DEVICE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DEVICE: PyOnceLock<Py<PyTuple>> = PyOnceLock::new();
/// The ways in which the first callers called.
static SEEN: [PyOnceLock<Manner>; 4] = [const { PyOnceLock::new() }; 4];

/// Puts the quick methods in the place of the ordinary ones.
///
/// # Errors
/// None but of memory.
pub fn add(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<Tensor>();
    let (kind, number) = dlpack::CPU;
    DEVICE.get_or_try_init(py, || PyTuple::new(py, [kind, number]).map(Bound::unbind))?;
    raw::add_method(&class, c"__dlpack__", capsule, &ORDINARY)?;
    raw::add_method(&class, c"__dlpack_device__", device, &ORDINARY_DEVICE)
}

unsafe extern "C" fn device(
    tensor: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, positional, names) };
    let quick = |py: Python<'_>| {
        let device = DEVICE.get(py).filter(|_| arguments.all.is_empty())?;
        Some(device.clone_ref(py).into_ptr())
    };
    // SAFETY: the interpreter calls this, attached.
    unsafe { raw::call(&ORDINARY_DEVICE, Some(tensor), arguments, quick) }
}

unsafe extern "C" fn capsule(
    tensor: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, positional, names) };
    let quick = |py: Python<'_>| {
        // SAFETY: an object that the caller keeps during the call.
        let object = unsafe { Borrowed::from_ptr(py, tensor) };
        // SAFETY: the interpreter calls a method only with objects of its class.
        let tensor = unsafe { object.cast_unchecked::<Tensor>() };
        if !Manner::is_versioned(py, arguments) {
            return None;
        }
        let managed = abi::export(&tensor.get().0, false).ok()?;
        Some(dlpack::versioned(managed))
    };
    // SAFETY: the interpreter calls this, attached.
    unsafe { raw::call(&ORDINARY, Some(tensor), arguments, quick) }
}

/// A way to ask for a capsule with a version: a caller mostly passes the very same names and the very same version.
struct Manner {
    names: Py<PyTuple>,
    /// The version, and where it stands among the values; the others are None.
    version: Py<PyAny>,
    position: usize,
}

impl Manner {
    /// Whether nothing but a version of at least 1 is asked for.
    #[inline]
    fn is_versioned(py: Python<'_>, arguments: Arguments<'_>) -> bool {
        if arguments.positional != 0 {
            return false;
        }
        let known = SEEN.iter().map_while(|manner| manner.get(py));
        for manner in known {
            if manner.is_of(arguments) {
                return true;
            }
        }
        Manner::look(py, arguments)
    }

    #[inline]
    fn is_of(&self, arguments: Arguments<'_>) -> bool {
        let values = arguments.all.iter().enumerate();
        self.names.as_ptr() == arguments.names
            && values.into_iter().all(|(position, value)| {
                // SAFETY: the object lives as long as the interpreter.
                let none = unsafe { ffi::Py_None() };
                let is_version = position == self.position && *value == self.version.as_ptr();
                is_version || *value == none
            })
            && arguments.all.get(self.position) == Some(&self.version.as_ptr())
    }

    /// Looks at each argument, and remembers the manner if there is still room.
    #[cold]
    fn look(py: Python<'_>, arguments: Arguments<'_>) -> bool {
        let optional = ["copy", "dl_device", "stream"].map(|name| PyString::intern(py, name));
        let mut version = None;
        for (position, (name, value)) in arguments.named().enumerate() {
            // SAFETY: objects that the caller keeps during the call.
            let value = unsafe { Borrowed::from_ptr(py, value) };
            if name == pyo3::intern!(py, "max_version").as_ptr() {
                version = Some((position, value)).filter(|(_, value)| is_current(value));
            } else if !value.is_none() || !optional.iter().any(|known| known.as_ptr() == name) {
                return false;
            }
        }
        let Some((position, version)) = version else {
            return false;
        };
        // SAFETY: there are names, so their tuple is there.
        let names = unsafe { Bound::from_borrowed_ptr(py, arguments.names) };
        if let (Some(room), Ok(names)) = (
            SEEN.iter().find(|manner| manner.get(py).is_none()),
            names.cast_into::<PyTuple>(),
        ) {
            room.get_or_init(py, || Manner {
                names: names.unbind(),
                version: version.to_owned().unbind(),
                position,
            });
        }
        true
    }
}

/// Whether a version is a tuple of two numbers of Python, the first of which is 1 or more.
fn is_current(version: &Bound<'_, PyAny>) -> bool {
    let Ok(version) = version.cast_exact::<PyTuple>() else {
        return false;
    };
    let number = |part: Borrowed<'_, '_, PyAny>| part.cast_exact::<PyInt>().ok()?.extract().ok();
    let mut parts = version.iter_borrowed().map(number);
    let both = (parts.next().flatten(), parts.next().flatten());
    matches!(both, (Some(1u32..), Some(0u32..))) && parts.next().is_none()
}
