//! Types of metadata values: the thirteen of GGUF, and their names in the API.

use crate::error::{Error, ErrorKind, Result};
use crate::value::{AnyView, Kind};

/// Deepest nesting of arrays that is read or written. Nobody nests twice; a file could nest thousands of times.
pub(crate) const MAX_DEPTH: usize = 8;

/// A type of GGUF. The values are the codes in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    Uint8 = 0,
    Int8 = 1,
    Uint16 = 2,
    Int16 = 3,
    Uint32 = 4,
    Int32 = 5,
    Float32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    Uint64 = 10,
    Int64 = 11,
    Float64 = 12,
}

use ValueType as T;

/// Name and, where it is always the same, size of each type, by code.
const ROWS: [(T, &str, Option<u64>); 13] = [
    (T::Uint8, "uint8", Some(1)),
    (T::Int8, "int8", Some(1)),
    (T::Uint16, "uint16", Some(2)),
    (T::Int16, "int16", Some(2)),
    (T::Uint32, "uint32", Some(4)),
    (T::Int32, "int32", Some(4)),
    (T::Float32, "float32", Some(4)),
    (T::Bool, "bool", Some(1)),
    (T::String, "string", None),
    (T::Array, "array", None),
    (T::Uint64, "uint64", Some(8)),
    (T::Int64, "int64", Some(8)),
    (T::Float64, "float64", Some(8)),
];

// A row out of order would give a type the size of another.
const _: () = {
    let mut i = 0;
    while i < ROWS.len() {
        assert!(ROWS[i].0 as usize == i);
        i += 1;
    }
};

impl ValueType {
    /// The type of a code.
    pub(crate) fn from_code(code: u32) -> Option<ValueType> {
        ROWS.get(usize::try_from(code).ok()?).map(|row| row.0)
    }

    /// The code in files.
    pub(crate) fn code(self) -> u32 {
        self as u32
    }

    /// The name in the API.
    pub(crate) fn name(self) -> &'static str {
        ROWS[self as usize].1
    }

    /// Bytes of a value, when all have as many.
    pub(crate) fn size(self) -> Option<u64> {
        ROWS[self as usize].2
    }
}

/// The type that a value is to be written as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One that is no array.
    Scalar(ValueType),
    /// An array whose items all have a type.
    Array(Box<Wanted>),
    /// An array, its type to be chosen from its items.
    AnyArray,
}

impl Wanted {
    /// Reads a name such as `uint16` or `array<string>`.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when there is no such type.
    pub(crate) fn parse(name: &str) -> Result<Wanted> {
        let name = name.trim();
        // Each level takes seven letters, so the length of the name bounds the depth of the recursion.
        if name.len() > 8 * MAX_DEPTH + 8 {
            return Err(Error::new(
                ErrorKind::ValueError,
                format!("arrays are nested at most {MAX_DEPTH} deep"),
            ));
        }
        if name == "array" {
            return Ok(Wanted::AnyArray);
        }
        if let Some(inner) = name
            .strip_prefix("array<")
            .and_then(|rest| rest.strip_suffix('>'))
        {
            return Ok(Wanted::Array(Box::new(Wanted::parse(inner)?)));
        }
        match ROWS.iter().find(|row| row.1 == name) {
            Some(row) => Ok(Wanted::Scalar(row.0)),
            None => {
                let near =
                    Error::missing_key("type of metadata", name, ROWS.iter().map(|row| row.1));
                Err(Error::new(ErrorKind::ValueError, near.message()))
            }
        }
    }

    /// The type for a value that came without one.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when the value is of a kind that no file holds, or a list of unlike items;
    /// [`ErrorKind::OverflowError`] when no type holds all numbers.
    pub(crate) fn choose(value: &AnyView<'_>) -> Result<Wanted> {
        Ok(match value.kind() {
            Kind::Array(items) => Wanted::Array(Box::new(Wanted::of_items(AnyView::slice(items))?)),
            _ => Wanted::of_items(std::slice::from_ref(value))?,
        })
    }

    fn of_items(items: &[AnyView<'_>]) -> Result<Wanted> {
        let (mut least, mut most) = (0i128, 0i128);
        let mut class: Option<Class> = None;
        for item in items {
            let found = Class::of(item)?;
            if let Class::Integer(number) = found {
                (least, most) = (least.min(number), most.max(number));
            }
            class = Some(match (class, found) {
                (None, found) => found,
                (Some(Class::Integer(_) | Class::Float), Class::Float)
                | (Some(Class::Float), Class::Integer(_)) => Class::Float,
                (Some(before), found)
                    if std::mem::discriminant(&before) == std::mem::discriminant(&found) =>
                {
                    before
                }
                (Some(_), _) => {
                    let message = "a list in metadata holds items of one kind: booleans, numbers, strings or lists";
                    return Err(Error::new(ErrorKind::TypeError, message));
                }
            });
        }
        Ok(match class {
            Some(Class::Bool) => Wanted::Scalar(T::Bool),
            Some(Class::Text) => Wanted::Scalar(T::String),
            Some(Class::Float) => Wanted::Scalar(T::Float32),
            Some(Class::List) => Wanted::AnyArray,
            Some(Class::Integer(_)) | None => Wanted::Scalar(integer_type(least, most)?),
        })
    }
}

fn integer_type(least: i128, most: i128) -> Result<ValueType> {
    let fits = |low: i128, high: i128| low <= least && most <= high;
    if fits(i32::MIN.into(), i32::MAX.into()) {
        Ok(T::Int32)
    } else if fits(0, u32::MAX.into()) {
        Ok(T::Uint32)
    } else if fits(i64::MIN.into(), i64::MAX.into()) {
        Ok(T::Int64)
    } else if fits(0, u64::MAX.into()) {
        Ok(T::Uint64)
    } else {
        Err(Error::new(
            ErrorKind::OverflowError,
            format!("no type of metadata holds both {least} and {most}"),
        ))
    }
}

#[derive(Clone, Copy)]
enum Class {
    Bool,
    Integer(i128),
    Float,
    Text,
    List,
}

impl Class {
    fn of(value: &AnyView<'_>) -> Result<Class> {
        match value.kind() {
            Kind::Bool(_) => Ok(Class::Bool),
            Kind::Int(number) => Ok(Class::Integer(number.into())),
            Kind::BigInt(number) => number.to_i128().map(Class::Integer).ok_or_else(|| {
                let message = format!("no type of metadata holds {number}");
                Error::new(ErrorKind::OverflowError, message)
            }),
            Kind::Float(_) => Ok(Class::Float),
            Kind::Str(_) | Kind::Bytes(_) => Ok(Class::Text),
            Kind::Array(_) => Ok(Class::List),
            _ => {
                let message = format!(
                    "metadata holds booleans, numbers, strings and lists of these, found {}",
                    value.type_name()
                );
                Err(Error::new(ErrorKind::TypeError, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Any, IntoAny};

    fn chosen(value: impl IntoAny) -> Wanted {
        Wanted::choose(&value.into_any().view()).unwrap()
    }

    #[test]
    fn the_first_integer_type_that_holds_every_number_is_chosen() {
        let scalar = Wanted::Scalar;
        assert_eq!(chosen(-1i64), scalar(T::Int32));
        assert_eq!(chosen(u32::MAX), scalar(T::Uint32));
        assert_eq!(chosen(i64::MAX), scalar(T::Int64));
        assert_eq!(chosen(u64::MAX), scalar(T::Uint64));
        assert_eq!(
            chosen(vec![-1, i64::from(u32::MAX)]),
            Wanted::Array(Box::new(scalar(T::Int64)))
        );
        assert_eq!(chosen(0.5), scalar(T::Float32));
        let error = Wanted::choose(&Any::array(vec![Any::int(-1), u64::MAX.into_any()]).view())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OverflowError);
    }

    #[test]
    fn unlike_items_and_foreign_kinds_are_type_errors() {
        for value in [
            Any::NONE,
            Any::array(vec![Any::int(1), Any::string("x")]),
            Any::dtype(crate::DType::F32),
        ] {
            assert_eq!(
                Wanted::choose(&value.view()).unwrap_err().kind(),
                ErrorKind::TypeError
            );
        }
    }

    #[test]
    fn names_are_read_and_unknown_ones_answered_with_a_near_one() {
        assert_eq!(
            Wanted::parse("array<array<int8>>").unwrap(),
            Wanted::Array(Box::new(Wanted::Array(Box::new(Wanted::Scalar(T::Int8)))))
        );
        assert_eq!(
            Wanted::parse("array<array>").unwrap(),
            Wanted::Array(Box::new(Wanted::AnyArray))
        );
        let error = Wanted::parse("unit16").unwrap_err();
        assert!(error.message().contains("`uint16`"), "{error}");
        assert!(Wanted::parse(&"array<".repeat(100_000)).is_err());
    }
}
