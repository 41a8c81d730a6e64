//! Kernels for AVX2, FMA and F16C.

#![allow(unsafe_code, reason = "intrinsics")]

mod decode;
mod encode;
mod lanes;

pub(super) use self::decode::decode;
pub(super) use self::encode::encode;
