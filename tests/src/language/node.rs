//! Node.js: the package built in place, its tests and types, the printed cases.

use std::path::Path;

use crate::language::{CACHE_VARIABLE, LOG_VARIABLE, cache, fresh_log, modules};
use crate::run::Run;
use crate::tools::NODE;
use crate::verify::Outcome;
use crate::{Project, Result, setup};

pub mod asan;

/// Builds the addon beside the package's JavaScript.
///
/// # Errors
/// When Node is missing or it does not build.
pub fn build(project: &Project) -> Result<()> {
    let node = NODE.find()?;
    Run::new(&node)
        .args(["bind-node/scripts/build.mjs", "--release"])
        .dir(&project.root)
        .env("CARGO_TARGET_DIR", &project.target)
        .stream()
}

/// Builds the package, runs its tests and the cases. The tests run `tsc` over the types.
///
/// # Errors
/// The first command that failed.
pub fn test(project: &Project) -> Result<Outcome> {
    build(project)?;
    let folder = setup::node_packages(project, "tests/node")?;
    Run::new(NODE.find()?)
        .args(["--expose-gc", "--test", "--test-reporter=dot"])
        .args(files(&folder)?)
        .dir(&folder)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(modules::VARIABLE, modules::build(project)?)
        .stream()?;
    cases(project)?;
    Ok(Outcome::Passed)
}

/// Runs the printed cases with the package as it is built.
///
/// # Errors
/// When one failed.
pub fn cases(project: &Project) -> Result<()> {
    Run::new(NODE.find()?)
        .args(["--test", "--test-reporter=dot"])
        .args(files(&project.path("tests/generated/node"))?)
        .dir(&project.root)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(LOG_VARIABLE, fresh_log(project, "node")?)
        .stream()
}

/// The test files of a folder: Node 20 takes no patterns.
fn files(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
