//! What a metric of two rows is, exactly or nearly so.

use tenspan::DType;
use tenspan::product::{Metric, Number};

use super::numbers::{decode, decode_whole};

/// What is expected, and how far off a result may be.
#[derive(Debug)]
pub enum Expected {
    Whole(i128),
    Real(f64, f64),
    Complex([f64; 2], f64),
    /// A sum that has more than 128 bits, at least on the way.
    Unknown,
}

/// A sum of floats in twice their precision, and the sum of the sizes of its parts.
#[derive(Default, Clone, Copy)]
struct Exact {
    hi: f64,
    lo: f64,
    size: f64,
}

impl Exact {
    fn add_product(&mut self, x: f64, y: f64) {
        let product = x * y;
        let lost = x.mul_add(y, -product);
        let sum = self.hi + product;
        let back = sum - product;
        self.lo += (self.hi - back) + (product - (sum - back)) + lost;
        self.hi = sum;
        self.size += product.abs();
    }

    fn value(self) -> f64 {
        self.hi + self.lo
    }
}

/// The metric of two packed rows.
pub fn expected(dtype: DType, metric: Metric, fast: bool, a: &[u8], b: &[u8]) -> Expected {
    if dtype.dlpack_code().is_some_and(|code| code < 2) {
        return whole(metric, &decode_whole(dtype, a), &decode_whole(dtype, b));
    }
    let (x, y) = (decode(dtype, a), decode(dtype, b));
    let rounding = match dtype {
        DType::F64 | DType::C128 if !fast => 2f64.powi(-100),
        DType::F64 | DType::C128 => 2f64.powi(-52),
        DType::F32 | DType::C64 if !fast => 2f64.powi(-52),
        _ => 2f64.powi(-23),
    };
    // Roundings go either way: their sum grows slower than their number.
    let part = rounding * (4.0 + 3.0 * (x.len() as f64).sqrt());
    let is_complex = matches!(dtype, DType::C64 | DType::C128);
    let sums = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut sum = Exact::default();
        pairs.for_each(|(x, y)| sum.add_product(x, y));
        sum
    };
    let both = || x.iter().copied().zip(y.iter().copied());
    let room = |sum: Exact| part * sum.size + 2f64.powi(-52) * sum.value().abs();
    match metric {
        Metric::Dot | Metric::Vdot | Metric::Inner if is_complex => {
            let sign = if metric == Metric::Vdot { -1.0 } else { 1.0 };
            let (mut re, mut im) = (Exact::default(), Exact::default());
            for (x, y) in x.chunks(2).zip(y.chunks(2)) {
                re.add_product(x[0], y[0]);
                re.add_product(-sign * x[1], y[1]);
                im.add_product(x[0], y[1]);
                im.add_product(sign * x[1], y[0]);
            }
            Expected::Complex([re.value(), im.value()], room(re) + room(im))
        }
        Metric::Dot | Metric::Vdot | Metric::Inner => {
            let sum = sums(&mut both());
            Expected::Real(sum.value(), room(sum))
        }
        Metric::Sqeuclidean | Metric::Euclidean => {
            let sum = sums(&mut both().map(|(x, y)| (x - y, x - y)));
            // The difference is rounded too, as the accumulator is.
            let room = room(sum) + (part.max(2f64.powi(-50))) * sum.value();
            match metric {
                Metric::Sqeuclidean => Expected::Real(sum.value(), room),
                _ => Expected::Real(sum.value().sqrt(), room / sum.value().sqrt().max(1e-300)),
            }
        }
        Metric::Angular => {
            let ab = sums(&mut both());
            let aa = sums(&mut x.iter().map(|x| (*x, *x)));
            let bb = sums(&mut y.iter().map(|y| (*y, *y)));
            let wanted = angle(ab.value(), aa.value(), bb.value());
            Expected::Real(wanted, 8.0 * part + 2f64.powi(-50))
        }
    }
}

fn angle(ab: f64, aa: f64, bb: f64) -> f64 {
    if aa == 0.0 || bb == 0.0 {
        return f64::from(u8::from(aa != bb));
    }
    1.0 - ab / (aa.sqrt() * bb.sqrt())
}

fn whole(metric: Metric, x: &[i128], y: &[i128]) -> Expected {
    let sum = |mut pairs: &mut dyn Iterator<Item = (i128, i128)>| {
        Iterator::try_fold(&mut pairs, 0i128, |sum, (x, y)| {
            sum.checked_add(x.checked_mul(y)?)
        })
    };
    let both = || x.iter().copied().zip(y.iter().copied());
    let near = |x: &[i128], y: &[i128]| -> f64 {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| *x as f64 * *y as f64).sum()
    };
    match metric {
        Metric::Dot | Metric::Vdot | Metric::Inner => {
            sum(&mut both()).map_or(Expected::Unknown, Expected::Whole)
        }
        Metric::Sqeuclidean => {
            sum(&mut both().map(|(x, y)| (x - y, x - y))).map_or(Expected::Unknown, Expected::Whole)
        }
        Metric::Euclidean => {
            let parts = both().map(|(x, y)| (x - y) as f64);
            let root = parts.map(|x| x * x).sum::<f64>().sqrt();
            Expected::Real(root, 1e-11 * root)
        }
        Metric::Angular => Expected::Real(angle(near(x, y), near(x, x), near(y, y)), 1e-11),
    }
}

/// Whether a result is what is expected.
pub fn near(got: Number, wanted: &Expected) -> bool {
    match (got, wanted) {
        (Number::Whole(x), Expected::Whole(y)) => x == *y,
        (Number::Real(x), Expected::Real(y, room)) => (x - y).abs() <= *room,
        (Number::Complex(x), Expected::Complex([re, im], room)) => {
            (x.re - re).abs() <= *room && (x.im - im).abs() <= *room
        }
        (Number::Whole(_), Expected::Unknown) => true,
        _ => false,
    }
}
