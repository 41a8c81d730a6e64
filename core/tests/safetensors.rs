//! safetensors files: every dtype both ways, and what is refused.
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::path::Path;

use tenspan::generated::dictionaries::SaveOptions;
use tenspan::value::{IntoAny, Kind};
use tenspan::{
    DType, ErrorKind, Metadata, Tensor, asarray, dtypes, from_bytes, full, open, save,
    validate_file, zeros,
};

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_str().unwrap().to_owned()
}

/// A file with this header and these bytes behind it.
fn file(path: &str, header: &str, data: &[u8]) {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).unwrap();
}

fn named(name: &str, tensor: Tensor) -> (String, Tensor) {
    (name.to_owned(), tensor)
}

#[test]
fn every_dtype_reads_back_or_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for dtype in dtypes() {
        let path = text(folder.path().join(format!("{dtype}.safetensors")));
        let count = 2 * 256 / dtype.block_len() * dtype.block_bytes();
        let bytes: Vec<u8> = (0..count)
            .map(|i| u8::from(dtype == DType::BOOL || i % 3 == 0))
            .collect();
        let list = [
            named("full", from_bytes(&bytes, &[2, 256], dtype).unwrap()),
            named("none", zeros(&[2, 0], dtype).unwrap()),
        ];
        let result = save(&path, &list, None, &SaveOptions::default());
        if dtype.is_quantized() || dtype == DType::C128 {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
            assert!(
                error
                    .message()
                    .contains(&format!("`full` is of dtype {dtype},")),
                "{error}"
            );
            assert!(!Path::new(&path).exists());
            continue;
        }
        result.unwrap();
        validate_file(&path).unwrap();
        let file = open(&path).unwrap();
        assert_eq!(
            (file.format(), file.version(), file.byte_order(), file.len()),
            ("safetensors", 0, "little", 2)
        );
        let read = file.get("full").unwrap().unwrap();
        assert_eq!(
            (read.dtype(), read.shape(), read.copied(), read.readonly()),
            (dtype, &[2, 256][..], false, true)
        );
        assert_eq!(read.bytes().unwrap(), bytes, "{dtype}");
        assert_eq!(file.get("none").unwrap().unwrap().shape(), [2, 0]);
        assert!(file.get("other").unwrap().is_none());
    }
}

#[test]
fn views_are_packed_and_metadata_becomes_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    let matrix = asarray(
        vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]]
            .into_any()
            .view(),
        Some(DType::F32),
    )
    .unwrap();
    let metadata = Metadata::new();
    metadata.set("format", "pt".into_any().view()).unwrap();
    metadata.set("flag", true.into_any().view()).unwrap();
    metadata.set("step", u64::MAX.into_any().view()).unwrap();
    metadata.set("rate", 0.1.into_any().view()).unwrap();
    let list = [
        named("turned", matrix.transpose().unwrap()),
        named("back", matrix.slice(1, None, None, -1).unwrap()),
        named(
            "scalar",
            full(&[], 7.into_any().view(), DType::I16).unwrap(),
        ),
    ];
    save(&path, &list, Some(&metadata), &SaveOptions::default()).unwrap();
    let file = open(&path).unwrap();
    assert_eq!(
        format!(
            "{:?}",
            file.get("turned").unwrap().unwrap().tolist().unwrap()
        ),
        "[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]"
    );
    assert_eq!(
        format!("{:?}", file.get("back").unwrap().unwrap().tolist().unwrap()),
        "[[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]]"
    );
    assert_eq!(file.get("scalar").unwrap().unwrap().shape(), [0; 0]);
    let read = file.metadata();
    for (key, wanted) in [
        ("format", "pt"),
        ("flag", "true"),
        ("step", "18446744073709551615"),
        ("rate", "0.1"),
    ] {
        assert_eq!(read.type_of(key).unwrap(), "string");
        assert!(
            matches!(read.get(key).unwrap().unwrap().kind(), Kind::Str(found) if found == wanted),
            "{key}"
        );
    }
    metadata.set("list", vec![1, 2].into_any().view()).unwrap();
    let error = save(&path, &list, Some(&metadata), &SaveOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TypeError);
    assert!(error.message().contains("`list`"), "{error}");
    // The file before is still there.
    assert_eq!(open(&path).unwrap().len(), 3);
}

#[test]
fn a_dtype_that_tenspan_lacks_is_refused_when_its_tensor_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    let header = r#"{"odd":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[0,4]},"known":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}"#;
    file(&path, header, &[0, 0, 0, 0, 8, 9]);
    let opened = open(&path).unwrap();
    assert_eq!(opened.keys(), ["odd", "known"]);
    assert_eq!(
        opened.get("known").unwrap().unwrap().bytes().unwrap(),
        [8, 9]
    );
    let error = opened.get("odd").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
    assert!(
        error.message().contains("`odd` is of dtype F8_E8M0"),
        "{error}"
    );
}

#[test]
fn numbers_that_are_not_aligned_in_the_file_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    let header = r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}"#;
    let mut data = vec![1];
    data.extend(2.5f32.to_le_bytes());
    file(&path, header, &data);
    let opened = open(&path).unwrap();
    let tensor = opened.get("b").unwrap().unwrap();
    assert_eq!(
        (tensor.copied(), tensor.readonly(), tensor.data_ptr() % 4),
        (true, true, 0)
    );
    assert_eq!(format!("{:?}", tensor.tolist().unwrap()), "[2.5]");
    assert!(!opened.get("a").unwrap().unwrap().copied());
}

#[test]
fn broken_headers_are_refused_with_the_path_and_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    let one = |offsets: &str| {
        format!(r#"{{"a":{{"dtype":"F32","shape":[2],"data_offsets":{offsets}}}}}"#)
    };
    let shape =
        |shape: &str| format!(r#"{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":[0,8]}}}}"#);
    let cases = [
        (one("[0,8]"), 7),
        (one("[0,8]"), 9),
        (one("[0,9]"), 9),
        (one("[4,12]"), 12),
        (one("[8,0]"), 8),
        (one("[-1,7]"), 8),
        (one("[0,18446744073709551615]"), 8),
        (shape("[4294967296,4294967296]"), 8),
        (shape("[18446744073709551615]"), 8),
        (shape("[3]"), 8),
        (shape("2"), 8),
        (
            format!("{},{}", one("[0,8]").trim_end_matches('}'), "}}"),
            8,
        ),
        (
            format!(
                "{},{}",
                &one("[0,8]")[..one("[0,8]").len() - 1],
                &one("[0,8]")[1..]
            ),
            8,
        ),
        ("{".to_owned(), 0),
        ("{\"a\":1}".to_owned(), 0),
    ];
    for (header, length) in cases {
        file(&path, &header, &vec![0; length]);
        let error = open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidFile, "{header}");
        assert!(
            error.message().starts_with(&format!("{path}: at byte ")),
            "{header}: {error}"
        );
    }
    file(&path, "{\n \"a\":oops}", &[]);
    let error = open(&path).unwrap_err();
    assert!(error.message().contains("at byte 15: "), "{error}");
    for bytes in [
        &b"\xff\xff\xff\xff\xff\xff\xff\xff{}"[..],
        b"\x10\0\0\0\0\0\0\0{}",
        b"\x03\0\0\0\0\0\0\0{\xff}",
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidFile);
        assert!(error.message().contains(": at byte "), "{error}");
    }
}

#[test]
fn names_that_clash_and_an_alignment_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    let tensor = || zeros(&[1], DType::F32).unwrap();
    for list in [
        vec![named("a", tensor()), named("a", tensor())],
        vec![named("__metadata__", tensor())],
    ] {
        let error = save(&path, &list, None, &SaveOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueError, "{error}");
    }
    let options = SaveOptions {
        format: None,
        alignment: Some(64),
    };
    let error = save(&path, &[], None, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ValueError);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_can_be_written_over_while_its_tensors_are_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    let list = [named(
        "a",
        full(&[3], 2.into_any().view(), DType::F32).unwrap(),
    )];
    save(&path, &list, None, &SaveOptions::default()).unwrap();
    let opened = open(&path).unwrap();
    let again = [named("b", opened.get("a").unwrap().unwrap())];
    save(&path, &again, None, &SaveOptions::default()).unwrap();
    assert_eq!(open(&path).unwrap().keys(), ["b"]);
    assert_eq!(
        opened.get("a").unwrap().unwrap().bytes().unwrap(),
        list[0].1.bytes().unwrap()
    );
}

#[test]
fn a_file_without_tensors_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.safetensors"));
    save(&path, &[], None, &SaveOptions::default()).unwrap();
    let file = open(&path).unwrap();
    assert!(file.is_empty() && file.metadata().is_empty() && !file.has("a"));
}
