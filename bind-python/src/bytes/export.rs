//! The buffer protocol of [`Tensor`]: `memoryview(t)`, `bytes(t)`, `numpy.asarray(t)`.
//!
//! Requests that the memory does not meet are refused: a consumer that asks for packed bytes never gets strided ones.

use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::prelude::*;
use tenspan::{DType, DTypeName, ErrorKind};

use crate::error::new_error;
use crate::generated::Tensor;

// Shape and strides are handed out where they lie in the tensor object, as words of 64 bits.
const _: () = assert!(size_of::<isize>() == size_of::<i64>());

/// The slot of the class, without anything of PyO3 in between.
const SLOTS: &[ffi::PyType_Slot] = &[ffi::PyType_Slot {
    slot: ffi::Py_bf_getbuffer,
    pfunc: fill as ffi::getbufferproc as *mut c_void,
}];

pyo3::inventory::submit! {
    type Inventory = <Tensor as PyClassImpl>::Inventory;
    Inventory::new(PyClassItems { methods: &[], slots: SLOTS })
}

/// Fills in the description of the memory.
unsafe extern "C" fn fill(
    object: *mut ffi::PyObject,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> c_int {
    // SAFETY: the interpreter calls this attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: the interpreter lends an object.
    let object = unsafe { Borrowed::from_ptr(py, object) };
    // SAFETY: of this class, whose slot it is.
    let object = unsafe { object.cast_unchecked::<Tensor>() };
    let tensor = &object.get().0;
    let format = match simple(tensor, flags) {
        Some(format) if !view.is_null() => format,
        _ => match checked(object, view, flags) {
            Some(format) => format,
            None => return -1,
        },
    };
    let has = |flag: c_int| flags & flag == flag;
    let ndim = tensor.ndim() as c_int;
    let dims = |words: *const isize, wanted: bool| {
        if wanted && ndim > 0 {
            words.cast_mut()
        } else {
            std::ptr::null_mut()
        }
    };
    let description = ffi::Py_buffer {
        buf: address(tensor).cast(),
        obj: object.to_owned().into_any().into_ptr(),
        len: tensor.nbytes() as isize,
        itemsize: tensor.dtype().block_bytes() as isize,
        readonly: tensor.readonly().into(),
        // Who asks for no shape is told of a row of bytes.
        ndim: if has(ffi::PyBUF_ND) {
            ndim
        } else {
            ndim.min(1)
        },
        format: if has(ffi::PyBUF_FORMAT) {
            format.as_ptr().cast_mut()
        } else {
            std::ptr::null_mut()
        },
        shape: dims(tensor.shape().as_ptr().cast(), has(ffi::PyBUF_ND)),
        strides: dims(tensor.strides().as_ptr().cast(), has(ffi::PyBUF_STRIDES)),
        suboffsets: std::ptr::null_mut(),
        internal: std::ptr::null_mut(),
    };
    // SAFETY: the interpreter gave a structure to fill. Memory, shape and strides live as long as `obj`, which
    // the description holds a reference to until it is released.
    unsafe { view.write(description) }
    0
}

/// The format of the elements, when it is seen at once that the tensor can be exported as `flags` ask.
#[inline]
fn simple(tensor: &tenspan::Tensor, flags: c_int) -> Option<&'static CStr> {
    let format = format(tensor.dtype())?;
    let is_packed = tensor.is_contiguous();
    let takes_any = flags & ffi::PyBUF_STRIDES == ffi::PyBUF_STRIDES
        && flags & ANY_ORDER & !ffi::PyBUF_STRIDES == 0;
    let takes_rows = flags & ffi::PyBUF_F_CONTIGUOUS & !ffi::PyBUF_STRIDES == 0;
    let is_taken = takes_any || (is_packed && takes_rows);
    let is_writable = flags & ffi::PyBUF_WRITABLE == 0 || !tensor.readonly();
    let is_there = tensor.data_ptr() != 0;
    (is_taken && is_writable && is_there).then_some(format)
}

/// Every request for elements in some order.
const ANY_ORDER: c_int =
    ffi::PyBUF_C_CONTIGUOUS | ffi::PyBUF_F_CONTIGUOUS | ffi::PyBUF_ANY_CONTIGUOUS;

/// The format of the elements, if the tensor can be exported as `flags` ask; else an exception is set.
#[cold]
fn checked(
    object: Borrowed<'_, '_, Tensor>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> Option<&'static CStr> {
    let checked = || {
        Python::attach(|py| {
            let found = match view.is_null() {
                true => Err(new_error(
                    ErrorKind::BufferError,
                    "no structure to fill was given",
                )),
                false => check(&object.get().0, flags),
            };
            found.map_err(|error| error.restore(py)).ok()
        })
    };
    let format = catch_unwind(AssertUnwindSafe(checked)).unwrap_or_else(|_| {
        let text = c"a Rust function panicked";
        // SAFETY: the thread is attached.
        let kind = unsafe { ffi::PyExc_SystemError };
        // SAFETY: as above; a class of exceptions and a text.
        unsafe { ffi::PyErr_SetString(kind, text.as_ptr()) };
        None
    });
    if format.is_none() && !view.is_null() {
        // SAFETY: the interpreter gave a structure; that nothing is exported is told by an object that is null.
        unsafe { (*view).obj = std::ptr::null_mut() };
    }
    format
}

/// The format of the elements, if the tensor can be exported as `flags` ask.
fn check(tensor: &tenspan::Tensor, flags: c_int) -> PyResult<&'static CStr> {
    let refused = |why: &str| {
        Err(new_error(
            ErrorKind::BufferError,
            format!("{tensor:?} {why}"),
        ))
    };
    let has = |flag: c_int| flags & flag == flag;
    let Some(format) = format(tensor.dtype()) else {
        return refused(
            "has a dtype that the buffer protocol has no format for; see numpy(), cast() and tobytes()",
        );
    };
    if tensor.data_ptr() == 0 && tensor.size() > 0 {
        return refused("has no memory: its context only plans");
    }
    if has(ffi::PyBUF_WRITABLE) && tensor.readonly() {
        return refused("is read-only");
    }
    let rows = tensor.is_contiguous();
    let columns = || is_packed_backwards(tensor);
    let wants = |flag: c_int| flags & flag & !ffi::PyBUF_STRIDES != 0;
    if wants(ffi::PyBUF_C_CONTIGUOUS) && !rows {
        return refused("is not contiguous");
    }
    if wants(ffi::PyBUF_F_CONTIGUOUS) && !columns() {
        return refused("is not contiguous in column-major order");
    }
    if wants(ffi::PyBUF_ANY_CONTIGUOUS) && !rows && !columns() {
        return refused("is not contiguous in any order");
    }
    if !has(ffi::PyBUF_STRIDES) && !rows {
        return refused("is not contiguous, and the consumer does not take strides");
    }
    Ok(format)
}

/// Where the elements begin; for a tensor without any, an address that is not null.
pub(super) fn address(tensor: &tenspan::Tensor) -> *mut u8 {
    let start = tensor.dl().data.cast::<u8>();
    if start.is_null() {
        std::ptr::NonNull::dangling().as_ptr()
    } else {
        start
    }
}

/// Whether the elements are packed with the first dimension innermost.
fn is_packed_backwards(tensor: &tenspan::Tensor) -> bool {
    let mut next = tensor.dtype().block_bytes() as i64;
    tensor.is_empty()
        || tensor
            .shape()
            .iter()
            .zip(tensor.strides())
            .all(|(n, stride)| {
                let packed = *n == 1 || *stride == next;
                next = next.saturating_mul(*n as i64);
                packed
            })
}

/// The format of the buffer protocol; none for what it cannot name.
fn format(dtype: DType) -> Option<&'static CStr> {
    use DTypeName as N;
    Some(match dtype.known()? {
        N::Float64 => c"d",
        N::Float32 => c"f",
        N::Float16 => c"e",
        N::Int8 => c"b",
        N::Int16 => c"h",
        N::Int32 => c"i",
        N::Int64 => c"q",
        N::Uint8 => c"B",
        N::Uint16 => c"H",
        N::Uint32 => c"I",
        N::Uint64 => c"Q",
        N::Bool => c"?",
        N::Complex64 => c"Zf",
        N::Complex128 => c"Zd",
        _ => return None,
    })
}
