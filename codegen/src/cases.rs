//! The case language: behaviour that all languages share, written once and printed as a native test of each.
//!
//! `tests/cases/*.case` → [`lexer`] → [`parser`] → [`ast`] → [`check`] against the [`Api`] → [`typed`] → [`print`](mod@print).
//! The grammar is told in `tests/cases/README.md`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::backend::{Backend, Error, Files, Support};
use crate::diagnostic::{Report, Sources};
use crate::ir::Api;

pub mod ast;
pub mod check;
pub mod constant;
pub mod lexer;
pub mod parser;
pub mod print;
pub mod shared;
pub mod typed;

/// Where the cases of a project stand.
pub const FOLDER: &str = "tests/cases";

/// Reads and checks all case files of the project at `root`, in the order of their names.
///
/// # Errors
/// All mistakes with their lines, or the reason why a file cannot be read.
pub fn load(root: &Path, api: &Api) -> Result<Vec<typed::Suite>, String> {
    let folder = root.join(FOLDER);
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let name = entry
            .map_err(unreadable)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        names.extend(name.strip_suffix(".case").map(str::to_owned));
    }
    names.sort();
    let mut texts = Vec::new();
    for name in names {
        let text = fs::read_to_string(folder.join(format!("{name}.case"))).map_err(unreadable)?;
        texts.push((name, text));
    }
    read(api, texts).map_err(|report| report.to_string())
}

/// Checks files that are in memory already: names without suffix, and texts.
///
/// # Errors
/// All mistakes.
pub fn read(api: &Api, texts: Vec<(String, String)>) -> Result<Vec<typed::Suite>, Report> {
    let mut sources = Sources::new();
    let mut problems = Vec::new();
    let mut parsed = Vec::new();
    for (concept, text) in texts {
        let file = sources.add_in(FOLDER, &format!("{concept}.case"), text);
        let before = problems.len();
        let items = parser::parse(file, sources.text(file), &mut problems);
        // What did not parse is not there, and would be missed by what follows.
        if problems.len() == before {
            parsed.push((concept, items));
        }
    }
    let suites = parsed
        .iter()
        .map(|(concept, items)| check::check(api, &sources, concept, items, &mut problems))
        .collect();
    if problems.is_empty() {
        Ok(suites)
    } else {
        Err(Report::new(sources, problems))
    }
}

/// Prints the cases of a project as tests of every language.
pub struct Cases {
    root: PathBuf,
}

impl Cases {
    /// The cases of the project at `root`.
    pub fn new(root: &Path) -> Cases {
        Cases {
            root: root.to_owned(),
        }
    }
}

impl Backend for Cases {
    fn name(&self) -> &str {
        "cases"
    }

    fn supports(&self) -> Support {
        Support::all(None)
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let suites = load(&self.root, api).map_err(Error::Other)?;
        print::print(api, &suites)
    }
}
