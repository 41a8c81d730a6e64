//! `libtenspan.so`: a handful of C functions under the C++ headers in `include/tenspan`.
//!
//! Nothing here knows a class or a method of the spec. The headers find a method by its spec name in core's
//! dispatch table and call it with packed 16-byte values; what they hold (values, arrays, strings, tensors,
//! errors) they read in place through the C layouts. So conversions of values, bytes, errors and callbacks,
//! which the other fronts have in Rust, stand in `include/tenspan/detail/{value,bytes,error,callback}.hpp`,
//! and this crate has only [`abi`].

pub mod abi;
