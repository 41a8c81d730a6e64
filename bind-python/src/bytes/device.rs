//! Tensors of other libraries as functions get them, also those in memory that the CPU does not read, with the stream that
//! their library works on.

use pyo3::prelude::*;
use pyo3::types::PyType;
use tenspan::Device;
use tenspan::abi::device_tensor;
use tenspan::abi::dlpack::{self, Handed};
use tenspan::abi::object::ObjectRef;
use tenspan::value::{Any, IntoAny};

use super::owner::Owner;
use super::{dlpack as capsule, exchange};
use crate::error::raised;
use crate::value::arguments::Address;

/// The devices of CUDA, whose streams `__cuda_stream__` names.
const CUDA: [i32; 2] = [2, 13];

/// A device, and the address of the stream that its memory is worked on.
pub type Stream = (Device, u64);

/// An argument, and the stream that goes with it.
pub struct Passed {
    /// The tensor.
    pub value: Any,
    /// Where work on it is queued, when it is in memory of a device.
    pub stream: Option<Stream>,
}

/// The tensor of an object whose class has DLPack's table of functions, or that says it is in memory of a device; nothing for
/// others.
///
/// # Errors
/// What the exporter raises, and those of [`device_tensor::import`].
pub fn passed(object: &Bound<'_, PyAny>) -> PyResult<Option<Passed>> {
    if object.is_instance_of::<PyType>() {
        return Ok(None);
    }
    if let Some(given) = exchange::given(object)? {
        let device = given.device();
        if dlpack::is_readable(device.device_type) {
            let tensor = given.import(object)?;
            let value = tensor.into_any();
            return Ok(Some(Passed {
                value,
                stream: None,
            }));
        }
        let stream = match own_stream(object, device)? {
            Some(stream) => Some(stream),
            None => given.stream(device),
        };
        let value = Any::object(given.import_remote(object)?);
        let stream = stream.map(|stream| (device, stream));
        return Ok(Some(Passed { value, stream }));
    }
    let Some(said) = object.getattr_opt(pyo3::intern!(object.py(), "__dlpack_device__"))? else {
        return Ok(None);
    };
    let (device_type, device_id) = said.call0()?.extract()?;
    if dlpack::is_readable(device_type) || !object.hasattr("__dlpack__")? {
        return Ok(None);
    }
    let device = Device {
        device_type,
        device_id,
    };
    let value = Any::object(capsule::remote(object)?);
    let stream = own_stream(object, device)?.map(|stream| (device, stream));
    Ok(Some(Passed { value, stream }))
}

/// The stream that an object names by a method.
fn own_stream(object: &Bound<'_, PyAny>, device: Device) -> PyResult<Option<u64>> {
    let class = object.get_type();
    for name in ["__tenspan_env_stream__", "__tvm_ffi_env_stream__"] {
        if class.getattr_opt(name)?.is_some() {
            let stream = object.call_method0(name)?;
            return stream.extract::<Address>().map(|at| Some(at.0));
        }
    }
    if CUDA.contains(&device.device_type) && class.getattr_opt("__cuda_stream__")?.is_some() {
        let (_, stream) = object
            .call_method0("__cuda_stream__")?
            .extract::<(i64, u64)>()?;
        return Ok(Some(stream));
    }
    Ok(None)
}

/// The object that a tensor of a device came from, when it came from Python.
pub fn original<'py>(py: Python<'py>, tensor: &ObjectRef) -> Option<Bound<'py, PyAny>> {
    let owner: &Owner = device_tensor::keeper(tensor)?.downcast_ref()?;
    owner.kept(py)
}

/// A tensor object over what is handed over, which belongs to the caller when this fails.
///
/// # Safety
/// As for [`device_tensor::import`].
///
/// # Errors
/// As for [`device_tensor::import`].
pub unsafe fn take(handed: Handed, object: &Bound<'_, PyAny>) -> PyResult<ObjectRef> {
    // SAFETY: the caller says the same.
    let made =
        unsafe { device_tensor::import(handed, |managed| Owner::managed(Some(object), managed)) };
    made.map_err(raised)
}
