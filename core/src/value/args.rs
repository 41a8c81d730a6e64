//! The arguments of one call, read one by one with errors that name them.

use super::{AnyView, FromAny, Kind};
use crate::abi::closure::Signature;
use crate::error::{Error, ErrorKind, Result};

/// The arguments of one call.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    function: &'a str,
    values: &'a [AnyView<'a>],
    /// Arguments before the first that the caller counts: the object of a method.
    uncounted: usize,
}

impl<'a> Args<'a> {
    /// Arguments of the function that messages call `function`.
    #[inline]
    pub fn new(function: &'a str, values: &'a [AnyView<'a>]) -> Self {
        Args {
            function,
            values,
            uncounted: 0,
        }
    }

    /// The same arguments of a method, whose object comes first and is not counted.
    #[inline]
    pub fn of_method(self) -> Self {
        Args {
            uncounted: 1,
            ..self
        }
    }

    /// The arguments themselves.
    pub fn values(&self) -> &'a [AnyView<'a>] {
        self.values
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty, reason = "asked for positions only")]
    pub fn len(&self) -> usize {
        self.values.len()
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
        miscount(self.function, least, most, self.values.len())
    }

    /// An argument that must be there.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when it is missing or of another kind, or what its conversion reports.
    #[inline]
    pub fn get<T: FromAny<'a>>(&self, position: usize, name: &str) -> Result<T> {
        let Some(value) = self.values.get(position) else {
            return Err(self.missing(position, name));
        };
        match T::from_any(value) {
            Ok(Some(read)) => Ok(read),
            Ok(None) => {
                let place = self.place(position, name);
                Err(unfit(&place, &T::wanted(), value))
            }
            Err(error) => Err(error.at(self.place(position, name))),
        }
    }

    fn place(&self, position: usize, name: &str) -> String {
        match position.checked_sub(self.uncounted) {
            Some(at) => format!("{}: argument {at} (`{name}`)", self.function),
            None => format!("{}: `{name}`", self.function),
        }
    }

    /// The place of an argument that is mostly given by its name.
    fn named_place(&self, name: &str) -> String {
        format!("{}: argument `{name}`", self.function)
    }

    #[cold]
    fn missing(&self, position: usize, name: &str) -> Error {
        let message = format!("{} is missing", self.place(position, name));
        Error::new(ErrorKind::TypeError, message)
    }

    /// An argument that may be missing or None.
    ///
    /// # Errors
    /// As [`Args::get`] when it is there.
    #[inline]
    pub fn optional<T: FromAny<'a>>(&self, position: usize, name: &str) -> Result<Option<T>> {
        match self.values.get(position) {
            Some(value) if !value.is_none() => match T::from_any(value) {
                Ok(Some(read)) => Ok(Some(read)),
                Ok(None) => Err(unfit(&self.named_place(name), &T::wanted(), value)),
                Err(error) => Err(error.at(self.named_place(name))),
            },
            _ => Ok(None),
        }
    }
}

#[cold]
fn unfit(place: &str, wanted: &str, value: &AnyView<'_>) -> Error {
    let message = format!("{place} wants {wanted}, found {}", describe(value));
    Error::new(ErrorKind::TypeError, message)
}

/// What messages call a function.
pub fn called(signature: Option<&Signature>) -> &str {
    match signature {
        Some(signature) if !signature.name.is_empty() => &signature.name,
        _ => "the function",
    }
}

/// An argument of a function in a message: which function, which position, and the name where there is one.
pub fn place(signature: Option<&Signature>, position: usize) -> String {
    let function = called(signature);
    match signature.and_then(|signature| signature.parameters.get(position)) {
        Some(name) => format!("{function}: argument {position} (`{name}`)"),
        None => format!("{function}: argument {position}"),
    }
}

/// The error of an argument of another kind than wanted.
pub fn mismatch(
    signature: Option<&Signature>,
    position: usize,
    wanted: &str,
    found: &AnyView<'_>,
) -> Error {
    let place = place(signature, position);
    let message = format!("{place} wants {wanted}, found {}", describe(found));
    Error::new(ErrorKind::TypeError, message)
}

/// The error of another number of arguments than wanted.
pub fn miscount(function: &str, least: usize, most: usize, found: usize) -> Error {
    let takes = takes((least, most), "", found);
    Error::new(ErrorKind::TypeError, format!("{function} {takes}"))
}

/// How many arguments are taken at least and at most, and how many were given, in words; `which` tells more of those taken.
pub fn takes((least, most): (usize, usize), which: &str, found: usize) -> String {
    let wanted = match (least, most) {
        (1, 1) => "1 argument".to_owned(),
        _ if least == most => format!("{most} arguments"),
        _ => format!("{least} to {most} arguments"),
    };
    let were = if found == 1 { "was" } else { "were" };
    format!("takes {wanted}{which}, {found} {were} given")
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

#[cfg(test)]
mod tests {
    use super::takes;

    #[test]
    fn one_argument_is_said_in_the_singular() {
        let said = [
            (takes((0, 0), "", 1), "takes 0 arguments, 1 was given"),
            (takes((1, 1), "", 0), "takes 1 argument, 0 were given"),
            (
                takes((1, 1), " in order", 2),
                "takes 1 argument in order, 2 were given",
            ),
            (takes((0, 1), "", 2), "takes 0 to 1 arguments, 2 were given"),
            (takes((2, 2), "", 1), "takes 2 arguments, 1 was given"),
        ];
        for (found, wanted) in said {
            assert_eq!(found, wanted);
        }
    }
}
