//! Kernels for NEON: of real floats, and of bytes that are whole numbers.
//!
//! Checked under emulation with `core/tests/product`, never run or timed on a processor. What has no kernel here is added
//! by [`scalar`](super::scalar).

mod bytes;
mod floats;
mod load;
mod sum;

use self::bytes::{Bytes, Dotprod, Signed, Unsigned, Widening};
use self::floats::{Angles, Floats, Products, Squares};
use self::load::{Bf16, E4m3, E5m2, F16, F32, F64, Wide32};
use self::sum::{Compensated, Doubles, Singles};
use super::super::metric::Form;
use super::run::run;
use super::{Adder, Kernel};
use crate::dtype::DTypeName as N;

/// The kernels of real numbers.
macro_rules! reals {
    ($form:expr, $load:ty, $sum:ty) => {
        match $form {
            Form::Products | Form::Conjugated => run::<Floats<$load, $sum, Products, 4>>,
            Form::Squares => run::<Floats<$load, $sum, Squares, 4>>,
            Form::Angles => run::<Floats<$load, $sum, Angles, 12>>,
        }
    };
}

/// The kernels of bytes.
macro_rules! wholes {
    ($form:expr, $sign:ident) => {{
        let dotprod = std::arch::is_aarch64_feature_detected!("dotprod");
        Kernel::Wholes(Adder(match ($form, dotprod) {
            (Form::Products | Form::Conjugated, true) => run::<Bytes<$sign<Dotprod>, Products>>,
            (Form::Products | Form::Conjugated, false) => run::<Bytes<$sign<Widening>, Products>>,
            (Form::Squares, true) => run::<Bytes<$sign<Dotprod>, Squares>>,
            (Form::Squares, false) => run::<Bytes<$sign<Widening>, Squares>>,
            (Form::Angles, true) => run::<Bytes<$sign<Dotprod>, Angles>>,
            (Form::Angles, false) => run::<Bytes<$sign<Widening>, Angles>>,
        }))
    }};
}

/// The kernel of a dtype, if there is one.
#[inline]
pub(super) fn find(name: N, form: Form, fast: bool) -> Option<Kernel> {
    Some(match (name, fast) {
        (N::Int8, _) => wholes!(form, Signed),
        (N::Uint8, _) => wholes!(form, Unsigned),
        _ => Kernel::Floats(Adder(match (name, fast) {
            (N::Float64, false) => reals!(form, F64, Compensated),
            (N::Float64, true) => reals!(form, F64, Doubles),
            (N::Float32, false) => reals!(form, Wide32, Doubles),
            (N::Float32, true) => reals!(form, F32, Singles),
            (N::Float16, _) => reals!(form, F16, Singles),
            (N::Bfloat16, _) => reals!(form, Bf16, Singles),
            (N::Float8E4m3fn, _) => reals!(form, E4m3, Singles),
            (N::Float8E5m2, _) => reals!(form, E5m2, Singles),
            _ => return None,
        })),
    })
}
