//! Values as text, for people: `[1, "a"]` for an array or a list, `{"k": 1}` for a map or a dict,
//! `my.Pair(a=1)` for an object.

use std::fmt;

use super::{Any, AnyView, Kind};
use crate::abi::layout::index::DYNAMIC;
use crate::abi::object::ObjectRef;
use crate::abi::types::{self, Hook};
use crate::function::Function;
use crate::object::{self, hooks};

/// Containers inside containers that are written out.
const DEEPEST: usize = 32;

impl fmt::Debug for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, self.view(), &mut Vec::new())
    }
}

impl fmt::Debug for AnyView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, *self, &mut Vec::new())
    }
}

/// Writes a value; `inside` are the containers it stands in, so that one that holds itself ends in `...`.
fn write_value(
    f: &mut fmt::Formatter<'_>,
    value: AnyView<'_>,
    inside: &mut Vec<u64>,
) -> fmt::Result {
    let kind = value.kind();
    let is_object = matches!(kind, Kind::Other(index) if index >= DYNAMIC);
    if is_object
        || matches!(
            kind,
            Kind::Array(_) | Kind::List(_) | Kind::Map(_) | Kind::Dict(_)
        )
    {
        let address = value.raw().payload;
        if inside.contains(&address) || inside.len() >= DEEPEST {
            return f.write_str("...");
        }
        inside.push(address);
        let written = match value.object().filter(|_| is_object) {
            Some(object) => write_object(f, &object, inside),
            None => write_container(f, &kind, inside),
        };
        inside.pop();
        return written;
    }
    match kind {
        Kind::None => f.write_str("None"),
        Kind::Bool(value) => write!(f, "{value}"),
        Kind::Int(value) => write!(f, "{value}"),
        Kind::BigInt(value) => write!(f, "{value}"),
        Kind::Float(value) => write!(f, "{value:?}"),
        Kind::Pointer(value) => write!(f, "pointer({value:#x})"),
        Kind::DType(dtype) => write!(f, "{dtype}"),
        Kind::Device(device) => write!(f, "{device}"),
        Kind::Str(text) => write!(f, "{text:?}"),
        Kind::Bytes(bytes) => write!(f, "bytes({})", bytes.len()),
        Kind::Tensor(tensor) => write!(f, "{tensor:?}"),
        Kind::Shape(lengths) => write!(f, "Shape({})", list(lengths)),
        Kind::Error(error) => write!(f, "{error}"),
        Kind::Function(function) => write!(f, "{function:?}"),
        Kind::Opaque(_) => f.write_str("an opaque object"),
        Kind::Other(index) => f.write_str(types::key(index)),
        Kind::Array(_) | Kind::List(_) | Kind::Map(_) | Kind::Dict(_) => Ok(()),
    }
}

/// Writes what the type of an object says, or its key, and its fields where it has some.
fn write_object(
    f: &mut fmt::Formatter<'_>,
    object: &ObjectRef,
    inside: &mut Vec<u64>,
) -> fmt::Result {
    if Hook::Repr.of(object.type_index()).is_some() {
        let show = Function::new(|args| {
            let value = args.first().copied().unwrap_or_default();
            Ok(Any::string(&format!("{value:?}")))
        });
        // A text is wanted for people in any case.
        if let Ok(Some(text)) = hooks::shown(object, &show) {
            return f.write_str(&text);
        }
    }
    f.write_str(types::key(object.type_index()))?;
    let fields = object::shown(object);
    if fields.is_empty() {
        return Ok(());
    }
    f.write_str("(")?;
    for (i, (name, value)) in fields.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{name}=")?;
        write_value(f, value.view(), inside)?;
    }
    f.write_str(")")
}

fn list(lengths: &[i64]) -> String {
    let texts: Vec<String> = lengths.iter().map(i64::to_string).collect();
    texts.join(", ")
}

fn write_container(
    f: &mut fmt::Formatter<'_>,
    kind: &Kind<'_>,
    inside: &mut Vec<u64>,
) -> fmt::Result {
    match kind {
        Kind::Array(items) => write_items(f, items, inside),
        Kind::List(list) => write_items(f, &list.items(), inside),
        Kind::Map(map) => write_entries(f, map.iter(), inside),
        Kind::Dict(dict) => {
            let entries = dict.pairs();
            write_entries(f, entries.iter().map(|(key, value)| (key, value)), inside)
        }
        _ => Ok(()),
    }
}

fn write_items(f: &mut fmt::Formatter<'_>, items: &[Any], inside: &mut Vec<u64>) -> fmt::Result {
    f.write_str("[")?;
    for (i, item) in items.iter().enumerate() {
        if i != 0 {
            f.write_str(", ")?;
        }
        write_value(f, item.view(), inside)?;
    }
    f.write_str("]")
}

fn write_entries<'a>(
    f: &mut fmt::Formatter<'_>,
    entries: impl Iterator<Item = (&'a Any, &'a Any)>,
    inside: &mut Vec<u64>,
) -> fmt::Result {
    f.write_str("{")?;
    for (i, (key, value)) in entries.enumerate() {
        if i != 0 {
            f.write_str(", ")?;
        }
        write_value(f, key.view(), inside)?;
        f.write_str(": ")?;
        write_value(f, value.view(), inside)?;
    }
    f.write_str("}")
}
