//! Products of rows that are not made into tensors first: `dot` and its family, called with two tensors or arrays.
//!
//! The rows are described on the stack and given to [`pair`]. Long ones go the ordinary way, which lets other threads
//! run meanwhile.

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
const LONG: u64 = 1 << 15;

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
    let quick = |py: Python<'_>| quick(py, Metric::ALL[METRIC], arguments);
    // SAFETY: the interpreter calls this, attached.
    unsafe { raw::call(&ORDINARY[METRIC], None, arguments, quick) }
}

/// The number that two rows make; nothing when they are no rows, or all is not well with them.
fn quick(py: Python<'_>, metric: Metric, arguments: Arguments<'_>) -> Option<*mut ffi::PyObject> {
    if arguments.positional != 2 {
        return None;
    }
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
    let (a, b) = (
        View::of(py, arguments.all[0])?,
        View::of(py, arguments.all[1])?,
    );
    let made = pair(metric, a.row()?, b.row()?, fast).ok()?;
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

/// A row in memory that an object of the caller keeps.
struct View {
    dtype: DType,
    first: *const u8,
    stride: i64,
    len: u64,
}

impl View {
    /// The row of a tensor or an array of one dimension; nothing for other objects, and for long rows.
    fn of(py: Python<'_>, object: *mut ffi::PyObject) -> Option<View> {
        // SAFETY: the caller lends an object.
        let class = unsafe { ffi::Py_TYPE(object) };
        let view = if class == Tensor::type_object_raw(py) {
            // SAFETY: an object that the caller keeps during the call.
            let object = unsafe { Borrowed::from_ptr(py, object) };
            // SAFETY: of exactly this class.
            let tensor = unsafe { object.cast_unchecked::<Tensor>() };
            View::of_tensor(&tensor.get().0)?
        } else {
            let (dtype, first, len, stride) = numpy::row(py, object, class)?;
            View {
                dtype,
                first,
                stride,
                len,
            }
        };
        (view.len < LONG).then_some(view)
    }

    fn of_tensor(tensor: &tenspan::Tensor) -> Option<View> {
        let (&[len], &[stride]) = (tensor.shape(), tensor.strides()) else {
            return None;
        };
        Some(View {
            dtype: tensor.dtype(),
            first: tensor.dl().data.cast_const().cast(),
            stride,
            len,
        })
    }

    /// The row as products read it.
    fn row(&self) -> Option<Row<'_>> {
        if !self.dtype.is_plain() || self.first.is_null() {
            return None;
        }
        let size = self.dtype.block_bytes();
        if self.len == 0 {
            return Row::packed(self.dtype, &[]).ok();
        }
        let reach = i64::try_from(self.len - 1).ok()?.checked_mul(self.stride)?;
        let start = self.first.wrapping_offset(reach.min(0) as isize);
        let bytes = usize::try_from(reach.unsigned_abs().checked_add(size)?).ok()?;
        // SAFETY: the first and the last number, and so all between them, are in memory that the tensor or the array
        // keeps; the caller keeps that during the call.
        let bytes = unsafe { std::slice::from_raw_parts(start, bytes) };
        if self.stride == size as i64 {
            return Row::packed(self.dtype, bytes).ok();
        }
        let first = reach.min(0).unsigned_abs();
        Row::strided(self.dtype, bytes, first, self.stride, self.len).ok()
    }
}
