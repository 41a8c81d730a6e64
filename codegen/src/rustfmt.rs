//! Rust text in the shape `cargo fmt` gives it, so that printed files pass its check.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Formats one file's text with the settings of the project at `root`.
///
/// # Errors
/// When `rustfmt` is missing or cannot parse the text; the message holds what it said.
pub fn format(root: &Path, path: &str, text: &str) -> Result<String, String> {
    let missing = |error: std::io::Error| {
        format!("`rustfmt` cannot run ({error}); `rustup component add rustfmt` brings it")
    };
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(missing)?;
    // A thread feeds it: with a large text both pipes would fill up and both sides wait.
    let input = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    })
    .map_err(missing)?;
    if !output.status.success() {
        return Err(format!(
            "rustfmt refuses {path}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("rustfmt made {path} unreadable"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_formatted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(
            format(root, "a.rs", "fn  f( ) {   }").as_deref(),
            Ok("fn f() {}\n")
        );
    }

    #[test]
    fn declared_modules_are_not_looked_for() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(
            format(root, "mod.rs", "pub  mod missing;").as_deref(),
            Ok("pub mod missing;\n")
        );
    }

    #[test]
    fn what_is_not_rust_is_refused_with_the_path() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let message = format(root, "core/a.rs", "fn fn fn").unwrap_err();
        assert!(message.contains("core/a.rs"), "{message}");
    }
}
