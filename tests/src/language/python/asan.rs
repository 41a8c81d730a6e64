//! The Python front under AddressSanitizer: its tests of memory, objects and modules, with a module that was built for it.
//!
//! The interpreter knows nothing of the sanitizer, so the library that must come first in a process is loaded before it. It is
//! made of the one that the compiler links into programs.

use std::fs;
use std::path::{Path, PathBuf};

use super::venv;
use crate::language::modules;
use crate::run::Run;
use crate::tools::GPP;
use crate::{Project, Result};

/// Tests that reach memory of others, and objects that several hold.
const TESTS: &[&str] = &[
    "test_bad_input.py",
    "test_buffer.py",
    "test_containers.py",
    "test_dlpack.py",
    "test_functions.py",
    "test_hazards.py",
    "test_lifetimes.py",
    "test_modules.py",
    "test_numpy.py",
    "test_objects.py",
    "test_pointer.py",
    "test_protocols.py",
];

/// The interpreter itself leaves much behind. A short quarantine: tests of leaks would count what it holds back. What a list holds was
/// allocated by `operator new` of a module and goes by `free`, as the ABI has it.
const OPTIONS: &str = "detect_leaks=0:quarantine_size_mb=8:alloc_dealloc_mismatch=0";

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
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(tests)
        .dir(&project.root)
        .env(modules::VARIABLE, modules::build(project)?)
        .env("LD_PRELOAD", preloaded(folder, host)?)
        .env("PYTHONPATH", &packages)
        // Every object stands alone, so that what is beside it is nobody's.
        .env("PYTHONMALLOC", "malloc")
        .env("ASAN_OPTIONS", OPTIONS)
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

/// What comes first in the process: the sanitizer, then the library of C++, whose functions that throw it looks for as it starts.
fn preloaded(folder: &Path, host: &str) -> Result<String> {
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
