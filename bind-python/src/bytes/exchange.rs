//! DLPack's table of C functions, which a type of tensors has: a tensor crosses in a few ns, without a capsule.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyType};
use tenspan::abi::dlpack::{self, Handed};
use tenspan::abi::layout::{DLManagedTensorVersioned, DLPackVersion, DLTensor};
use tenspan::abi::object::ObjectRef;
use tenspan::{Device, Error, ErrorKind};

use super::device;
use super::owner::Owner;
use crate::error::{new_error, raised};
use crate::generated::Tensor;

const NAME: &CStr = c"dlpack_exchange_api";

type SetError = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);

/// The table, as `dlpack.h` 1.3 has it.
#[repr(C)]
struct Exchange {
    version: DLPackVersion,
    previous: *const Exchange,
    allocate: Option<
        unsafe extern "C" fn(
            *mut DLTensor,
            *mut *mut DLManagedTensorVersioned,
            *mut c_void,
            Option<SetError>,
        ) -> c_int,
    >,
    from_object: Option<
        unsafe extern "C" fn(*mut ffi::PyObject, *mut *mut DLManagedTensorVersioned) -> c_int,
    >,
    to_object: Option<
        unsafe extern "C" fn(*mut DLManagedTensorVersioned, *mut *mut ffi::PyObject) -> c_int,
    >,
    view: Option<unsafe extern "C" fn(*mut ffi::PyObject, *mut DLTensor) -> c_int>,
    stream: Option<unsafe extern "C" fn(c_int, i32, *mut *mut c_void) -> c_int>,
}

// SAFETY: a table of constants.
unsafe impl Sync for Exchange {}

static EXCHANGE: Exchange = Exchange {
    version: dlpack::VERSION,
    previous: std::ptr::null(),
    allocate: Some(allocate),
    from_object: Some(from_object),
    to_object: Some(to_object),
    view: Some(view),
    stream: Some(stream),
};

#[pymethods]
impl Tensor {
    /// DLPack's table of C functions, for other libraries.
    #[classattr]
    fn __dlpack_c_exchange_api__(py: Python<'_>) -> PyResult<Py<PyAny>> {
        let table = std::ptr::from_ref(&EXCHANGE).cast_mut().cast();
        // SAFETY: the table and the name live as long as the process.
        let made = unsafe { ffi::PyCapsule_New(table, NAME.as_ptr(), None) };
        // SAFETY: a new reference, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(py, made) }.map(Bound::unbind)
    }
}

/// A tensor over one of another library whose type has the table; `None` for other objects.
///
/// # Errors
/// What the library raises, and those of [`dlpack::import`].
pub fn tensor(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::Tensor>> {
    given(object)?.map(|given| given.import(object)).transpose()
}

/// A tensor that another library handed over; given back when it is dropped.
pub struct Given {
    managed: NonNull<DLManagedTensorVersioned>,
    table: &'static Exchange,
}

/// What the library of an object hands over by the table of its type; `None` for other objects.
///
/// # Errors
/// What the library raises.
pub fn given(object: &Bound<'_, PyAny>) -> PyResult<Option<Given>> {
    let py = object.py();
    let name = pyo3::intern!(py, "__dlpack_c_exchange_api__");
    let Some(capsule) = object.get_type().getattr_opt(name)? else {
        return Ok(None);
    };
    let Ok(capsule) = capsule.cast::<PyCapsule>() else {
        return Ok(None);
    };
    if object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    let table = capsule.pointer_checked(Some(NAME))?.cast::<Exchange>();
    // SAFETY: a capsule of this name holds such a table, which lives as long as the process; older versions begin alike.
    let table: &'static Exchange = unsafe { table.as_ref() };
    let Some(from_object) = table
        .from_object
        .filter(|_| table.version.major == dlpack::VERSION.major)
    else {
        return Ok(None);
    };
    let mut managed = std::ptr::null_mut();
    // SAFETY: an object of the type that has the table, a place for the result, and the thread is attached.
    let failed = unsafe { from_object(object.as_ptr(), &mut managed) } != 0;
    let Some(managed) = NonNull::new(managed).filter(|_| !failed) else {
        return Err(PyErr::take(py).unwrap_or_else(|| {
            new_error(
                ErrorKind::BufferError,
                "the tensor was refused without a reason",
            )
        }));
    };
    Ok(Some(Given { managed, table }))
}

impl Given {
    /// Where the memory is.
    pub fn device(&self) -> Device {
        // SAFETY: the library handed over a valid structure, which is not given back yet. So below.
        let device = unsafe { self.managed.as_ref() }.dl.device;
        Device {
            device_type: device.device_type,
            device_id: device.device_id,
        }
    }

    /// The stream that the library works on now, when it says so.
    pub fn stream(&self, device: Device) -> Option<u64> {
        let ask = self.table.stream?;
        let mut stream = std::ptr::null_mut();
        // SAFETY: a function of the table, and a place for the result.
        let code = unsafe { ask(device.device_type, device.device_id, &mut stream) };
        (code == 0).then_some(stream as u64)
    }

    /// A tensor over the memory.
    ///
    /// # Errors
    /// Those of [`dlpack::import`].
    pub fn import(self, object: &Bound<'_, PyAny>) -> PyResult<tenspan::Tensor> {
        // SAFETY: as above; it belongs to the caller.
        let made = unsafe {
            dlpack::import(Handed::Versioned(self.managed), |managed| {
                Owner::managed(Some(object), managed)
            })
        };
        self.settle(made.map_err(raised))
    }

    /// A tensor object over the memory, which the CPU does not read.
    ///
    /// # Errors
    /// Those of [`device::take`].
    pub fn import_remote(self, object: &Bound<'_, PyAny>) -> PyResult<ObjectRef> {
        // SAFETY: as above.
        let made = unsafe { device::take(Handed::Versioned(self.managed), object) };
        self.settle(made)
    }

    /// Gives back what was not taken over.
    fn settle<T>(self, made: PyResult<T>) -> PyResult<T> {
        if made.is_ok() {
            std::mem::forget(self);
        }
        made
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        // SAFETY: as above.
        if let Some(deleter) = unsafe { self.managed.as_ref() }.deleter {
            // SAFETY: it was not taken over, so it is given back here, once.
            unsafe { deleter(self.managed.as_ptr()) }
        }
    }
}

/// Does the work of an entry, and sets an exception when it fails.
fn entry(work: impl FnOnce(Python<'_>) -> PyResult<()>) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| match work(py) {
            Ok(()) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        })
    }));
    done.unwrap_or(-1)
}

/// The tensor of an object of our type.
fn ours<'py>(py: Python<'py>, object: *mut ffi::PyObject) -> PyResult<Bound<'py, Tensor>> {
    // SAFETY: the caller lends an object, or null.
    let object = unsafe { Bound::from_borrowed_ptr_or_opt(py, object) };
    let object = object.ok_or_else(|| new_error(ErrorKind::TypeError, "no object was given"))?;
    Ok(object.cast_into::<Tensor>()?)
}

unsafe extern "C" fn allocate(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    context: *mut c_void,
    set_error: Option<SetError>,
) -> c_int {
    let made = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller describes what it wants.
        let wanted = unsafe { prototype.as_ref() };
        let wanted =
            wanted.ok_or_else(|| Error::new(ErrorKind::ValueError, "no prototype was given"))?;
        // SAFETY: the shape of a prototype has as many words as it says.
        let tensor = unsafe { dlpack::like(wanted) }?;
        dlpack::export(&tensor, false)
    }));
    let error = match made {
        Ok(Ok(managed)) if !out.is_null() => {
            // SAFETY: a place for the result.
            unsafe { out.write(managed.as_ptr()) };
            return 0;
        }
        Ok(Ok(managed)) => {
            // SAFETY: made just now, and given to nobody.
            if let Some(deleter) = unsafe { managed.as_ref() }.deleter {
                // SAFETY: as above.
                unsafe { deleter(managed.as_ptr()) }
            }
            Error::new(ErrorKind::ValueError, "no place for the tensor was given")
        }
        Ok(Err(error)) => error,
        Err(_) => Error::new(ErrorKind::InternalError, "a Rust function panicked"),
    };
    let (kind, message) = (
        CString::new(error.kind_name()),
        CString::new(error.message()),
    );
    if let (Some(set_error), Ok(kind), Ok(message)) = (set_error, kind, message) {
        // SAFETY: the caller's function with its own context; the texts live until it returns.
        unsafe { set_error(context, kind.as_ptr(), message.as_ptr()) };
    }
    -1
}

unsafe extern "C" fn from_object(
    object: *mut ffi::PyObject,
    out: *mut *mut DLManagedTensorVersioned,
) -> c_int {
    entry(|py| {
        let tensor = ours(py, object)?;
        let managed = dlpack::export(&tensor.get().0, false).map_err(raised)?;
        // SAFETY: the caller gives a place for the result.
        unsafe { out.write(managed.as_ptr()) };
        Ok(())
    })
}

unsafe extern "C" fn to_object(
    managed: *mut DLManagedTensorVersioned,
    out: *mut *mut ffi::PyObject,
) -> c_int {
    entry(|py| {
        let managed = NonNull::new(managed)
            .ok_or_else(|| new_error(ErrorKind::ValueError, "no tensor was given"))?;
        // SAFETY: the caller hands the tensor over.
        let tensor = unsafe {
            dlpack::import(Handed::Versioned(managed), |managed| {
                Owner::managed(None, managed)
            })
        };
        let object = Bound::new(py, Tensor(tensor.map_err(raised)?))?;
        // SAFETY: the caller gives a place for the result.
        unsafe { out.write(object.into_any().into_ptr()) };
        Ok(())
    })
}

unsafe extern "C" fn view(object: *mut ffi::PyObject, out: *mut DLTensor) -> c_int {
    entry(|py| {
        let tensor = ours(py, object)?;
        let dl = dlpack::describe(&tensor.get().0).map_err(raised)?;
        // SAFETY: the caller gives a place for the result, and keeps the object while it uses it.
        unsafe { out.write(dl) };
        Ok(())
    })
}

/// The CPU has no streams.
unsafe extern "C" fn stream(_device: c_int, _number: i32, out: *mut *mut c_void) -> c_int {
    if !out.is_null() {
        // SAFETY: the caller gives a place for the result.
        unsafe { out.write(std::ptr::null_mut()) };
    }
    0
}
