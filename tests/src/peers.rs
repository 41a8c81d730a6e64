//! Comparisons with other packages, each in one process at one time: their figure, ours, and the ratio.
//!
//! A comparison is a Python program in `benches/` that prints one JSON object, and a line in [`PEERS`].

use std::fs;

use serde_json::Value;

use crate::language::python;
use crate::run::Run;
use crate::table::say;
use crate::{Project, Result};

struct Peer {
    name: &'static str,
    what: &'static str,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "gguf-header",
        what: "a header with two arrays of 151,936 strings, beside PyPI gguf",
    },
    Peer {
        name: "numpy-view",
        what: "a tensor as a NumPy array, beside NumPy's own ways to a view",
    },
];

/// Runs one comparison, or all.
///
/// # Errors
/// When there is none of that name, or it fails.
pub fn run(project: &Project, name: Option<&str>) -> Result<()> {
    if let Some(unknown) = name.filter(|name| !PEERS.iter().any(|peer| peer.name == *name)) {
        let names: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
        return Err(format!(
            "no comparison is named `{unknown}`; there are {}",
            names.join(", ")
        ));
    }
    let venv = python::build(project)?;
    let folder = project.folder("peers")?;
    for peer in PEERS
        .iter()
        .filter(|peer| name.is_none_or(|name| name == peer.name))
    {
        say(&format!("\n=== {}: {}", peer.name, peer.what));
        let program = format!("benches/{}.py", peer.name.replace('-', "_"));
        let text = Run::new(venv.python())
            .arg(&program)
            .arg(&folder)
            .dir(&project.root)
            .capture()?;
        let result: Value =
            serde_json::from_str(&text).map_err(|error| format!("{program}: {error}: {text}"))?;
        let path = folder.join(format!("{}.json", peer.name));
        fs::write(&path, format!("{result:#}\n"))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        say(&format!("{result:#}"));
    }
    Ok(())
}
