//! Whole files quantized: real weights, every float type, patterns, progress.
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use tenspan::generated::dictionaries::{
    CopyOptions, QuantizeFileOptions, QuantizeOptions, SaveOptions,
};
use tenspan::value::{IntoAny, Kind};
use tenspan::{
    DType, Error, ErrorKind, Metadata, Tensor, cast, copy, full, open, quantize, quantize_file,
    save, validate_file, zeros,
};

fn sample() -> String {
    text(
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("../tests/vectors/sample/minilm-sample.safetensors"),
    )
}

fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_str().unwrap().to_owned()
}

fn plain() -> QuantizeFileOptions<'static> {
    QuantizeFileOptions::default()
}

#[test]
fn real_weights_take_the_first_format_that_fits_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let dst = text(folder.path().join("x.gguf"));
    let reports = quantize_file(&sample(), &dst, "q4_k,q8_0", &plain()).unwrap();
    validate_file(&dst).unwrap();
    let (source, result) = (open(&sample()).unwrap(), open(&dst).unwrap());
    assert_eq!(
        reports
            .iter()
            .map(|report| report.name.clone())
            .collect::<Vec<_>>(),
        source.keys()
    );
    assert_eq!(result.keys(), source.keys());
    let mut seen = [0; 3];
    for report in &reports {
        let [before, after] =
            [&source, &result].map(|file| file.get(&report.name).unwrap().unwrap());
        assert_eq!(
            (report.from.clone(), report.to.clone()),
            (before.dtype().name(), after.dtype().name())
        );
        assert_eq!(
            (&report.shape[..], report.nbytes),
            (after.shape(), after.nbytes())
        );
        let wanted = match *before.shape() {
            [_, 1536] => DType::Q4_K,
            [_, 384] => DType::Q8_0,
            _ => before.dtype(),
        };
        assert_eq!(after.dtype(), wanted, "{}", report.name);
        seen[[DType::Q4_K, DType::Q8_0]
            .iter()
            .position(|dtype| *dtype == wanted)
            .unwrap_or(2)] += 1;
        let expected = if wanted == before.dtype() {
            before
        } else {
            quantize(&before, wanted, &Default::default()).unwrap()
        };
        assert_eq!(
            after.bytes().unwrap(),
            expected.bytes().unwrap(),
            "{}",
            report.name
        );
    }
    assert_eq!(seen, [1, 3, 7]);
    let metadata = result.metadata();
    assert_eq!(
        metadata.keys(),
        [
            "format",
            "general.file_type",
            "general.quantization_version"
        ]
    );
    // Mostly q8_0.
    assert!(matches!(
        metadata.get("general.file_type").unwrap().unwrap().kind(),
        Kind::Int(7)
    ));
}

#[test]
fn every_float_type_is_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let (src, dst) = (
        text(folder.path().join("x.safetensors")),
        text(folder.path().join("x.gguf")),
    );
    let rows = open(&sample())
        .unwrap()
        .get("encoder.layer.0.output.dense.weight")
        .unwrap()
        .unwrap()
        .rows(0, 8)
        .unwrap();
    let floats = [
        DType::F64,
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::F8_E4M3,
        DType::F8_E5M2,
    ];
    let tensors: Vec<(String, Tensor)> = floats
        .iter()
        .map(|dtype| (dtype.name(), cast(&rows, *dtype, None).unwrap()))
        .collect();
    save(&src, &tensors, None, &SaveOptions::default()).unwrap();
    for target in ["q8_0", "q4_0", "q4_k", "f16", "bf16", "f32", "f64"] {
        let reports = quantize_file(&src, &dst, target, &plain()).unwrap();
        assert_eq!(reports.len(), floats.len());
        let result = open(&dst).unwrap();
        for (name, tensor) in &tensors {
            let wanted = zeros(tensor.shape(), DType::new(target).unwrap()).unwrap();
            copy(tensor, &wanted, &CopyOptions::default()).unwrap();
            let read = result.get(name).unwrap().unwrap();
            assert_eq!(
                read.bytes().unwrap(),
                wanted.bytes().unwrap(),
                "{name} to {target}"
            );
        }
    }
}

#[test]
fn quantized_tensors_stay_unless_it_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path().join("x.gguf"));
    quantize_file(&sample(), &path, "q8_0", &plain()).unwrap();
    let before = std::fs::read(&path).unwrap();
    // Source and destination are one file, here and below.
    let reports = quantize_file(&path, &path, "q4_0", &plain()).unwrap();
    assert!(reports.iter().all(|report| report.from == report.to));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let allowed = QuantizeFileOptions {
        allow_requantize: true,
        progress: None,
        ..plain()
    };
    let old = open(&path).unwrap();
    let reports = quantize_file(&path, &path, "q4_0", &allowed).unwrap();
    assert_eq!(
        reports
            .iter()
            .filter(|report| report.from == "q8_0" && report.to == "q4_0")
            .count(),
        4
    );
    let result = open(&path).unwrap();
    let name = "encoder.layer.0.output.dense.weight";
    let wanted = zeros(&[64, 1536], DType::Q4_0).unwrap();
    copy(
        &old.get(name).unwrap().unwrap(),
        &wanted,
        &CopyOptions {
            allow_requantize: true,
        },
    )
    .unwrap();
    assert_eq!(
        result.get(name).unwrap().unwrap().bytes().unwrap(),
        wanted.bytes().unwrap()
    );
    assert!(matches!(
        result
            .metadata()
            .get("general.file_type")
            .unwrap()
            .unwrap()
            .kind(),
        Kind::Int(2)
    ));
}

#[test]
fn values_keep_their_types_and_places_and_patterns_decide_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (src, dst) = (
        text(folder.path().join("a.gguf")),
        text(folder.path().join("b.gguf")),
    );
    let metadata = Metadata::new();
    metadata
        .set("general.architecture", "x".into_any().view())
        .unwrap();
    metadata
        .set_typed("general.file_type", 1.into_any().view(), "uint32")
        .unwrap();
    metadata
        .set_typed("x.small", 3.into_any().view(), "int8")
        .unwrap();
    metadata
        .set_typed("general.alignment", 64.into_any().view(), "uint32")
        .unwrap();
    let tensor = |shape: &[u64], dtype| full(shape, 1.5.into_any().view(), dtype).unwrap();
    let list = [
        (
            "token_embed.weight".to_owned(),
            tensor(&[4, 256], DType::F16),
        ),
        ("blk.0.weight".to_owned(), tensor(&[4, 256], DType::F16)),
        ("blk.0.odd".to_owned(), tensor(&[4, 40], DType::F32)),
        ("norm".to_owned(), tensor(&[256], DType::F32)),
        (
            "ids".to_owned(),
            full(&[2, 32], 7.into_any().view(), DType::I32).unwrap(),
        ),
        ("scalar".to_owned(), tensor(&[], DType::F32)),
        ("none".to_owned(), tensor(&[0, 256], DType::F32)),
    ];
    save(&src, &list, Some(&metadata), &SaveOptions::default()).unwrap();
    let reports = quantize_file(&src, &dst, "*embed*=q8_0; *=q4_k,q4_0", &plain()).unwrap();
    let to: Vec<&str> = reports.iter().map(|report| report.to.as_str()).collect();
    assert_eq!(
        to,
        [
            "q8_0", "q4_k", "float32", "float32", "int32", "float32", "q4_k"
        ]
    );
    let result = open(&dst).unwrap().metadata();
    let mut keys = metadata.keys();
    keys.push("general.quantization_version".to_owned());
    assert_eq!(result.keys(), keys);
    assert_eq!(result.type_of("x.small").unwrap(), "int8");
    assert_eq!(open(&dst).unwrap().alignment(), 64);
}

#[test]
fn progress_is_told_of_each_tensor_on_the_calling_thread() {
    let folder = tempfile::tempdir().unwrap();
    let dst = text(folder.path().join("x.gguf"));
    let (here, steps) = (std::thread::current().id(), RefCell::new(Vec::new()));
    let progress = |done: u64, total: u64| {
        assert_eq!(std::thread::current().id(), here);
        steps.borrow_mut().push((done, total));
        Ok(())
    };
    let options = QuantizeFileOptions {
        progress: Some(&progress),
        allow_requantize: false,
        ..plain()
    };
    let reports = quantize_file(&sample(), &dst, "q4_0", &options).unwrap();
    let total: u64 = reports.iter().map(|report| report.nbytes).sum();
    let mut done = 0;
    let wanted: Vec<_> = reports
        .iter()
        .map(|report| {
            done += report.nbytes;
            (done, total)
        })
        .collect();
    assert_eq!(*steps.borrow(), wanted);
}

#[test]
fn a_cancelled_run_returns_the_very_error_and_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let dst = text(folder.path().join("x.gguf"));
    std::fs::write(&dst, b"old").unwrap();
    let progress = |done: u64, _| {
        if done > 100_000 {
            Err(Error::from_kind_name("Interrupted", "enough"))
        } else {
            Ok(())
        }
    };
    let options = QuantizeFileOptions {
        progress: Some(&progress),
        allow_requantize: false,
        ..plain()
    };
    let error = quantize_file(&sample(), &dst, "q4_0", &options).unwrap_err();
    assert_eq!(
        (error.kind_name(), error.message()),
        ("Interrupted", "enough")
    );
    assert_eq!(std::fs::read(&dst).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_tensor_that_gguf_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (src, dst) = (
        text(folder.path().join("x.safetensors")),
        text(folder.path().join("x.gguf")),
    );
    let list = [("mask".to_owned(), zeros(&[2, 32], DType::BOOL).unwrap())];
    save(&src, &list, None, &SaveOptions::default()).unwrap();
    let error = quantize_file(&src, &dst, "q8_0", &plain()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
    assert!(
        error.message().contains("`mask`") && error.message().contains("bool"),
        "{error}"
    );
    assert!(!Path::new(&dst).exists());
}

#[test]
fn importance_and_strictness_reach_tensors_that_are_quantized_again() {
    let folder = tempfile::tempdir().unwrap();
    let [src, dst] = ["a.gguf", "b.gguf"].map(|name| text(folder.path().join(name)));
    let floats = cast(
        &full(&[3, 512], 1.5.into_any().view(), DType::F64).unwrap(),
        DType::F32,
        None,
    )
    .unwrap();
    let stored = quantize(&floats, DType::Q8_0, &Default::default()).unwrap();
    let tensors = [
        ("w".to_owned(), stored.clone()),
        (
            "flat".to_owned(),
            full(&[512], 1.0.into_any().view(), DType::F32).unwrap(),
        ),
    ];
    save(&src, &tensors, None, &SaveOptions::default()).unwrap();
    let importance = full(&[512], 2.0.into_any().view(), DType::F32).unwrap();
    let options = QuantizeFileOptions {
        allow_requantize: true,
        // What stays as it is needs no importance, and has no use for it.
        importance: Some(vec![
            ("w".to_owned(), importance.clone()),
            ("flat".to_owned(), importance.clone()),
        ]),
        strict: true,
        ..plain()
    };
    quantize_file(&src, &dst, "iq1_s,q2_k", &options).unwrap();
    let decoded = tenspan::dequantize(&stored, DType::F32, &Default::default()).unwrap();
    let by_importance = QuantizeOptions {
        importance: Some(importance),
        ..Default::default()
    };
    let wanted = quantize(&decoded, DType::IQ1_S, &by_importance).unwrap();
    let made = open(&dst).unwrap();
    assert_eq!(
        made.get("w").unwrap().unwrap().bytes().unwrap(),
        wanted.bytes().unwrap()
    );
    assert_eq!(made.get("flat").unwrap().unwrap().dtype(), DType::F32);
    // A scale that is no number, from blocks that hold one.
    let broken = tenspan::zeros(&[3, 512], DType::Q8_0).unwrap();
    let mut bytes = broken.bytes().unwrap().to_vec();
    bytes[34..36].copy_from_slice(&0x7e00_u16.to_le_bytes());
    let broken = tenspan::from_bytes(&bytes, &[3, 512], DType::Q8_0).unwrap();
    save(
        &src,
        &[("w".to_owned(), broken)],
        None,
        &SaveOptions::default(),
    )
    .unwrap();
    let options = QuantizeFileOptions {
        importance: None,
        ..options
    };
    let error = quantize_file(&src, &dst, "q4_0", &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFinite);
    assert!(error.message().contains("`w`"), "{error}");
    // The file of before is untouched.
    assert_eq!(open(&dst).unwrap().keys(), ["w", "flat"]);
}
