//! What a field holds: how it is stored, and which values it takes.

use super::Object;
use crate::abi::instance::Stored;
use crate::abi::layout::index;
use crate::abi::types;
use crate::error::{Error, ErrorKind, Result};
use crate::value::{Any, AnyView, IntoAny, Kind};

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldType {
    /// Anything.
    Any,
    /// A whole number of 64 bits.
    Int,
    /// A number with a point; a whole number becomes one.
    Float,
    /// True or false.
    Bool,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// An object of a type of this index, or of one derived from it.
    Object(i32),
    /// Values in order that never change, each of a type.
    Array(Box<FieldType>),
    /// Values in order that may change. They are not looked at: others may change them at any time.
    List,
    /// Keys and values that never change, each of a type.
    Map(Box<FieldType>, Box<FieldType>),
    /// Keys and values that may change.
    Dict,
    /// A dtype, or its name.
    DType,
    /// A device, or its name.
    Device,
    /// None, or what a type holds.
    Optional(Box<FieldType>),
}

impl FieldType {
    /// How it is stored.
    pub fn stored(&self) -> Stored {
        match self {
            FieldType::Int => Stored::Int,
            FieldType::Float => Stored::Float,
            FieldType::Bool => Stored::Bool,
            _ => Stored::Any,
        }
    }

    /// Whether every value can be stored as it comes, or the setter of how it is stored checks it.
    pub fn is_checked_by_setter(&self) -> bool {
        matches!(
            self,
            FieldType::Any | FieldType::Int | FieldType::Float | FieldType::Bool
        )
    }

    /// The type in words of the public headers.
    pub fn name(&self) -> String {
        match self {
            FieldType::Any => "Any".to_owned(),
            FieldType::Int => "int".to_owned(),
            FieldType::Float => "float".to_owned(),
            FieldType::Bool => "bool".to_owned(),
            FieldType::Str => "ffi.String".to_owned(),
            FieldType::Bytes => "ffi.Bytes".to_owned(),
            FieldType::Object(of) => types::info_or_unknown(*of).key().to_owned(),
            FieldType::Array(item) => format!("ffi.Array[{}]", item.name()),
            FieldType::List => "ffi.List".to_owned(),
            FieldType::Map(key, value) => format!("ffi.Map[{}, {}]", key.name(), value.name()),
            FieldType::Dict => "ffi.Dict".to_owned(),
            FieldType::DType => "DataType".to_owned(),
            FieldType::Device => "Device".to_owned(),
            FieldType::Optional(inner) => format!("Optional[{}]", inner.name()),
        }
    }

    /// The type of a name, as [`FieldType::name`] gives it.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] for one that is none, or of a class that there is not.
    pub fn parse(name: &str) -> Result<FieldType> {
        let wrong = |why: &str| {
            let message = format!("`{name}` is no type of a field: {why}");
            Error::new(ErrorKind::ValueError, message)
        };
        // A class may have brackets in its key.
        let parts_of = name.split_once('[').filter(|_| types::find(name).is_none());
        if let Some((outer, inner)) = parts_of {
            let inner = inner
                .strip_suffix(']')
                .ok_or_else(|| wrong("it wants a `]`"))?;
            let parts = parts(inner).into_iter().map(FieldType::parse);
            let mut parts = parts.collect::<Result<Vec<_>>>()?.into_iter().map(Box::new);
            let found = match (outer, parts.next(), parts.next(), parts.next()) {
                ("Optional", Some(inner), None, None) => FieldType::Optional(inner),
                ("ffi.Array", Some(item), None, None) => FieldType::Array(item),
                ("ffi.Map", Some(key), Some(value), None) => FieldType::Map(key, value),
                _ => return Err(wrong("it has other parts than that type has")),
            };
            return Ok(found);
        }
        Ok(match name {
            "Any" => FieldType::Any,
            "int" => FieldType::Int,
            "float" => FieldType::Float,
            "bool" => FieldType::Bool,
            "ffi.String" => FieldType::Str,
            "ffi.Bytes" => FieldType::Bytes,
            "ffi.Array" => FieldType::Array(Box::new(FieldType::Any)),
            "ffi.List" => FieldType::List,
            "ffi.Map" => FieldType::Map(Box::new(FieldType::Any), Box::new(FieldType::Any)),
            "ffi.Dict" => FieldType::Dict,
            "DataType" => FieldType::DType,
            "Device" => FieldType::Device,
            _ => match types::find(name).filter(|found| *found >= index::OBJECT) {
                Some(found) => FieldType::Object(found),
                None => return Err(wrong("there is no class of that key")),
            },
        })
    }

    /// The value to store for one that is to be set.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for a value of another kind.
    pub fn accept(&self, value: AnyView<'_>) -> Result<Any> {
        let kind = value.kind();
        let fits = match (self, &kind) {
            (FieldType::Optional(_), Kind::None) => true,
            (FieldType::Optional(inner), _) => return inner.accept(value),
            (FieldType::Any, _)
            | (FieldType::Int, Kind::Int(_))
            | (FieldType::Float, Kind::Float(_))
            | (FieldType::Bool, Kind::Bool(_))
            | (FieldType::Str, Kind::Str(_))
            | (FieldType::Bytes, Kind::Bytes(_))
            | (FieldType::DType, Kind::DType(_))
            | (FieldType::Device, Kind::Device(_))
            | (FieldType::List, Kind::List(_))
            | (FieldType::Dict, Kind::Dict(_)) => true,
            (FieldType::Int, Kind::Bool(value)) => return Ok(Any::int((*value).into())),
            (FieldType::Float, Kind::Int(value)) => return Ok(Any::float(*value as f64)),
            (FieldType::DType, Kind::Str(name)) => return crate::DType::new(name).map(Any::dtype),
            (FieldType::Device, Kind::Str(name)) => {
                return crate::Device::new(name).map(Any::device);
            }
            (FieldType::List, Kind::Array(items)) => {
                return crate::List::from_vec(items.to_vec()).map(IntoAny::into_any);
            }
            (FieldType::Array(item), Kind::Array(items)) => return accept_all(item, items),
            (FieldType::Array(item), Kind::List(list)) => return accept_all(item, &list.items()),
            (FieldType::Map(key, held), Kind::Map(map)) => {
                let pairs = map.iter().map(|(k, v)| (k.clone(), v.clone()));
                return accept_pairs(key, held, pairs.collect());
            }
            (FieldType::Map(key, held), Kind::Dict(dict)) => {
                return accept_pairs(key, held, dict.pairs());
            }
            (FieldType::Dict, Kind::Map(map)) => {
                let pairs = map.iter().map(|(k, v)| (k.clone(), v.clone()));
                return crate::Dict::from_entries(pairs.collect()).map(IntoAny::into_any);
            }
            (FieldType::Object(of), _) => {
                let found = value
                    .object()
                    .map_or(index::NONE, |object| object.type_index());
                types::is_a(found, *of)
            }
            _ => false,
        };
        if fits {
            return Ok(value.to_any());
        }
        let message = format!("{} is wanted, found {}", self.name(), found(&value));
        Err(Error::new(ErrorKind::TypeError, message))
    }
}

/// Names between commas that are in no brackets.
fn parts(names: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let outside = |letter: char| {
        depth += i32::from(letter == '[') - i32::from(letter == ']');
        letter == ',' && depth == 0
    };
    names.split(outside).map(str::trim).collect()
}

fn found(value: &AnyView<'_>) -> String {
    match value.object().map(Object::from_object) {
        Some(object) if object.object_type().index() >= index::DYNAMIC => {
            format!("an object of `{}`", object.type_key())
        }
        _ => value.type_name().to_owned(),
    }
}

fn accept_all(of: &FieldType, items: &[Any]) -> Result<Any> {
    let accepted = items.iter().enumerate().map(|(i, item)| {
        let item = of.accept(item.view());
        item.map_err(|error| error.at(format_args!("item {i}")))
    });
    Ok(Any::array(accepted.collect::<Result<_>>()?))
}

fn accept_pairs(key: &FieldType, value: &FieldType, pairs: Vec<(Any, Any)>) -> Result<Any> {
    let accepted = pairs
        .iter()
        .map(|(k, v)| Ok((key.accept(k.view())?, value.accept(v.view())?)));
    crate::Map::from_entries(accepted.collect::<Result<_>>()?).map(IntoAny::into_any)
}
