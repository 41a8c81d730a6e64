//! Memory shared with Python: all unsafe code of this front.
//!
//! [`tensor`] views what another library exports by the buffer protocol; [`export`] is the other direction;
//! [`numpy`] does both with NumPy's arrays, through their C structure, which is several times faster; [`dlpack`] and
//! [`exchange`] with all who speak DLPack; [`interface`] with those who describe their memory in a dictionary.
//! [`device`] passes on what is not in memory of the CPU, [`long`] numbers of any size. [`owner`] keeps the memory of others alive, [`held`] objects that others hold. [`function`] is the class of functions, [`argument`]
//! what they get, [`object`] the class of all objects that have fields, [`identity`] finds the object that there is already for a value. [`raw`], [`quick`] and [`handover`] are calls that take no more
//! time than the interpreter does. [`runtime`] is what compiled modules call.
#![allow(
    unsafe_code,
    reason = "memory of other libraries is described by C structures"
)]

use std::ffi::CStr;

use pyo3::ffi;
use pyo3::prelude::*;
use tenspan::shape::Dims;
use tenspan::{DType, ErrorKind};

use crate::error::{new_error, raised};

pub mod argument;
pub mod device;
pub mod dlpack;
pub mod exchange;
pub mod export;
pub mod function;
pub mod handover;
pub mod held;
pub mod identity;
pub mod interface;
pub mod long;
pub mod neighbour;
pub mod numpy;
pub mod object;
pub mod owner;
pub mod pointer;
pub mod quick;
mod raw;
pub mod rows;
pub mod runtime;
pub mod spare;

/// A tensor over the memory of any object with the buffer protocol, which it keeps alive; `None` for other objects.
///
/// # Errors
/// `TypeError` for element types that tenspan does not have, or what the exporter raises.
pub fn tensor(object: &Bound<'_, PyAny>) -> PyResult<Option<tenspan::Tensor>> {
    if !has_buffer(object) {
        return Ok(None);
    }
    let buffer = Buffer::get(object, ffi::PyBUF_FULL_RO)?;
    let dtype = buffer.dtype().ok_or_else(|| {
        let format = buffer.format().to_string_lossy().into_owned();
        new_error(
            ErrorKind::TypeError,
            format!(
                "buffer format '{format}' of {} is no dtype of tenspan in native byte order",
                type_name(object)
            ),
        )
    })?;
    if !buffer.0.suboffsets.is_null() {
        return Err(new_error(
            ErrorKind::TypeError,
            "buffers of pointers to rows (suboffsets) are not supported",
        ));
    }
    let item = buffer.0.itemsize as i64;
    // Without a shape it is a row of items.
    let row = buffer.0.ndim > 0 && buffer.0.shape.is_null();
    let shape: Dims<u64> = if row {
        [(buffer.0.len as i64 / item.max(1)) as u64]
            .into_iter()
            .collect()
    } else {
        let lengths = buffer.dims(buffer.0.shape).iter();
        lengths.map(|n| *n as u64).collect()
    };
    let strides: Option<Dims<i64>> = (!buffer.0.strides.is_null()).then(|| {
        let strides = buffer.dims(buffer.0.strides).iter();
        strides.map(|n| *n as i64).collect()
    });
    let (start, readonly) = (buffer.0.buf.cast::<u8>(), buffer.0.readonly != 0);
    // SAFETY: the exporter describes memory that stays where it is until the buffer is released, by its keeper.
    unsafe {
        tenspan::from_memory(
            start,
            dtype,
            &shape,
            strides.as_deref(),
            readonly,
            owner::Owner::export(object, buffer),
        )
    }
    .map(Some)
    .map_err(raised)
}

/// Whether an object has the buffer protocol.
pub fn has_buffer(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a valid object, and the thread is attached.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
}

/// A copy of the bytes of a bytes-like object.
///
/// # Errors
/// What the exporter raises.
pub fn contents(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let buffer = Buffer::get(object, ffi::PyBUF_C_CONTIGUOUS)?;
    Ok(Borrowed(buffer).as_slice().to_vec())
}

/// Name of an object's class, for messages.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object
        .get_type()
        .name()
        .map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// Bytes that a caller lends for one call.
pub struct Borrowed(Buffer);

impl Borrowed {
    /// The bytes. Nobody may write them while the slice is in use; that is the caller's promise, as it is in C.
    pub fn as_slice(&self) -> &[u8] {
        let buffer = &self.0.0;
        if buffer.len == 0 || buffer.buf.is_null() {
            return &[];
        }
        // SAFETY: a contiguous buffer has `len` bytes at `buf` until it is released, which `self` does when it goes.
        unsafe { std::slice::from_raw_parts(buffer.buf.cast(), buffer.len as usize) }
    }
}

impl<'py> FromPyObject<'_, 'py> for Borrowed {
    type Error = PyErr;

    fn extract(object: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if !has_buffer(&object) {
            let found = type_name(&object);
            return Err(new_error(
                ErrorKind::TypeError,
                format!("bytes or another contiguous buffer wanted, found {found}"),
            ));
        }
        Buffer::get(&object, ffi::PyBUF_C_CONTIGUOUS).map(Borrowed)
    }
}

/// A buffer got from its exporter, given back when it is dropped. The structure may not move: exporters point into it.
struct Buffer(Box<ffi::Py_buffer>);

// SAFETY: the description is only read, the memory is the exporter's, and releasing attaches to the interpreter.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    fn get(object: &Bound<'_, PyAny>, flags: i32) -> PyResult<Buffer> {
        let mut buffer = Box::new(ffi::Py_buffer::new());
        // SAFETY: a valid object, a structure to fill, and the thread is attached.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &mut *buffer, flags) } != 0 {
            return Err(PyErr::take(object.py()).unwrap_or_else(|| {
                new_error(
                    ErrorKind::BufferError,
                    "the buffer was refused without a reason",
                )
            }));
        }
        Ok(Buffer(buffer))
    }

    /// A group of `ndim` words, empty when there is none.
    fn dims(&self, words: *const isize) -> &[isize] {
        if words.is_null() || self.0.ndim <= 0 {
            return &[];
        }
        // SAFETY: the exporter gave `ndim` words, valid until the buffer is released.
        unsafe { std::slice::from_raw_parts(words, self.0.ndim as usize) }
    }

    /// Format of an item, as `struct` writes it; bytes when there is none.
    fn format(&self) -> &CStr {
        if self.0.format.is_null() {
            return c"B";
        }
        // SAFETY: the exporter gave a string, valid until the buffer is released.
        unsafe { CStr::from_ptr(self.0.format) }
    }

    fn dtype(&self) -> Option<DType> {
        let format = self.format().to_bytes();
        let item = u8::try_from(self.0.itemsize).ok()?;
        let (swapped, code) = match format {
            [b'@' | b'=', code @ ..] => (false, code),
            [b'<', code @ ..] => (cfg!(target_endian = "big"), code),
            [b'>' | b'!', code @ ..] => (cfg!(target_endian = "little"), code),
            code => (false, code),
        };
        // Codes of DLPack: what the numbers are; their width is that of the item.
        let class = match code {
            b"b" | b"h" | b"i" | b"l" | b"q" | b"n" => 0,
            b"B" | b"c" | b"H" | b"I" | b"L" | b"Q" | b"N" => 1,
            b"e" | b"f" | b"d" => 2,
            b"Zf" | b"Zd" => 5,
            b"?" => 6,
            _ => return None,
        };
        if swapped && item > 1 {
            return None;
        }
        DType::from_dlpack(class, item.checked_mul(8)?)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // Nothing is left to release once the interpreter is gone.
        Python::try_attach(|_| {
            // SAFETY: got once, released once, attached.
            unsafe { ffi::PyBuffer_Release(&mut *self.0) }
        });
    }
}
