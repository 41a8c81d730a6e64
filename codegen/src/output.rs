//! Printed files on disk: what is stale, what is missing, what nobody prints any more.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::backend::{Files, HEADER_LINES, MARK};

/// Folders that hold no sources of the project.
const SKIPPED: &[&str] = &[
    "target",
    "node_modules",
    "build",
    "dist",
    "venv",
    "__pycache__",
];

/// How a file on disk differs from what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has another text.
    Stale,
    /// It is not there.
    Missing,
    /// It was printed once; nothing prints it now.
    Orphaned,
}

/// A file that differs, by its path in the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// How it differs.
    pub state: State,
    /// Where it is.
    pub path: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = match self.state {
            State::Stale => "stale",
            State::Missing => "missing",
            State::Orphaned => "orphaned",
        };
        write!(f, "{state:>9}  {}", self.path)
    }
}

/// Compares a project with what is printed; line endings count as equal.
///
/// # Errors
/// When a file or folder cannot be read.
pub fn compare(root: &Path, files: &Files) -> io::Result<Vec<Difference>> {
    let mut differences = Vec::new();
    for (path, text) in files.iter() {
        let state = match fs::read(root.join(path)) {
            Ok(found) if same_text(&found, text) => continue,
            Ok(_) => State::Stale,
            Err(error) if error.kind() == io::ErrorKind::NotFound => State::Missing,
            Err(error) => return Err(error),
        };
        differences.push(Difference {
            state,
            path: path.to_owned(),
        });
    }
    let mut printed = BTreeSet::new();
    find_printed(root, "", &mut printed)?;
    let orphans = printed.into_iter().filter(|path| files.get(path).is_none());
    differences.extend(orphans.map(|path| Difference {
        state: State::Orphaned,
        path,
    }));
    Ok(differences)
}

/// Writes what differs, removes what is orphaned, and returns what was done.
///
/// # Errors
/// When a file cannot be written.
pub fn write(root: &Path, files: &Files) -> io::Result<Vec<Difference>> {
    let differences = compare(root, files)?;
    for Difference { path, .. } in &differences {
        let target = root.join(path);
        match files.get(path) {
            None => fs::remove_file(target)?,
            Some(text) => {
                if let Some(folder) = target.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(target, text)?;
            }
        }
    }
    Ok(differences)
}

fn same_text(found: &[u8], wanted: &str) -> bool {
    // A checkout on Windows may have turned every line end into two characters.
    found == wanted.as_bytes() || String::from_utf8_lossy(found).replace("\r\n", "\n") == wanted
}

/// Collects files that begin with the header, by their paths below `root`.
fn find_printed(root: &Path, below: &str, printed: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
            find_printed(root, &path, printed)?;
        } else if kind.is_file() && begins_with_header(&entry.path())? {
            printed.insert(path);
        }
    }
    Ok(())
}

fn begins_with_header(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(512).read_to_end(&mut start)) {
        Ok(_) => {}
        // Gone between listing and reading: another process's temporary file.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    }
    Ok(String::from_utf8_lossy(&start)
        .lines()
        .take(HEADER_LINES)
        .any(|line| line.contains(MARK)))
}
