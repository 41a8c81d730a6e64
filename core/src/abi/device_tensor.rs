//! Tensors in memory that the CPU does not read. They are passed on, described, and given back; nothing here looks into them.
//!
//! Such an object is a tensor of the ABI like any other. Compiled modules read its description and work where the memory is.
#![allow(
    unsafe_code,
    reason = "descriptions are read behind handles, and structures of other libraries taken over"
)]

use std::any::Any as StdAny;
use std::ffi::c_void;

use super::dlpack::{self, Handed, Managed};
use super::foreign;
pub use super::foreign::keeper;
use super::layout::{DLDataType, DLDevice, DLTensor, index};
use super::object::{self, ObjectRef};
use crate::device::Device;
use crate::error::Result;

/// What a tensor of a device says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Where its memory is.
    pub device: Device,
    /// Code, bits and lanes of its elements, by the numbers of DLPack.
    pub dtype: (u8, u8, u16),
    /// Elements along each dimension.
    pub shape: Vec<i64>,
    /// Elements from one position to the next along each dimension.
    pub strides: Vec<i64>,
}

/// A tensor object over memory of a device that somebody hands over. `keep` may wrap what has to be dropped in a certain way.
///
/// The structure is taken over only when all is well with it: on an error it still belongs to the caller.
///
/// # Safety
/// The address is of a valid structure of its kind that nobody else takes over, and whose deleter any thread may call.
///
/// # Errors
/// [`ErrorKind::BufferError`](crate::ErrorKind::BufferError) for another major version of DLPack;
/// [`ErrorKind::ValueError`](crate::ErrorKind::ValueError) for dimensions that no tensor has.
pub unsafe fn import<K: StdAny + Send + Sync>(
    handed: Handed,
    keep: impl FnOnce(Managed) -> K,
) -> Result<ObjectRef> {
    // SAFETY: the caller says the same.
    let (dl, _) = unsafe { dlpack::described(handed) }?;
    foreign::object(&dl, |_| {
        // SAFETY: the address stays valid until it is given back, which is not before this is dropped.
        keep(unsafe { Managed::take(handed) })
    })
}

/// A tensor object of a device with an address that nobody follows; `keeper` goes with it.
///
/// # Errors
/// [`ErrorKind::ValueError`](crate::ErrorKind::ValueError) for more dimensions than tensors have.
pub fn of_address<K: StdAny + Send + Sync>(
    device: Device,
    address: u64,
    dtype: (u8, u8, u16),
    shape: &[i64],
    keeper: K,
) -> Result<ObjectRef> {
    let (code, bits, lanes) = dtype;
    let dl = DLTensor {
        data: address as *mut c_void,
        device: DLDevice {
            device_type: device.device_type,
            device_id: device.device_id,
        },
        ndim: shape.len() as i32,
        dtype: DLDataType { code, bits, lanes },
        shape: shape.as_ptr().cast_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    foreign::object(&dl, |_| keeper)
}

/// Where the memory of a tensor object is, whoever made it; nothing for other objects.
pub fn device(object: &ObjectRef) -> Option<Device> {
    let dl = dl(object)?;
    Some(Device {
        device_type: dl.device.device_type,
        device_id: dl.device.device_id,
    })
}

/// What a tensor object says of itself, whoever made it; nothing for other objects, and for dimensions that no tensor has.
pub fn describe(object: &ObjectRef) -> Option<Description> {
    let dl = dl(object)?;
    let (shape, strides) = foreign::dims(dl).ok()?;
    Some(Description {
        device: device(object)?,
        dtype: (dl.dtype.code, dl.dtype.bits, dl.dtype.lanes),
        shape: shape.to_vec(),
        strides: strides.map_or_else(|| foreign::packed(shape), <[i64]>::to_vec),
    })
}

fn dl(object: &ObjectRef) -> Option<&DLTensor> {
    // SAFETY: every tensor object has a description behind its header, and `object` keeps it alive.
    (object.type_index() == index::TENSOR).then(|| unsafe { object::value(object.handle()) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::value::{Any, Kind};
    use crate::{DType, Tensor, zeros};

    const GPU: Device = Device {
        device_type: 2,
        device_id: 1,
    };

    #[test]
    fn memory_of_a_device_is_taken_over_and_given_back() {
        let tensor = zeros(&[2, 3], DType::F32).unwrap();
        let mut managed = dlpack::export(&tensor, false).unwrap();
        // SAFETY: made just now; nobody else looks at it.
        let whole = unsafe { managed.as_mut() };
        (whole.dl.device.device_type, whole.dl.device.device_id) = (2, 1);
        whole.dl.strides = std::ptr::null_mut();
        // SAFETY: made by `export`, taken once.
        let object = unsafe { import(Handed::Versioned(managed), Box::new) }.unwrap();
        let wanted = Description {
            device: GPU,
            dtype: (2, 32, 1),
            shape: vec![2, 3],
            strides: vec![3, 1],
        };
        assert_eq!(describe(&object), Some(wanted));
        assert!(!tensor.object().is_unique());
        let value = Any::object(object);
        assert!(matches!(value.kind(), Kind::Other(index::TENSOR)));
        assert!(value.tensor().is_none());
        drop(value);
        assert!(tensor.object().is_unique());
    }

    #[test]
    fn what_keeps_the_memory_is_found_again() {
        let witness = Arc::new(7);
        let object = of_address(GPU, 64, (0, 8, 1), &[4], Arc::clone(&witness)).unwrap();
        assert_eq!(device(&object), Some(GPU));
        let found = keeper(&object).and_then(|keeper| keeper.downcast_ref::<Arc<i32>>());
        assert_eq!(found.map(|found| **found), Some(7));
        assert!(Tensor::from_object(object.clone()).is_none());
        drop(object);
        assert_eq!(Arc::strong_count(&witness), 1);
        let ours = zeros(&[1], DType::F32).unwrap();
        assert_eq!(device(ours.object()), Some(Device::CPU));
        assert!(keeper(ours.object()).is_none());
    }
}
