//! Vectors that are prepared: lengths, errors, and what they say of themselves.

use tenspan::quant::CODECS;
use tenspan::quant::dot::Activation;
use tenspan::quant::kernel::InstructionSet;
use tenspan::{DTypeName, ErrorKind};

use super::support::{finite_blocks, noise, vector};

#[test]
fn nothing_times_nothing_is_zero() {
    for &codec in CODECS {
        let x = Activation::new(codec.dtype(), &[]).unwrap();
        assert!(x.is_empty());
        assert_eq!((x.row_bytes(), x.dot(&[]).unwrap()), (0, 0.0));
    }
}

#[test]
fn only_whole_blocks_are_taken() {
    for &codec in CODECS {
        let len = codec.block_len();
        if len == 1 {
            continue;
        }
        let error = Activation::new(codec.dtype(), &vec![1.0; len + 1]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BlockMismatch);
        assert!(error.message().contains(codec.dtype().as_str()));
    }
}

#[test]
fn a_row_of_another_length_is_refused() {
    let x = Activation::new(DTypeName::Q40, &[1.0; 64]).unwrap();
    assert_eq!((x.len(), x.weights()), (64, DTypeName::Q40));
    for len in [0, 18, 35, 37, 54] {
        let error = x.dot(&vec![0; len]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ShapeMismatch);
        assert!(error.message().contains("36"), "{}", error.message());
    }
}

#[test]
fn rows_of_another_number_are_refused() {
    let x = Activation::new(DTypeName::Q40, &[1.0; 64]).unwrap();
    for (len, rows) in [(36, 2), (72, 1), (108, 2), (0, 1), (36, 0)] {
        let mut sums = vec![0.0; rows];
        let error = x.dot_rows(&vec![0; len], &mut sums).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ShapeMismatch);
        assert!(error.message().contains("36"), "{}", error.message());
    }
}

#[test]
fn rows_at_once_are_what_each_is_alone() {
    for &codec in CODECS {
        let blocks = [0, 1, 2, 7, 8, 9, 19, 8192 / codec.block_len() + 1];
        let sets = InstructionSet::ALL;
        for set in sets.into_iter().filter(|set| set.is_available()) {
            for (count, rows) in blocks.into_iter().zip([3, 1, 5, 2, 3, 4, 2, 2]) {
                let x = vector(count as u64, count * codec.block_len());
                let x = Activation::with(set, codec.dtype(), &x).unwrap();
                let mut bytes = finite_blocks(codec, 3, count * rows);
                // The last row may hold anything: a sum that is not finite among others.
                let last = bytes.len() - x.row_bytes();
                bytes[last..].copy_from_slice(&noise(4, x.row_bytes()));
                let mut sums = vec![f32::NAN; rows];
                x.dot_rows(&bytes, &mut sums).unwrap();
                for (i, sum) in sums.into_iter().enumerate() {
                    let row = &bytes[i * x.row_bytes()..][..x.row_bytes()];
                    let alone = x.dot(row).unwrap() as f32;
                    let same = sum == alone || sum.is_nan() && alone.is_nan();
                    assert!(
                        same,
                        "{} {count} {i}: {sum}, {alone}",
                        codec.dtype().as_str()
                    );
                }
            }
        }
    }
}

#[test]
fn what_holds_no_floats_has_no_vector() {
    let error = Activation::new(DTypeName::Int8, &[1.0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
}

#[test]
fn plain_floats_are_multiplied_as_they_are() {
    for len in 0..70 {
        let row: Vec<u8> = (0..len)
            .flat_map(|i| (i as f32 + 0.5).to_le_bytes())
            .collect();
        let x: Vec<f64> = (0..len).map(|i| 1.0 - 0.25 * f64::from(i)).collect();
        let wanted: f64 = (0..len)
            .map(|i| (f64::from(i) + 0.5) * (1.0 - 0.25 * f64::from(i)))
            .sum();
        let x = Activation::new(DTypeName::Float32, &x).unwrap();
        assert_eq!(x.dot(&row).unwrap(), wanted);
    }
}
