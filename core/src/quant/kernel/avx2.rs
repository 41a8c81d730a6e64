//! Kernels for AVX2, FMA and F16C.

#![allow(unsafe_code, reason = "intrinsics")]

mod decode;
mod dot;
mod doubles;
pub(super) mod encode;
mod lanes;

pub(super) use self::decode::{decode, shifted};
pub(super) use self::dot::{dot, dot_floats};
pub(super) use self::doubles::narrow_to_odd;
pub(super) use self::encode::encode;
