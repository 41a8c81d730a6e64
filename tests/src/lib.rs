//! The driver behind `cargo verify`, `demo`, `conformance` and `peers`: it sets up, builds and runs every language.
//!
//! [`verify`] is a list of steps, [`demo`] the main job, [`matrix`] what the shared cases came to, [`peers`] the
//! comparisons with other packages. A language is one file of [`language`].

use std::path::{Path, PathBuf};

pub mod demo;
pub mod language;
pub mod matrix;
pub mod model;
pub mod output;
pub mod peers;
#[cfg(test)]
mod readme;
pub mod run;
pub mod setup;
pub mod table;
pub mod tools;
pub mod verify;

/// What the driver returns: a failure is a sentence for the person at the terminal.
pub type Result<T> = std::result::Result<T, String>;

/// The project and the folder that everything built goes to.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
}

impl Project {
    /// The project that this program was built in.
    pub fn find() -> Project {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap_or(Path::new("."))
            .to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |dir| root.join(dir));
        Project { root, target }
    }

    /// A path in the project.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// A folder below the target folder, made when it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn folder(&self, inside: &str) -> Result<PathBuf> {
        let folder = self.target.join(inside);
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }
}
