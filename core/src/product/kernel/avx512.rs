//! Kernels for AVX-512: of bytes that are whole numbers with VNNI, of 8-bit floats with BF16 and VBMI. Other dtypes use the kernels
//! of AVX2.
//!
//! `float16` and `bfloat16` are not multiplied by BF16 instructions: those flush subnormal numbers, and to look for such takes as
//! many instructions as to widen the numbers.

mod bytes;
mod floats;
#[cfg(test)]
mod model;
mod unit;

use self::bytes::Bytes;
use self::floats::{E4m3, E5m2, Floats};
use self::unit::Hardware;
use super::super::metric::Form;
use super::super::row::Row;
use super::run::run;
use super::{Add, Adder, Kernel};
use crate::dtype::DTypeName as N;

/// A body, as a function that has the instructions: all of it becomes one loop.
macro_rules! adder {
    ($features:literal, $body:ty) => {{
        #[target_feature(enable = $features)]
        unsafe fn add(a: &Row<'_>, b: &Row<'_>, sums: &mut [<$body as super::run::Body>::Sum; 3]) {
            // SAFETY: this function has the instructions of the body.
            unsafe { run::<$body>(a, b, sums) }
        }
        add as Add<_>
    }};
}

/// The kernels of bytes.
macro_rules! whole {
    ($form:expr, $signed:literal) => {
        match $form {
            Form::Products | Form::Conjugated => {
                adder!(
                    "avx512f,avx512bw,avx512vnni",
                    Bytes<bytes::Products<$signed>>
                )
            }
            Form::Squares => adder!(
                "avx512f,avx512bw,avx512vnni",
                Bytes<bytes::Squares<$signed>>
            ),
            Form::Angles => adder!("avx512f,avx512bw,avx512vnni", Bytes<bytes::Angles<$signed>>),
        }
    };
}

/// The kernels of 8-bit floats.
macro_rules! small {
    ($form:expr, $format:ty) => {
        match $form {
            Form::Products | Form::Conjugated => adder!(
                "avx512f,avx512bw,avx512vbmi,avx512bf16",
                Floats<Hardware, $format, floats::Products>
            ),
            Form::Squares => adder!(
                "avx512f,avx512bw,avx512vbmi,avx512bf16",
                Floats<Hardware, $format, floats::Squares>
            ),
            Form::Angles => adder!(
                "avx512f,avx512bw,avx512vbmi,avx512bf16",
                Floats<Hardware, $format, floats::Angles>
            ),
        }
    };
}

/// The kernel of a dtype, if there is one and the processor, which has the foundation, has what more it needs.
#[inline]
pub(super) fn find(name: N, form: Form) -> Option<Kernel> {
    let has_vnni = || is_x86_feature_detected!("avx512vnni");
    let has_bf16 =
        || is_x86_feature_detected!("avx512bf16") && is_x86_feature_detected!("avx512vbmi");
    match name {
        N::Int8 if has_vnni() => Some(Kernel::Wholes(Adder(whole!(form, true)))),
        N::Uint8 if has_vnni() => Some(Kernel::Wholes(Adder(whole!(form, false)))),
        N::Float8E4m3fn if has_bf16() => Some(Kernel::Floats(Adder(small!(form, E4m3)))),
        N::Float8E5m2 if has_bf16() => Some(Kernel::Floats(Adder(small!(form, E5m2)))),
        _ => None,
    }
}
