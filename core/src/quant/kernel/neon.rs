//! Kernels for NEON, which every 64-bit ARM processor has.
//!
//! [`decode`](mod@decode) and [`dot`](mod@dot) share what unpacks each format; what becomes of the levels is the part of
//! a [`sink`]. No store passes the caches: the instruction set has only hints for that. Nothing that a codec rounds twice
//! is fused: encoders give its bytes.
//!
//! Checked under emulation, with the tests in `core/tests/quant_kernels` and `core/tests/quant_dot`; never run or timed
//! on a processor, and not compiled by `cargo verify`, which has no target with these instructions: CONTRIBUTING.md says
//! how to.

#![allow(unsafe_code, reason = "intrinsics")]

mod affine;
mod codebooks;
mod decode;
mod dot;
mod doubles;
mod encode;
mod floats;
mod lanes;
mod nonlinear;
mod registers;
mod sink;
mod symmetric;
mod ternary;

pub(super) use self::decode::decode;
pub(super) use self::dot::{dot, dot_floats};
pub(super) use self::doubles::narrow_to_odd;
pub(super) use self::encode::encode;
