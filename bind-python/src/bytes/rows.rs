//! Products of rows that are not made into tensors first: `dot` and its family, called with two tensors or arrays.
//!
//! The rows are described on the stack and given to [`pair`]; other threads run while it works on long ones.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use std::ffi::CStr;
use tenspan::DType;
use tenspan::product::{Metric, Number, Row, pair};

use super::numpy;
use super::raw::{self, Arguments};
use crate::generated::Tensor;

/// Numbers in a row from which on the interpreter is given to others while it is worked on.
const LONG: usize = 1 << 15;

static ORDINARY: [PyOnceLock<Py<PyAny>>; Metric::ALL.len()] =
    [const { PyOnceLock::new() }; Metric::ALL.len()];

/// Puts the quick function of a metric in the place of the ordinary one.
///
/// # Errors
/// None but of memory.
pub fn add<const METRIC: usize>(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    ordinary: &Bound<'_, PyAny>,
) -> PyResult<()> {
    raw::add_function(module, name, call::<METRIC>, ordinary, &ORDINARY[METRIC])
}

unsafe extern "C" fn call<const METRIC: usize>(
    _module: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, positional, names) };
    let quick = |py: Python<'_>| quick::<METRIC>(py, arguments);
    // SAFETY: the interpreter calls this, attached.
    unsafe { raw::call(&ORDINARY[METRIC], None, arguments, quick) }
}

/// The number that two rows make; nothing when they are no rows, or all is not well with them.
#[inline(always)]
fn quick<const METRIC: usize>(
    py: Python<'_>,
    arguments: Arguments<'_>,
) -> Option<*mut ffi::PyObject> {
    if arguments.positional != 2 {
        return None;
    }
    let fast = match arguments.names.is_null() {
        true => false,
        false => is_fast(py, arguments)?,
    };
    let a = row(py, arguments.all[0])?;
    let b = row(py, arguments.all[1])?;
    let metric = Metric::ALL[METRIC];
    let made = match a.len() < LONG {
        true => pair(metric, a, b, fast),
        // The caller keeps both objects, and so their memory.
        false => py.detach(|| pair(metric, a, b, fast)),
    }
    .ok()?;
    // Null says that an exception is set.
    Some(match made {
        // SAFETY: a number is made, attached.
        Number::Real(number) => unsafe { ffi::PyFloat_FromDouble(number) },
        Number::Whole(number) => {
            let number = i64::try_from(number).ok()?;
            // SAFETY: as above.
            unsafe { ffi::PyLong_FromLongLong(number) }
        }
        // SAFETY: as above.
        Number::Complex(number) => unsafe { ffi::PyComplex_FromDoubles(number.re, number.im) },
    })
}

/// What `fast` is given as; nothing when another name is given, or another object.
fn is_fast(py: Python<'_>, arguments: Arguments<'_>) -> Option<bool> {
    let mut fast = false;
    for (name, value) in arguments.named() {
        if name != pyo3::intern!(py, "fast").as_ptr() {
            return None;
        }
        // SAFETY: this object lives as long as the interpreter.
        let yes = unsafe { ffi::Py_True() };
        // SAFETY: as above.
        let no = unsafe { ffi::Py_False() };
        if value != yes && value != no {
            return None;
        }
        fast = value == yes;
    }
    Some(fast)
}

/// The row of a tensor or an array of one dimension, in memory that the object keeps; nothing for other objects.
// In one piece with its caller: a row that is written to memory in parts and moved at once makes the processor wait.
#[inline(always)]
fn row<'a>(py: Python<'_>, object: *mut ffi::PyObject) -> Option<Row<'a>> {
    // SAFETY: the caller lends an object.
    let class = unsafe { ffi::Py_TYPE(object) };
    let (dtype, first, len, stride) = if class == Tensor::type_object_raw(py) {
        // SAFETY: an object that the caller keeps during the call.
        let object = unsafe { Borrowed::from_ptr(py, object) };
        // SAFETY: of exactly this class.
        let tensor = &unsafe { object.cast_unchecked::<Tensor>() }.get().0;
        let (&[len], &[stride]) = (tensor.shape(), tensor.strides()) else {
            return None;
        };
        let first: *const u8 = tensor.dl().data.cast_const().cast();
        (tensor.dtype(), first, len, stride)
    } else {
        numpy::row(py, object, class)?
    };
    if !dtype.is_plain() || first.is_null() {
        return None;
    }
    let size = dtype.block_bytes();
    if stride != size as i64 {
        return strided(dtype, first, len, stride);
    }
    // SAFETY: so many numbers stand there one after another, in memory that the tensor or the array keeps; the caller keeps that during
    // the call. No object has more bytes than there are addresses.
    let bytes = unsafe { std::slice::from_raw_parts(first, (len * size) as usize) };
    Some(Row::within(dtype, bytes))
}

/// A row whose numbers do not stand one after another.
fn strided<'a>(dtype: DType, first: *const u8, len: u64, stride: i64) -> Option<Row<'a>> {
    let size = dtype.block_bytes();
    if len == 0 {
        return Row::packed(dtype, &[]).ok();
    }
    let reach = i64::try_from(len - 1).ok()?.checked_mul(stride)?;
    let start = first.wrapping_offset(reach.min(0) as isize);
    let bytes = usize::try_from(reach.unsigned_abs().checked_add(size)?).ok()?;
    // SAFETY: the first and the last number, and so all between them, are in memory that the tensor or the array
    // keeps; the caller keeps that during the call.
    let bytes = unsafe { std::slice::from_raw_parts(start, bytes) };
    Row::strided(dtype, bytes, reach.min(0).unsigned_abs(), stride, len).ok()
}
