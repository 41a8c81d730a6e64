//! AddressSanitizer in the programs of other languages, which load a front that was built for it.
//!
//! Such a program knows nothing of the sanitizer, so the library that must come first in a process is loaded before it. It is
//! made of the one that the compiler links into programs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::Run;
use crate::tools::GPP;
use crate::{Project, Result};

/// Flags of the compiler. Tests that only count long then do less: they look at `cfg!(sanitized)`.
pub const FLAGS: &str = "-Zsanitizer=address --cfg=sanitized";

/// Builds a front in the folder of the sanitizer, with the flags that core was built with there.
///
/// # Errors
/// When it does not build.
pub fn build(project: &Project, package: &str, folder: &Path, host: &str) -> Result<()> {
    Run::new("cargo")
        .args(["+nightly", "build", "--quiet", "--package", package])
        .args(["--target", host])
        .dir(&project.root)
        .env("RUSTFLAGS", FLAGS)
        .env("PYO3_BUILD_EXTENSION_MODULE", "1")
        .env("CARGO_TARGET_DIR", folder)
        .stream()
}

/// What comes first in the process: the sanitizer, then the library of C++, whose functions that throw it looks for as it starts.
///
/// # Errors
/// When the library cannot be made.
pub fn preloaded(folder: &Path, host: &str) -> Result<String> {
    let standard = Run::new(GPP.find()?)
        .arg("-print-file-name=libstdc++.so.6")
        .capture()?;
    let sanitizer = runtime(folder, host)?;
    Ok(format!("{} {}", sanitizer.display(), standard.trim()))
}

/// The library of the sanitizer, as one that can be loaded.
fn runtime(folder: &Path, host: &str) -> Result<PathBuf> {
    let sysroot = Run::new("rustc")
        .args(["+nightly", "--print", "sysroot"])
        .capture()?;
    let archive = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(host)
        .join("lib/librustc-nightly_rt.asan.a");
    let (copy, library) = (folder.join("runtime.a"), folder.join("runtime.so"));
    fs::copy(&archive, &copy).map_err(|error| format!("{}: {error}", archive.display()))?;
    // What begins before everything else in a program cannot stand in a library.
    Run::new("ar")
        .arg("d")
        .arg(&copy)
        .arg("asan_preinit.cpp.o")
        .stream()?;
    Run::new("cc")
        .args(["-shared", "-o"])
        .arg(&library)
        .arg("-Wl,--whole-archive")
        .arg(&copy)
        .arg("-Wl,--no-whole-archive")
        .args(["-lpthread", "-ldl", "-lm", "-lrt", "-lresolv"])
        .stream()?;
    Ok(library)
}
