//! Turning the bytes of tensors in big-endian files.

use std::ops::Range;

use crate::dtype::{Class, DType, DTypeName};

use DTypeName as N;

/// The 16- and 32-bit numbers in one block of each type; all else in it are bytes. Types that pack indices of codebooks
/// into words are missing: no writer of big-endian files has them, so their layout is nobody's agreement.
const BLOCKS: &[(N, usize, &[Range<usize>])] = &[
    (N::Q10, 2, &[0..2]),
    (N::Q20, 2, &[0..2]),
    (N::Q40, 2, &[0..2]),
    (N::Q41, 2, &[0..4]),
    (N::Q50, 2, &[0..2]),
    (N::Q51, 2, &[0..4]),
    (N::Q80, 2, &[0..2]),
    (N::Q81, 2, &[0..4]),
    (N::Q2K, 2, &[80..84]),
    (N::Q3K, 2, &[108..110]),
    (N::Q4K, 2, &[0..4]),
    (N::Q5K, 2, &[0..4]),
    (N::Q6K, 2, &[208..210]),
    (N::Iq4Nl, 2, &[0..2]),
    (N::Tq10, 2, &[52..54]),
    (N::Tq20, 2, &[64..66]),
    (N::Mxfp4, 2, &[]),
    (N::Nvfp4, 2, &[]),
];

/// Where the multi-byte numbers of one element or block are, and how many bytes each has; `None` when that is unknown.
/// Nothing has to be turned when there are no ranges.
pub(crate) fn swapped_fields(dtype: DType) -> Option<(usize, Vec<Range<usize>>)> {
    let whole = |width: u64| {
        let end = dtype.block_bytes() as usize;
        (
            width as usize,
            if width > 1 { vec![0..end] } else { vec![] },
        )
    };
    match dtype.class() {
        Class::Opaque => None,
        Class::Block => {
            let (_, width, fields) = BLOCKS
                .iter()
                .find(|(name, ..)| dtype.known() == Some(*name))?;
            Some((*width, fields.to_vec()))
        }
        Class::Complex => Some(whole(dtype.block_bytes() / 2)),
        _ => Some(whole(dtype.block_bytes())),
    }
}

/// Turns the numbers of width `width` in the `fields` of every block.
pub(crate) fn swap(bytes: &mut [u8], block_bytes: usize, width: usize, fields: &[Range<usize>]) {
    for block in bytes.chunks_exact_mut(block_bytes) {
        for field in fields {
            for number in block[field.clone()].chunks_exact_mut(width) {
                number.reverse();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_inside_its_block() {
        for (name, width, fields) in BLOCKS {
            for field in *fields {
                assert!(
                    field.end as u64 <= DType::Known(*name).block_bytes(),
                    "{name:?}"
                );
                assert_eq!(field.len() % width, 0, "{name:?}");
            }
        }
    }

    #[test]
    fn numbers_are_turned_and_bytes_are_not() {
        let mut bytes: Vec<u8> = (0..18).collect();
        let (width, fields) = swapped_fields(DType::Q4_0).unwrap();
        swap(&mut bytes, 18, width, &fields);
        assert_eq!(bytes[..4], [1, 0, 2, 3]);
        let (width, fields) = swapped_fields(DType::C64).unwrap();
        swap(&mut bytes[..8], 8, width, &fields);
        assert_eq!(bytes[..8], [3, 2, 0, 1, 7, 6, 5, 4]);
        assert!(swapped_fields(DType::I8).unwrap().1.is_empty());
        assert!(
            swapped_fields(DType::IQ1_M).is_none() && swapped_fields(DType::Opaque(99)).is_none()
        );
    }
}
