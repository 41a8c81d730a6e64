//! The C layouts of the public TVM FFI value ABI, and safe handles over them.
//!
//! [`layout`] is what compiled modules see, byte for byte. Everything else here gives the rest of core
//! a safe way to make, hold and read such values: [`object`] counts references, [`any`] is the 16-byte value,
//! [`array`], [`text`], [`closure`], [`failure`] and [`tensor`] are the objects; [`dlpack`] hands tensors over.

pub mod any;
pub mod array;
pub mod class;
pub mod closure;
pub mod dlpack;
pub mod failure;
pub mod layout;
pub mod object;
pub mod tensor;
pub mod text;
pub mod types;
