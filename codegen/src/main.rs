//! `cargo codegen`: prints every language's files from the spec, or checks that they are up to date.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tenspan_codegen::listing::Listing;
use tenspan_codegen::{backend, generate, load_spec, output};

const USAGE: &str = "\
Prints every language's files from codegen/spec.

Usage: cargo codegen [--check | --print-ir] [--root <folder>]

  --check          change nothing; fail when a file is stale, missing or orphaned
  --print-ir       print the resolved spec and nothing else
  --root <folder>  the project; the one this program was built in when omitted
";

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            // A reader that stopped reading is no failure.
            _ = io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            _ = io::stderr().write_all(format!("{}\n", message.trim_end()).as_bytes());
            ExitCode::FAILURE
        }
    }
}

enum Mode {
    Write,
    Check,
    PrintIr,
}

fn run() -> Result<String, String> {
    let mut mode = Mode::Write;
    let mut root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => mode = Mode::Check,
            "--print-ir" => mode = Mode::PrintIr,
            "--root" => root = PathBuf::from(arguments.next().ok_or("`--root` needs a folder")?),
            "--help" | "-h" => return Ok(USAGE.to_owned()),
            other => return Err(format!("`{other}` is not an option\n\n{USAGE}")),
        }
    }
    let spec = load_spec(&root.join("codegen/spec")).map_err(|error| error.to_string())?;
    if let Mode::PrintIr = mode {
        return Ok(Listing(&spec.api).to_string());
    }
    let files =
        generate::generate(&root, spec, &backend::all(&root)).map_err(|error| error.to_string())?;
    let unreadable = |error: io::Error| format!("{}: {error}", root.display());
    let listed = |differences: Vec<output::Difference>| {
        differences
            .iter()
            .map(|d| format!("{d}\n"))
            .collect::<String>()
    };
    if let Mode::Check = mode {
        let differences = output::compare(&root, &files).map_err(unreadable)?;
        if differences.is_empty() {
            return Ok(String::new());
        }
        return Err(format!(
            "{}Generated files are out of date. Run `cargo codegen` and commit what it changes.",
            listed(differences)
        ));
    }
    output::write(&root, &files).map(listed).map_err(unreadable)
}
