//! The run over all backends: first what they cannot express, then what they print.

use std::fmt;
use std::path::Path;

use crate::backend::{self, Backend, Files};
use crate::diagnostic::{Problem, Report};
use crate::{Spec, rustfmt};

/// Prints the files of every backend; Rust comes formatted.
///
/// # Errors
/// Every place of the spec that a backend cannot express, or the first backend that failed.
pub fn generate(root: &Path, spec: Spec, backends: &[Box<dyn Backend>]) -> Result<Files, Error> {
    let unsupported: Vec<Problem> = backends
        .iter()
        .flat_map(|backend| {
            backend
                .supports()
                .check(backend.name(), &spec.api, &spec.sources)
        })
        .collect();
    if !unsupported.is_empty() {
        return Err(Error::Unsupported(Report::new(spec.sources, unsupported)));
    }
    let mut files = Files::new();
    for backend in backends {
        let failed = |error: backend::Error| Error::Failed {
            backend: backend.name().to_owned(),
            message: error.to_string(),
        };
        let printed = backend.generate(&spec.api).map_err(failed)?;
        let formatted = printed.try_map(|path, text| {
            if !path.ends_with(".rs") {
                return Ok(text);
            }
            rustfmt::format(root, path, &text).map_err(backend::Error::Other)
        });
        formatted
            .and_then(|printed| files.merge(printed))
            .map_err(failed)?;
    }
    Ok(files)
}

/// Why nothing was printed.
#[derive(Debug)]
pub enum Error {
    /// The spec asks for what a backend cannot express.
    Unsupported(Report),
    /// A backend failed.
    Failed {
        /// Its name.
        backend: String,
        /// What it said.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported(report) => report.fmt(f),
            Error::Failed { backend, message } => write!(f, "backend `{backend}`: {message}"),
        }
    }
}

impl std::error::Error for Error {}
