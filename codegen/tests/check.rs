//! `cargo codegen --check`: clean after a run, and not to be fooled.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of the spec in a folder of its own.
fn project(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("codegen/spec")).unwrap();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("spec")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(
            &path,
            root.join("codegen/spec").join(path.file_name().unwrap()),
        )
        .unwrap();
    }
    root
}

fn run(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_codegen"))
        .args(arguments)
        .arg("--root")
        .arg(root)
        .output()
        .unwrap()
}

fn printed_project(name: &str) -> PathBuf {
    let root = project(name);
    let output = run(&root, &[]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    root
}

#[track_caller]
fn assert_check_fails(root: &Path, wanted: &str) {
    let output = run(root, &["--check"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(
        message.contains(wanted) && message.contains("Run `cargo codegen`"),
        "{message}"
    );
}

#[test]
fn the_files_of_this_project_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = run(&root, &["--check"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_second_run_changes_nothing() {
    let root = printed_project("second_run");
    let output = run(&root, &[]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(run(&root, &["--check"]).status.success());
}

#[test]
fn an_edited_file_is_stale() {
    let root = printed_project("edited");
    let path = root.join("core/src/generated/enums.rs");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("Float64", "Float46", 1)).unwrap();
    assert_check_fails(&root, "stale  core/src/generated/enums.rs");
}

#[test]
fn a_deleted_file_is_missing() {
    let root = printed_project("deleted");
    fs::remove_file(root.join("docs/reference/tensor.md")).unwrap();
    assert_check_fails(&root, "missing  docs/reference/tensor.md");
}

#[test]
fn a_file_that_nothing_prints_is_orphaned_and_removed() {
    let root = printed_project("orphaned");
    let orphan = root.join("core/src/generated/old.rs");
    fs::copy(root.join("core/src/generated/enums.rs"), &orphan).unwrap();
    assert_check_fails(&root, "orphaned  core/src/generated/old.rs");
    assert!(run(&root, &[]).status.success());
    assert!(!orphan.exists());
}

#[test]
fn files_written_by_hand_are_left_alone() {
    let root = printed_project("by_hand");
    let mine = root.join("core/src/generated/mine.rs");
    fs::write(&mine, "//! Written by hand.\n").unwrap();
    assert!(run(&root, &["--check"]).status.success());
    assert!(run(&root, &[]).status.success());
    assert!(mine.exists());
}

#[test]
fn line_ends_of_windows_are_no_difference() {
    let root = printed_project("line_ends");
    let path = root.join("docs/reference/tensor.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    assert!(run(&root, &["--check"]).status.success());
}

#[test]
fn a_wrong_spec_changes_nothing() {
    let root = printed_project("wrong_spec");
    let path = root.join("codegen/spec/tensor.webidl");
    let text = fs::read_to_string(&path).unwrap();
    let wrong = text.replacen("Tensor reshape(", "Tensr reshape(", 1);
    assert_ne!(wrong, text);
    fs::write(&path, wrong).unwrap();
    let before = fs::read_to_string(root.join("docs/reference/tensor.md")).unwrap();
    let output = run(&root, &[]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `Tensor`?"));
    assert_eq!(
        fs::read_to_string(root.join("docs/reference/tensor.md")).unwrap(),
        before
    );
}

#[test]
fn the_ir_can_be_printed() {
    let output = run(&project("ir"), &["--print-ir"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("class Tensor"));
}

#[test]
fn an_unknown_option_is_refused_with_the_usage() {
    let output = run(&project("option"), &["--chek"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--check"));
}
