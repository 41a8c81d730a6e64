//! Python: the package in an environment of its own, its tests, the printed cases.

use std::path::PathBuf;

use crate::language::{CACHE_VARIABLE, LOG_VARIABLE, cache, fresh_log, modules};
use crate::run::Run;
use crate::setup::Venv;
use crate::verify::Outcome;
use crate::{Project, Result};

pub mod asan;

/// Packages that the tests and the build of the C++ front need.
pub const REQUIREMENTS: &[&str] = &["tests/python/requirements.txt", "tests/requirements.txt"];

/// The environment of all steps, in `target/venv`.
///
/// # Errors
/// When Python is missing or a package cannot be installed.
pub fn venv(project: &Project) -> Result<Venv> {
    Venv::make(project, "venv", REQUIREMENTS)
}

/// The environment with the package built and installed.
///
/// # Errors
/// When it does not build.
pub fn build(project: &Project) -> Result<Venv> {
    let venv = venv(project)?;
    // The installed wheel, as users get it, and not the source folder with a library in it.
    let wheels = project.folder("wheels")?;
    Run::new(venv.program("maturin"))
        .args([
            "build",
            "--quiet",
            "--release",
            "--manifest-path",
            "bind-python/Cargo.toml",
            "--interpreter",
        ])
        .arg(venv.python())
        .arg("--out")
        .arg(&wheels)
        .dir(&project.root)
        .env("CARGO_TARGET_DIR", &project.target)
        .stream()?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
        "--force-reinstall",
    ];
    Run::new(venv.python())
        .args(install)
        .arg(newest(&wheels)?)
        .stream()?;
    Ok(venv)
}

/// Builds the package, runs its tests and the cases.
///
/// # Errors
/// The first command that failed.
pub fn test(project: &Project) -> Result<Outcome> {
    let venv = build(project)?;
    Run::new(venv.python())
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/python",
        ])
        .dir(&project.root)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(modules::VARIABLE, modules::build(project)?)
        .env("TENSPAN_PEER", modules::packages(project)?)
        .env("TENSPAN_WHEEL", newest(&project.folder("wheels")?)?)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stream()?;
    cases(project)?;
    Ok(Outcome::Passed)
}

/// Runs the printed cases with the package that is installed.
///
/// # Errors
/// When one failed.
pub fn cases(project: &Project) -> Result<()> {
    let venv = venv(project)?;
    Run::new(venv.python())
        .args([
            "-m",
            "pytest",
            "-q",
            "-c",
            "tests/support/python/pytest.ini",
            "--rootdir",
            "tests/support/python",
        ])
        .arg("tests/generated/python")
        .dir(&project.root)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env(CACHE_VARIABLE, cache(project)?)
        .env(LOG_VARIABLE, fresh_log(project, "python")?)
        .stream()
}

/// The wheel that was built last.
fn newest(wheels: &std::path::Path) -> Result<PathBuf> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", wheels.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(wheels).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry
            .path()
            .extension()
            .is_some_and(|suffix| suffix == "whl")
        {
            let changed = entry
                .metadata()
                .and_then(|data| data.modified())
                .map_err(unreadable)?;
            found.push((changed, entry.path()));
        }
    }
    found.sort();
    found
        .pop()
        .map(|(_, path)| path)
        .ok_or_else(|| format!("{} holds no wheel", wheels.display()))
}
