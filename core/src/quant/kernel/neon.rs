//! Kernels for NEON, which every 64-bit ARM processor has.
//!
//! [`decode`] and [`dot`] share what unpacks each format; what becomes of the levels is the part of a [`sink`]. No store
//! passes the caches: the instruction set has only hints for that.
//!
//! Checked under emulation, with the tests in `core/tests/quant_kernels` and `core/tests/quant_dot`; never run or timed
//! on a processor, and not compiled by `cargo verify`, which has no target with these instructions: CONTRIBUTING.md says
//! how to.

#![allow(unsafe_code, reason = "intrinsics")]

mod affine;
mod codebooks;
mod decode;
mod dot;
mod floats;
mod nonlinear;
mod registers;
mod sink;
mod symmetric;
mod ternary;

pub(super) use self::decode::decode;
pub(super) use self::dot::{dot, dot_floats};
