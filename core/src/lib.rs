//! Tensors, functions and containers that cross language borders without a copy.

pub mod dtype;
pub mod error;
pub mod generated;
pub mod quant;

pub use dtype::{DType, DTypeName, dtypes};
pub use error::{Error, ErrorKind, Result};
