//! Kernels for AVX-512 (F, BW, DQ and VL); the kernels for AVX2 where these give nothing more.

#![allow(unsafe_code, reason = "intrinsics")]

mod decode;
mod encode;
mod lanes;

pub(super) use self::decode::decode;
pub(super) use self::encode::encode;
