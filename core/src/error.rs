//! The one error type: a kind, a message, and what is needed to get it home.
//!
//! An [`Error`] is one pointer. Its [`ErrorKind`] decides the class in each language; `origin` holds
//! the exception object of the language that raised it, so that an error which returns there is
//! the very same object. Where an error was made and which functions it left is kept as it comes and becomes text when
//! [`Error::traceback`] is asked for.

mod frames;

use std::any::Any as StdAny;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

use crate::abi::closure::Signature;
pub use crate::generated::enums::ErrorKind;
use crate::value::Any;
use frames::Frames;
pub use frames::{Passed, ReadFrames};

/// What every fallible operation of tenspan returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An exception object of a language, kept until the error returns to it.
pub type Origin = Arc<dyn StdAny + Send + Sync>;

/// An error with its kind, its message and where it came from.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    /// Set when the kind is a name that the spec does not have; `kind` is then `RuntimeError`.
    foreign_kind: Option<String>,
    message: String,
    frames: Frames,
    /// The frames as text, once somebody asked.
    traceback: OnceLock<Box<str>>,
    cause: Option<Error>,
    origin: Option<Origin>,
    /// The key that was not there, of a KeyError.
    key: Option<Any>,
}

impl Error {
    /// An error that begins where this is called.
    #[track_caller]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Arc::new(Inner {
            kind,
            foreign_kind: None,
            message: message.into(),
            frames: Frames::at(Location::caller()),
            traceback: OnceLock::new(),
            cause: None,
            origin: None,
            key: None,
        }))
    }

    /// An error of a kind given by name, as compiled modules raise it. A name that the spec does not have is kept.
    #[track_caller]
    pub fn from_kind_name(kind: &str, message: impl Into<String>) -> Self {
        match ErrorKind::from_str_exact(kind) {
            Some(known) => Error::new(known, message),
            None => Error::new(ErrorKind::RuntimeError, message)
                .edit(|inner| inner.foreign_kind = Some(kind.to_owned())),
        }
    }

    /// An error of a kind that has a name of its own, such as the class of an exception that is derived from that of the kind.
    pub fn named(kind: ErrorKind, name: &str, message: impl Into<String>) -> Self {
        let error = Error::new(kind, message);
        if name == kind.as_str() {
            return error;
        }
        error.edit(|inner| inner.foreign_kind = Some(name.to_owned()))
    }

    /// The error of a key that a mapping does not have, with the nearest key it does have.
    #[track_caller]
    pub fn missing_key<'a>(what: &str, key: &str, keys: impl IntoIterator<Item = &'a str>) -> Self {
        let hint = match nearest(key, keys) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        Error::new(
            ErrorKind::KeyError,
            format!("there is no {what} `{key}`{hint}"),
        )
        .with_key(Any::string(key))
    }

    /// The same error with the key that was not there.
    pub fn with_key(self, key: Any) -> Self {
        self.edit(|inner| inner.key = Some(key))
    }

    /// The same error with another as its cause.
    pub fn with_cause(self, cause: Error) -> Self {
        self.edit(|inner| inner.cause = Some(cause))
    }

    /// The same error carrying the exception object it was made from.
    pub fn with_origin(self, origin: Origin) -> Self {
        self.edit(|inner| inner.origin = Some(origin))
    }

    /// As [`Error::with_origin`], for an exception that knows which functions of its language it has passed; `read` is asked when somebody asks.
    pub fn with_traced_origin(self, origin: Origin, read: ReadFrames) -> Self {
        let frames = Frames::of(Arc::clone(&origin), read);
        self.with_origin(origin)
            .edit_frames(|known| *known = frames)
    }

    /// The same error without the exception object it was made from.
    pub fn without_origin(self) -> Self {
        self.edit(|inner| inner.origin = None)
    }

    /// The same error with other frames, most recent first, as lines of text.
    pub fn with_traceback(self, traceback: impl Into<String>) -> Self {
        self.edit_frames(|frames| *frames = Frames::text(traceback.into()))
    }

    /// The same error with further frames, as lines of text.
    pub fn with_frames(self, lines: impl Into<String>) -> Self {
        self.edit_frames(|frames| frames.push_text(lines.into()))
    }

    /// The same error, which leaves a function.
    pub fn through(self, function: &Arc<Signature>) -> Self {
        self.edit_frames(|frames| frames.push(Arc::clone(function)))
    }

    fn edit_frames(self, change: impl FnOnce(&mut Frames)) -> Self {
        self.edit(|inner| {
            inner.traceback = OnceLock::new();
            change(&mut inner.frames);
        })
    }

    /// The same error, its message preceded by where it happened: `place: message`.
    pub fn at(self, place: impl fmt::Display) -> Self {
        self.edit(|inner| inner.message = format!("{place}: {}", inner.message))
    }

    fn edit(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The kind; `RuntimeError` for one that the spec does not have.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The kind by name, also when the spec does not have it.
    pub fn kind_name(&self) -> &str {
        self.0
            .foreign_kind
            .as_deref()
            .unwrap_or(self.0.kind.as_str())
    }

    /// What was found, what was wanted, where.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where the error was made and what it passed through, most recent first, a line each:
    /// `  File "f", line n, in fn`. Written at the first call.
    pub fn traceback(&self) -> &str {
        if let Some(known) = self.0.traceback.get() {
            return known;
        }
        // Not inside of the cell: frames of a language may have to wait for a lock that another reader holds.
        let text = self.0.frames.to_string().into_boxed_str();
        self.0.traceback.get_or_init(|| text)
    }

    /// Whether it is known which functions it left, beyond the place of this library where it was made.
    pub fn has_frames(&self) -> bool {
        self.0.frames.has_more()
    }

    /// The functions that it left after it was made: what an exception that it becomes does not know.
    pub fn passed(&self) -> Option<Passed> {
        self.0.frames.passed()
    }

    /// The error that led to this one.
    pub fn cause(&self) -> Option<&Error> {
        self.0.cause.as_ref()
    }

    /// The key that was not there, of a KeyError that knows it.
    pub fn key(&self) -> Option<&Any> {
        self.0.key.as_ref()
    }

    /// The exception object that this error was made from.
    pub fn origin(&self) -> Option<&Origin> {
        self.0.origin.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind_name(), self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause().map(|cause| cause as _)
    }
}

/// The candidate that is at most a third of its letters away from `wanted`, or that holds it.
pub(crate) fn nearest<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = wanted.chars().count() / 3 + 1;
    candidates
        .into_iter()
        .take(10_000)
        .map(|candidate| (distance(wanted, candidate), candidate))
        .filter(|(d, candidate)| *d <= limit || candidate.contains(wanted) && !wanted.is_empty())
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete or replace to turn one text into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(128).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(128).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_key_names_the_nearest_one() {
        let error = Error::missing_key("tensor", "blk.0.wight", ["blk.0.weight", "output"]);
        assert_eq!(error.kind(), ErrorKind::KeyError);
        assert!(
            error.message().contains("did you mean `blk.0.weight`?"),
            "{error}"
        );
        let error = Error::missing_key("tensor", "zzz", ["blk.0.weight"]);
        assert!(!error.message().contains("did you mean"), "{error}");
    }

    #[test]
    fn a_kind_of_another_name_is_still_of_its_kind() {
        let error = Error::named(ErrorKind::ValueError, "TooSmall", "x");
        assert_eq!(
            (error.kind(), error.kind_name()),
            (ErrorKind::ValueError, "TooSmall")
        );
        let plain = Error::named(ErrorKind::ValueError, "ValueError", "x");
        assert_eq!(plain.kind_name(), "ValueError");
    }

    #[test]
    fn a_kind_that_the_spec_lacks_keeps_its_name() {
        let error = Error::from_kind_name("MyError", "x");
        assert_eq!(
            (error.kind(), error.kind_name()),
            (ErrorKind::RuntimeError, "MyError")
        );
        assert_eq!(
            Error::from_kind_name("KeyError", "x").kind(),
            ErrorKind::KeyError
        );
    }
}
