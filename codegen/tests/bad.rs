//! Bad specs: one mistake in each file, the message it gets beside it.
//!
//! `TENSPAN_BLESS=1 cargo test -p tenspan-codegen --test bad` writes the messages anew; read the difference.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use tenspan_codegen::{Report, Sources, load_sources};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

fn files(suffix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|found| found == suffix))
        .collect();
    files.sort();
    files
}

fn report(path: &Path) -> Report {
    let mut sources = Sources::new();
    let name = path.file_name().unwrap().to_str().unwrap();
    sources.add(
        name,
        fs::read_to_string(path).unwrap().replace("\r\n", "\n"),
    );
    load_sources(sources)
        .err()
        .unwrap_or_else(|| panic!("{name} has no mistake"))
}

#[test]
fn each_mistake_gets_its_message() {
    let bless = std::env::var_os("TENSPAN_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files("webidl") {
        let found = report(&path).to_string();
        let expected = path.with_extension("txt");
        if bless {
            fs::write(&expected, &found).unwrap();
        } else if fs::read_to_string(&expected)
            .unwrap_or_default()
            .replace("\r\n", "\n")
            != found
        {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} messages differ from their .txt\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn each_file_holds_one_mistake() {
    let reports = files("webidl").into_iter().map(|path| report(&path));
    let several: Vec<String> = reports
        .filter(|report| report.problems().len() != 1)
        .map(|report| report.to_string())
        .collect();
    assert!(several.is_empty(), "{}", several.join("\n----\n"));
}

#[test]
fn each_message_names_its_place() {
    for path in files("webidl") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let report = report(&path).to_string();
        assert!(report.contains(&format!("spec/{name}:")), "{report}");
    }
}

#[test]
fn no_message_is_left_without_its_spec() {
    for path in files("txt") {
        assert!(path.with_extension("webidl").exists(), "{}", path.display());
    }
    assert!(files("webidl").len() >= 40);
}
