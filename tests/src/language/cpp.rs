//! C++: one shared library, headers under each compiler, tests, the printed cases.

use std::path::{Path, PathBuf};

use crate::language::{CACHE_VARIABLE, LOG_VARIABLE, cache, fresh_log, modules, python};
use crate::run::Run;
use crate::table::say;
use crate::tools::{CLANG, GPP};
use crate::verify::Outcome;
use crate::{Project, Result};

/// Builds the shared library and says where it is.
///
/// # Errors
/// When it does not build.
pub fn build(project: &Project) -> Result<PathBuf> {
    Run::new("cargo")
        .args(["build", "--release", "--package", "tenspan-cpp"])
        .dir(&project.root)
        .stream()?;
    let name = if cfg!(windows) {
        "tenspan.dll"
    } else if cfg!(target_os = "macos") {
        "libtenspan.dylib"
    } else {
        "libtenspan.so"
    };
    Ok(project.target.join("release").join(name))
}

/// Builds the library, runs the front's own tests and the cases.
///
/// # Errors
/// The first command that failed.
pub fn test(project: &Project) -> Result<Outcome> {
    GPP.find()?;
    if let Err(missing) = CLANG.find() {
        say(&format!("only g++ is used. {missing}"));
    }
    let library = build(project)?;
    let venv = python::venv(project)?;
    if cfg!(unix) && !cfg!(target_os = "macos") {
        Run::new("bash")
            .arg("tests/cpp/run.sh")
            .arg(&library)
            .arg(project.folder("cpp")?)
            .dir(&project.root)
            .env("CMAKE", venv.program("cmake"))
            .env("PEER", modules::peer(project)?)
            .env(CACHE_VARIABLE, cache(project)?)
            .env(modules::VARIABLE, modules::build(project)?)
            .stream()?;
    }
    cases_with(project, &library)?;
    Ok(Outcome::Passed)
}

/// Runs the printed cases with the library as it is built.
///
/// # Errors
/// When one failed.
pub fn cases(project: &Project) -> Result<()> {
    let library = build(project)?;
    cases_with(project, &library)
}

fn cases_with(project: &Project, library: &Path) -> Result<()> {
    let build = configure(project, library, "tests/support/cpp", "cpp-cases")?;
    let venv = python::venv(project)?;
    Run::new(venv.program("ctest"))
        .args(["--output-on-failure", "--test-dir"])
        .arg(&build)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(LOG_VARIABLE, fresh_log(project, "cpp")?)
        .stream()
}

/// Builds the CMake project of a folder against the library and says where its programs are.
///
/// # Errors
/// When cmake cannot be installed or the project does not build.
pub fn configure(project: &Project, library: &Path, source: &str, name: &str) -> Result<PathBuf> {
    let venv = python::venv(project)?;
    let build = project.folder(name)?;
    let cmake = venv.program("cmake");
    Run::new(&cmake)
        .args([
            "-Wno-dev",
            "-G",
            "Ninja",
            "-DCMAKE_BUILD_TYPE=Release",
            "-S",
            source,
            "-B",
        ])
        .arg(&build)
        .arg(format!(
            "-DCMAKE_MAKE_PROGRAM={}",
            venv.program("ninja").display()
        ))
        .arg(format!("-DTENSPAN_LIBRARY={}", library.display()))
        .dir(&project.root)
        .capture()?;
    Run::new(&cmake).arg("--build").arg(&build).stream()?;
    Ok(build)
}
