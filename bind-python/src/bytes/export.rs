//! The buffer protocol of [`Tensor`]: `memoryview(t)`, `bytes(t)`, `numpy.asarray(t)`.
//!
//! Requests that the memory does not meet are refused: a consumer that asks for packed bytes never gets strided ones.

use std::ffi::{CStr, c_int};

use pyo3::ffi;
use pyo3::prelude::*;
use tenspan::{DType, DTypeName, ErrorKind};

use crate::error::new_error;
use crate::generated::Tensor;

// Shape and strides are handed out where they lie in the tensor object, as words of 64 bits.
const _: () = assert!(size_of::<isize>() == size_of::<i64>());

#[pymethods]
impl Tensor {
    /// Fills in the description of the memory.
    ///
    /// # Safety
    /// Called by the interpreter, with a structure to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(new_error(
                ErrorKind::BufferError,
                "no structure to fill was given",
            ));
        }
        let tensor = &slf.get().0;
        let format = check(tensor, flags)?;
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
            obj: slf.clone().into_any().into_ptr(),
            len: tensor.nbytes() as isize,
            itemsize: tensor.dtype().block_bytes() as isize,
            readonly: tensor.readonly().into(),
            ndim,
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
        Ok(())
    }
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
