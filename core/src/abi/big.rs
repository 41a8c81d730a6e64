//! Whole numbers beyond 64 bits, as objects and as they are read.
//!
//! ```text
//! handle + 24   number of words
//! handle + 32   the words, least significant first, in two's complement
//! ```
#![allow(
    unsafe_code,
    reason = "the words stand behind the handle, as many as the object says"
)]

use std::fmt;

use super::layout::index;
use super::object::{Boxed, ObjectRef};

/// A whole number of any size: words in two's complement, least significant first. No word at the end only repeats the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BigInt<'a>(&'a [i64]);

/// An object for a number; see [`BigInt::new`] for the words.
pub fn object(number: BigInt<'_>) -> ObjectRef {
    let words = number.0;
    let (object, tail) = Boxed::object(index::BIG_INT, words.len(), size_of_val(words));
    // SAFETY: the tail has room for the words, is aligned as the count before it, and nobody else knows the object yet.
    let room = unsafe { std::slice::from_raw_parts_mut(tail.cast::<i64>(), words.len()) };
    room.copy_from_slice(words);
    object
}

/// The number in an object, which anyone may have made.
///
/// # Safety
/// `cell` is the address of the cell of a BigInt object that lives as long as `'a`.
pub(super) unsafe fn read<'a>(cell: *const usize) -> BigInt<'a> {
    // SAFETY: every such object begins with its count of words.
    let count = unsafe { *cell };
    // SAFETY: so many words follow the count.
    BigInt::new(unsafe { std::slice::from_raw_parts(cell.wrapping_add(1).cast(), count) })
}

impl<'a> BigInt<'a> {
    /// The number of these words; none are 0.
    pub fn new(words: &'a [i64]) -> Self {
        let mut words = words;
        while let [rest @ .., before, last] = words
            && *last == before >> 63
        {
            words = &words[..=rest.len()];
        }
        if words == [0] {
            words = &[];
        }
        BigInt(words)
    }

    /// The words.
    pub fn words(self) -> &'a [i64] {
        self.0
    }

    /// Whether the number is less than 0.
    pub fn is_negative(self) -> bool {
        self.0.last().is_some_and(|last| *last < 0)
    }

    /// The number, if it fits 64 bits.
    pub fn to_i64(self) -> Option<i64> {
        match *self.0 {
            [] => Some(0),
            [only] => Some(only),
            _ => None,
        }
    }

    /// The number, if it fits 128 bits.
    pub fn to_i128(self) -> Option<i128> {
        match *self.0 {
            [low, high] => Some(i128::from(high) << 64 | i128::from(low as u64)),
            _ => self.to_i64().map(i128::from),
        }
    }

    /// The nearest number with a point; of two that are equally near, the even one. Infinite when there is none.
    pub fn to_f64(self) -> f64 {
        if let Some(number) = self.to_i128() {
            return number as f64;
        }
        // The two highest words hold more bits than a float does; of all others it counts only whether there are any.
        let (rest, high) = self.0.split_at(self.0.len() - 2);
        let sticky = rest.iter().any(|word| *word != 0);
        let high = i128::from(high[1]) << 64 | i128::from(high[0] as u64);
        let scale = i32::try_from(rest.len() * 64).unwrap_or(i32::MAX);
        (high | i128::from(sticky)) as f64 * 2f64.powi(scale)
    }

    /// The digits of the number without its sign in a power of ten, least significant first.
    fn groups(self) -> Vec<u64> {
        const GROUP: u128 = 10_000_000_000_000_000_000;
        let mut magnitude: Vec<u64> = self.0.iter().map(|word| *word as u64).collect();
        if self.is_negative() {
            let mut carry = true;
            for word in &mut magnitude {
                (*word, carry) = (!*word).overflowing_add(carry.into());
            }
        }
        let mut groups = Vec::new();
        while !magnitude.is_empty() {
            let mut rest = 0u128;
            for word in magnitude.iter_mut().rev() {
                let whole = rest << 64 | u128::from(*word);
                *word = (whole / GROUP) as u64;
                rest = whole % GROUP;
            }
            groups.push(rest as u64);
            while magnitude.last() == Some(&0) {
                magnitude.pop();
            }
        }
        groups
    }
}

impl fmt::Display for BigInt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.groups();
        let mut digits = String::new();
        for (i, group) in groups.iter().rev().enumerate() {
            digits += &match i {
                0 => group.to_string(),
                _ => format!("{group:019}"),
            };
        }
        if digits.is_empty() {
            digits.push('0');
        }
        f.pad_integral(!self.is_negative(), "", &digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Any, Kind};

    /// The words of a power of two.
    fn power(exponent: usize) -> Vec<i64> {
        let mut words = vec![0; exponent / 64 + 1];
        words[exponent / 64] = (1u64 << (exponent % 64)) as i64;
        words.push(0);
        words
    }

    #[test]
    fn words_that_repeat_the_sign_are_left_out() {
        for (words, wanted) in [
            (&[][..], &[][..]),
            (&[0, 0, 0], &[]),
            (&[5, 0], &[5]),
            (&[-5, -1, -1], &[-5]),
            (&[-1], &[-1]),
            (&[i64::MIN, 0], &[i64::MIN, 0]),
            (&[5, -1], &[5, -1]),
            (&[0, 0, 1, 0], &[0, 0, 1]),
        ] {
            assert_eq!(BigInt::new(words).words(), wanted);
        }
    }

    #[test]
    fn texts_have_all_digits() {
        let text = |words: &[i64]| BigInt::new(words).to_string();
        assert_eq!(text(&[]), "0");
        assert_eq!(text(&[-1]), "-1");
        for number in [
            i128::MIN,
            i128::MAX,
            -(1 << 64),
            10i128.pow(38),
            -(10i128.pow(19)),
        ] {
            assert_eq!(
                text(&[number as i64, (number >> 64) as i64]),
                number.to_string()
            );
        }
        let wanted = "1606938044258990275541962092341162602522202993782792835301376";
        assert_eq!(text(&power(200)), wanted);
        // Minus 2^192.
        assert_eq!(
            text(&[0, 0, 0, -1]),
            "-6277101735386680763835789423207666416102355444464034512896"
        );
    }

    #[test]
    fn floats_are_the_nearest() {
        for exponent in [127, 128, 200, 1023] {
            assert_eq!(
                BigInt::new(&power(exponent)).to_f64(),
                2f64.powi(exponent as i32)
            );
        }
        assert!(BigInt::new(&power(1024)).to_f64().is_infinite());
        // 2^200 + 2^147 is halfway between two floats; one more is above, one less below.
        let mut words = power(200);
        words[2] |= 1 << (147 - 128);
        assert_eq!(BigInt::new(&words).to_f64(), 2f64.powi(200));
        words[0] = 1;
        assert_eq!(
            BigInt::new(&words).to_f64(),
            2f64.powi(200) + 2f64.powi(148)
        );
        assert_eq!(BigInt::new(&[0, 0, 0, -1]).to_f64(), -(2f64.powi(192)));
        assert_eq!(
            BigInt::new(&[-1, -1, -1, i64::MAX]).to_f64(),
            2f64.powi(255)
        );
    }

    #[test]
    fn numbers_of_any_size_are_values() {
        for exponent in [0, 62, 63, 64, 127, 128, 1000] {
            let words = power(exponent);
            let value = Any::integer(&words);
            match value.kind() {
                Kind::Int(number) => assert_eq!(number, 1 << exponent),
                Kind::BigInt(number) => {
                    assert!(exponent >= 63);
                    assert_eq!(number, BigInt::new(&words));
                }
                _ => panic!("not a number"),
            }
        }
    }
}
