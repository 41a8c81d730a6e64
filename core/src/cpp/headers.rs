//! The headers of kernels: part of the library, written where a compiler finds them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::cache;
use super::key::Digest;
use crate::error::Result;

macro_rules! headers {
    ($($path:literal),* $(,)?) => {
        /// Path below the include folder, and text.
        const HEADERS: &[(&str, &str)] = &[$(($path, include_str!(concat!("../../include/", $path)))),*];
    };
}

headers! {
    "tenspan/kernel.hpp",
    "tenspan/kernel/abi.hpp",
    "tenspan/kernel/callable.hpp",
    "tenspan/kernel/check.hpp",
    "tenspan/kernel/class.hpp",
    "tenspan/kernel/config.hpp",
    "tenspan/kernel/container.hpp",
    "tenspan/kernel/convert.hpp",
    "tenspan/kernel/dtype.hpp",
    "tenspan/kernel/error.hpp",
    "tenspan/kernel/export.hpp",
    "tenspan/kernel/function.hpp",
    "tenspan/kernel/functions.hpp",
    "tenspan/kernel/key.hpp",
    "tenspan/kernel/map.hpp",
    "tenspan/kernel/object.hpp",
    "tenspan/kernel/reference.hpp",
    "tenspan/kernel/runtime.hpp",
    "tenspan/kernel/sequence.hpp",
    "tenspan/kernel/signature.hpp",
    "tenspan/kernel/span.hpp",
    "tenspan/kernel/stream.hpp",
    "tenspan/kernel/table.hpp",
    "tenspan/kernel/tensor.hpp",
    "tenspan/kernel/text.hpp",
    "tenspan/kernel/tuple.hpp",
}

/// The digest of all headers.
pub fn digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| {
        let mut digest = Digest::new();
        for (path, text) in HEADERS {
            digest.add(path.as_bytes());
            digest.add(text.as_bytes());
        }
        digest.finish()
    })
}

/// The folder with the headers, below `root`; they are written when they are not there.
pub fn folder(root: &Path) -> Result<PathBuf> {
    let folder = root.join(format!("include-{}", &digest()[..16]));
    if folder.join("complete").exists() {
        return Ok(folder);
    }
    // Several processes may write the same files at once: each is put in its place in one step.
    for (path, text) in HEADERS {
        cache::write(&folder.join(path), text.as_bytes())?;
    }
    cache::write(&folder.join("complete"), b"")?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_of_kernels_is_listed() {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/tenspan/kernel");
        let mut found: Vec<String> = std::fs::read_dir(include)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| format!("tenspan/kernel/{name}"))
            .collect();
        found.sort();
        let listed: Vec<&str> = HEADERS[1..].iter().map(|(path, _)| *path).collect();
        assert_eq!(found, listed);
    }
}
