//! Rust: the crates' tests, the printed cases, and AddressSanitizer.

use crate::language::{CACHE_VARIABLE, LOG_VARIABLE, cache, fresh_log, node, python, sanitizer};
use crate::run::Run;
use crate::verify::{Outcome, without_nightly};
use crate::{Project, Result};

/// Runs the tests of core, codegen and the driver, and the cases.
///
/// # Errors
/// When one failed.
pub fn test(project: &Project) -> Result<Outcome> {
    // One call: cargo would build core again for packages that need other features of what it stands on.
    Run::new("cargo")
        .args([
            "test",
            "--quiet",
            "--package",
            "tenspan",
            "--package",
            "tenspan-codegen",
            "--package",
            "tenspan-conformance",
        ])
        .dir(&project.root)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(LOG_VARIABLE, fresh_log(project, "rust")?)
        .stream()?;
    Ok(Outcome::Passed)
}

/// Runs the printed cases.
///
/// # Errors
/// When one failed.
pub fn cases(project: &Project) -> Result<()> {
    Run::new("cargo")
        .args([
            "test",
            "--quiet",
            "--package",
            "tenspan-conformance",
            "--test",
            "cases",
        ])
        .dir(&project.root)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(LOG_VARIABLE, fresh_log(project, "rust")?)
        .stream()
}

/// Runs core's tests, and those in Python and Node.js that reach memory of others, under AddressSanitizer.
///
/// # Errors
/// When one failed or touched memory that is not its own.
pub fn asan(project: &Project) -> Result<Outcome> {
    if let Some(missing) = without_nightly() {
        return Ok(missing);
    }
    let host = host()?;
    // Its own folder: the flags would throw away what the other steps built.
    let folder = project.target.join("asan");
    Run::new("cargo")
        .args([
            "+nightly",
            "test",
            "--quiet",
            "--package",
            "tenspan",
            // So that core is built as it is for the module of Python.
            "--package",
            "tenspan-features",
            "--lib",
            "--tests",
            "--target",
            &host,
        ])
        .dir(&project.root)
        .env(CACHE_VARIABLE, cache(project)?)
        .env("RUSTFLAGS", sanitizer::FLAGS)
        // A short quarantine: tests of memory limits would count what it holds back.
        .env("ASAN_OPTIONS", "detect_leaks=1:quarantine_size_mb=8")
        .env("CARGO_TARGET_DIR", &folder)
        .stream()?;
    if cfg!(target_os = "linux") {
        python::asan::test(project, &folder, &host)?;
        node::asan::test(project, &folder, &host)?;
    }
    Ok(Outcome::Passed)
}

/// The triple of this machine.
fn host() -> Result<String> {
    let version = Run::new("rustc").arg("-vV").capture()?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned)
        .ok_or_else(|| "`rustc -vV` names no host".to_owned())
}
