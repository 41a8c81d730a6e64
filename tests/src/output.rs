//! Where output goes: straight to ours, or, while several steps run at a time, to a file of each, shown when the step ends.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;
use std::process::Stdio;

thread_local! {
    /// What keeps the output of this thread.
    static KEPT: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Keeps what `work` writes, and the programs that it runs, in a file, and shows it in one piece at the end. What cannot be kept is
/// shown at once.
pub fn together<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    let (result, kept) = keep(path, work);
    if let Some(mut file) = kept {
        let mut out = io::stdout().lock();
        // A reader that went away is no failure.
        _ = file.rewind().and_then(|()| io::copy(&mut file, &mut out));
        _ = out.flush();
    }
    result
}

fn keep<T>(path: &Path, work: impl FnOnce() -> T) -> (T, Option<File>) {
    // Of an earlier run.
    _ = std::fs::remove_file(path);
    let mut options = File::options();
    KEPT.set(options.read(true).append(true).create(true).open(path).ok());
    (work(), KEPT.take())
}

/// Writes a line.
pub fn line(text: &str) {
    KEPT.with_borrow_mut(|kept| match kept {
        Some(file) => _ = writeln!(file, "{text}"),
        None => {
            let mut out = io::stdout().lock();
            _ = writeln!(out, "{text}");
            _ = out.flush();
        }
    });
}

/// Where a program that this thread runs writes to; its errors go there too.
pub fn of_program() -> Stdio {
    KEPT.with_borrow(|kept| {
        let file = kept.as_ref().and_then(|file| file.try_clone().ok());
        file.map_or_else(Stdio::inherit, Stdio::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_programs_of_a_thread_share_the_file_that_keeps_them() {
        let name = format!("tenspan-output-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, "of an earlier run").unwrap();
        keep(&path, || {
            line("one");
            let program = crate::run::Run::new("rustc").arg("--version");
            program.stream().unwrap();
            line("two");
        });
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            (lines[0], lines[1], lines[3]),
            ("one", "$ rustc --version", "two")
        );
        assert!(lines[2].starts_with("rustc 1."), "{text}");
        std::fs::remove_file(&path).unwrap();
    }
}
