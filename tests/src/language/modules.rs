//! Compiled modules for the tests of every language, built once against the public headers of the ABI.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::run::Run;
use crate::setup::Venv;
use crate::{Project, Result};

/// Names the folder of the modules to the tests.
pub const VARIABLE: &str = "TENSPAN_MODULES";

/// The folder of the package with the public headers of the value ABI, in an environment of its own.
///
/// # Errors
/// When the package cannot be installed.
pub fn peer(project: &Project) -> Result<String> {
    // Found without being imported: the package loads much as it starts.
    let find =
        "import importlib.util as u; print(u.find_spec('tvm_ffi').submodule_search_locations[0])";
    let requirements = ["tests/cpp/interchange/requirements.txt"];
    let venv = Venv::make(project, "venv-interchange", &requirements)?;
    let folder = Run::new(venv.python()).args(["-c", find]).capture()?;
    Ok(folder.trim().to_owned())
}

/// The folder that holds that package; an empty path where modules are not loaded yet.
///
/// # Errors
/// As [`peer`].
pub fn packages(project: &Project) -> Result<PathBuf> {
    if !cfg!(target_os = "linux") {
        return Ok(PathBuf::new());
    }
    let mut folder = PathBuf::from(peer(project)?);
    folder.pop();
    Ok(folder)
}

/// Builds the modules and says in which folder they are; an empty path where modules are not loaded yet.
///
/// # Errors
/// When one does not build.
pub fn build(project: &Project) -> Result<PathBuf> {
    if !cfg!(target_os = "linux") {
        return Ok(PathBuf::new());
    }
    let (folder, peer) = (project.folder("modules")?, peer(project)?);
    // Another step that runs at this time needs the same ones.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    Run::new("bash")
        .arg("tests/modules/build.sh")
        .arg(peer)
        .arg(&folder)
        .dir(&project.root)
        .stream()?;
    Ok(folder)
}
