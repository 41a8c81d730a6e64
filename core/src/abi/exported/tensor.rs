//! Tensors taken over, handed over and viewed.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::{give, guarded, held, null, required};
use crate::abi::dlpack::{self, Handed, Managed};
use crate::abi::layout::{DLManagedTensor, DLManagedTensorVersioned, DLTensor, index};
use crate::abi::object::{self, ObjectRef};
use crate::abi::{foreign, types};
use crate::error::{Error, ErrorKind, Result};

/// A tensor object of what somebody hands over, whatever its device and dtype.
///
/// # Safety
/// As [`dlpack::import`].
pub(super) unsafe fn own(from: NonNull<DLManagedTensorVersioned>) -> Result<ObjectRef> {
    // SAFETY: the caller says so.
    unsafe { take(Handed::Versioned(from)) }
}

/// # Safety
/// As [`dlpack::import`]. What has no version is writable, as the ABI has it.
unsafe fn take(handed: Handed) -> Result<ObjectRef> {
    // SAFETY: the caller says so.
    let ours = unsafe { dlpack::import_writable(handed, Box::new) };
    match ours {
        Ok(tensor) => Ok(tensor.into_object()),
        Err(error) => {
            // SAFETY: nothing was taken over, so it is valid.
            let (dl, flags) = unsafe { dlpack::described(handed) }?;
            let is_known = dlpack::is_readable(dl.device.device_type) && foreign::has_dtype(&dl);
            if is_known || flags & dlpack::IS_PADDED != 0 {
                return Err(error);
            }
            // SAFETY: the caller hands it over to us, and nobody took it so far.
            foreign::object(&dl, |_| unsafe { Managed::take(handed) })
        }
    }
}

/// What is asked of memory that is taken over.
struct Wanted {
    alignment: i32,
    contiguous: i32,
}

impl Wanted {
    fn check(&self, dl: &DLTensor) -> Result<()> {
        let address = (dl.data as u64).wrapping_add(dl.byte_offset);
        let alignment = self.alignment.max(1) as u64;
        if !address.is_multiple_of(alignment) {
            let message =
                format!("memory at a multiple of {alignment} is wanted, found {address:#x}");
            return Err(Error::new(ErrorKind::RuntimeError, message));
        }
        if self.contiguous != 0 && !foreign::is_contiguous(dl) {
            let message = "contiguous elements are wanted, found strides that leave gaps";
            return Err(Error::new(ErrorKind::RuntimeError, message));
        }
        Ok(())
    }
}

/// # Safety
/// As [`take`]; `out` is null or room for a handle.
unsafe fn import(handed: Handed, wanted: &Wanted, out: *mut *mut c_void) -> Result<()> {
    if out.is_null() {
        return Err(null("the place for the result"));
    }
    // SAFETY: the caller says so.
    let (dl, _) = unsafe { dlpack::described(handed) }?;
    wanted.check(&dl)?;
    // SAFETY: as above.
    let object = unsafe { take(handed) }?;
    // SAFETY: as above.
    unsafe { give(out, object) }
}

/// A tensor object of one that somebody hands over; it is theirs still when this fails.
pub unsafe extern "C" fn tensor_from_dlpack(
    from: *mut DLManagedTensor,
    alignment: i32,
    contiguous: i32,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        let from = NonNull::new(from).ok_or_else(|| null("the tensor to take over"))?;
        let wanted = Wanted {
            alignment,
            contiguous,
        };
        // SAFETY: the caller hands over a valid structure.
        unsafe { import(Handed::Legacy(from), &wanted, out) }
    })
}

/// As [`tensor_from_dlpack`], with a version.
pub unsafe extern "C" fn tensor_from_dlpack_versioned(
    from: *mut DLManagedTensorVersioned,
    alignment: i32,
    contiguous: i32,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        let from = NonNull::new(from).ok_or_else(|| null("the tensor to take over"))?;
        let wanted = Wanted {
            alignment,
            contiguous,
        };
        // SAFETY: the caller hands over a valid structure.
        unsafe { import(Handed::Versioned(from), &wanted, out) }
    })
}

/// The tensor object of a handle.
///
/// # Safety
/// The handle is null or of a live object.
unsafe fn tensor(handle: *mut c_void) -> Result<ObjectRef> {
    // SAFETY: the caller says so.
    let object = unsafe { held(handle, "the tensor") }?;
    if object.type_index() != index::TENSOR {
        let found = types::key(object.type_index());
        let message = format!("a tensor is wanted, found {found}");
        return Err(Error::new(ErrorKind::TypeError, message));
    }
    Ok(object)
}

/// Hands over a tensor.
pub unsafe extern "C" fn tensor_to_dlpack(
    from: *mut c_void,
    out: *mut *mut DLManagedTensor,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a live object, and room for an address. So below.
        let object = unsafe { tensor(from) }?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        let managed = match object::tensor(&object) {
            Some(tensor) => dlpack::export_legacy(tensor)?,
            None => foreign::export_legacy(object),
        };
        // SAFETY: as above.
        unsafe { out.write(managed.as_ptr()) };
        Ok(())
    })
}

/// Hands over a tensor, with a version.
pub unsafe extern "C" fn tensor_to_dlpack_versioned(
    from: *mut c_void,
    out: *mut *mut DLManagedTensorVersioned,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a live object, and room for an address. So below.
        let object = unsafe { tensor(from) }?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        let managed = match object::tensor(&object) {
            Some(tensor) => dlpack::export(tensor, false)?,
            None => foreign::export(object),
        };
        // SAFETY: as above.
        unsafe { out.write(managed.as_ptr()) };
        Ok(())
    })
}

/// A tensor object of a description, over memory of a tensor that it keeps alive.
pub unsafe extern "C" fn tensor_create_unsafe_view(
    source: *mut c_void,
    prototype: *const DLTensor,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a live object, a valid description and room for a handle. So below.
        let source = unsafe { tensor(source) }?;
        // SAFETY: as above.
        let prototype = unsafe { required(prototype, "the description of a view") }?;
        if out.is_null() {
            return Err(null("the place for the result"));
        }
        // SAFETY: as above; the memory is that of the source, as the caller says.
        let view = match unsafe { foreign::view(&source, prototype) } {
            Ok(view) => view,
            Err(error)
                if foreign::has_dtype(prototype)
                    && dlpack::is_readable(prototype.device.device_type) =>
            {
                return Err(error);
            }
            Err(_) => foreign::object(prototype, |_| source)?,
        };
        // SAFETY: as above.
        unsafe { give(out, view) }
    })
}
