//! What `quantize`, `dequantize` and `validate` add to a copy: importance, strictness, rows, faults.

#![expect(clippy::unwrap_used, reason = "tests")]

use tenspan::generated::dictionaries::{DequantizeOptions, QuantizeOptions, ValidateOptions};
use tenspan::quant::{CODECS, Codec, encode_rows};
use tenspan::value::IntoAny;
use tenspan::{
    DType, ErrorKind, Tensor, asarray, cast, dequantize, from_bytes, quantize, validate, zeros,
};

const ROW: usize = 512;

fn floats(values: &[f32], shape: &[u64]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_ne_bytes()).collect();
    from_bytes(&bytes, shape, DType::F32).unwrap()
}

fn weights(rows: usize) -> Vec<f32> {
    let wave = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 16.0 * (1.0 + (i % 7) as f32);
    (0..rows * ROW).map(wave).collect()
}

fn importance() -> Vec<f32> {
    (0..ROW).map(|i| (i % 13) as f32 / 4.0 + 0.25).collect()
}

fn block_codecs() -> impl Iterator<Item = &'static dyn Codec> {
    CODECS.iter().copied().filter(|codec| codec.block_len() > 1)
}

fn options(importance: Option<Tensor>, strict: bool) -> QuantizeOptions {
    QuantizeOptions {
        importance,
        strict,
        out: None,
    }
}

fn read(t: &Tensor) -> Vec<u32> {
    let words = t.bytes().unwrap().as_chunks().0;
    words.iter().map(|word| u32::from_ne_bytes(*word)).collect()
}

#[test]
fn importance_reaches_the_encoder_of_every_format_from_every_float() {
    let (weights, importance) = (weights(5), importance());
    let x = floats(&weights, &[5, ROW as u64]);
    let given = floats(&importance, &[ROW as u64]);
    for codec in block_codecs() {
        let dtype = DType::Known(codec.dtype());
        let mut wanted = vec![0; 5 * ROW / codec.block_len() * codec.block_bytes()];
        encode_rows(codec.dtype(), &weights, ROW, Some(&importance), &mut wanted).unwrap();
        for strict in [false, true] {
            let options = options(Some(given.clone()), strict);
            let made = quantize(&x, dtype, &options).unwrap();
            assert_eq!(made.bytes().unwrap(), wanted, "{dtype}");
            // Every weight fits all three exactly.
            for source in [DType::F64, DType::F16] {
                let x = cast(&x, source, None).unwrap();
                let narrow = cast(&x, DType::F32, None).unwrap();
                let made = quantize(&x, dtype, &options).unwrap();
                let wanted = quantize(&narrow, dtype, &options).unwrap();
                assert_eq!(
                    made.bytes().unwrap(),
                    wanted.bytes().unwrap(),
                    "{dtype} from {source}"
                );
            }
            let flipped = x.slice(0, None, None, -1).unwrap();
            let made = quantize(&flipped, dtype, &options).unwrap();
            let last = made.rows(4, 5).unwrap();
            assert_eq!(
                last.bytes().unwrap(),
                &wanted[..last.nbytes() as usize],
                "{dtype}"
            );
        }
    }
}

#[test]
fn strict_encoding_of_what_fits_changes_no_byte() {
    let weights = weights(40);
    let x = floats(&weights, &[2, 20 * ROW as u64]);
    for codec in block_codecs().filter(|codec| !codec.needs_importance()) {
        let dtype = DType::Known(codec.dtype());
        let plain = quantize(&x, dtype, &options(None, false)).unwrap();
        let strict = quantize(&x, dtype, &options(None, true)).unwrap();
        assert_eq!(plain.bytes().unwrap(), strict.bytes().unwrap(), "{dtype}");
        assert_eq!(validate(&plain, &ValidateOptions::default()).unwrap(), []);
    }
}

#[test]
fn strict_encoding_names_the_first_bad_number() {
    for codec in block_codecs() {
        let dtype = DType::Known(codec.dtype());
        let given = floats(&importance(), &[ROW as u64]);
        for (value, column) in [
            (f32::NAN, 300),
            (f32::INFINITY, 511),
            (f32::NEG_INFINITY, 0),
        ] {
            let mut weights = weights(3);
            weights[ROW + column] = value;
            weights[2 * ROW] = f32::NAN;
            let x = floats(&weights, &[3, ROW as u64]);
            let options = options(Some(given.clone()), true);
            let error = quantize(&x, dtype, &options).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFinite);
            let block = (ROW + column) / codec.block_len();
            let place = format!("row 1, column {column} (block {block}): {value} ");
            assert!(error.message().contains(&place), "{error}");
            // Without, nothing stops it.
            quantize(
                &x,
                dtype,
                &QuantizeOptions {
                    strict: false,
                    ..options
                },
            )
            .unwrap();
        }
    }
}

#[test]
fn strict_encoding_refuses_what_a_scale_cannot_hold() {
    let given = floats(&importance(), &[ROW as u64]);
    for (codec, value) in block_codecs().flat_map(|codec| [(codec, 3e12), (codec, 1e30)]) {
        let mut weights = weights(2);
        weights[ROW + 70] = value;
        let x = floats(&weights, &[2, ROW as u64]);
        let dtype = DType::Known(codec.dtype());
        let plain = quantize(&x, dtype, &options(Some(given.clone()), false)).unwrap();
        let strict = quantize(&x, dtype, &options(Some(given.clone()), true));
        let faults = validate(&plain, &ValidateOptions::default()).unwrap();
        // Scales of 8 exponent bits, and of 32 bits, hold it.
        if matches!(dtype, DType::MXFP4 | DType::Q8_K) {
            strict.unwrap();
            assert_eq!(faults, []);
            continue;
        }
        let error = strict.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFinite, "{dtype}");
        for part in [
            "row 1, column 70 (block ",
            &format!("{value:e} is too large"),
        ] {
            assert!(error.message().contains(part), "{dtype}: {error}");
        }
        // Scales that end at 448 hide it, and so do searches that lost count.
        let shows = dtype != DType::NVFP4 && value < 1e15;
        assert!(!shows || !faults.is_empty(), "{dtype}");
    }
}

#[test]
fn strict_rounding_refuses_what_a_small_float_cannot_hold() {
    let x = cast(
        &floats(&[1.0, 2.0, 70000.0, 1.0], &[2, 2]),
        DType::F64,
        None,
    )
    .unwrap();
    let error = quantize(&x, DType::F16, &options(None, true)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert!(
        error
            .message()
            .contains("row 1, column 0: 7e4 is too large for float16"),
        "{error}"
    );
    quantize(&x, DType::BF16, &options(None, true)).unwrap();
    let wide = asarray(vec![1.0, 1e300].into_any().view(), Some(DType::F64)).unwrap();
    let error = quantize(&wide, DType::F32, &options(None, true)).unwrap_err();
    assert!(
        error
            .message()
            .contains("column 1: 1e300 is too large for float32"),
        "{error}"
    );
}

#[test]
fn listed_rows_are_those_of_the_whole_in_any_order() {
    let listed = [4i64, 0, 0, 3, 4, 1];
    for codec in block_codecs() {
        let dtype = DType::Known(codec.dtype());
        let given = floats(&importance(), &[ROW as u64]);
        let x = floats(&weights(10), &[5, 2, ROW as u64]);
        let q = quantize(&x, dtype, &options(Some(given), false)).unwrap();
        for to in [DType::F32, DType::F16, DType::BF16, DType::F64] {
            let whole = dequantize(&q, to, &DequantizeOptions::default()).unwrap();
            let rows = DequantizeOptions {
                rows: Some(listed.to_vec()),
                out: None,
            };
            let some = dequantize(&q, to, &rows).unwrap();
            assert_eq!(some.shape(), [6, 2, ROW as u64]);
            for (at, row) in (0u64..).zip(listed) {
                let (row, some) = (row as u64, some.rows(at, at + 1).unwrap());
                let wanted = whole.rows(row, row + 1).unwrap();
                assert_eq!(
                    some.bytes().unwrap(),
                    wanted.bytes().unwrap(),
                    "{dtype} {to}"
                );
            }
            // Columns in another order of memory, and a destination with gaps.
            let swapped = q.permute(&[1, 0, 2]).unwrap();
            let room = zeros(&[2, 6, ROW as u64], to).unwrap();
            let rows = DequantizeOptions {
                rows: Some(vec![1, 0]),
                out: Some(
                    room.slice(1, Some(5), None, -1)
                        .unwrap()
                        .slice(1, Some(0), Some(5), 1)
                        .unwrap(),
                ),
            };
            let made = dequantize(&swapped, to, &rows).unwrap();
            let wanted = whole.permute(&[1, 0, 2]).unwrap();
            for (at, row) in [(0, 1), (1, 0)] {
                let made = made.select(0, at).unwrap().contiguous().unwrap();
                let wanted = wanted.select(0, row).unwrap().contiguous().unwrap();
                assert_eq!(
                    made.bytes().unwrap(),
                    wanted.bytes().unwrap(),
                    "{dtype} {to}"
                );
            }
        }
    }
}

#[test]
fn many_listed_rows_go_over_threads() {
    let x = floats(&weights(1000), &[1000, ROW as u64]);
    let q = quantize(&x, DType::Q4_0, &options(None, false)).unwrap();
    let listed: Vec<i64> = (0..3000).map(|i| i * 7919 % 1000).collect();
    let whole = read(&dequantize(&q, DType::F32, &DequantizeOptions::default()).unwrap());
    let rows = DequantizeOptions {
        rows: Some(listed.clone()),
        out: None,
    };
    let some = read(&dequantize(&q, DType::F32, &rows).unwrap());
    for (some, row) in some.chunks(ROW).zip(listed) {
        assert_eq!(some, &whole[row as usize * ROW..][..ROW]);
    }
}

#[test]
fn rows_that_are_not_there_are_named() {
    let q = zeros(&[4, 32], DType::Q8_0).unwrap();
    let kind = |t: &Tensor, rows: &[i64], part: &str| {
        let options = DequantizeOptions {
            rows: Some(rows.to_vec()),
            out: None,
        };
        let error = dequantize(t, DType::F32, &options).unwrap_err();
        assert!(error.message().contains(part), "{error}");
        error.kind()
    };
    assert_eq!(
        kind(&q, &[0, 4], "row 4 at position 1"),
        ErrorKind::IndexError
    );
    assert_eq!(
        kind(&q, &[-1], "row -1 at position 0"),
        ErrorKind::IndexError
    );
    assert_eq!(
        kind(&zeros(&[64], DType::Q8_0).unwrap(), &[0], "one dimension"),
        ErrorKind::BlockMismatch
    );
    assert_eq!(
        kind(&zeros(&[], DType::F32).unwrap(), &[0], "no rows"),
        ErrorKind::IndexError
    );
    let rows = |rows: &[i64], out: Option<Tensor>| DequantizeOptions {
        rows: Some(rows.to_vec()),
        out,
    };
    assert_eq!(
        dequantize(&q, DType::F32, &rows(&[], None))
            .unwrap()
            .shape(),
        [0, 32]
    );
    let plain = floats(&[1.0, 2.0, 3.0], &[3]);
    let picked = dequantize(&plain, DType::F64, &rows(&[2, 0], None)).unwrap();
    assert_eq!(picked.shape(), [2]);
    // The source is read before the same memory is written.
    let (first, all) = (
        plain.rows(0, 2).unwrap(),
        rows(&[2, 1], Some(plain.rows(0, 2).unwrap())),
    );
    dequantize(&plain, DType::F32, &all).unwrap();
    assert_eq!(read(&first), [3f32.to_bits(), 2f32.to_bits()]);
    let readonly = rows(
        &[0],
        Some(zeros(&[1, 32], DType::F32).unwrap().as_readonly()),
    );
    assert_eq!(
        dequantize(&q, DType::F32, &readonly).unwrap_err().kind(),
        ErrorKind::ReadOnly
    );
    let narrow = rows(&[0], Some(zeros(&[2, 32], DType::F32).unwrap()));
    assert_eq!(
        dequantize(&q, DType::F32, &narrow).unwrap_err().kind(),
        ErrorKind::ShapeMismatch
    );
}

#[test]
fn a_broken_importance_is_refused() {
    let x = floats(&weights(1), &[1, ROW as u64]);
    let error = |importance: Tensor| {
        let options = options(Some(importance), false);
        quantize(&x, DType::IQ2_XXS, &options).unwrap_err()
    };
    let kind = |importance: Tensor| error(importance).kind();
    assert_eq!(
        kind(zeros(&[256], DType::F32).unwrap()),
        ErrorKind::ShapeMismatch
    );
    assert_eq!(
        kind(zeros(&[1, 512], DType::F32).unwrap()),
        ErrorKind::ShapeMismatch
    );
    assert_eq!(
        kind(zeros(&[512], DType::BOOL).unwrap()),
        ErrorKind::DTypeMismatch
    );
    assert_eq!(
        kind(zeros(&[512], DType::Q8_0).unwrap()),
        ErrorKind::DTypeMismatch
    );
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let mut weights = importance();
        weights[17] = bad;
        let error = error(floats(&weights, &[ROW as u64]));
        assert_eq!(error.kind(), ErrorKind::ValueError);
        assert!(error.message().contains("column 17"), "{error}");
    }
    let missing = quantize(&x, DType::IQ2_XXS, &options(None, true)).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::UnsupportedConversion);
    assert!(missing.message().contains("importance"), "{missing}");
}

#[test]
fn faults_are_listed_in_order_and_not_more_than_asked_for() {
    let mut values = vec![1.0; 200_000];
    for i in [5, 70_000, 199_999] {
        values[i] = f32::NAN;
    }
    values[131_072] = f32::NEG_INFINITY;
    let t = floats(&values, &[200, 1000]);
    let list = |t: &Tensor, limit| validate(t, &ValidateOptions { limit }).unwrap();
    let found = list(&t, 1000);
    let places: Vec<_> = found
        .iter()
        .map(|fault| (fault.block, fault.row, fault.column))
        .collect();
    assert_eq!(
        places,
        [
            (5, 0, 5),
            (70_000, 70, 0),
            (131_072, 131, 72),
            (199_999, 199, 999)
        ]
    );
    assert_eq!(found[2].reason, "element is -infinity");
    assert_eq!(
        (found[2].bits.as_str(), found[0].bits.as_str()),
        ("0xff800000", "0x7fc00000")
    );
    assert_eq!(list(&t, 2), found[..2]);
    assert_eq!(list(&t, 0), []);
    let turned = list(&t.transpose().unwrap(), 1000);
    let places: Vec<_> = turned
        .iter()
        .map(|fault| (fault.row, fault.column))
        .collect();
    assert_eq!(places, [(0, 70), (5, 0), (72, 131), (999, 199)]);
    for dtype in tenspan::dtypes() {
        assert_eq!(list(&zeros(&[2, 256], dtype).unwrap(), 1000), [], "{dtype}");
        assert_eq!(list(&zeros(&[0, 256], dtype).unwrap(), 1000), [], "{dtype}");
    }
}
