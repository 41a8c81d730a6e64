//! Tensors over an address, and over bytes that are read as something else.

use pyo3::ffi;
use pyo3::prelude::*;
use tenspan::{DType, ErrorKind, Tensor};

use super::owner::Owner;
use super::{Buffer, has_buffer, type_name};
use crate::error::{new_error, raised};

/// A tensor over memory at an address, kept alive by `owner`.
///
/// # Errors
/// Kinds of [`tenspan::from_memory`].
#[inline(always)]
pub fn tensor(
    address: u64,
    shape: &[u64],
    dtype: DType,
    strides: Option<&[i64]>,
    owner: Option<&Bound<'_, PyAny>>,
    readonly: bool,
) -> PyResult<Tensor> {
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    let Some(owner) = owner else {
        // SAFETY: that the memory is there, and stays as long as the process, is the promise of the caller; it is what the
        // function is for, as its docs say.
        return unsafe { tenspan::from_memory(start, dtype, shape, strides, readonly, ()) }
            .map_err(raised);
    };
    let (keeper, protected) = keeper(owner, address);
    // SAFETY: as above, as long as `owner` is kept.
    unsafe { tenspan::from_memory(start, dtype, shape, strides, readonly || protected, keeper) }
        .map_err(raised)
}

/// Holds an owner, by an export of its memory if it has the buffer protocol, and whether the address is in memory that
/// the owner exports as read-only.
fn keeper(owner: &Bound<'_, PyAny>, address: u64) -> (Owner, bool) {
    let flags = ffi::PyBUF_FULL_RO;
    let export = has_buffer(owner).then(|| Buffer::get(owner, flags).ok());
    let Some(buffer) = export.flatten() else {
        return (Owner::object(owner), false);
    };
    let first = buffer.0.buf as u64;
    let inside = address >= first && address - first < buffer.0.len.unsigned_abs() as u64;
    let protected = inside && buffer.0.readonly != 0;
    (Owner::export(owner, buffer), protected)
}

/// A tensor over the bytes of a packed buffer, from `offset` on, read as elements of a dtype.
///
/// # Errors
/// `TypeError` for what exports no memory, `BufferError` for memory that is not packed or not long enough.
pub fn reinterpret(
    object: &Bound<'_, PyAny>,
    dtype: DType,
    shape: Option<&[u64]>,
    offset: u64,
) -> PyResult<Tensor> {
    if !has_buffer(object) {
        let message = format!(
            "an object that exports a buffer wanted, found {}",
            type_name(object)
        );
        return Err(new_error(ErrorKind::TypeError, message));
    }
    let buffer = Buffer::get(object, ffi::PyBUF_C_CONTIGUOUS | ffi::PyBUF_FORMAT)?;
    let (start, len, readonly) = (
        buffer.0.buf.cast::<u8>(),
        buffer.0.len as u64,
        buffer.0.readonly != 0,
    );
    let Some(room) = len.checked_sub(offset) else {
        let message = format!("offset {offset} is beyond the {len} bytes of the buffer");
        return Err(new_error(ErrorKind::ValueError, message));
    };
    let whole = [match dtype.block_bytes() {
        0 => 0,
        bytes if room.is_multiple_of(bytes) || shape.is_some() => room / bytes * dtype.block_len(),
        bytes => {
            let message = format!(
                "{room} bytes are no whole number of elements of {dtype}, which take {bytes} for each {}",
                dtype.block_len()
            );
            return Err(new_error(ErrorKind::ValueError, message));
        }
    }];
    let shape = shape.unwrap_or(&whole);
    let wanted = tenspan::shape::nbytes(dtype, shape).map_err(raised)?;
    if wanted > room {
        let message = format!(
            "shape {shape:?} of {dtype} takes {wanted} bytes, but the buffer has {room} from byte {offset} on"
        );
        return Err(new_error(ErrorKind::BufferError, message));
    }
    let keeper = Owner::export(object, buffer);
    // SAFETY: the bytes are inside the exported ones, which stay where they are until the export is released.
    unsafe {
        tenspan::from_memory(
            start.wrapping_add(offset as usize),
            dtype,
            shape,
            None,
            readonly,
            keeper,
        )
    }
    .map_err(raised)
}
