//! Arrays of NumPy for the time of a call: tensors over them that are used again, so that no memory is asked for.

use std::cell::UnsafeCell;

use pyo3::ffi;
use pyo3::prelude::*;
use tenspan::abi::tensor::{Packed, renew, sole_keeper};

use super::super::owner::Owner;
use super::{Array, NUMPY, PACKED, WRITEABLE};

/// Dimensions of the tensors that are used again.
const DIMENSIONS: usize = 5;
/// Tensors of each number of dimensions that are kept.
const MOST: usize = 8;

/// Tensors without an array, by their number of dimensions.
struct Spare(UnsafeCell<[Vec<tenspan::Tensor>; DIMENSIONS]>);

// SAFETY: only threads that are attached look at it, for the time of one operation of a vector that runs no code of others.
unsafe impl Sync for Spare {}

static SPARE: Spare = Spare(UnsafeCell::new([const { Vec::new() }; DIMENSIONS]));

impl Spare {
    /// The tensors of so many dimensions.
    ///
    /// # Safety
    /// The thread is attached, and lets go of the vector before it runs any other code.
    #[allow(clippy::mut_from_ref, reason = "attached threads take turns")]
    unsafe fn of(&self, ndim: usize) -> Option<&mut Vec<tenspan::Tensor>> {
        // SAFETY: the caller says that it is the only one here.
        unsafe { &mut *self.0.get() }.get_mut(ndim)
    }
}

/// A tensor that was used before, over a packed array of exactly NumPy's class and one of its own element types; `None` for other
/// objects and when there is no such tensor.
#[inline]
pub fn quick(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    class: *mut ffi::PyTypeObject,
) -> Option<tenspan::Tensor> {
    if class != NUMPY.get(py)?.array.as_ptr().cast() {
        return None;
    }
    // SAFETY: an object that the caller keeps.
    let object = unsafe { Borrowed::from_ptr(py, object) };
    again(&object)
}

/// A tensor over an array of exactly NumPy's class; `None` for other objects.
pub fn exact(object: &Bound<'_, PyAny>) -> Option<PyResult<tenspan::Tensor>> {
    let is_array = match NUMPY.get(object.py()) {
        Some(numpy) => object.get_type_ptr() == numpy.array.as_ptr().cast(),
        // Nobody asked yet; NumPy may be there all the same.
        None => super::super::type_name(object) == "ndarray",
    };
    if !is_array {
        return None;
    }
    super::tensor(object).transpose()
}

/// As [`quick`], of an array.
fn again(object: &Bound<'_, PyAny>) -> Option<tenspan::Tensor> {
    // SAFETY: an array begins with this structure.
    let array = unsafe { &*object.as_ptr().cast::<Array>() };
    if array.flags & PACKED == 0 || array.data.is_null() {
        return None;
    }
    let dtype = array.builtin()?;
    let (shape, strides) = array.dims();
    // SAFETY: attached, and the vector is let go of at once.
    let mut tensor = unsafe { SPARE.of(shape.len()) }?.pop()?;
    // NumPy keeps arrays below the size that a length has room for.
    let nbytes = shape.iter().product::<u64>() * dtype.block_bytes();
    let memory = Packed {
        data: array.data,
        dtype,
        shape,
        strides,
        nbytes,
        readonly: array.flags & WRITEABLE == 0,
    };
    // SAFETY: the array describes packed memory that it keeps; NumPy refuses to resize an array that others refer to.
    let renewed = unsafe { renew(&mut tensor, &memory, Owner::object(object)) };
    renewed.ok().map(|()| tensor)
}

/// Takes a tensor back after a call, to be used again if nobody kept it. The thread is attached.
pub fn take_back(mut tensor: tenspan::Tensor) {
    let object = sole_keeper::<Owner>(&mut tensor).and_then(Owner::give_back);
    let Some(object) = object else { return };
    // SAFETY: attached, and the vector is let go of at once.
    let spare = unsafe { SPARE.of(tensor.ndim() as usize) };
    let left = match spare {
        Some(spare) if spare.len() < MOST => {
            spare.push(tensor);
            None
        }
        _ => Some(tensor),
    };
    drop(left);
    // SAFETY: attached, and the reference is given up.
    unsafe { ffi::Py_DECREF(object.into_ptr()) };
}
