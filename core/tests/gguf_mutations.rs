//! Thousands of damaged files: each is read or refused, quickly, without a panic and without much memory.
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tenspan::{ErrorKind, open, validate_file};

/// The valid files, headers first in mind: large ones are cut to what makes damage likely to matter.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let vectors = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let mut files: Vec<Vec<u8>> = std::fs::read_dir(vectors.join("gguf"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "gguf"))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    let header = br#"{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"U8","shape":[5],"data_offsets":[24,29]}}"#;
    let mut safetensors = (header.len() as u64).to_le_bytes().to_vec();
    safetensors.extend(header);
    safetensors.extend([7; 29]);
    files.push(safetensors);
    files
});

#[derive(Debug, Clone)]
enum Damage {
    /// Only so much of the file is left, in thousandths.
    Cut(usize),
    /// A byte is another one. The place is in thousandths of the first 2000 bytes, which is where headers are.
    Byte(usize, u8),
    /// Eight bytes are a number of the kind that overflows.
    Number(usize, u64),
    /// Bytes are missing in the middle.
    Gap(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = 0..1000usize;
    let extreme = prop_oneof![
        Just(u64::MAX),
        Just(1 << 63),
        Just(1 << 62),
        Just((1 << 61) + 1),
        Just(1 << 32),
        Just(u64::MAX - 31),
        0..100_000u64,
        (0..64u32).prop_map(|shift| 1 << shift),
    ];
    prop_oneof![
        1 => place.clone().prop_map(Damage::Cut),
        4 => (place.clone(), any::<u8>()).prop_map(|(place, byte)| Damage::Byte(place, byte)),
        3 => (place.clone(), extreme).prop_map(|(place, number)| Damage::Number(place, number)),
        1 => (place, 1..40usize).prop_map(|(place, count)| Damage::Gap(place, count)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let near = |place: usize| place * bytes.len().min(2000) / 1000;
    match *damage {
        Damage::Cut(left) => bytes.truncate(left * bytes.len() / 1000),
        Damage::Byte(place, byte) => {
            let place = near(place);
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        Damage::Number(place, number) => {
            let place = near(place);
            if let Some(old) = bytes.get_mut(place..place + 8) {
                old.copy_from_slice(&number.to_le_bytes());
            }
        }
        Damage::Gap(place, count) => {
            let place = near(place);
            let end = (place + count).min(bytes.len());
            bytes.drain(place..end);
        }
    }
}

/// Reads all there is to read; what is refused must say where.
fn exhaust(path: &str) {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::InvalidFile, "{error}");
            assert!(error.message().contains(": at byte "), "{error}");
            return;
        }
    };
    for key in file.keys() {
        match file.get(&key) {
            Ok(tensor) => {
                let tensor = tensor.unwrap();
                assert_eq!(tensor.bytes().unwrap().len() as u64, tensor.nbytes());
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::UnsupportedConversion, "{error}"),
        }
    }
    let metadata = file.metadata();
    for key in metadata.keys() {
        metadata.get(&key).unwrap().unwrap();
        metadata.type_of(&key).unwrap();
    }
    if let Err(error) = validate_file(path) {
        assert_eq!(error.kind(), ErrorKind::InvalidFile, "{error}");
    }
}

/// Most memory that the process ever had, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|kib| kib << 10)
}

fn check(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    // Far above what any file needs on any machine, far below what a loop over a false count takes.
    let start = Instant::now();
    exhaust(path.to_str().unwrap());
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let before = peak();
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(3000)
    };
    proptest!(config, |(which in 0..FILES.len(), damages in prop::collection::vec(damage(), 1..4))| {
        let mut bytes = FILES[which].clone();
        damages.iter().for_each(|damage| apply(&mut bytes, damage));
        check(&path, &bytes);
    });
    if let (Some(before), Some(after)) = (before, peak()) {
        // The largest file has 42 kB, and a false count asks for gigabytes; sanitizers and allocators want some room.
        assert!(after - before < 96 << 20, "{} bytes more", after - before);
    }
}

#[test]
fn files_cut_anywhere_in_the_header_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let largest = FILES.iter().max_by_key(|bytes| bytes.len());
    for bytes in largest.into_iter().chain(FILES.last()) {
        for length in 0..bytes.len().min(1800) {
            check(&path, &bytes[..length]);
        }
    }
}
