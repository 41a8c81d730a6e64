//! What is asked of two rows, and the number that their sums become.

use super::sums::{Twofold, Wide};
use crate::dtype::{Class, DType};
use crate::error::Result;
use crate::value::{Any, Complex, IntoAny};

/// What is asked of two rows of numbers `a` and `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `Σ a·b`.
    Dot,
    /// `Σ conj(a)·b`.
    Vdot,
    /// `Σ a·b`.
    Inner,
    /// `Σ |a − b|²`.
    Sqeuclidean,
    /// `√(Σ |a − b|²)`.
    Euclidean,
    /// `1 − Re Σ a·conj(b) / √(Σ|a|² · Σ|b|²)`, between 0 and 2.
    Angular,
}

/// Sums that metrics are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Of products; of complex numbers, the real and the imaginary part.
    Products,
    /// As [`Form::Products`], of complex numbers, the first of which are conjugated.
    Conjugated,
    /// Of squares of differences.
    Squares,
    /// Of products, of squares of the first numbers, and of squares of the second.
    Angles,
}

/// What two rows make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A real number.
    Real(f64),
    /// A whole number.
    Whole(i128),
    /// A complex number.
    Complex(Complex),
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 6] = [
        Metric::Dot,
        Metric::Vdot,
        Metric::Inner,
        Metric::Sqeuclidean,
        Metric::Euclidean,
        Metric::Angular,
    ];

    /// What the spec calls it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Dot => "dot",
            Metric::Vdot => "vdot",
            Metric::Inner => "inner",
            Metric::Sqeuclidean => "sqeuclidean",
            Metric::Euclidean => "euclidean",
            Metric::Angular => "angular",
        }
    }

    /// The sums that it needs.
    #[inline]
    pub(crate) fn form(self) -> Form {
        match self {
            Metric::Dot | Metric::Inner => Form::Products,
            Metric::Vdot => Form::Conjugated,
            Metric::Sqeuclidean | Metric::Euclidean => Form::Squares,
            Metric::Angular => Form::Angles,
        }
    }

    /// Type of the numbers in a tensor of results, of rows of numbers of a dtype; blocks hold real numbers.
    pub fn result_dtype(self, dtype: DType) -> DType {
        let is_root = matches!(self, Metric::Euclidean | Metric::Angular);
        match dtype.class() {
            _ if is_root => DType::F64,
            Class::Signed => DType::I64,
            Class::Unsigned => DType::U64,
            Class::Complex if self != Metric::Sqeuclidean => DType::C128,
            Class::Float if dtype.block_bytes() <= 2 => DType::F32,
            _ => DType::F64,
        }
    }

    /// What sums of real numbers make.
    #[inline(always)]
    pub(crate) fn of_reals(self, sums: &[Twofold; 3]) -> Number {
        let first = sums[0].value();
        Number::Real(match self {
            Metric::Euclidean => first.sqrt(),
            Metric::Angular => angle(first, sums[1].value(), sums[2].value()),
            _ => first,
        })
    }

    /// What sums of complex numbers make.
    pub(crate) fn of_complex(self, sums: &[Twofold; 3]) -> Number {
        match self.form() {
            Form::Products | Form::Conjugated => Number::Complex(Complex {
                re: sums[0].value(),
                im: sums[1].value(),
            }),
            _ => self.of_reals(sums),
        }
    }

    /// What sums of whole numbers make.
    #[inline(always)]
    pub(crate) fn of_wholes(self, sums: &[Wide; 3]) -> Result<Number> {
        Ok(match self {
            Metric::Euclidean => Number::Real(sums[0].near().sqrt()),
            Metric::Angular => Number::Real(angle(sums[0].near(), sums[1].near(), sums[2].near())),
            _ => Number::Whole(sums[0].whole()?),
        })
    }
}

/// One minus the cosine. Two rows of zeros have the same direction, a row of zeros and another have none in common.
fn angle(ab: f64, aa: f64, bb: f64) -> f64 {
    if aa == 0.0 || bb == 0.0 {
        return if aa == bb { 0.0 } else { 1.0 };
    }
    let product = aa * bb;
    // One root where that is exact for equal rows; two where the product leaves the range.
    let cosine = if product.is_normal() {
        ab / product.sqrt()
    } else {
        ab / aa.sqrt() / bb.sqrt()
    };
    (1.0 - cosine).clamp(0.0, 2.0)
}

impl IntoAny for Number {
    fn into_any(self) -> Any {
        match self {
            Number::Real(number) => Any::float(number),
            Number::Whole(number) => Any::int(number),
            Number::Complex(number) => number.into_any(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_between_0_and_2_and_defined_for_zeros() {
        assert_eq!(angle(0.0, 0.0, 0.0), 0.0);
        assert_eq!((angle(0.0, 0.0, 3.0), angle(0.0, 3.0, 0.0)), (1.0, 1.0));
        for x in [0.1, 3.3, 1e300, 1e-300, 5e-324] {
            assert!(angle(x, x, x).abs() < 1e-15, "{x}");
            assert!((angle(-x, x, x) - 2.0).abs() < 1e-15, "{x}");
        }
        assert_eq!(angle(3.3, 3.3, 3.3), 0.0);
        assert_eq!(angle(3.000_000_1, 3.0, 3.0), 0.0);
        assert!(angle(f64::NAN, 1.0, 1.0).is_nan());
    }
}
