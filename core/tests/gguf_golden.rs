//! Valid GGUF files read back what their index records: every value with its type, every tensor with its bytes.
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::path::PathBuf;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use tenspan::value::{Any, Kind};
use tenspan::{ErrorKind, Tensor, open, validate_file};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/gguf")
}

fn index() -> Vec<Json> {
    let text = std::fs::read(folder().join("index.json")).unwrap();
    let index: Json = serde_json::from_slice(&text).unwrap();
    index["files"].as_array().unwrap().clone()
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn path(name: &str) -> String {
    folder().join(name).to_str().unwrap().to_owned()
}

/// The type of a recorded value: `[type, value]`, or `["array", type of items, values]`.
fn recorded_type(recorded: &Json) -> String {
    if recorded[0] != "array" {
        return recorded[0].as_str().unwrap().to_owned();
    }
    if recorded[1] != "array" {
        return format!("array<{}>", recorded[1].as_str().unwrap());
    }
    let mut types: Vec<String> = recorded[2]
        .as_array()
        .unwrap()
        .iter()
        .map(recorded_type)
        .collect();
    types.dedup();
    if types.len() == 1 {
        format!("array<{}>", types[0])
    } else {
        "array<array>".to_owned()
    }
}

fn assert_same(read: &Any, r#type: &str, recorded: &Json, place: &str) {
    match (read.kind(), r#type) {
        (Kind::Array(items), "array") => {
            let (inner, wanted) = (
                recorded[1].as_str().unwrap(),
                recorded[2].as_array().unwrap(),
            );
            assert_eq!(items.len(), wanted.len(), "{place}");
            for (item, wanted) in items.iter().zip(wanted) {
                let nested = serde_json::json!([inner, wanted]);
                assert_same(
                    item,
                    inner,
                    if inner == "array" { wanted } else { &nested },
                    place,
                );
            }
        }
        (Kind::Bool(value), "bool") => assert_eq!(Some(value), recorded[1].as_bool(), "{place}"),
        (Kind::Str(text), "string") => assert_eq!(Some(text), recorded[1].as_str(), "{place}"),
        (Kind::Float(number), "float32" | "float64") => {
            let wanted: f64 = recorded[1].as_str().unwrap().parse().unwrap();
            assert_eq!(number.to_bits(), wanted.to_bits(), "{place}");
        }
        (Kind::Int(number), _) => {
            assert_eq!(number.to_string(), recorded[1].to_string(), "{place}")
        }
        (Kind::BigInt(number), _) => {
            assert_eq!(number.to_string(), recorded[1].to_string(), "{place}")
        }
        (kind, _) => panic!(
            "{place}: {type} was read as {}",
            std::mem::discriminant(&kind) == std::mem::discriminant(&Kind::None)
        ),
    }
}

#[test]
fn all_14_files_open_with_the_recorded_header() {
    let index = index();
    assert_eq!(index.len(), 14);
    for recorded in &index {
        let name = recorded["file"].as_str().unwrap();
        let path = path(name);
        let file = open(&path).unwrap();
        validate_file(&path).unwrap();
        assert_eq!((file.format(), file.path()), ("gguf", path.as_str()));
        assert_eq!(
            u64::from(file.version()),
            recorded["version"].as_u64().unwrap(),
            "{name}"
        );
        assert_eq!(
            file.byte_order(),
            recorded["endianness"].as_str().unwrap(),
            "{name}"
        );
        assert_eq!(
            file.alignment(),
            recorded["alignment"].as_u64().unwrap(),
            "{name}"
        );
    }
}

#[test]
fn every_value_has_its_recorded_type_and_content() {
    let mut seen = std::collections::BTreeSet::new();
    for recorded in index() {
        let name = recorded["file"].as_str().unwrap();
        let metadata = open(&path(name)).unwrap().metadata();
        let values = recorded["kv"].as_object().unwrap();
        assert_eq!(metadata.len() as usize, values.len(), "{name}");
        for (key, wanted) in values {
            let place = format!("{name}: {key}");
            assert_eq!(
                metadata.type_of(key).unwrap(),
                recorded_type(wanted),
                "{place}"
            );
            let read = metadata.get(key).unwrap().unwrap();
            assert_same(&read, wanted[0].as_str().unwrap(), wanted, &place);
            seen.insert(recorded_type(wanted));
        }
    }
    // 12 types alone, 12 in arrays, one array of arrays.
    assert_eq!(seen.len(), 25, "{seen:?}");
}

#[test]
fn every_tensor_has_its_recorded_type_shape_and_bytes() {
    for recorded in index() {
        let name = recorded["file"].as_str().unwrap();
        let file = open(&path(name)).unwrap();
        let tensors = recorded["tensors"].as_array().unwrap();
        let names: Vec<&str> = tensors
            .iter()
            .map(|tensor| tensor["name"].as_str().unwrap())
            .collect();
        assert_eq!(file.keys(), names, "{name}");
        for wanted in tensors {
            let key = wanted["name"].as_str().unwrap();
            let place = format!("{name}: {key}");
            let tensor = file.get(key).unwrap().unwrap();
            let mut shape: Vec<u64> = wanted["ne"]
                .as_array()
                .unwrap()
                .iter()
                .map(|n| n.as_u64().unwrap())
                .collect();
            shape.reverse();
            assert_eq!(tensor.shape(), shape, "{place}");
            assert_eq!(
                tensor.dtype().ggml_id().map(u64::from),
                wanted["type_id"].as_u64(),
                "{place}"
            );
            assert_eq!(Some(tensor.nbytes()), wanted["nbytes"].as_u64(), "{place}");
            assert_eq!(tensor.name(), Some(key));
            assert!(tensor.readonly(), "{place}");
            check_bytes(&tensor, &recorded, wanted, &place);
        }
    }
}

/// Digests are of the bytes in the order of the file; of a big-endian one also of the bytes turned.
fn check_bytes(tensor: &Tensor, recorded: &Json, wanted: &Json, place: &str) {
    let turned = &recorded["little_endian_equivalent_sha256"][wanted["name"].as_str().unwrap()];
    let digest = digest(tensor.bytes().unwrap());
    let one_byte_numbers = matches!(tensor.dtype().name().as_str(), "int8" | "mxfp4" | "nvfp4");
    if recorded["endianness"] == "little" {
        assert_eq!(digest, wanted["sha256"].as_str().unwrap(), "{place}");
        assert!(!tensor.copied(), "{place}");
        return;
    }
    assert_eq!(tensor.copied(), !one_byte_numbers, "{place}");
    if recorded["file"] == "big_endian_v3.gguf" {
        assert_eq!(digest, turned.as_str().unwrap(), "{place}");
    }
}

#[test]
fn tensors_and_metadata_outlive_the_file_and_its_closing() {
    let file = open(&path("all_types_v3_a32.gguf")).unwrap();
    let (tensor, metadata) = (file.get("f32.2d").unwrap().unwrap(), file.metadata());
    let before = digest(tensor.bytes().unwrap());
    let other = file.clone();
    file.close();
    assert_eq!(file.get("f32.2d").unwrap_err().kind(), ErrorKind::Disposed);
    assert_eq!(other.get("f32.2d").unwrap_err().kind(), ErrorKind::Disposed);
    assert_eq!(
        (file.len(), file.keys().len(), file.metadata().len()),
        (0, 0, 0)
    );
    file.close();
    drop((file, other));
    assert_eq!(digest(tensor.bytes().unwrap()), before);
    assert_eq!(metadata.type_of("t.string").unwrap(), "string");
}

#[test]
fn tensors_are_views_of_the_map() {
    let file = open(&path("all_types_v3_a32.gguf")).unwrap();
    let [first, second] = ["f32.2d", "f32.4d"].map(|name| file.get(name).unwrap().unwrap());
    assert_eq!(second.data_ptr() - first.data_ptr(), 8192);
    assert!(first.storage().is_same(second.storage()));
    assert!(file.get("none").unwrap().is_none());
}

#[test]
fn a_header_with_300_000_strings_gives_each_of_them() {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(2u64.to_le_bytes());
    for key in ["tokenizer.ggml.tokens", "tokenizer.ggml.merges"] {
        bytes.extend((key.len() as u64).to_le_bytes());
        bytes.extend(key.as_bytes());
        bytes.extend([9, 0, 0, 0, 8, 0, 0, 0]);
        bytes.extend(151_936u64.to_le_bytes());
        for i in 0..151_936 {
            let text = format!("{key}{i}");
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.gguf");
    std::fs::write(&path, &bytes).unwrap();
    let path = path.to_str().unwrap();
    let file = open(path).unwrap();
    let tokens = file
        .metadata()
        .get("tokenizer.ggml.tokens")
        .unwrap()
        .unwrap();
    let Kind::Array(tokens) = tokens.kind() else {
        panic!("not a list")
    };
    assert_eq!(tokens.len(), 151_936);
    assert!(matches!(
        tokens[151_935].kind(),
        Kind::Str("tokenizer.ggml.tokens151935")
    ));
}

#[test]
fn what_is_no_file_of_a_known_format_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.gguf");
    for (path, part) in [
        (missing.as_path(), "No such file"),
        (folder.path(), "it is a folder"),
    ] {
        let path = path.to_str().unwrap();
        let error = open(path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OSError);
        assert!(error.message().starts_with(path), "{error}");
        assert!(cfg!(not(unix)) || error.message().contains(part), "{error}");
    }
    for (bytes, part) in [
        (&b""[..], "at byte 0: the file is empty"),
        (b"PK\x03\x04zip", "at byte 0: found `PK\\x03\\x04`"),
    ] {
        let path = folder.path().join("x.gguf");
        std::fs::write(&path, bytes).unwrap();
        let error = open(path.to_str().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidFile);
        assert!(error.message().contains(part), "{error}");
    }
}
