//! Turning the bytes of tensors in big-endian files.

use std::ops::Range;

use crate::dtype::{Class, DType, DTypeName};

use DTypeName as N;

/// The 16-bit numbers in one block of each type; all else in it are bytes. Types that pack indices of
/// codebooks into words are missing: no writer of big-endian files has them, so their layout is nobody's
/// agreement.
const BLOCKS: &[(N, Range<usize>)] = &[
    (N::Q10, 0..2),
    (N::Q20, 0..2),
    (N::Q40, 0..2),
    (N::Q41, 0..4),
    (N::Q50, 0..2),
    (N::Q51, 0..4),
    (N::Q80, 0..2),
    (N::Q81, 0..4),
    (N::Q2K, 80..84),
    (N::Q3K, 108..110),
    (N::Q4K, 0..4),
    (N::Q5K, 0..4),
    (N::Q6K, 208..210),
    (N::Iq4Nl, 0..2),
    (N::Tq10, 52..54),
    (N::Tq20, 64..66),
    (N::Mxfp4, 0..0),
    (N::Nvfp4, 0..0),
];

/// What has to be turned in each element or block of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Swap {
    block_bytes: usize,
    /// Bytes of each number.
    width: usize,
    /// Where the numbers are.
    numbers: Range<usize>,
}

impl Swap {
    /// Of a type; `None` when its layout is not known.
    pub(crate) fn of(dtype: DType) -> Option<Swap> {
        // At most 292 for every type.
        let block_bytes = dtype.block_bytes() as usize;
        let (width, numbers) = match dtype.class() {
            Class::Opaque => return None,
            Class::Block => {
                let row = BLOCKS.iter().find(|row| dtype.known() == Some(row.0))?;
                (2, row.1.clone())
            }
            Class::Complex => (block_bytes / 2, 0..block_bytes),
            _ if block_bytes == 1 => (1, 0..0),
            _ => (block_bytes, 0..block_bytes),
        };
        Some(Swap {
            block_bytes,
            width,
            numbers,
        })
    }

    /// Whether the bytes are the same in both orders.
    pub(crate) fn is_nothing(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Turns the numbers in whole blocks.
    pub(crate) fn apply(&self, bytes: &mut [u8]) {
        for block in bytes.chunks_exact_mut(self.block_bytes) {
            block[self.numbers.clone()]
                .chunks_exact_mut(self.width)
                .for_each(<[u8]>::reverse);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_inside_their_block() {
        for (name, numbers) in BLOCKS {
            assert!(
                numbers.end as u64 <= DType::Known(*name).block_bytes(),
                "{name:?}"
            );
            assert_eq!(numbers.len() % 2, 0, "{name:?}");
        }
    }

    #[test]
    fn numbers_are_turned_and_bytes_are_not() {
        let mut bytes: Vec<u8> = (0..18).collect();
        Swap::of(DType::Q4_0).unwrap().apply(&mut bytes);
        assert_eq!(bytes[..4], [1, 0, 2, 3]);
        Swap::of(DType::C64).unwrap().apply(&mut bytes[..8]);
        assert_eq!(bytes[..8], [3, 2, 0, 1, 7, 6, 5, 4]);
        assert!(Swap::of(DType::I8).unwrap().is_nothing());
        assert!(Swap::of(DType::IQ1_M).is_none() && Swap::of(DType::Opaque(99)).is_none());
    }
}
