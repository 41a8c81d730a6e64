//! DLPack: capsules of tensors, given and taken. The table of functions for those who speak C is in [`exchange`](super::exchange).

use std::ffi::CStr;
use std::ptr::NonNull;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule, PyDict, PyType};
use tenspan::ErrorKind;
use tenspan::abi::dlpack::{self, Handed};
use tenspan::abi::layout::{DLManagedTensor, DLManagedTensorVersioned};
use tenspan::abi::object::ObjectRef;

use super::exchange;
use super::owner::Owner;
use crate::error::{new_error, raised};
use crate::generated::Tensor;

/// Names of capsules: of a tensor to be taken, and of one that was.
const VERSIONED: &CStr = c"dltensor_versioned";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
const LEGACY: &CStr = c"dltensor";
const USED_LEGACY: &CStr = c"used_dltensor";

/// The CPU, as DLPack numbers devices.
pub(super) const CPU: (i32, i32) = (1, 0);

#[pymethods]
impl Tensor {
    /// The memory as a DLPack capsule, without a copy unless one is asked for.
    ///
    /// Parameters
    /// ----------
    /// stream : None
    ///     The CPU has no streams.
    /// max_version : tuple of int, optional
    ///     Version that the consumer reads. Without one, or below 1, a read-only tensor is refused, since the old
    ///     structure cannot tell.
    /// dl_device : tuple of int, optional
    ///     ``(1, 0)``, the CPU.
    /// copy : bool, optional
    ///     Whether to hand over a copy.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None), text_signature = "($self, *, stream=None, max_version=None, dl_device=None, copy=None)")]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(stream) = stream {
            let message = format!("the CPU has no streams: stream=None wanted, found {stream}");
            return Err(new_error(ErrorKind::ValueError, message));
        }
        if let Some(device) = dl_device.filter(|device| *device != CPU) {
            let message = format!(
                "{:?} is in memory of the CPU, device {CPU:?}; {device:?} was asked for",
                self.0
            );
            return Err(new_error(ErrorKind::BufferError, message));
        }
        let is_copied = copy == Some(true);
        let tensor = if is_copied {
            py.detach(|| duplicate(&self.0)).map_err(raised)?
        } else {
            self.0.clone()
        };
        if max_version.is_some_and(|(major, _)| major >= 1) {
            let managed = dlpack::export(&tensor, is_copied).map_err(raised)?;
            capsule(py, managed.cast().as_ptr(), VERSIONED, drop_versioned)
        } else {
            let managed = dlpack::export_legacy(&tensor).map_err(raised)?;
            capsule(py, managed.cast().as_ptr(), LEGACY, drop_legacy)
        }
    }

    /// Where the memory is: ``(1, 0)``, the CPU.
    fn __dlpack_device__(&self) -> (i32, i32) {
        CPU
    }
}

/// Other elements with the same values.
pub fn duplicate(tensor: &tenspan::Tensor) -> tenspan::Result<tenspan::Tensor> {
    let copy = tenspan::empty(tensor.shape(), tensor.dtype())?;
    tenspan::copy(tensor, &copy, &Default::default())?;
    Ok(copy)
}

fn capsule<'py>(
    py: Python<'py>,
    managed: *mut std::ffi::c_void,
    name: &CStr,
    destructor: ffi::PyCapsule_Destructor,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: an address that is not null, and a name that lives as long as the process.
    let made = unsafe { ffi::PyCapsule_New(managed, name.as_ptr(), Some(destructor)) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, made) }
}

/// The capsule of a structure that nobody has taken; null with an exception set when there is no memory for it.
pub(super) fn versioned(managed: NonNull<DLManagedTensorVersioned>) -> *mut ffi::PyObject {
    let address = managed.as_ptr().cast();
    // SAFETY: an address that is not null, and a name that lives as long as the process.
    unsafe { ffi::PyCapsule_New(address, VERSIONED.as_ptr(), Some(drop_versioned)) }
}

unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls this with a capsule that still is one.
    if unsafe { ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) } == 0 {
        return;
    }
    // SAFETY: the name is that of a capsule nobody took the tensor from.
    let managed = unsafe { ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()) };
    // SAFETY: made by `export`; nobody else will give it back.
    if let Some(deleter) = unsafe { (*managed.cast::<DLManagedTensorVersioned>()).deleter } {
        // SAFETY: as above.
        unsafe { deleter(managed.cast()) }
    }
}

unsafe extern "C" fn drop_legacy(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls this with a capsule that still is one.
    if unsafe { ffi::PyCapsule_IsValid(capsule, LEGACY.as_ptr()) } == 0 {
        return;
    }
    // SAFETY: the name is that of a capsule nobody took the tensor from.
    let managed = unsafe { ffi::PyCapsule_GetPointer(capsule, LEGACY.as_ptr()) };
    // SAFETY: made by `export_legacy`; nobody else will give it back.
    if let Some(deleter) = unsafe { (*managed.cast::<DLManagedTensor>()).deleter } {
        // SAFETY: as above.
        unsafe { deleter(managed.cast()) }
    }
}

/// A tensor over what an object exports by DLPack, or a capsule holds; `None` for other objects.
///
/// # Errors
/// What the exporter raises; `BufferError` for a capsule that was taken before, for another version, or for memory that the CPU
/// does not read.
pub fn tensor(object: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Option<tenspan::Tensor>> {
    if let Ok(capsule) = object.cast::<PyCapsule>() {
        return take(capsule, None).map(Some);
    }
    if copy.is_none()
        && let Some(tensor) = exchange::tensor(object)?
    {
        return Ok(Some(tensor));
    }
    // A class has the method too, and cannot be called with it.
    if object.is_instance_of::<PyType>() || !object.hasattr("__dlpack__")? {
        return Ok(None);
    }
    check_device(object)?;
    let capsule = exported(object, copy)?;
    take(&capsule, Some(object)).map(Some)
}

/// The tensor that an object in memory of a device exports.
///
/// # Errors
/// As for [`tensor`].
pub fn remote(object: &Bound<'_, PyAny>) -> PyResult<ObjectRef> {
    let capsule = exported(object, None)?;
    taken(&capsule, |handed| {
        // SAFETY: what a capsule holds is valid, and belongs to who takes it.
        unsafe { super::device::take(handed, object) }
    })
}

/// The capsule that an object exports.
fn exported<'py>(
    object: &Bound<'py, PyAny>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyCapsule>> {
    export(object, copy)?
        .cast_into::<PyCapsule>()
        .map_err(|error| {
            let message = format!(
                "__dlpack__ of {} gave no capsule, but {}",
                super::type_name(object),
                super::type_name(&error.into_inner())
            );
            new_error(ErrorKind::TypeError, message)
        })
}

/// Memory of devices is refused before anything is exported; an exporter that does not say is asked all the same.
fn check_device(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(device) = object.getattr_opt("__dlpack_device__")? else {
        return Ok(());
    };
    let (kind, number): (i32, i32) = device.call0()?.extract()?;
    if dlpack::is_readable(kind) {
        return Ok(());
    }
    let message = format!(
        "{} is in memory of device ({kind}, {number}), which the CPU does not read; copy it to the CPU first",
        super::type_name(object)
    );
    Err(new_error(ErrorKind::BufferError, message))
}

/// Asks for a capsule with a version, and without when the exporter does not know what that is.
fn export<'py>(object: &Bound<'py, PyAny>, copy: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let version = (dlpack::VERSION.major, dlpack::VERSION.minor);
    let arguments: Bound<'py, PyDict> = [("max_version", version)].into_py_dict(py)?;
    if let Some(copy) = copy {
        arguments.set_item("copy", copy)?;
    }
    let first = match object.call_method("__dlpack__", (), Some(&arguments)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => error,
        result => return result,
    };
    object.call_method0("__dlpack__").inspect_err(|second| {
        // Both reasons are shown: one of them is the exporter's own.
        second.set_cause(py, Some(first));
    })
}

/// Takes the tensor out of a capsule, once.
fn take(
    capsule: &Bound<'_, PyCapsule>,
    object: Option<&Bound<'_, PyAny>>,
) -> PyResult<tenspan::Tensor> {
    taken(capsule, |handed| {
        // SAFETY: what a capsule holds is valid, and belongs to who takes it.
        let tensor = unsafe { dlpack::import(handed, |managed| Owner::managed(object, managed)) };
        tensor.map_err(raised)
    })
}

/// Takes what a capsule of DLPack holds by `work`, and renames the capsule when that was done.
fn taken<T>(
    capsule: &Bound<'_, PyCapsule>,
    work: impl FnOnce(Handed) -> PyResult<T>,
) -> PyResult<T> {
    let pointer = |name: &CStr| {
        // SAFETY: a capsule; a name that does not fit is told.
        if unsafe { ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) } == 0 {
            return None;
        }
        // SAFETY: the capsule has this name, and so an address.
        NonNull::new(unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) })
    };
    let (handed, used) = if let Some(managed) = pointer(VERSIONED) {
        (Handed::Versioned(managed.cast()), USED_VERSIONED)
    } else if let Some(managed) = pointer(LEGACY) {
        (Handed::Legacy(managed.cast()), USED_LEGACY)
    } else {
        let is_used = pointer(USED_VERSIONED).is_some() || pointer(USED_LEGACY).is_some();
        let message = if is_used {
            "the tensor of the capsule was taken before; a capsule can be used once"
        } else {
            "a DLPack capsule named `dltensor_versioned` or `dltensor` wanted, found another"
        };
        return Err(new_error(ErrorKind::BufferError, message));
    };
    let taken = work(handed)?;
    // SAFETY: a capsule, and a name that lives as long as the process.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    Ok(taken)
}
