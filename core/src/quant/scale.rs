//! What a block stores beside its levels: scales, minima and sums, and whether they are numbers.
//!
//! A codec lists its [`Scale`]s; [`Stored`] knows the bits of each encoding. One that is no finite number spoils
//! every weight that it is a factor or a summand of.

use std::fmt;

/// A number that a block stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// What a message calls it, as in "scale `d`".
    pub name: &'static str,
    /// First byte in the block.
    pub offset: usize,
    /// How it is stored.
    pub stored: Stored,
}

impl Scale {
    pub(crate) const fn new(name: &'static str, offset: usize, stored: Stored) -> Scale {
        Scale {
            name,
            offset,
            stored,
        }
    }

    /// One stored as `float16`, by far the most common.
    pub(crate) const fn float16(name: &'static str, offset: usize) -> Scale {
        Scale::new(name, offset, Stored::Float16)
    }

    /// Its bits in a block.
    #[inline(always)]
    pub(crate) fn bits(&self, block: &[u8]) -> u64 {
        self.stored
            .bits(&block[self.offset..self.offset + self.stored.size()])
    }
}

/// An encoding of numbers, some of which are not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// 5 exponent bits, 10 mantissa bits.
    Float16,
    /// A `float16` in the upper 4 bits of four 16-bit numbers, the lowest first.
    SplitFloat16,
    /// 8 exponent bits, 7 mantissa bits.
    Bfloat16,
    /// 8 exponent bits, 23 mantissa bits.
    Float32,
    /// 11 exponent bits, 52 mantissa bits.
    Float64,
    /// 4 exponent bits, 3 mantissa bits, no infinities.
    Float8E4m3fn,
    /// 5 exponent bits, 2 mantissa bits.
    Float8E5m2,
    /// 8 exponent bits alone; the last code is NaN.
    E8m0,
    /// As [`Stored::Float8E4m3fn`], without a sign.
    Ue4m3,
}

/// What a number is that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// Not a number.
    Nan,
    /// Above all numbers.
    Infinity,
    /// Below all numbers.
    MinusInfinity,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Defect::Nan => "NaN",
            Defect::Infinity => "infinity",
            Defect::MinusInfinity => "-infinity",
        })
    }
}

impl Stored {
    /// Bytes that hold it.
    pub fn size(self) -> usize {
        match self {
            Stored::E8m0 | Stored::Ue4m3 | Stored::Float8E4m3fn | Stored::Float8E5m2 => 1,
            Stored::Float16 | Stored::Bfloat16 => 2,
            Stored::Float32 => 4,
            Stored::Float64 | Stored::SplitFloat16 => 8,
        }
    }

    /// Hexadecimal digits of its bits.
    pub(crate) fn digits(self) -> usize {
        match self {
            Stored::SplitFloat16 => 4,
            other => 2 * other.size(),
        }
    }

    /// The bits, from as many bytes as [`Stored::size`] says.
    #[inline(always)]
    pub(crate) fn bits(self, bytes: &[u8]) -> u64 {
        match self {
            Stored::SplitFloat16 => bytes
                .as_chunks::<2>()
                .0
                .iter()
                .rev()
                .fold(0, |bits, word| bits << 4 | u64::from(word[1] >> 4)),
            _ => bytes
                .iter()
                .rev()
                .fold(0, |bits, byte| bits << 8 | u64::from(*byte)),
        }
    }

    /// Bits that are looked at, and what they are in a number that is not finite.
    const fn pattern(self) -> (u64, u64) {
        match self {
            Stored::Float16 | Stored::SplitFloat16 => (0x7c00, 0x7c00),
            Stored::Bfloat16 => (0x7f80, 0x7f80),
            Stored::Float32 => (0x7f80_0000, 0x7f80_0000),
            Stored::Float64 => (0x7ff << 52, 0x7ff << 52),
            Stored::Float8E4m3fn => (0x7f, 0x7f),
            Stored::Float8E5m2 => (0x7c, 0x7c),
            Stored::E8m0 => (0xff, 0xff),
            // The decoder looks at the eighth bit only here: 0xff is a number.
            Stored::Ue4m3 => (0xff, 0x7f),
        }
    }

    /// Whether bits are those of no finite number.
    #[inline(always)]
    pub(crate) fn is_defect(self, bits: u64) -> bool {
        let (mask, value) = self.pattern();
        bits & mask == value
    }

    /// What bits are that are those of no finite number.
    pub fn defect(self, bits: u64) -> Option<Defect> {
        if !self.is_defect(bits) {
            return None;
        }
        let sign = match self {
            Stored::Float8E4m3fn | Stored::E8m0 | Stored::Ue4m3 => return Some(Defect::Nan),
            other => 1u64 << (4 * other.digits() - 1),
        };
        Some(match bits & !self.pattern().0 {
            0 => Defect::Infinity,
            rest if rest == sign => Defect::MinusInfinity,
            _ => Defect::Nan,
        })
    }

    /// Whether one of many packed numbers is not finite, without saying which: nothing branches.
    pub(crate) fn any_defect(self, bytes: &[u8]) -> bool {
        let (mask, value) = self.pattern();
        match self.size() {
            1 => bytes
                .iter()
                .fold(false, |any, byte| any | (byte & mask as u8 == value as u8)),
            2 => bytes.as_chunks().0.iter().fold(false, |any, bytes| {
                any | (u16::from_le_bytes(*bytes) & mask as u16 == value as u16)
            }),
            4 => bytes.as_chunks().0.iter().fold(false, |any, bytes| {
                any | (u32::from_le_bytes(*bytes) & mask as u32 == value as u32)
            }),
            _ => bytes.as_chunks().0.iter().fold(false, |any, bytes| {
                any | (u64::from_le_bytes(*bytes) & mask == value)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_that_are_no_finite_numbers_are_told_apart() {
        use Defect::{Infinity, MinusInfinity, Nan};
        for (stored, bits, wanted) in [
            (Stored::Float16, 0x7bff, None),
            (Stored::Float16, 0x7c00, Some(Infinity)),
            (Stored::Float16, 0xfc00, Some(MinusInfinity)),
            (Stored::Float16, 0x7c01, Some(Nan)),
            (Stored::Float16, 0xfe00, Some(Nan)),
            (Stored::Bfloat16, 0xff80, Some(MinusInfinity)),
            (Stored::Float32, 0x7f7f_ffff, None),
            (Stored::Float32, 0x7fc0_0000, Some(Nan)),
            (Stored::Float32, 0xff80_0000, Some(MinusInfinity)),
            (Stored::Float64, 0xfff0 << 48, Some(MinusInfinity)),
            (Stored::Float64, 0xfff8 << 48, Some(Nan)),
            (Stored::Float8E5m2, 0x7b, None),
            (Stored::Float8E5m2, 0xfc, Some(MinusInfinity)),
            (Stored::Float8E4m3fn, 0x7e, None),
            (Stored::Float8E4m3fn, 0xff, Some(Nan)),
            (Stored::E8m0, 254, None),
            (Stored::E8m0, 255, Some(Nan)),
            (Stored::Ue4m3, 0x7e, None),
            (Stored::Ue4m3, 0x7f, Some(Nan)),
        ] {
            assert_eq!(stored.defect(bits), wanted, "{stored:?} {bits:#x}");
            let bytes = &bits.to_le_bytes()[..stored.size()];
            assert_eq!(stored.bits(bytes), bits);
            assert_eq!(stored.any_defect(bytes), wanted.is_some());
        }
    }

    #[test]
    fn a_float16_in_four_pieces_is_put_together() {
        let bytes = [0xff, 0x1f, 0xff, 0x2f, 0xff, 0x3f, 0xff, 0x4f];
        assert_eq!(Stored::SplitFloat16.bits(&bytes), 0x4321);
    }
}
