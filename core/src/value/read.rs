//! Rust types that are read from values.

use std::borrow::Cow;

use super::args::describe;
use super::{Any, AnyView, BigInt, Class, Complex, FromAny, Kind};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::tensor::Tensor;

macro_rules! integers {
    ($($name:ty),*) => { $(
        impl<'a> FromAny<'a> for $name {
            fn wanted() -> String {
                "an integer".to_owned()
            }

            #[inline]
            fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
                let (least, most) = (<$name>::MIN, <$name>::MAX);
                let number: i128 = match value.kind() {
                    Kind::Int(number) => number.into(),
                    Kind::BigInt(number) => match number.to_i128() {
                        Some(number) => number,
                        None => return Err(beyond(number, number.is_negative(), least, most)),
                    },
                    Kind::Bool(value) => value.into(),
                    _ => return Ok(None),
                };
                number.try_into().map(Some).map_err(|_| beyond(number, number < 0, least, most))
            }
        }
    )* };
}

integers!(i8, i16, u16, i32, u32, i64, u64);

/// The error of a number that its type does not hold.
#[cold]
fn beyond<T: Into<i128>>(
    number: impl std::fmt::Display,
    is_negative: bool,
    least: T,
    most: T,
) -> Error {
    let (least, most) = (least.into(), most.into());
    if least == 0 && is_negative {
        return Error::new(ErrorKind::ValueError, format!("{number} is negative"));
    }
    let message = format!("{number} is not between {least} and {most}");
    Error::new(ErrorKind::OverflowError, message)
}

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
            Kind::BigInt(number) => Some(nearest(number)?),
            _ => None,
        })
    }
}

/// The float next to a long number.
///
/// # Errors
/// [`ErrorKind::OverflowError`] when that would be infinite.
pub(crate) fn nearest(number: BigInt<'_>) -> Result<f64> {
    let nearest = number.to_f64();
    if nearest.is_finite() {
        return Ok(nearest);
    }
    let message = format!(
        "a number of {} words is too large for a float",
        number.words().len()
    );
    Err(Error::new(ErrorKind::OverflowError, message))
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

    #[inline]
    fn held(value: &'a AnyView<'a>) -> Option<&'a Self> {
        value.tensor()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        match value.kind() {
            Kind::Tensor(tensor) => Ok(Some(tensor)),
            Kind::Array(_)
            | Kind::List(_)
            | Kind::Int(_)
            | Kind::Float(_)
            | Kind::Bool(_)
            | Kind::BigInt(_) => crate::tensor::list::from_value(value, None).map(Some),
            Kind::Other(index) if index == Complex::type_index() => {
                crate::tensor::list::from_value(value, None).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// A device, or its name.
impl<'a> FromAny<'a> for Device {
    fn wanted() -> String {
        "a device or its name".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        match value.kind() {
            Kind::Device(device) => Ok(Some(device)),
            Kind::Str(name) => Device::new(name).map(Some),
            _ => Ok(None),
        }
    }
}

/// Borrowed where the value holds one, so that nothing is counted.
impl<'a, T: FromAny<'a> + Clone> FromAny<'a> for Cow<'a, T> {
    fn wanted() -> String {
        T::wanted()
    }

    #[inline]
    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        match T::held(value) {
            Some(held) => Ok(Some(Cow::Borrowed(held))),
            None => Ok(T::from_any(value)?.map(Cow::Owned)),
        }
    }
}

impl<'a> FromAny<'a> for Function {
    fn wanted() -> String {
        "a function".to_owned()
    }

    #[inline]
    fn held(value: &'a AnyView<'a>) -> Option<&'a Self> {
        value.function()
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

/// The items of a sequence, a list's as they are now.
fn items(value: &AnyView<'_>) -> Option<Vec<Any>> {
    match value.kind() {
        Kind::Array(items) => Some(items.to_vec()),
        Kind::List(list) => Some(list.items()),
        _ => None,
    }
}

impl<'a, T: for<'b> FromAny<'b>> FromAny<'a> for Vec<T> {
    fn wanted() -> String {
        format!("a list (each item {})", T::wanted())
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        if let Kind::Shape(lengths) = value.kind() {
            let lengths = lengths.iter().map(|length| AnyView::int(*length));
            return read_items(lengths).map(Some);
        }
        let Some(items) = items(value) else {
            return Ok(None);
        };
        read_items(items.iter().map(Any::view)).map(Some)
    }
}

fn read_items<'a, T: for<'b> FromAny<'b>>(
    items: impl ExactSizeIterator<Item = AnyView<'a>>,
) -> Result<Vec<T>> {
    let mut read = Vec::with_capacity(items.len());
    for (i, item) in items.enumerate() {
        read.push(item_from(&item, || format!("item {i}"))?);
    }
    Ok(read)
}

impl<'a, T: for<'b> FromAny<'b>> FromAny<'a> for Vec<(String, T)> {
    fn wanted() -> String {
        format!("named values (each {})", T::wanted())
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        let flat = match value.kind() {
            Kind::Map(map) => map.entries(),
            Kind::Dict(dict) => dict.entries(),
            _ => match items(value).filter(|items| items.len() % 2 == 0) {
                Some(items) => items,
                None => return Ok(None),
            },
        };
        let mut read = Vec::with_capacity(flat.len() / 2);
        for pair in flat.chunks_exact(2) {
            let name: String = item_from(&pair[0].view(), || "name".to_owned())?;
            let value = item_from(&pair[1].view(), || format!("`{name}`"))?;
            read.push((name, value));
        }
        Ok(Some(read))
    }
}

fn item_from<T: for<'b> FromAny<'b>>(item: &AnyView<'_>, place: impl Fn() -> String) -> Result<T> {
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
