//! Child processes: shown before they run, their output beside ours, a failure in one sentence.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Result, output};

/// A command about to run.
pub struct Run {
    command: Command,
    shown: String,
}

impl Run {
    /// A program, by name or path.
    pub fn new(program: impl AsRef<OsStr>) -> Run {
        let program = program.as_ref();
        let name = Path::new(program)
            .file_name()
            .unwrap_or(program)
            .to_string_lossy()
            .into_owned();
        Run {
            command: Command::new(program),
            shown: name,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Run {
        self.shown.push(' ');
        self.shown.push_str(&argument.as_ref().to_string_lossy());
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args<T: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = T>) -> Run {
        arguments.into_iter().fold(self, Run::arg)
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Run {
        self.command.env(name, value);
        self
    }

    /// Sets the folder it runs in.
    pub fn dir(mut self, folder: &Path) -> Run {
        self.command.current_dir(folder);
        self
    }

    /// Runs it to its end, its output going where that of this thread goes.
    ///
    /// # Errors
    /// When it cannot start or fails.
    pub fn stream(mut self) -> Result<()> {
        output::line(&format!("$ {}", self.shown));
        let status = self
            .command
            .stdout(output::of_program())
            .stderr(output::of_program())
            .status()
            .map_err(|error| format!("`{}` does not start: {error}", self.shown))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("`{}` failed: {status}", self.shown))
        }
    }

    /// Runs it to its end and returns what it wrote to its standard output.
    ///
    /// # Errors
    /// When it cannot start or fails; the message holds the end of its standard error.
    pub fn capture(mut self) -> Result<String> {
        let output = self
            .command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{}` does not start: {error}", self.shown))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let from = errors.len().saturating_sub(4000);
        let tail = errors.get(from..).unwrap_or(&errors);
        Err(format!(
            "`{}` failed: {}\n{tail}",
            self.shown, output.status
        ))
    }

    /// Whether it starts and ends well; its output is dropped.
    pub fn succeeds(mut self) -> bool {
        let status = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }
}
