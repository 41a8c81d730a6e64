//! Comparisons with other packages, each in one run: their figure, ours, and the ratio.
//!
//! A comparison is a program of Python, Node or C++ in `benches/` and a line in [`PEERS`]. It gets a folder for its results, and either
//! prints one JSON object, which is kept there and shown, or [its own tables](Output::Tables).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::language::{cpp, node, python};
use crate::run::Run;
use crate::setup;
use crate::table::say;
use crate::tools::NODE;
use crate::{Project, Result};

/// What else the comparisons need beside the packages of the tests.
const REQUIREMENTS: &str = "benches/requirements.txt";

struct Peer {
    name: &'static str,
    what: &'static str,
    output: Output,
}

/// What a comparison does with its figures.
enum Output {
    /// It prints them as one JSON object.
    Json,
    /// It prints tables and writes its files itself; it gets the program that measures the limits of the machine, and
    /// the arguments of the command line.
    Tables,
    /// It is a program of C++, `calls` of a CMake project in a folder, and prints them as one JSON object.
    Cpp(&'static str),
    /// It is a program of Node in a folder of packages of its own, and prints them as one JSON object.
    Node(&'static str),
}

const PEERS: &[Peer] = &[
    Peer {
        name: "gguf-header",
        what: "a header with two arrays of 151,936 strings, beside PyPI gguf",
        output: Output::Json,
    },
    Peer {
        name: "numpy-view",
        what: "a tensor as a NumPy array, beside NumPy's own ways to a view",
        output: Output::Json,
    },
    Peer {
        name: "memory",
        what: "memory taken and handed over in Python, and products of it, beside numkong, apache-tvm-ffi and NumPy",
        output: Output::Tables,
    },
    Peer {
        name: "calls",
        what: "calls, callbacks, containers and errors in Python, beside apache-tvm-ffi",
        output: Output::Tables,
    },
    Peer {
        name: "quant",
        what: "every block format decoded and encoded, beside PyPI gguf and libgguf",
        output: Output::Tables,
    },
    Peer {
        name: "memory",
        what: "calls and products of typed arrays in Node, beside npm simsimd",
        output: Output::Node("benches/memory/node"),
    },
    Peer {
        name: "calls",
        what: "calls of functions in Node, beside npm koffi",
        output: Output::Node("benches/calls/node"),
    },
    Peer {
        name: "calls",
        what: "calls through the value ABI in C++, beside pointers and std::function",
        output: Output::Cpp("benches/calls/cpp"),
    },
];

/// Runs one comparison with arguments of its own, or all.
///
/// # Errors
/// When there is none of that name, or it fails.
pub fn run(project: &Project, name: Option<&str>, arguments: &[&str]) -> Result<()> {
    if let Some(unknown) = name.filter(|name| !PEERS.iter().any(|peer| peer.name == *name)) {
        let names: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
        return Err(format!(
            "no comparison is named `{unknown}`; there are {}",
            names.join(", ")
        ));
    }
    let venv = python::build(project)?;
    venv.add(project, REQUIREMENTS)?;
    let folder = project.folder("peers")?;
    for peer in PEERS
        .iter()
        .filter(|peer| name.is_none_or(|name| name == peer.name))
    {
        say(&format!("\n=== {}: {}", peer.name, peer.what));
        let program = format!("benches/{}", peer.name.replace('-', "_"));
        match peer.output {
            Output::Json => {
                let program = format!("{program}.py");
                let run = Run::new(venv.python()).arg(&program).arg(&folder);
                print_object(
                    project,
                    run,
                    &program,
                    &folder.join(format!("{}.json", peer.name)),
                )?;
            }
            Output::Node(place) => {
                node::build(project)?;
                let program = setup::node_packages(project, place)?.join("calls.mjs");
                let run = Run::new(NODE.find()?).arg(&program);
                print_object(
                    project,
                    run,
                    place,
                    &folder.join(format!("{}-node.json", peer.name)),
                )?;
            }
            Output::Cpp(place) => {
                let library = cpp::build(project)?;
                let build = cpp::configure(project, &library, place, "cpp-calls")?;
                let kept = folder.join(format!("{}-cpp.json", peer.name));
                print_object(project, Run::new(build.join("calls")), place, &kept)?;
            }
            Output::Tables => Run::new(venv.python())
                .arg(&program)
                .arg(&folder)
                .arg(limits(project)?)
                .args(arguments)
                .dir(&project.root)
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .stream()?,
        }
    }
    Ok(())
}

/// Runs a program that prints one JSON object, and keeps that.
fn print_object(project: &Project, run: Run, program: &str, kept: &Path) -> Result<()> {
    let text = run.dir(&project.root).capture()?;
    let result: Value =
        serde_json::from_str(&text).map_err(|error| format!("{program}: {error}: {text}"))?;
    fs::write(kept, format!("{result:#}\n"))
        .map_err(|error| format!("{}: {error}", kept.display()))?;
    say(&format!("{result:#}"));
    Ok(())
}

/// The program of `benches/limits.rs`, built.
fn limits(project: &Project) -> Result<PathBuf> {
    let messages = Run::new("cargo")
        .args(["bench", "--quiet", "--package", "tenspan"])
        .args(["--bench", "limits", "--no-run", "--message-format=json"])
        .dir(&project.root)
        .env("CARGO_TARGET_DIR", &project.target)
        .capture()?;
    executable(&messages).ok_or_else(|| "cargo named no program of `benches/limits.rs`".to_owned())
}

/// The program that cargo says it has built, among its messages of one line each.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| Some(message.get("executable")?.as_str()?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_messages_of_cargo() {
        let messages = r#"
            {"reason":"compiler-artifact","target":{"name":"tenspan"},"executable":null}
            {"reason":"compiler-artifact","target":{"name":"limits"},"executable":"/target/limits-1"}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some("/target/limits-1".into()));
        assert_eq!(executable("{\"reason\":\"build-finished\"}\nno JSON"), None);
    }
}
