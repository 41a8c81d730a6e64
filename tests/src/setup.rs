//! What the tests of a language need before they start: a Python environment, Node packages. Done once, then only looked at.
//!
//! A stamp beside each holds what it was made from; the set-up runs again when that differs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::run::Run;
use crate::tools::{NPM, PYTHON};
use crate::{Project, Result};

/// A Python environment in the target folder.
#[derive(Debug, Clone)]
pub struct Venv {
    folder: PathBuf,
}

impl Venv {
    /// An environment with the packages of some requirement files.
    ///
    /// # Errors
    /// When Python is missing or a package cannot be installed.
    pub fn make(project: &Project, name: &str, requirements: &[&str]) -> Result<Venv> {
        let venv = Venv {
            folder: project.target.join(name),
        };
        let python = PYTHON.find()?;
        let version = Run::new(&python).arg("--version").capture()?;
        let files: Vec<PathBuf> = requirements.iter().map(|file| project.path(file)).collect();
        let wanted = version + &texts(&files)?;
        once(&venv.folder.join("stamp"), &wanted, || {
            if !venv.python().exists() {
                Run::new(&python)
                    .args(["-m", "venv"])
                    .arg(&venv.folder)
                    .stream()?;
            }
            venv.install(&files)
        })?;
        Ok(venv)
    }

    /// Adds the packages of one more requirement file.
    ///
    /// # Errors
    /// When a package cannot be installed.
    pub fn add(&self, project: &Project, requirements: &str) -> Result<()> {
        let file = project.path(requirements);
        let stamp = format!("stamp-{}", requirements.replace(['/', '.'], "-"));
        let wanted = texts(std::slice::from_ref(&file))?;
        once(&self.folder.join(stamp), &wanted, || self.install(&[file]))
    }

    fn install(&self, files: &[PathBuf]) -> Result<()> {
        let mut install = Run::new(self.python()).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        for file in files {
            install = install.arg("-r").arg(file);
        }
        install.stream()
    }

    /// The environment's Python.
    pub fn python(&self) -> PathBuf {
        self.program("python")
    }

    /// A program that a package of the environment brought.
    pub fn program(&self, name: &str) -> PathBuf {
        if cfg!(windows) {
            self.folder.join("Scripts").join(format!("{name}.exe"))
        } else {
            self.folder.join("bin").join(name)
        }
    }
}

/// Installs exactly what a folder's `package-lock.json` says.
///
/// # Errors
/// When npm is missing or a package cannot be installed.
pub fn node_packages(project: &Project, folder: &str) -> Result<PathBuf> {
    let folder = project.path(folder);
    let wanted = texts(&[
        folder.join("package.json"),
        folder.join("package-lock.json"),
    ])?;
    let npm = NPM.find()?;
    once(&folder.join("node_modules/.tenspan-stamp"), &wanted, || {
        Run::new(&npm)
            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
            .dir(&folder)
            .stream()
    })?;
    Ok(folder)
}

/// Runs `work` unless the stamp says that it was done for the same `wanted`. Steps that run at a time wait for each other here.
fn once(stamp: &Path, wanted: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if fs::read_to_string(stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    work()?;
    fs::write(stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

fn texts(files: &[PathBuf]) -> Result<String> {
    let read = |file: &PathBuf| {
        fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn work_is_done_again_only_when_its_input_changes() {
        let folder = std::env::temp_dir().join(format!("tenspan-stamp-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let stamp = folder.join("stamp");
        let runs = Cell::new(0);
        for wanted in ["a", "a", "b"] {
            once(&stamp, wanted, || {
                runs.set(runs.get() + 1);
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(runs.get(), 2);
        assert!(once(&stamp, "c", || Err("no".to_owned())).is_err());
        assert_eq!(fs::read_to_string(&stamp).unwrap(), "b");
        fs::remove_dir_all(&folder).unwrap();
    }
}
