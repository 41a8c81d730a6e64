//! NumPy's arrays through their C structure and its table of functions, without its headers.
//!
//! Offsets and positions in the table are the same in NumPy 1.26 and 2: an array is `{header, data, nd, dimensions,
//! strides, base, descr, flags}`. NumPy is never imported for the sake of looking: as long as nobody has
//! imported it, no object is one of its arrays.

use std::ffi::{c_char, c_int, c_void};

use pyo3::exceptions::{PyImportError, PyModuleNotFoundError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyCapsule, PyType};
use tenspan::{DType, DTypeName, ErrorKind};

pub use dtype::{dtype, is_scalar};

use super::export::address;
use super::owner::Owner;
use crate::error::{new_error, raised};
use crate::generated::Tensor;

mod dtype;
pub mod lend;

/// The beginning of an array.
#[repr(C)]
struct Array {
    header: ffi::PyObject,
    data: *mut u8,
    ndim: c_int,
    shape: *const isize,
    strides: *const isize,
    base: *mut ffi::PyObject,
    descriptor: *mut Descriptor,
    flags: c_int,
}

/// The beginning of a dtype of NumPy.
#[repr(C)]
struct Descriptor {
    header: ffi::PyObject,
    scalar_type: *mut ffi::PyTypeObject,
    kind: c_char,
    letter: c_char,
    byte_order: c_char,
    flags: c_char,
    number: c_int,
}

const WRITEABLE: c_int = 0x0400;
const PACKED: c_int = 0x0001;

// Shape and strides are read where they lie in the array, as words of 64 bits.
const _: () = assert!(size_of::<isize>() == size_of::<i64>());

impl Array {
    /// The dtype, when it is one of NumPy's own in native byte order.
    fn builtin(&self) -> Option<DType> {
        const FOREIGN: u8 = if cfg!(target_endian = "little") {
            b'>'
        } else {
            b'<'
        };
        // SAFETY: every array has a descriptor that begins with this structure.
        let descriptor = unsafe { &*self.descriptor };
        dtype::builtin(descriptor.number).filter(|_| descriptor.byte_order as u8 != FOREIGN)
    }

    /// Shape and strides, which stay as they are while the array is in use.
    fn dims(&self) -> (&[u64], &[i64]) {
        let ndim = self.ndim as usize;
        if ndim == 0 {
            return (&[], &[]);
        }
        // SAFETY: an array has `ndim` lengths, none of which is negative.
        let shape = unsafe { std::slice::from_raw_parts(self.shape.cast(), ndim) };
        // SAFETY: and as many strides.
        (shape, unsafe {
            std::slice::from_raw_parts(self.strides.cast(), ndim)
        })
    }
}

type NewFromDescriptor = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    *mut ffi::PyObject,
    c_int,
    *const isize,
    *const isize,
    *mut c_void,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type SetBase = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

/// Positions in the table of functions.
const NEW_FROM_DESCRIPTOR: usize = 94;
const SET_BASE: usize = 282;

/// What is needed of NumPy, found once.
struct Numpy {
    array: Py<PyType>,
    new_from_descriptor: NewFromDescriptor,
    set_base: SetBase,
    descriptors: [PyOnceLock<Py<PyAny>>; DTypeName::COUNT],
}

static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();

impl Numpy {
    /// NumPy, imported if need be.
    fn get(py: Python<'_>) -> PyResult<&'static Numpy> {
        NUMPY.get_or_try_init(py, || Numpy::load(py))
    }

    /// NumPy if someone has imported it.
    fn if_imported(py: Python<'_>) -> PyResult<Option<&'static Numpy>> {
        if let Some(numpy) = NUMPY.get(py) {
            return Ok(Some(numpy));
        }
        let modules = py.import("sys")?.getattr("modules")?;
        // The package is there before its parts are while it is being imported.
        let ready = modules.contains("numpy")?
            && (modules.contains("numpy._core._multiarray_umath")?
                || modules.contains("numpy.core._multiarray_umath")?)
            && modules.get_item("numpy")?.hasattr("ndarray")?;
        if ready {
            Numpy::get(py).map(Some)
        } else {
            Ok(None)
        }
    }

    fn load(py: Python<'_>) -> PyResult<Numpy> {
        let module = needed(py, "numpy", "numpy")?;
        let parts = py
            .import("numpy._core._multiarray_umath")
            .or_else(|_| py.import("numpy.core._multiarray_umath"))?;
        let capsule = parts.getattr("_ARRAY_API")?.cast_into::<PyCapsule>()?;
        let table = capsule.pointer_checked(None)?.cast::<*const c_void>();
        let entry = |position: usize| {
            // SAFETY: the table of every NumPy since 1.7 has more entries than that, and lives as long as the process.
            unsafe { *table.as_ptr().wrapping_add(position) }
        };
        let functions = (entry(NEW_FROM_DESCRIPTOR), entry(SET_BASE));
        Ok(Numpy {
            array: module.getattr("ndarray")?.cast_into::<PyType>()?.unbind(),
            // SAFETY: the function at this place of the table has this signature.
            new_from_descriptor: unsafe {
                std::mem::transmute::<*const c_void, NewFromDescriptor>(functions.0)
            },
            // SAFETY: as above.
            set_base: unsafe { std::mem::transmute::<*const c_void, SetBase>(functions.1) },
            descriptors: [const { PyOnceLock::new() }; DTypeName::COUNT],
        })
    }

    /// NumPy's object for a plain dtype, made once.
    fn descriptor(&self, py: Python<'_>, name: DTypeName) -> PyResult<&Py<PyAny>> {
        self.descriptors[name as usize]
            .get_or_try_init(py, || dtype_object(py, name).map(Bound::unbind))
    }

    fn is_array(&self, py: Python<'_>, object: &Bound<'_, PyAny>) -> bool {
        let array = self.array.bind(py);
        object.get_type_ptr() == array.as_type_ptr() || object.is_instance(array).unwrap_or(false)
    }
}

/// A module that the caller must have installed.
fn needed<'py>(py: Python<'py>, name: &str, extra: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        if !error.is_instance_of::<PyModuleNotFoundError>(py) {
            return error;
        }
        let hint = PyImportError::new_err(format!(
            "{name} is needed for this; install it with `pip install tenspan[{extra}]`"
        ));
        hint.set_cause(py, Some(error));
        hint
    })
}

/// The dtype of NumPy for a plain dtype; those that NumPy lacks come from ml_dtypes.
fn dtype_object<'py>(py: Python<'py>, name: DTypeName) -> PyResult<Bound<'py, PyAny>> {
    let text = name.as_str();
    let make = needed(py, "numpy", "numpy")?.getattr("dtype")?;
    match name {
        DTypeName::Bfloat16 | DTypeName::Float8E4m3fn | DTypeName::Float8E5m2 => {
            make.call1((needed(py, "ml_dtypes", "ml-dtypes")?.getattr(text)?,))
        }
        _ => make.call1((text,)),
    }
}

/// The memory of a tensor as an array, without a copy. The array keeps the tensor alive and is writable if the tensor is.
///
/// # Errors
/// `TypeError` for dtypes that NumPy cannot show, `BufferError` when the tensor is only planned, `ImportError`.
pub fn array<'py>(owner: &Bound<'py, Tensor>) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    let tensor = &owner.get().0;
    let Some(name) = tensor.dtype().known().filter(|_| tensor.dtype().is_plain()) else {
        return Err(new_error(
            ErrorKind::TypeError,
            format!("{tensor:?} has no dtype of NumPy"),
        ));
    };
    if tensor.data_ptr() == 0 && tensor.size() > 0 {
        return Err(new_error(
            ErrorKind::BufferError,
            format!("{tensor:?} has no memory: its context only plans"),
        ));
    }
    let numpy = Numpy::get(py)?;
    let descriptor = numpy.descriptor(py, name)?.clone_ref(py).into_ptr();
    let flags = if tensor.readonly() { 0 } else { WRITEABLE };
    // SAFETY: shape and strides are `ndim` words; the elements they reach are valid as long as the tensor, which
    // becomes the base below. The call takes over the reference to the descriptor.
    let made = unsafe {
        (numpy.new_from_descriptor)(
            numpy.array.bind(py).as_type_ptr(),
            descriptor,
            tensor.ndim() as c_int,
            tensor.shape().as_ptr().cast(),
            tensor.strides().as_ptr().cast(),
            address(tensor).cast(),
            flags,
            std::ptr::null_mut(),
        )
    };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    // SAFETY: the array has no base yet; the call takes over a reference to the tensor even when it fails.
    if unsafe { (numpy.set_base)(made.as_ptr(), owner.clone().into_any().into_ptr()) } != 0 {
        return Err(PyErr::take(py).unwrap_or_else(|| {
            new_error(
                ErrorKind::TypeError,
                "NumPy did not take the tensor as its base",
            )
        }));
    }
    Ok(made)
}

/// A tensor over the memory of an array, which it keeps alive; `None` for other objects.
///
/// # Errors
/// `TypeError` for element types that tenspan does not have.
pub fn tensor(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::Tensor>> {
    let py = object.py();
    let Some(numpy) = Numpy::if_imported(py)?.filter(|numpy| numpy.is_array(py, object)) else {
        return Ok(None);
    };
    let _ = numpy;
    // SAFETY: an array begins with this structure.
    let array = unsafe { &*object.as_ptr().cast::<Array>() };
    let dtype = array_dtype(object, array)?;
    let (shape, strides) = array.dims();
    let (keeper, readonly) = (Owner::object(object), array.flags & WRITEABLE == 0);
    // SAFETY: the array describes memory that it keeps; NumPy refuses to resize an array that others refer to.
    unsafe { tenspan::from_memory(array.data, dtype, shape, Some(strides), readonly, keeper) }
        .map(Some)
        .map_err(raised)
}

/// Whether an object is of exactly NumPy's class of arrays.
pub fn is_plain_array(object: &Bound<'_, PyAny>) -> bool {
    let numpy = NUMPY.get(object.py());
    numpy.is_some_and(|numpy| object.get_type_ptr().cast() == numpy.array.as_ptr())
}

/// Dtype, first element, length and stride of an array of one dimension, of exactly NumPy's class `class` and one of its own
/// element types; `None` for other objects.
pub(super) fn row(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    class: *mut ffi::PyTypeObject,
) -> Option<(DType, *const u8, u64, i64)> {
    let numpy = NUMPY.get(py)?;
    if class != numpy.array.as_ptr().cast() {
        return None;
    }
    // SAFETY: an array begins with this structure, and the caller keeps it.
    let array = unsafe { &*object.cast::<Array>() };
    let (&[len], &[stride]) = array.dims() else {
        return None;
    };
    Some((array.builtin()?, array.data, len, stride))
}

/// A tensor over the array that `__array__` of an object gives, and whether that had to be copied, as far as NumPy tells.
///
/// # Errors
/// What `__array__` raises, and those of [`tensor`].
pub fn from_array_protocol(object: &Bound<'_, PyAny>) -> PyResult<tenspan::Tensor> {
    let py = object.py();
    let make = needed(py, "numpy", "numpy")?.getattr("asarray")?;
    let arguments = [("copy", false)].into_py_dict(py)?;
    let (array, is_copied) = match make.call((object,), Some(&arguments)) {
        Ok(array) => (array, false),
        // NumPy raises ValueError for an array that needs a copy; before version 2 it has no such argument.
        Err(error) => {
            let told = error.is_instance_of::<PyValueError>(py);
            (make.call1((object,))?, told)
        }
    };
    let made = tensor(&array)?.ok_or_else(|| {
        new_error(
            ErrorKind::TypeError,
            format!("__array__ of {} gave no array", super::type_name(object)),
        )
    })?;
    Ok(if is_copied { made.as_copied() } else { made })
}

fn array_dtype(object: &Bound<'_, PyAny>, array: &Array) -> PyResult<DType> {
    if let Some(dtype) = array.builtin() {
        return Ok(dtype);
    }
    dtype::dtype(&object.getattr("dtype")?)?
        .ok_or_else(|| new_error(ErrorKind::TypeError, "an array without a dtype"))
}

/// Writes a tensor into an array of the same shape.
///
/// # Errors
/// `TypeError` when `out` is no array, or what the copy reports.
pub fn fill(source: &tenspan::Tensor, out: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(target) = tensor(out)? else {
        return Err(new_error(
            ErrorKind::TypeError,
            format!("`out` wants a NumPy array, found {}", super::type_name(out)),
        ));
    };
    let options = tenspan::generated::dictionaries::CopyOptions::default();
    out.py()
        .detach(|| tenspan::copy(source, &target, &options))
        .map_err(raised)
}
