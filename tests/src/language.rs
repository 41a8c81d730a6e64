//! The languages: how each builds its front, runs its own tests and runs the shared cases.
//!
//! A new language is one file here, its name in [`ALL`], and its step in [`crate::verify`].

use std::path::PathBuf;

use crate::{Project, Result};

pub mod cpp;
pub mod modules;
pub mod node;
pub mod python;
pub mod rust;
pub mod sanitizer;

/// Names of the languages, in the order of every table.
pub const ALL: &[&str] = &["rust", "python", "node", "cpp"];

/// Variable that names the file to which the support code of each language adds a line per case.
pub const LOG_VARIABLE: &str = "TENSPAN_CASE_LOG";

/// Variable that names the folder in which inline modules are kept: tests leave nothing in that of the user.
pub const CACHE_VARIABLE: &str = "TENSPAN_CACHE_DIR";

/// The folder for inline modules of the tests.
///
/// # Errors
/// When it cannot be made.
pub fn cache(project: &Project) -> Result<PathBuf> {
    project.folder("inline")
}

/// The file that the cases of a language report to.
pub fn log(project: &Project, language: &str) -> Result<PathBuf> {
    Ok(project
        .folder("conformance")?
        .join(format!("{language}.jsonl")))
}

/// The same, emptied before a run.
///
/// # Errors
/// When the old one cannot be removed.
pub fn fresh_log(project: &Project, language: &str) -> Result<PathBuf> {
    let log = log(project, language)?;
    if log.exists() {
        std::fs::remove_file(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    }
    Ok(log)
}
