//! Objects of the Python package `tvm_ffi`, which is another runtime of the same public ABI, and ours as its.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use tenspan::abi::neighbour;
use tenspan::abi::object::ObjectRef;
use tenspan::value::Any;

/// The name by which an object of that package tells the handle behind it.
const HANDLE: &str = "__chandle__";

/// Whether a class is one of that package.
///
/// # Errors
/// What the class raises.
pub fn is_neighbour(class: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = class.py();
    if class.getattr_opt(HANDLE)?.is_none() {
        return Ok(false);
    }
    let modules = py.import("sys")?.getattr("modules")?;
    let core = modules.cast::<PyDict>()?.get_item("tvm_ffi.core")?;
    let Some(base) = core.map(|core| core.getattr("CObject")).transpose()? else {
        return Ok(false);
    };
    py.import("builtins")?
        .call_method1("issubclass", (class, base))?
        .extract()
}

/// The value of an object of that package; nothing for one of a type that only that knows.
///
/// # Errors
/// What the object raises.
pub fn value(object: &Bound<'_, PyAny>) -> PyResult<Option<Any>> {
    neighbour::connect();
    let handle = object.call_method0(HANDLE)?.extract::<u64>()?;
    // SAFETY: an object of the package keeps the object of the ABI whose handle it tells, or tells zero.
    Ok(unsafe { neighbour::object(handle) })
}

/// An object of ours as one of that package.
///
/// # Errors
/// `ImportError` when the package is not there.
pub fn as_neighbour<'py>(py: Python<'py>, object: &ObjectRef) -> PyResult<Bound<'py, PyAny>> {
    static GIVER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let giver = GIVER.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
        let function = py.import("tvm_ffi")?.getattr("Function")?;
        let made = function.call_method1("__from_extern_c__", (neighbour::giver(),))?;
        Ok(made.unbind())
    })?;
    neighbour::connect();
    // It is kept until the package has counted it.
    let handle = object.handle().as_ptr() as u64;
    giver.bind(py).call1((handle,))
}
