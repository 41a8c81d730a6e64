//! Values that cross borders, and how Rust types become and come from them.
//!
//! [`Any`] owns a value, [`AnyView`] borrows one. [`IntoAny`] and [`FromAny`] are implemented once for
//! each Rust type; [`Args`] applies them to the arguments of a call and says which one is wrong.

pub use crate::abi::any::{Any, AnyView, Kind};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::tensor::Tensor;

/// A Rust type that becomes a value.
pub trait IntoAny {
    /// The value.
    fn into_any(self) -> Any;
}

/// A Rust type that can be read from a value.
pub trait FromAny<'a>: Sized {
    /// What is wanted, for messages: "an integer", "a list of strings".
    fn wanted() -> String;

    /// Reads the value; `None` when it is of another kind.
    ///
    /// # Errors
    /// When the kind is right and the value is not: a number out of range, a list of unequal lengths.
    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>>;
}

/// The arguments of one call.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    function: &'a str,
    values: &'a [AnyView<'a>],
}

impl<'a> Args<'a> {
    /// Arguments of the function that messages call `function`.
    pub fn new(function: &'a str, values: &'a [AnyView<'a>]) -> Self {
        Args { function, values }
    }

    /// Checks how many there are.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] naming the function and both numbers.
    pub fn count(&self, least: usize, most: usize) -> Result<()> {
        let found = self.values.len();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let wanted = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        let message = format!(
            "{} takes {wanted} arguments, {found} were given",
            self.function
        );
        Err(Error::new(ErrorKind::TypeError, message))
    }

    /// An argument that must be there.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when it is missing or of another kind, or what its conversion reports.
    pub fn get<T: FromAny<'a>>(&self, position: usize, name: &str) -> Result<T> {
        let Some(value) = self.values.get(position) else {
            let message = format!("{}: argument `{name}` is missing", self.function);
            return Err(Error::new(ErrorKind::TypeError, message));
        };
        let place = || format!("{}: argument `{name}`", self.function);
        match T::from_any(value) {
            Ok(Some(read)) => Ok(read),
            Ok(None) => {
                let message = format!(
                    "{} wants {}, found {}",
                    place(),
                    T::wanted(),
                    describe(value)
                );
                Err(Error::new(ErrorKind::TypeError, message))
            }
            Err(error) => Err(error.at(place())),
        }
    }

    /// An argument that may be missing or None.
    ///
    /// # Errors
    /// As [`Args::get`] when it is there.
    pub fn optional<T: FromAny<'a>>(&self, position: usize, name: &str) -> Result<Option<T>> {
        match self.values.get(position) {
            Some(value) if !value.is_none() => self.get(position, name).map(Some),
            _ => Ok(None),
        }
    }
}

/// A value in a message: what it is, and for short text which.
fn describe(value: &AnyView<'_>) -> String {
    match value.kind() {
        Kind::Str(text) if text.len() <= 32 => format!("the string {text:?}"),
        Kind::Int(number) => format!("the integer {number}"),
        Kind::Float(number) => format!("the float {number:?}"),
        _ => value.type_name().to_owned(),
    }
}

impl IntoAny for Any {
    fn into_any(self) -> Any {
        self
    }
}

impl IntoAny for () {
    fn into_any(self) -> Any {
        Any::NONE
    }
}

impl IntoAny for bool {
    fn into_any(self) -> Any {
        Any::bool(self)
    }
}

impl IntoAny for f64 {
    fn into_any(self) -> Any {
        Any::float(self)
    }
}

impl IntoAny for f32 {
    fn into_any(self) -> Any {
        Any::float(self.into())
    }
}

impl IntoAny for &str {
    fn into_any(self) -> Any {
        Any::string(self)
    }
}

impl IntoAny for String {
    fn into_any(self) -> Any {
        Any::string(&self)
    }
}

impl IntoAny for Vec<u8> {
    fn into_any(self) -> Any {
        Any::bytes(&self)
    }
}

impl IntoAny for &[u8] {
    fn into_any(self) -> Any {
        Any::bytes(self)
    }
}

impl IntoAny for DType {
    fn into_any(self) -> Any {
        Any::dtype(self)
    }
}

impl IntoAny for Tensor {
    fn into_any(self) -> Any {
        Any::object(self.into_object())
    }
}

impl IntoAny for Function {
    fn into_any(self) -> Any {
        Any::object(self.object().clone())
    }
}

impl<T: IntoAny> IntoAny for Option<T> {
    fn into_any(self) -> Any {
        self.map_or(Any::NONE, IntoAny::into_any)
    }
}

impl<T: IntoAny> IntoAny for Vec<T> {
    fn into_any(self) -> Any {
        Any::array(self.into_iter().map(IntoAny::into_any).collect())
    }
}

impl<T: IntoAny + Clone> IntoAny for &[T] {
    fn into_any(self) -> Any {
        Any::array(self.iter().cloned().map(IntoAny::into_any).collect())
    }
}

/// Named values travel as an array of alternating names and values.
impl<T: IntoAny> IntoAny for Vec<(String, T)> {
    fn into_any(self) -> Any {
        let flat = self
            .into_iter()
            .flat_map(|(name, value)| [name.into_any(), value.into_any()]);
        Any::array(flat.collect())
    }
}

macro_rules! integers {
    ($($name:ty),*) => { $(
        impl IntoAny for $name {
            fn into_any(self) -> Any {
                Any::int(self.into())
            }
        }

        impl<'a> FromAny<'a> for $name {
            fn wanted() -> String {
                "an integer".to_owned()
            }

            fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
                let number: i128 = match value.kind() {
                    Kind::Int(number) => number.into(),
                    Kind::BigInt(number) => number,
                    Kind::Bool(value) => value.into(),
                    _ => return Ok(None),
                };
                number.try_into().map(Some).map_err(|_| {
                    let (least, most) = (<$name>::MIN, <$name>::MAX);
                    Error::new(ErrorKind::OverflowError, format!("{number} is not between {least} and {most}"))
                })
            }
        }
    )* };
}

integers!(i8, i16, u16, i32, u32, i64, u64);

impl<'a> FromAny<'a> for bool {
    fn wanted() -> String {
        "a boolean".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Bool(value) => Some(value),
            Kind::Int(number @ (0 | 1)) => Some(number == 1),
            _ => None,
        })
    }
}

impl<'a> FromAny<'a> for f64 {
    fn wanted() -> String {
        "a number".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Float(number) => Some(number),
            Kind::Int(number) => Some(number as f64),
            Kind::BigInt(number) => Some(number as f64),
            _ => None,
        })
    }
}

impl<'a> FromAny<'a> for &'a str {
    fn wanted() -> String {
        "a string".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Str(text) => Some(text),
            _ => None,
        })
    }
}

impl<'a> FromAny<'a> for String {
    fn wanted() -> String {
        "a string".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Str(text) => Some(text.to_owned()),
            Kind::DType(dtype) => Some(dtype.name()),
            _ => None,
        })
    }
}

impl<'a> FromAny<'a> for &'a [u8] {
    fn wanted() -> String {
        "bytes".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }
}

impl<'a> FromAny<'a> for DType {
    fn wanted() -> String {
        "a dtype or its name".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        match value.kind() {
            Kind::DType(dtype) => Ok(Some(dtype)),
            Kind::Str(name) => DType::new(name).map(Some),
            _ => Ok(None),
        }
    }
}

impl<'a> FromAny<'a> for Tensor {
    fn wanted() -> String {
        "a tensor, or nested lists of numbers".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        match value.kind() {
            Kind::Tensor(tensor) => Ok(Some(tensor)),
            Kind::Array(_) | Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::BigInt(_) => {
                crate::tensor::list::from_value(value, None).map(Some)
            }
            Kind::Other(index) if index == Complex::type_index() => {
                crate::tensor::list::from_value(value, None).map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl<'a> FromAny<'a> for Function {
    fn wanted() -> String {
        "a function".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Function(function) => Some(function),
            _ => None,
        })
    }
}

impl<'a> FromAny<'a> for AnyView<'a> {
    fn wanted() -> String {
        "a value".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(Some(*value))
    }
}

impl<'a> FromAny<'a> for Any {
    fn wanted() -> String {
        "a value".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(Some(value.to_any()))
    }
}

impl<'a, T: FromAny<'a>> FromAny<'a> for Option<T> {
    fn wanted() -> String {
        T::wanted()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        if value.is_none() {
            return Ok(Some(None));
        }
        Ok(T::from_any(value)?.map(Some))
    }
}

/// The items of a list as views, or `None` for anything else.
fn items<'a>(value: &'a AnyView<'a>) -> Option<&'a [AnyView<'a>]> {
    match value.kind() {
        Kind::Array(items) => Some(AnyView::slice(items)),
        _ => None,
    }
}

impl<'a, T: FromAny<'a>> FromAny<'a> for Vec<T> {
    fn wanted() -> String {
        format!("a list (each item {})", T::wanted())
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        let Some(items) = items(value) else {
            return Ok(None);
        };
        let mut read = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            read.push(item_from(item, || format!("item {i}"))?);
        }
        Ok(Some(read))
    }
}

impl<'a, T: FromAny<'a>> FromAny<'a> for Vec<(String, T)> {
    fn wanted() -> String {
        format!("named values (each {})", T::wanted())
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        let Some(items) = items(value).filter(|items| items.len() % 2 == 0) else {
            return Ok(None);
        };
        let mut read = Vec::with_capacity(items.len() / 2);
        for pair in items.chunks_exact(2) {
            let name: String = item_from(&pair[0], || "name".to_owned())?;
            let value = item_from(&pair[1], || format!("`{name}`"))?;
            read.push((name, value));
        }
        Ok(Some(read))
    }
}

fn item_from<'a, T: FromAny<'a>>(item: &'a AnyView<'a>, place: impl Fn() -> String) -> Result<T> {
    match T::from_any(item) {
        Ok(Some(read)) => Ok(read),
        Ok(None) => {
            let message = format!(
                "{} wants {}, found {}",
                place(),
                T::wanted(),
                describe(item)
            );
            Err(Error::new(ErrorKind::TypeError, message))
        }
        Err(error) => Err(error.at(place())),
    }
}

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

crate::class!(Complex, "tenspan.Complex");

/// A Rust class whose values travel as objects of a type of their own. Implemented by [`class!`](crate::class).
pub trait Class: Clone + Send + Sync + 'static {
    /// Key of the type, such as `tenspan.File`.
    const KEY: &'static str;

    /// Index of the type, given out at first use.
    fn type_index() -> i32;
}

/// Makes a Rust type a [`Class`]: values of it become objects, references to it are read from them.
#[macro_export]
macro_rules! class {
    ($name:ty, $key:literal) => {
        $crate::class!(object $name, $key);

        impl<'a> $crate::value::FromAny<'a> for $name {
            fn wanted() -> String {
                format!("a {}", $key)
            }

            fn from_any(
                value: &'a $crate::value::AnyView<'a>,
            ) -> $crate::error::Result<Option<Self>> {
                Ok($crate::abi::class::read::<$name>(*value).cloned())
            }
        }
    };
    // For a class that other values can be turned into, and that says itself how.
    (object $name:ty, $key:literal) => {
        impl $crate::value::Class for $name {
            const KEY: &'static str = $key;

            fn type_index() -> i32 {
                static INDEX: std::sync::OnceLock<i32> = std::sync::OnceLock::new();
                *INDEX.get_or_init(|| $crate::abi::types::register($key))
            }
        }

        impl $crate::value::IntoAny for $name {
            fn into_any(self) -> $crate::value::Any {
                $crate::abi::class::object(self)
            }
        }

        impl<'a> $crate::value::FromAny<'a> for &'a $name {
            fn wanted() -> String {
                format!("a {}", $key)
            }

            fn from_any(
                value: &'a $crate::value::AnyView<'a>,
            ) -> $crate::error::Result<Option<Self>> {
                Ok($crate::abi::class::read(*value))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args<'a>(values: &'a [AnyView<'a>]) -> Args<'a> {
        Args::new("f", values)
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_was_found() {
        let values = [Any::string("x"), Any::int(300)];
        let views: Vec<_> = values.iter().map(Any::view).collect();
        let error = args(&views).get::<u64>(0, "shape").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TypeError);
        assert_eq!(
            error.message(),
            "f: argument `shape` wants an integer, found the string \"x\""
        );
        let error = args(&views).get::<i8>(1, "n").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OverflowError);
        assert_eq!(
            error.message(),
            "f: argument `n`: 300 is not between -128 and 127"
        );
        let error = args(&views).get::<u64>(2, "m").unwrap_err();
        assert_eq!(error.message(), "f: argument `m` is missing");
    }

    #[test]
    fn lists_are_read_item_by_item() {
        let values = [
            vec![1u64, 2, 3].into_any(),
            Any::array(vec![Any::int(1), Any::NONE]),
        ];
        let views: Vec<_> = values.iter().map(Any::view).collect();
        assert_eq!(args(&views).get::<Vec<i64>>(0, "shape").unwrap(), [1, 2, 3]);
        let error = args(&views).get::<Vec<i64>>(1, "shape").unwrap_err();
        assert_eq!(
            error.message(),
            "f: argument `shape`: item 1 wants an integer, found None"
        );
    }

    #[test]
    fn named_values_keep_their_order() {
        let named = vec![("b".to_owned(), 1i64), ("a".to_owned(), 2)];
        let value = named.clone().into_any();
        let views = [value.view()];
        assert_eq!(
            args(&views).get::<Vec<(String, i64)>>(0, "x").unwrap(),
            named
        );
    }
}
