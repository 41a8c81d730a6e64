//! The Python front under AddressSanitizer: its tests of memory, objects and modules, with a module that was built for it.

use std::fs;
use std::path::Path;

use super::venv;
use crate::language::{modules, sanitizer};
use crate::run::Run;
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
    sanitizer::build(project, "tenspan-python", folder, host)?;
    let packages = folder.join("python");
    lay_out(project, &folder.join(host).join("debug"), &packages)?;
    let tests = TESTS.iter().map(|name| format!("tests/python/{name}"));
    Run::new(venv.python())
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(tests)
        .dir(&project.root)
        .env(modules::VARIABLE, modules::build(project)?)
        .env("LD_PRELOAD", sanitizer::preloaded(folder, host)?)
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
