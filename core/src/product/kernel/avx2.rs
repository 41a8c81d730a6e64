//! Kernels for AVX2, FMA and F16C.

mod bytes;
mod complex;
mod floats;
mod load;
mod sum;
mod tail;
mod wholes;

use self::bytes::{Signed, Unsigned, Words};
use self::complex::Complex;
use self::floats::{Angles, Floats, Products, Squares};
use self::load::{Bf16, E4m3, E5m2, F16, F32, F64, Wide32};
use self::sum::{Compensated, Doubles, Singles};
use self::wholes::Wholes;
use super::super::metric::Form;
use super::super::row::Row;
use super::run::{Twice, run};
use super::{Add, Adder, Kernel};
use crate::dtype::DTypeName as N;

/// A body, as a function that has the instructions: all of it becomes one loop.
macro_rules! adder {
    ($body:ty) => {{
        #[target_feature(enable = "avx2,fma,f16c")]
        unsafe fn add(a: &Row<'_>, b: &Row<'_>, sums: &mut [<$body as super::run::Body>::Sum; 3]) {
            // SAFETY: this function has the instructions of the body.
            unsafe { run::<$body>(a, b, sums) }
        }
        add as Add<_>
    }};
}

/// The kernels of real numbers.
macro_rules! reals {
    ($form:expr, $load:ty, $sum:ty, $products:literal, $groups:literal, $angles:literal) => {
        match $form {
            Form::Products | Form::Conjugated => {
                adder!(Floats<$load, $sum, Products, $products, $groups>)
            }
            Form::Squares => adder!(Floats<$load, $sum, Squares, $products, $groups>),
            Form::Angles => adder!(Floats<$load, $sum, Angles, $angles, 1>),
        }
    };
}

/// The kernels of complex numbers.
macro_rules! complexes {
    ($form:expr, $load:ty, $sum:ty, $products:literal, $angles:literal) => {
        match $form {
            Form::Products => adder!(Complex<$load, $sum, $products, false>),
            Form::Conjugated => adder!(Complex<$load, $sum, $products, true>),
            Form::Squares => adder!(Twice<Floats<$load, $sum, Squares, 4, 1>>),
            Form::Angles => adder!(Twice<Floats<$load, $sum, Angles, $angles, 1>>),
        }
    };
}

/// The kernels of bytes.
macro_rules! whole {
    ($form:expr, $sign:ty) => {
        match $form {
            Form::Products | Form::Conjugated => adder!(Words<$sign, bytes::Products, 4>),
            Form::Squares => adder!(Words<$sign, bytes::Squares, 4>),
            Form::Angles => adder!(Words<$sign, bytes::Angles, 6>),
        }
    };
}

/// The kernels of whole numbers of 16 and 32 bits.
macro_rules! wider {
    ($form:expr, $width:ty, $signed:literal) => {
        match $form {
            Form::Products | Form::Conjugated => {
                adder!(Wholes<$width, wholes::Products, $signed>)
            }
            Form::Squares => adder!(Wholes<$width, wholes::Squares, $signed>),
            Form::Angles => adder!(Wholes<$width, wholes::Angles, $signed>),
        }
    };
}

/// The kernel of a dtype, if there is one. Whole numbers of 64 bits have none: nothing in the set multiplies them, and the scalar kernel
/// does so in one instruction.
#[inline]
pub(super) fn find(name: N, form: Form, fast: bool) -> Option<Kernel> {
    Some(match (name, fast) {
        (N::Int8, _) => Kernel::Wholes(Adder(whole!(form, Signed))),
        (N::Uint8, _) => Kernel::Wholes(Adder(whole!(form, Unsigned))),
        (N::Int16, _) => Kernel::Wholes(Adder(wider!(form, wholes::Words, true))),
        (N::Uint16, _) => Kernel::Wholes(Adder(wider!(form, wholes::Words, false))),
        (N::Int32, _) => Kernel::Wholes(Adder(wider!(form, wholes::Doubles, true))),
        (N::Uint32, _) => Kernel::Wholes(Adder(wider!(form, wholes::Doubles, false))),
        _ => Kernel::Floats(Adder(match (name, fast) {
            (N::Float64, false) => reals!(form, F64, Compensated, 4, 1, 3),
            (N::Float64, true) => reals!(form, F64, Doubles, 8, 2, 12),
            (N::Float32, false) => reals!(form, Wide32, Doubles, 8, 2, 12),
            (N::Float32, true) => reals!(form, F32, Singles, 8, 2, 12),
            (N::Float16, _) => reals!(form, F16, Singles, 8, 2, 12),
            (N::Bfloat16, _) => reals!(form, Bf16, Singles, 8, 2, 12),
            (N::Float8E4m3fn, _) => reals!(form, E4m3, Singles, 4, 1, 12),
            (N::Float8E5m2, _) => reals!(form, E5m2, Singles, 4, 1, 12),
            (N::Complex64, false) => complexes!(form, Wide32, Doubles, 8, 12),
            (N::Complex64, true) => complexes!(form, F32, Singles, 8, 12),
            (N::Complex128, false) => complexes!(form, F64, Compensated, 4, 3),
            (N::Complex128, true) => complexes!(form, F64, Doubles, 8, 12),
            _ => return None,
        })),
    })
}
