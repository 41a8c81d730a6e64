//! The C++ compiler: which one, and what it says.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use super::key::Digest;
use crate::error::{Error, ErrorKind, Result};

/// Tried in this order when `CXX` is not set.
const NAMES: &[&str] = &["g++", "clang++", "c++"];

/// What the compiler reads of the environment and a module depends on.
const ENVIRONMENT: &[&str] = &[
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "SDKROOT",
];

/// What of the output of a compiler goes into a message.
const MOST_OUTPUT: usize = 64 * 1024;

/// A compiler that was found.
pub struct Compiler {
    program: PathBuf,
    /// Words of `CXX` behind the program.
    words: Vec<String>,
    /// The program itself, where links lead to.
    real: PathBuf,
}

impl Compiler {
    /// The compiler that `CXX` names, or the first of those that are usually there.
    ///
    /// # Errors
    /// [`ErrorKind::CompileFailed`] that says what was tried.
    pub fn find() -> Result<Compiler> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let named = std::env::var("CXX").unwrap_or_default();
        let mut words = named.split_whitespace().map(str::to_owned);
        if let Some(name) = words.next() {
            let program = search(&name, &path)
                .ok_or_else(|| missing(format!("CXX is `{name}`, which is not there"), &path))?;
            return Ok(Compiler::at(program, words.collect()));
        }
        let found = NAMES.iter().find_map(|name| search(name, &path));
        found
            .map(|program| Compiler::at(program, Vec::new()))
            .ok_or_else(|| {
                let names = NAMES.join("`, `");
                missing(
                    format!("CXX is not set, and there is none of `{names}`"),
                    &path,
                )
            })
    }

    fn at(program: PathBuf, words: Vec<String>) -> Compiler {
        let real = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
        Compiler {
            program,
            words,
            real,
        }
    }

    /// Adds what makes this compiler another one than the next: its file tells its version without it being run.
    pub fn add_to(&self, digest: &mut Digest) {
        digest.add(self.real.as_os_str().as_encoded_bytes());
        for word in &self.words {
            digest.add(word.as_bytes());
        }
        if let Ok(about) = fs::metadata(&self.real) {
            digest.add(&about.len().to_le_bytes());
            let modified = about.modified().ok();
            let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            digest.add(&since.map_or(0, |since| since.as_nanos()).to_le_bytes());
        }
        for name in ENVIRONMENT {
            digest.add(
                std::env::var_os(name)
                    .unwrap_or_default()
                    .as_encoded_bytes(),
            );
        }
    }

    /// Flags for modules, before those of the user.
    pub fn flags(&self) -> Vec<&'static str> {
        let mut flags = vec!["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden"];
        let is_clang = cfg!(target_os = "macos")
            || self.real.to_string_lossy().contains("clang")
            || self.program.to_string_lossy().contains("clang");
        if !is_clang {
            // Such symbols would be shared by all modules of the process.
            flags.push("-fno-gnu-unique");
        }
        flags
    }

    /// Runs the compiler in a folder. `what` is what messages say was compiled.
    ///
    /// # Errors
    /// [`ErrorKind::CompileFailed`] with all that it said.
    pub fn run(&self, folder: &Path, words: &[OsString], what: &str) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.args(&self.words).args(words).current_dir(folder);
        let program = self.program.display();
        let output = command.output().map_err(|error| {
            let message = format!("{program} could not be started: {error}");
            Error::new(ErrorKind::CompileFailed, message)
        })?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = &output.stderr;
        let shown = stderr.len().min(MOST_OUTPUT);
        let mut said = String::from_utf8_lossy(&stderr[..shown]).into_owned();
        if shown < stderr.len() {
            said.push_str("\n… more");
        }
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let message = format!(
            "{what} does not compile ({}):\n{}\nwith {program} {}",
            output.status,
            said.trim_end(),
            words.join(" ")
        );
        Err(Error::new(ErrorKind::CompileFailed, message))
    }
}

fn missing(why: String, path: &OsString) -> Error {
    let message = format!(
        "no C++ compiler: {why} in the folders of PATH ({})",
        path.display()
    );
    Error::new(ErrorKind::CompileFailed, message)
}

/// A program by its path, or by its name in the folders of PATH.
fn search(name: &str, path: &OsString) -> Option<PathBuf> {
    if name.contains(std::path::is_separator) {
        return Some(PathBuf::from(name)).filter(|program| is_program(program));
    }
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .map(|mut program| {
            program
                .as_mut_os_string()
                .push(std::env::consts::EXE_SUFFIX);
            program
        })
        .find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(path)
            .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}
