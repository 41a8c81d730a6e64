//! The arguments of one call, read one by one with errors that name them.

use super::{AnyView, FromAny, Kind};
use crate::error::{Error, ErrorKind, Result};

/// The arguments of one call.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    function: &'a str,
    values: &'a [AnyView<'a>],
}

impl<'a> Args<'a> {
    /// Arguments of the function that messages call `function`.
    #[inline]
    pub fn new(function: &'a str, values: &'a [AnyView<'a>]) -> Self {
        Args { function, values }
    }

    /// Checks how many there are.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] naming the function and both numbers.
    #[inline]
    pub fn count(&self, least: usize, most: usize) -> Result<()> {
        match (least..=most).contains(&self.values.len()) {
            true => Ok(()),
            false => Err(self.miscounted(least, most)),
        }
    }

    #[cold]
    fn miscounted(&self, least: usize, most: usize) -> Error {
        let found = self.values.len();
        let wanted = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        let message = format!(
            "{} takes {wanted} arguments, {found} were given",
            self.function
        );
        Error::new(ErrorKind::TypeError, message)
    }

    /// An argument that must be there.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when it is missing or of another kind, or what its conversion reports.
    #[inline]
    pub fn get<T: FromAny<'a>>(&self, position: usize, name: &str) -> Result<T> {
        let Some(value) = self.values.get(position) else {
            return Err(self.missing(name));
        };
        match T::from_any(value) {
            Ok(Some(read)) => Ok(read),
            Ok(None) => Err(self.unfit(name, &T::wanted(), value)),
            Err(error) => Err(error.at(self.place(name))),
        }
    }

    fn place(&self, name: &str) -> String {
        format!("{}: argument `{name}`", self.function)
    }

    #[cold]
    fn missing(&self, name: &str) -> Error {
        let message = format!("{} is missing", self.place(name));
        Error::new(ErrorKind::TypeError, message)
    }

    #[cold]
    fn unfit(&self, name: &str, wanted: &str, value: &AnyView<'_>) -> Error {
        let found = describe(value);
        let message = format!("{} wants {wanted}, found {found}", self.place(name));
        Error::new(ErrorKind::TypeError, message)
    }

    /// An argument that may be missing or None.
    ///
    /// # Errors
    /// As [`Args::get`] when it is there.
    #[inline]
    pub fn optional<T: FromAny<'a>>(&self, position: usize, name: &str) -> Result<Option<T>> {
        match self.values.get(position) {
            Some(value) if !value.is_none() => self.get(position, name).map(Some),
            _ => Ok(None),
        }
    }
}

/// A value in a message: what it is, and for short text which.
pub(super) fn describe(value: &AnyView<'_>) -> String {
    match value.kind() {
        Kind::Str(text) if text.len() <= 32 => format!("the string {text:?}"),
        Kind::Int(number) => format!("the integer {number}"),
        Kind::Float(number) => format!("the float {number:?}"),
        _ => value.type_name().to_owned(),
    }
}
