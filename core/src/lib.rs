//! Tensors, functions and containers that cross language borders without a copy.
//!
//! ```
//! use tenspan::{DType, copy, generated::dictionaries::CopyOptions, zeros};
//!
//! let floats = zeros(&[2, 256], DType::F32)?;
//! let blocks = zeros(&[2, 256], DType::Q4_K)?;
//! copy(&floats, &blocks, &CopyOptions::default())?;
//! assert_eq!(blocks.nbytes(), 2 * 144);
//! # Ok::<(), tenspan::Error>(())
//! ```
//!
//! | module | concept |
//! | --- | --- |
//! | [`tensor`] | [`Tensor`]: shape, strides, views, copies, casts |
//! | [`dtype`] | [`DType`]: every plain and block type in one table |
//! | [`quant`] | codecs of the block formats |
//! | [`product`] | [`dot`] and its family, [`matvec`]: products and distances of rows |
//! | [`file`](mod@file) | [`open`], [`save`], [`quantize_file`]; GGUF and safetensors |
//! | [`context`] | [`Context`]: an arena with a budget |
//! | [`storage`] | the bytes that tensors share |
//! | [`value`], [`function`], [`container`] | values, functions and containers that cross borders |
//! | [`cpp`] | inline modules: C++ sources compiled, kept and loaded |
//! | [`module!`], [`export`] | modules written in Rust |
//! | [`object`] | [`Object`], [`ObjectType`]: classes that any side may define |
//! | [`abi`] | the C layouts of all these |
//! | [`stream`] | where the work of a device is queued |
//! | [`threads`] | the threads that long work is spread over |

pub mod abi;
pub mod container;
pub mod context;
pub mod cpp;
pub mod device;
pub mod dtype;
pub mod error;
pub mod export;
pub mod file;
pub mod function;
pub mod generated;
pub mod module;
pub mod object;
pub mod product;
pub mod quant;
pub mod registry;
pub mod shape;
pub mod storage;
pub mod stream;
pub mod tensor;
pub mod testing;
pub mod threads;
pub mod value;

pub use abi::tensor::from_memory;
pub use container::{Array, Dict, List, Map, Shape};
pub use context::Context;
pub use device::Device;
pub use dtype::{DType, DTypeName, dtypes};
pub use error::{Error, ErrorKind, Result};
pub use file::{File, Metadata, open, quantize_file, save, validate_file};
pub use function::Function;
pub use generated::dictionaries::Progress;
pub use module::{Module, load_module, system_lib};
pub use object::{Object, ObjectType};
pub use product::{angular, dot, euclidean, inner, matvec, sqeuclidean, vdot};
pub use registry::{
    get_global_func, list_global_func_names, register_global_func, remove_global_func,
};
pub use tensor::Tensor;
pub use tensor::build::{asarray, empty, from_bytes, full, zeros};
pub use tensor::cast::cast;
pub use tensor::compare::{quantization_error, quantization_errors};
pub use tensor::copy::copy;
pub use tensor::dequantize::dequantize;
pub use tensor::quantize::quantize;
pub use tensor::typed::Element;
pub use tensor::validate::validate;
pub use testing::register_testing_funcs;
pub use threads::{get_num_threads, set_num_threads};
pub use value::equal;

/// Version of the library, such as `0.1.0`.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The programs of the guides that are in Rust.
#[cfg(doctest)]
#[doc = include_str!("../../docs/memory.md")]
struct MemoryGuide;

#[cfg(doctest)]
#[doc = include_str!("../../docs/kernels.md")]
struct KernelsGuide;

/// The programs of the guide to objects that are in Rust.
#[cfg(doctest)]
#[doc = include_str!("../../docs/objects.md")]
struct ObjectGuide;
