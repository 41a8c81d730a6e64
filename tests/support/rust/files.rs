//! Files of cases: fresh ones, and those of tests/vectors.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

use tenspan::{Error, ErrorKind, Result};

/// A path that no file has yet, in a folder of its own.
pub fn temp(name: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("cases-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder of a case can be made");
    folder.join(name).to_string_lossy().into_owned()
}

/// The path of a file of tests/vectors.
pub fn vector(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(name)
        .to_string_lossy()
        .into_owned()
}

/// The bytes of a file.
pub fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| failed(path, &error))
}

/// Makes a file.
pub fn write(path: &str, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| failed(path, &error))
}

/// Whether there is a file.
pub fn exists(path: &str) -> bool {
    Path::new(path).exists()
}

fn failed(path: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::OSError, format!("{path}: {error}"))
}
