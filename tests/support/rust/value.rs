//! Values of any kind in a form that compares alike in every language.

use tenspan::value::{Any, AnyView, Complex, FromAny, IntoAny, Kind};
use tenspan::{Array, DType, Dict, Function, List, Map};

/// A value. Whole numbers and numbers with a point are equal when they are the same number; `nan` equals `nan`.
#[derive(Debug, Clone)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Value::Int(whole), Value::Float(float)) | (Value::Float(float), Value::Int(whole)) => {
                *whole as f64 == *float && *float as i128 == *whole
            }
            (Value::Complex(re, im), Value::Complex(x, y)) => {
                Value::Float(*re) == Value::Float(*x) && Value::Float(*im) == Value::Float(*y)
            }
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl Value {
    /// The number that this is.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Int(whole) => Some(*whole as f64),
            Value::Float(float) => Some(*float),
            _ => None,
        }
    }

    /// Whether all numbers of both are within `tolerance`, relative to the larger one or to 1.
    pub fn is_near(&self, other: &Value, tolerance: f64) -> bool {
        if let (Value::List(a), Value::List(b)) = (self, other) {
            return a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_near(b, tolerance));
        }
        if let (Value::Complex(re, im), Value::Complex(x, y)) = (self, other) {
            let near = |a: f64, b: f64| Value::Float(a).is_near(&Value::Float(b), tolerance);
            return near(*re, *x) && near(*im, *y);
        }
        match (self.number(), other.number()) {
            (Some(a), Some(b)) if a.is_finite() && b.is_finite() => {
                (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
            }
            _ => self == other,
        }
    }
}

/// A list of values.
macro_rules! list {
    ($($item:expr),* $(,)?) => { $crate::support::Value::List(vec![$($crate::support::Value::from($item)),*]) };
}
pub(crate) use list;

macro_rules! whole {
    ($($ty:ty),*) => { $(impl From<$ty> for Value {
        fn from(value: $ty) -> Value {
            Value::Int(value as i128)
        }
    })* };
}
whole!(i32, i64, i128, u32, u64, usize);

macro_rules! kinds {
    ($($ty:ty => $make:expr),* $(,)?) => { $(impl From<$ty> for Value {
        fn from(value: $ty) -> Value {
            $make(value)
        }
    })* };
}
kinds! {
    bool => Value::Bool,
    f64 => Value::Float,
    String => Value::Text,
    &str => |text: &str| Value::Text(text.to_owned()),
    Vec<u8> => Value::Bytes,
    &[u8] => |bytes: &[u8]| Value::Bytes(bytes.to_vec()),
    &[u64] => |items: &[u64]| Value::List(items.iter().map(|item| Value::from(*item)).collect()),
    &[i64] => |items: &[i64]| Value::List(items.iter().map(|item| Value::from(*item)).collect()),
    Vec<u64> => |items: Vec<u64>| Value::from(items.as_slice()),
    Vec<String> => |items: Vec<String>| Value::List(items.into_iter().map(Value::Text).collect()),
    Vec<Any> => |items: Vec<Any>| Value::List(items.iter().map(Value::from).collect()),
    Vec<DType> => |items: Vec<DType>| Value::List(items.into_iter().map(Value::from).collect()),
    DType => |dtype: DType| Value::Text(dtype.name()),
    &Any => |any: &Any| Value::from(any.view()),
    Any => |any: Any| Value::from(any.view()),
    Function => |function: Function| Value::from(function.into_any()),
}

macro_rules! containers {
    ($($ty:ty),*) => { $(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Value {
                Value::from(value.into_any())
            }
        }

        impl From<&$ty> for Value {
            fn from(value: &$ty) -> Value {
                Value::from(value.clone())
            }
        }
    )* };
}
containers!(Array, List, Map, Dict);

/// Keys and values as lists of two.
fn pairs<'a>(pairs: impl Iterator<Item = (&'a Any, &'a Any)>) -> Value {
    Value::List(pairs.map(|(key, value)| list![key, value]).collect())
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Value {
        Value::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

macro_rules! borrowed {
    ($($ty:ty),*) => { $(impl From<&$ty> for Value {
        fn from(value: &$ty) -> Value {
            Value::from(value.clone())
        }
    })* };
}
borrowed!(
    bool,
    f64,
    i64,
    u32,
    u64,
    String,
    Vec<u8>,
    Vec<u64>,
    Vec<String>,
    DType,
    Value
);

impl From<AnyView<'_>> for Value {
    fn from(view: AnyView<'_>) -> Value {
        match view.kind() {
            Kind::None => Value::Null,
            Kind::Bool(value) => Value::Bool(value),
            Kind::Int(value) => Value::Int(value.into()),
            Kind::BigInt(value) => value
                .to_i128()
                .map_or_else(|| Value::Text(value.to_string()), Value::Int),
            Kind::Float(value) => Value::Float(value),
            Kind::Str(text) => Value::Text(text.to_owned()),
            Kind::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Kind::DType(dtype) => Value::from(dtype),
            Kind::Array(items) => Value::List(items.iter().map(Value::from).collect()),
            Kind::List(list) => Value::from(list.items()),
            Kind::Shape(lengths) => Value::from(lengths),
            Kind::Map(map) => pairs(map.iter()),
            Kind::Dict(dict) => pairs(dict.pairs().iter().map(|(key, value)| (key, value))),
            Kind::Function(_) => Value::Text("a function".to_owned()),
            _ => match <&Complex>::from_any(&view) {
                Ok(Some(number)) => Value::Complex(number.re, number.im),
                _ => Value::Text("a value that no case compares".to_owned()),
            },
        }
    }
}

/// The value as core takes it.
pub fn any(value: impl Into<Value>) -> Any {
    match value.into() {
        Value::Null => Any::NONE,
        Value::Bool(value) => Any::bool(value),
        Value::Int(value) => Any::int(value),
        Value::Float(value) => Any::float(value),
        Value::Complex(re, im) => Complex { re, im }.into_any(),
        Value::Text(text) => Any::string(&text),
        Value::Bytes(bytes) => Any::bytes(&bytes),
        Value::List(items) => Any::array(items.into_iter().map(any).collect()),
        Value::Map(entries) => Any::array(
            entries
                .into_iter()
                .flat_map(|(key, value)| [any(key), any(value)])
                .collect(),
        ),
    }
}

/// A result of core as core takes it again.
pub fn any_of<T: Clone + IntoAny>(value: &T) -> Any {
    value.clone().into_any()
}

/// An argument of a function; null when it was not given.
pub fn given(arguments: &[AnyView<'_>], place: usize) -> Any {
    arguments
        .get(place)
        .map_or(Any::NONE, |value| value.to_any())
}

/// The items of a list or bytes.
fn items(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        Value::Bytes(bytes) => bytes
            .into_iter()
            .map(|byte| Value::Int(byte.into()))
            .collect(),
        _ => Vec::new(),
    }
}

/// How many items a list has.
pub fn len(value: impl Into<Value>) -> usize {
    items(value.into()).len()
}

/// One item of a list; null when there is none.
pub fn item(value: impl Into<Value>, position: usize) -> Value {
    items(value.into())
        .into_iter()
        .nth(position)
        .unwrap_or(Value::Null)
}

/// Named values.
pub fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(
        entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    )
}

/// A complex number.
pub fn complex(re: f64, im: f64) -> Value {
    Value::Complex(re, im)
}

/// The sum of two whole numbers.
pub fn plus(a: impl Into<Value>, b: impl Into<Value>) -> Value {
    match (a.into(), b.into()) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a + b),
        _ => Value::Null,
    }
}

/// Whole numbers from `start` up to `stop`, which is left out.
pub fn range(start: i128, stop: i128) -> Value {
    Value::List((start..stop).map(Value::Int).collect())
}

/// A list of one value.
pub fn repeat(value: impl Into<Value>, times: usize) -> Value {
    Value::List(vec![value.into(); times])
}
