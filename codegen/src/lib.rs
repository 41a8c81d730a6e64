//! The spec of tenspan and the printers that turn it into every language.
//!
//! `spec/*.webidl` → [`syntax`] → [`resolve`] → [`ir::Api`] → one [`backend`] per language → [`output`].
//! [`load`] gives the description; everything else follows from it.

use std::fs;
use std::path::Path;

pub mod backend;
pub mod cases;
pub mod diagnostic;
pub mod docs;
pub mod generate;
pub mod ir;
pub mod listing;
pub mod naming;
pub mod output;
pub mod resolve;
pub mod rustfmt;
pub mod syntax;

pub use diagnostic::{Report, Sources};

/// Reads every `*.webidl` file of a folder, in the order of their names.
///
/// # Errors
/// Everything that is wrong with the spec, or the reason why it cannot be read.
pub fn load(spec_dir: &Path) -> Result<ir::Api, LoadError> {
    load_spec(spec_dir).map(|spec| spec.api)
}

/// Like [`load`], keeping the texts so that later checks can show a line.
///
/// # Errors
/// As [`load`].
pub fn load_spec(spec_dir: &Path) -> Result<Spec, LoadError> {
    let unreadable =
        |error: std::io::Error| LoadError::Unreadable(format!("{}: {error}", spec_dir.display()));
    let mut names = Vec::new();
    for entry in fs::read_dir(spec_dir).map_err(unreadable)? {
        let name = entry
            .map_err(unreadable)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        if name.ends_with(".webidl") {
            names.push(name);
        }
    }
    names.sort();
    if names.is_empty() {
        return Err(LoadError::Unreadable(format!(
            "{}: no file ends in `.webidl`",
            spec_dir.display()
        )));
    }
    let mut sources = Sources::new();
    for name in names {
        let text = fs::read_to_string(spec_dir.join(&name)).map_err(unreadable)?;
        sources.add(&name, text);
    }
    load_sources(sources).map_err(LoadError::Invalid)
}

/// Parses and resolves texts that are in memory already.
///
/// # Errors
/// Everything that is wrong with them.
pub fn load_sources(sources: Sources) -> Result<Spec, Report> {
    let mut problems = Vec::new();
    let mut definitions = Vec::new();
    for file in sources.files() {
        definitions.extend(syntax::parser::parse(
            file,
            sources.text(file),
            &mut problems,
        ));
    }
    // A declaration that did not parse is not declared, and would be missed all over the spec.
    if !problems.is_empty() {
        return Err(Report::new(sources, problems));
    }
    let (api, problems) = resolve::resolve(&sources, definitions);
    if problems.is_empty() {
        Ok(Spec { api, sources })
    } else {
        Err(Report::new(sources, problems))
    }
}

/// A spec without mistakes.
#[derive(Debug)]
pub struct Spec {
    /// What it declares.
    pub api: ir::Api,
    /// What it is written as.
    pub sources: Sources,
}

/// Why there is no spec.
#[derive(Debug)]
pub enum LoadError {
    /// The files cannot be read.
    Unreadable(String),
    /// The files are wrong.
    Invalid(Report),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Unreadable(why) => f.write_str(why),
            LoadError::Invalid(report) => report.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}
