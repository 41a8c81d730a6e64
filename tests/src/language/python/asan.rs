//! The Python front under AddressSanitizer: its tests of memory and objects, with a module that was built for it.
//!
//! The interpreter knows nothing of the sanitizer, so the library that must come first in a process is loaded before it. It is
//! made of the one that the compiler links into programs.

use std::fs;
use std::path::{Path, PathBuf};

use super::venv;
use crate::run::Run;
use crate::{Project, Result};

/// Tests that reach memory of others, and objects that several hold.
const TESTS: &[&str] = &[
    "test_buffer.py",
    "test_containers.py",
    "test_dlpack.py",
    "test_functions.py",
    "test_lifetimes.py",
    "test_objects.py",
    "test_pointer.py",
];

/// Builds the module in the folder of the sanitizer and runs the tests with it.
///
/// # Errors
/// When one failed or touched memory that is not its own.
pub fn test(project: &Project, folder: &Path, host: &str) -> Result<()> {
    let venv = venv(project)?;
    Run::new("cargo")
        .args([
            "+nightly",
            "build",
            "--quiet",
            "--package",
            "tenspan-python",
        ])
        .args(["--target", host])
        .dir(&project.root)
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("PYO3_BUILD_EXTENSION_MODULE", "1")
        .env("CARGO_TARGET_DIR", folder)
        .stream()?;
    let packages = folder.join("python");
    lay_out(project, &folder.join(host).join("debug"), &packages)?;
    let tests = TESTS.iter().map(|name| format!("tests/python/{name}"));
    Run::new(venv.python())
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "auto"])
        .args(tests)
        .dir(&project.root)
        .env("LD_PRELOAD", runtime(folder, host)?)
        .env("PYTHONPATH", &packages)
        // Every object stands alone, so that what is beside it is nobody's.
        .env("PYTHONMALLOC", "malloc")
        // The interpreter itself leaves much behind.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stream()
}

/// The package as it is installed, with the module of this build.
fn lay_out(project: &Project, built: &Path, packages: &Path) -> Result<()> {
    let (source, target) = (
        project.path("bind-python/python/tenspan"),
        packages.join("tenspan"),
    );
    let failed = |error: std::io::Error| format!("{}: {error}", target.display());
    fs::create_dir_all(&target).map_err(failed)?;
    for entry in fs::read_dir(&source).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_file() {
            fs::copy(entry.path(), target.join(entry.file_name())).map_err(failed)?;
        }
    }
    let module = target.join("_tenspan.abi3.so");
    fs::copy(built.join("lib_tenspan.so"), module).map_err(failed)?;
    Ok(())
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
