//! Lengths that fit, and refusals of those that do not.

use tenspan::quant::{CODECS, decode_rows, encode_rows};
use tenspan::{DType, DTypeName, ErrorKind};

use crate::vectors::{block_codecs, importances};

#[test]
fn lengths_that_are_not_whole_blocks_are_refused_by_name() {
    for codec in block_codecs() {
        let (name, len, size) = (codec.dtype(), codec.block_len(), codec.block_bytes());
        let refused = |result: tenspan::Result<()>, length: usize, block: usize| {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BlockMismatch, "{error}");
            for part in [
                length.to_string(),
                block.to_string(),
                name.as_str().to_owned(),
            ] {
                assert!(
                    error.message().contains(&part),
                    "{error} does not say {part}"
                );
            }
        };
        refused(
            decode_rows(name, &vec![0; size], &mut vec![0.0; len + 1]),
            len + 1,
            len,
        );
        refused(
            decode_rows(name, &vec![0; size - 1], &mut vec![0.0; len]),
            size - 1,
            size,
        );
        refused(
            encode_rows(name, &vec![0.0; len - 1], len - 1, None, &mut vec![0; size]),
            len - 1,
            len,
        );
        // Two rows that are whole blocks only together.
        refused(
            encode_rows(
                name,
                &vec![0.0; 2 * len + len],
                len / 2,
                None,
                &mut vec![0; 3 * size],
            ),
            len / 2,
            len,
        );
    }
}

#[test]
fn lengths_that_disagree_are_a_shape_mismatch() {
    let kind = |result: tenspan::Result<()>| result.unwrap_err().kind();
    let weights = [0.0; 64];
    let q8 = DTypeName::Q80;
    assert_eq!(
        kind(decode_rows(q8, &[0; 34], &mut [0.0; 64])),
        ErrorKind::ShapeMismatch
    );
    assert_eq!(
        kind(encode_rows(q8, &weights, 64, None, &mut [0; 34])),
        ErrorKind::ShapeMismatch
    );
    assert_eq!(
        kind(encode_rows(q8, &weights[..32], 64, None, &mut [0; 34])),
        ErrorKind::ShapeMismatch
    );
    assert_eq!(
        kind(encode_rows(
            q8,
            &weights,
            64,
            Some(&[1.0; 32]),
            &mut [0; 68]
        )),
        ErrorKind::ShapeMismatch
    );
    assert_eq!(
        kind(encode_rows(q8, &weights, 0, None, &mut [0; 68])),
        ErrorKind::ShapeMismatch
    );
}

#[test]
fn nothing_encodes_to_nothing() {
    for codec in CODECS {
        for row_len in [0, codec.block_len()] {
            for importance in importances(*codec, &vec![1.0; row_len]) {
                encode_rows(codec.dtype(), &[], row_len, importance, &mut []).unwrap();
            }
        }
        decode_rows(codec.dtype(), &[], &mut []).unwrap();
    }
}

#[test]
fn a_format_that_needs_importance_says_so() {
    let needing: Vec<_> = block_codecs()
        .filter(|codec| codec.needs_importance())
        .map(|codec| {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            let weights = vec![1.0; len];
            let result = encode_rows(codec.dtype(), &weights, len, None, &mut vec![0; size]);
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValueError);
            assert!(error.message().contains("importance"), "{error}");
            assert!(DType::Known(codec.dtype()).needs_importance());
            codec.dtype().as_str()
        })
        .collect();
    assert_eq!(needing, ["iq1_s", "iq2_xxs", "iq2_xs"]);
}

#[test]
fn a_dtype_without_codec_is_an_unsupported_conversion() {
    let error = decode_rows(DTypeName::Int8, &[0; 4], &mut [0.0; 4]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
    assert!(error.message().contains("int8"), "{error}");
}
