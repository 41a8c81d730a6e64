//! GGUF files that are written: the same bytes as before where nothing changed, the same values where something did.
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::path::{Path, PathBuf};

use tenspan::generated::dictionaries::SaveOptions;
use tenspan::value::IntoAny;
use tenspan::{DType, ErrorKind, File, Metadata, Tensor, asarray, dtypes, full, open, save, zeros};

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors")
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_str().unwrap().to_owned()
}

fn tensors(file: &File) -> Vec<(String, Tensor)> {
    file.keys()
        .into_iter()
        .map(|key| (key.clone(), file.get(&key).unwrap().unwrap()))
        .collect()
}

fn numbers(shape: &[u64]) -> Tensor {
    let count = shape.iter().product::<u64>();
    let list: Vec<f64> = (0..count).map(|i| i as f64).collect();
    let shape: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    asarray(list.into_any().view(), Some(DType::F32))
        .unwrap()
        .reshape(&shape)
        .unwrap()
}

#[test]
fn a_little_endian_file_of_version_3_is_rewritten_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut rewritten = 0;
    for entry in std::fs::read_dir(vectors().join("gguf")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|suffix| suffix != "gguf") {
            continue;
        }
        let file = open(&text(&path)).unwrap();
        if (file.version(), file.byte_order()) != (3, "little") {
            continue;
        }
        let result = text(folder.path().join("x.gguf"));
        save(
            &result,
            &tensors(&file),
            Some(&file.metadata()),
            &SaveOptions::default(),
        )
        .unwrap();
        let (result, mut wanted) = (
            std::fs::read(&result).unwrap(),
            std::fs::read(&path).unwrap(),
        );
        if file.is_empty() {
            // Some writers pad the header for data that does not follow.
            assert!(wanted.split_off(result.len()).iter().all(|byte| *byte == 0));
        }
        assert_eq!(result, wanted, "{path:?}");
        rewritten += 1;
    }
    assert_eq!(rewritten, 11);
}

#[test]
fn a_big_endian_file_is_rewritten_as_the_little_endian_one_it_was_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let big = open(&text(vectors().join("gguf/big_endian_v3.gguf"))).unwrap();
    let twin = open(&text(vectors().join("gguf/all_types_v3_a32.gguf"))).unwrap();
    let result = text(folder.path().join("x.gguf"));
    save(
        &result,
        &tensors(&big),
        Some(&big.metadata()),
        &SaveOptions::default(),
    )
    .unwrap();
    let result = open(&result).unwrap();
    assert_eq!((result.byte_order(), result.keys()), ("little", big.keys()));
    assert_eq!(result.metadata().keys(), twin.metadata().keys());
    for key in twin.metadata().keys() {
        let [read, wanted] =
            [&result, &twin].map(|file| format!("{:?}", file.metadata().get(&key).unwrap()));
        assert_eq!(read, wanted, "{key}");
        assert_eq!(
            result.metadata().type_of(&key).unwrap(),
            twin.metadata().type_of(&key).unwrap()
        );
    }
    for (key, tensor) in tensors(&result) {
        assert_eq!(
            tensor.bytes().unwrap(),
            big.get(&key).unwrap().unwrap().bytes().unwrap(),
            "{key}"
        );
    }
}

#[test]
fn a_tensor_of_an_unknown_type_is_moved_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let source = open(&text(vectors().join("gguf_bad/type_43_count.gguf"))).unwrap();
    let tensor = source.get("t").unwrap().unwrap();
    assert_eq!(
        (tensor.dtype(), tensor.dtype().name().as_str()),
        (DType::Opaque(43), "ggml_type_43")
    );
    let result = text(folder.path().join("x.gguf"));
    save(
        &result,
        &tensors(&source),
        Some(&source.metadata()),
        &SaveOptions::default(),
    )
    .unwrap();
    let copy = open(&result).unwrap().get("t").unwrap().unwrap();
    assert_eq!(
        (copy.dtype(), copy.shape()),
        (tensor.dtype(), tensor.shape())
    );
    assert_eq!(copy.bytes().unwrap(), tensor.bytes().unwrap());
}

#[test]
fn a_file_can_be_written_over_while_its_tensors_are_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.gguf"));
    std::fs::copy(vectors().join("gguf/all_types_v3_a32.gguf"), &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let file = open(&path).unwrap();
    let mut reversed = tensors(&file);
    reversed.reverse();
    save(
        &path,
        &reversed,
        Some(&file.metadata()),
        &SaveOptions::default(),
    )
    .unwrap();
    // The old map still shows the old file.
    let old = file.get("f32.2d").unwrap().unwrap();
    let new = open(&path).unwrap();
    assert_eq!(
        old.bytes().unwrap(),
        new.get("f32.2d").unwrap().unwrap().bytes().unwrap()
    );
    assert_eq!(new.keys().first(), file.keys().last());
    reversed.reverse();
    save(
        &path,
        &reversed,
        Some(&file.metadata()),
        &SaveOptions::default(),
    )
    .unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn every_dtype_is_written_or_refused_by_name_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    for dtype in dtypes() {
        let path = text(folder.path().join(format!("{dtype}.gguf")));
        let tensor = zeros(&[2, 3, 256], dtype).unwrap();
        let result = save(
            &path,
            &[("w".to_owned(), tensor)],
            None,
            &SaveOptions::default(),
        );
        if dtype.ggml_id().is_some() {
            result.unwrap();
            let read = open(&path).unwrap().get("w").unwrap().unwrap();
            assert_eq!((read.dtype(), read.shape()), (dtype, &[2, 3, 256][..]));
        } else {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
            assert!(
                error
                    .message()
                    .contains(&format!("`w` is of dtype {dtype},")),
                "{error}"
            );
            assert!(!Path::new(&path).exists());
        }
    }
    let kept = dtypes()
        .iter()
        .filter(|dtype| dtype.ggml_id().is_some())
        .count();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), kept);
}

#[test]
fn views_are_packed_and_scalars_and_empty_tensors_keep_their_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.gguf"));
    let matrix = numbers(&[3, 5]);
    let named = |name: &str, tensor: Tensor| (name.to_owned(), tensor);
    let list = [
        named("turned", matrix.transpose().unwrap()),
        named("every other", matrix.slice(1, None, None, -2).unwrap()),
        named("scalar", matrix.at(1).unwrap().at(2).unwrap()),
        named("none", zeros(&[0, 7], DType::F16).unwrap()),
        named(
            "after",
            full(&[1], 9.into_any().view(), DType::I64).unwrap(),
        ),
    ];
    save(&path, &list, None, &SaveOptions::default()).unwrap();
    let file = open(&path).unwrap();
    assert_eq!(
        file.keys(),
        list.iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    );
    for (name, tensor) in &list {
        let read = file.get(name).unwrap().unwrap();
        assert_eq!(read.shape(), tensor.shape(), "{name}");
        assert_eq!(
            format!("{:?}", read.tolist().unwrap()),
            format!("{:?}", tensor.tolist().unwrap()),
            "{name}"
        );
    }
}

#[test]
fn the_alignment_is_that_of_the_options_then_of_the_metadata_then_32() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.gguf"));
    let list = [
        ("a".to_owned(), numbers(&[3])),
        ("b".to_owned(), numbers(&[3])),
    ];
    let distance = |metadata: Option<&Metadata>, alignment: Option<u64>| {
        save(
            &path,
            &list,
            metadata,
            &SaveOptions {
                alignment,
                format: None,
            },
        )
        .unwrap();
        let file = open(&path).unwrap();
        let [a, b] = ["a", "b"].map(|name| file.get(name).unwrap().unwrap().data_ptr());
        assert_eq!(
            (b - a, a % file.alignment()),
            (12u64.next_multiple_of(file.alignment()), 0)
        );
        file.alignment()
    };
    assert_eq!(
        (
            distance(None, None),
            distance(None, Some(8)),
            distance(None, Some(4096))
        ),
        (32, 8, 4096)
    );
    let metadata = Metadata::new();
    metadata
        .set_typed("general.alignment", 64.into_any().view(), "uint32")
        .unwrap();
    assert_eq!(
        (
            distance(Some(&metadata), None),
            distance(Some(&metadata), Some(32))
        ),
        (64, 32)
    );
    assert_eq!(
        metadata
            .get("general.alignment")
            .unwrap()
            .unwrap()
            .kind_int(),
        64
    );
    for alignment in [0, 4, 24, 1 << 40] {
        let options = SaveOptions {
            alignment: Some(alignment),
            format: None,
        };
        let error = save(&path, &list, None, &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueError, "{error}");
    }
    metadata
        .set("general.alignment", "64".into_any().view())
        .unwrap();
    assert_eq!(
        save(&path, &list, Some(&metadata), &SaveOptions::default())
            .unwrap_err()
            .kind(),
        ErrorKind::ValueError
    );
}

trait KindInt {
    fn kind_int(&self) -> i64;
}

impl KindInt for tenspan::value::Any {
    fn kind_int(&self) -> i64 {
        let tenspan::value::Kind::Int(number) = self.kind() else {
            panic!("{self:?} is no integer")
        };
        number
    }
}

#[test]
fn what_the_format_lacks_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.gguf"));
    let twice = [
        ("a".to_owned(), numbers(&[3])),
        ("a".to_owned(), numbers(&[3])),
    ];
    let deep = [("a".to_owned(), numbers(&[1, 1, 1, 1, 3]))];
    for (list, kind, part) in [
        (&twice[..], ErrorKind::ValueError, "two tensors `a`"),
        (&deep[..], ErrorKind::ShapeMismatch, "[1, 1, 1, 1, 3]"),
    ] {
        let error = save(&path, list, None, &SaveOptions::default()).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    for (name, format, part) in [
        ("x", None, "no suffix"),
        ("x.bin", None, "`.bin`"),
        ("x.gguf", Some("gguff"), "found `gguff`"),
    ] {
        let options = SaveOptions {
            format: format.map(str::to_owned),
            alignment: None,
        };
        let error = save(&text(folder.path().join(name)), &deep, None, &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueError, "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let options = SaveOptions {
        format: Some("GGUF".to_owned()),
        alignment: None,
    };
    let path = text(folder.path().join("x.bin"));
    save(&path, &[], None, &options).unwrap();
    assert_eq!(
        (
            open(&path).unwrap().len(),
            std::fs::read(&path).unwrap().len()
        ),
        (0, 24)
    );
}
