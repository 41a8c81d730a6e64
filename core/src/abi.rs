//! The C layouts of the public TVM FFI value ABI, and safe handles over them.
//!
//! [`layout`] is what compiled modules see, byte for byte. Everything else here gives the rest of core
//! a safe way to make, hold and read such values: [`object`] counts references, [`any`] is the 16-byte value,
//! [`sequence`], [`table`] (safely [`shared`]), [`text`], [`big`], [`shape`], [`closure`], [`failure`], [`opaque`], [`tensor`] and
//! [`device_tensor`] are the objects; [`types`] is the table of what there is, [`exported`] the functions that compiled modules call;
//! [`reflect`] reaches fields and methods of any object, [`instance`] makes those of types defined here;
//! [`dlpack`] hands tensors over, [`tag`] is a word in each object that a front may use.

pub mod any;
pub mod big;
pub mod class;
pub mod closure;
pub mod derived;
pub mod device_tensor;
pub mod dlpack;
pub mod exported;
pub mod failure;
pub mod foreign;
pub mod guard;
pub mod guest;
pub mod instance;
pub mod key;
pub mod kind;
pub mod layout;
pub mod library;
pub mod loading;
pub mod module;
pub mod native;
pub mod neighbour;
pub mod object;
pub mod opaque;
pub mod reflect;
pub mod sequence;
pub mod shape;
pub mod shared;
pub mod table;
pub mod tag;
pub mod tensor;
pub mod text;
pub mod types;
