//! Sums that lose nothing, or next to nothing: of floats in two parts, of whole numbers in 192 bits.

use crate::error::{Error, ErrorKind, Result};

/// A sum of floats: `hi` is the plain sum, `lo` what rounding took from it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Twofold {
    /// The rounded sum.
    pub hi: f64,
    /// What the roundings of `hi` have left out.
    pub lo: f64,
}

impl Twofold {
    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        let sum = self.hi + x;
        let part = sum - self.hi;
        self.lo += (self.hi - (sum - part)) + (x - part);
        self.hi = sum;
    }

    /// Adds a sum.
    #[inline(always)]
    pub fn merge(&mut self, other: Twofold) {
        self.add(other.hi);
        self.lo += other.lo;
    }

    /// The sum. Where NaN or infinity came in, the parts left out mean nothing, and the plain sum stands.
    #[inline(always)]
    pub fn value(self) -> f64 {
        let whole = self.hi + self.lo;
        if whole.is_finite() { whole } else { self.hi }
    }
}

/// A sum of whole numbers in 192 bits: as many products of 64-bit numbers as fit in memory do not fill it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wide {
    low: u128,
    high: i64,
}

impl Wide {
    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, x: i128) {
        let (low, carry) = self.low.overflowing_add(x as u128);
        self.low = low;
        self.high += i64::from(carry) - i64::from(x < 0);
    }

    /// Adds a sum.
    #[inline(always)]
    pub fn merge(&mut self, other: Wide) {
        let (low, carry) = self.low.overflowing_add(other.low);
        self.low = low;
        self.high += other.high + i64::from(carry);
    }

    /// Adds the product of two numbers of at most 64 bits and a sign.
    #[inline(always)]
    pub fn add_product(&mut self, x: i128, y: i128) {
        // The sizes have 64 bits, so that one instruction multiplies them; no branch depends on the signs, which nobody foresees.
        let size = u128::from(x.unsigned_abs() as u64) * u128::from(y.unsigned_abs() as u64);
        let is_negative = (x < 0) != (y < 0) && size != 0;
        let (low, carry) = self.low.overflowing_add(match is_negative {
            true => size.wrapping_neg(),
            false => size,
        });
        self.low = low;
        self.high += i64::from(carry) - i64::from(is_negative);
    }

    /// The sum.
    ///
    /// # Errors
    /// [`ErrorKind::OverflowError`] when it has more than 128 bits.
    #[inline(always)]
    pub fn whole(self) -> Result<i128> {
        match self.whole_or_none() {
            Some(whole) => Ok(whole),
            None => Err(too_large(self.near())),
        }
    }

    /// The sum as the nearest float, or one beside it where there are more than 128 bits.
    pub fn near(self) -> f64 {
        match self.whole_or_none() {
            Some(whole) => whole as f64,
            None => self.high as f64 * 2f64.powi(128) + self.low as f64,
        }
    }

    #[inline(always)]
    fn whole_or_none(self) -> Option<i128> {
        let whole = self.low as i128;
        (self.high == if whole < 0 { -1 } else { 0 }).then_some(whole)
    }
}

#[cold]
fn too_large(sum: f64) -> Error {
    let message = format!("the sum, about {sum:e}, has more than 128 bits");
    Error::new(ErrorKind::OverflowError, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_takes_comes_back() {
        let mut sum = Twofold::default();
        for x in [1e16, 1.0, 1e-3, -1e16] {
            sum.add(x);
        }
        assert_eq!(sum.value(), 1.001);
        sum.add(f64::INFINITY);
        assert_eq!(sum.value(), f64::INFINITY);
        sum.add(f64::NEG_INFINITY);
        assert!(sum.value().is_nan());
    }

    #[test]
    fn sums_of_more_than_128_bits_come_back_into_range() {
        let (most, least) = (i128::from(u64::MAX), i128::from(i64::MIN));
        let mut sum = Wide::default();
        for _ in 0..1000 {
            sum.add_product(most, most);
        }
        assert_eq!(sum.whole().unwrap_err().kind(), ErrorKind::OverflowError);
        assert_eq!(sum.near(), 1000.0 * 2f64.powi(128));
        for _ in 0..1000 {
            sum.add_product(most, -most);
        }
        assert_eq!(sum.whole().unwrap(), 0);
        sum.add_product(least, 1);
        sum.add(5);
        sum.add(-7);
        assert_eq!(sum.whole().unwrap(), least - 2);
        assert_eq!(sum.near(), least as f64);
        for _ in 0..5 {
            sum.add_product(-most, most);
        }
        assert_eq!(sum.near(), -5.0 * 2f64.powi(128));
    }
}
