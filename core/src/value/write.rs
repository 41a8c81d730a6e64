//! Rust types that become values.

use super::{Any, IntoAny, Opaque};
use crate::abi::failure;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Error;
use crate::function::Function;
use crate::tensor::Tensor;

impl IntoAny for Any {
    fn into_any(self) -> Any {
        self
    }
}

impl IntoAny for () {
    fn into_any(self) -> Any {
        Any::NONE
    }
}

impl IntoAny for bool {
    fn into_any(self) -> Any {
        Any::bool(self)
    }
}

impl IntoAny for f64 {
    fn into_any(self) -> Any {
        Any::float(self)
    }
}

impl IntoAny for f32 {
    fn into_any(self) -> Any {
        Any::float(self.into())
    }
}

impl IntoAny for &str {
    fn into_any(self) -> Any {
        Any::string(self)
    }
}

impl IntoAny for String {
    fn into_any(self) -> Any {
        Any::string(&self)
    }
}

impl IntoAny for Vec<u8> {
    fn into_any(self) -> Any {
        Any::bytes(&self)
    }
}

impl IntoAny for &[u8] {
    fn into_any(self) -> Any {
        Any::bytes(self)
    }
}

impl IntoAny for DType {
    fn into_any(self) -> Any {
        Any::dtype(self)
    }
}

impl IntoAny for Tensor {
    fn into_any(self) -> Any {
        Any::object(self.into_object())
    }
}

impl IntoAny for Device {
    fn into_any(self) -> Any {
        Any::device(self)
    }
}

impl IntoAny for Error {
    fn into_any(self) -> Any {
        Any::object(failure::object(self))
    }
}

impl IntoAny for Opaque {
    fn into_any(self) -> Any {
        Any::object(self.object().clone())
    }
}

impl IntoAny for Function {
    fn into_any(self) -> Any {
        Any::object(self.object().clone())
    }
}

impl<T: IntoAny> IntoAny for Option<T> {
    fn into_any(self) -> Any {
        self.map_or(Any::NONE, IntoAny::into_any)
    }
}

impl<T: IntoAny> IntoAny for Vec<T> {
    fn into_any(self) -> Any {
        Any::array(self.into_iter().map(IntoAny::into_any).collect())
    }
}

impl<T: IntoAny + Clone> IntoAny for &[T] {
    fn into_any(self) -> Any {
        Any::array(self.iter().cloned().map(IntoAny::into_any).collect())
    }
}

/// Named values travel as an array of alternating names and values.
impl<T: IntoAny> IntoAny for Vec<(String, T)> {
    fn into_any(self) -> Any {
        let flat = self
            .into_iter()
            .flat_map(|(name, value)| [name.into_any(), value.into_any()]);
        Any::array(flat.collect())
    }
}

macro_rules! integers {
    ($($name:ty),*) => { $(
        impl IntoAny for $name {
            fn into_any(self) -> Any {
                Any::int(self.into())
            }
        }
    )* };
}

integers!(i8, i16, u16, i32, u32, i64, u64);
