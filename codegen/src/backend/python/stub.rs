//! Types of the spec in stubs and in the words of docs.

use super::types::{WRITTEN, accepts_mapping, is_class, is_object, is_union};
use crate::ir::{Api, Argument, Literal, Type};

/// A default as Python writes it.
pub fn python_default(default: &Option<Literal>) -> String {
    match default {
        None | Some(Literal::Null) => "None".to_owned(),
        Some(Literal::Boolean(true)) => "True".to_owned(),
        Some(Literal::Boolean(false)) => "False".to_owned(),
        Some(Literal::Integer(value)) => value.to_string(),
        Some(Literal::Double(text)) => text.clone(),
        Some(Literal::String(text)) => format!("'{text}'"),
        Some(Literal::EmptySequence) => "()".to_owned(),
        Some(Literal::EmptyDictionary) => "{}".to_owned(),
    }
}

/// The type of an argument in the stub: wide.
pub fn argument(argument: &Argument, api: &Api) -> String {
    let (ty, nullable) = argument.ty.non_null();
    let written = WRITTEN.contains(&argument.name.as_spec());
    let text = if written && is_class(ty, "Tensor") {
        "_t.TensorOut".to_owned()
    } else {
        input(ty, api)
    };
    if nullable {
        format!("{text} | None")
    } else {
        text
    }
}

fn input(ty: &Type, api: &Api) -> String {
    if ty.alias() == Some("Path") {
        return "_t.PathLike".to_owned();
    }
    if ty.alias() == Some("Address") {
        return "_t.AddressLike".to_owned();
    }
    if ty.alias() == Some("Exports") {
        return "str | Sequence[str] | Mapping[str, str] | None".to_owned();
    }
    if is_texts(ty) {
        return "_t.PathLike | Sequence[_t.PathLike]".to_owned();
    }
    if is_union(ty) && *ty.resolved() == Type::String {
        return "str | DType".to_owned();
    }
    match ty.resolved() {
        Type::Bytes => "Buffer".to_owned(),
        Type::Sequence(inner) if matches!(inner.resolved(), Type::Integer { .. }) => {
            "_t.ShapeLike".to_owned()
        }
        Type::Record(inner) => format!("Mapping[str, {}]", input(inner, api)),
        Type::Interface(class) if class == "DType" => "_t.DTypeLike".to_owned(),
        Type::Interface(class) if class == "Tensor" => "_t.TensorLike".to_owned(),
        Type::Interface(class) if accepts_mapping(class, api) => {
            format!("{class} | Mapping[str, Any]")
        }
        Type::Callback(name) => format!("_t.{name}"),
        _ => result(ty, false),
    }
}

/// Whether a type is texts, or one of them.
fn is_texts(ty: &Type) -> bool {
    let is_list =
        matches!(ty.resolved(), Type::Sequence(inner) if *inner.resolved() == Type::String);
    is_union(ty) && is_list
}

/// The type of a result in the stub: exact.
pub fn result(ty: &Type, is_property: bool) -> String {
    let (inner, nullable) = ty.non_null();
    if nullable {
        return format!("{} | None", result(inner, is_property));
    }
    match ty.resolved() {
        _ if is_array(ty) => "npt.NDArray[Any]".to_owned(),
        _ if is_object(ty) => "Any".to_owned(),
        Type::Undefined => "None".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer { .. } => "int".to_owned(),
        Type::Double => "float".to_owned(),
        Type::String => "str".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Sequence(inner) if is_property => {
            format!("tuple[{}, ...]", result(inner, false))
        }
        Type::Sequence(inner) => format!("list[{}]", result(inner, false)),
        Type::Record(inner) => format!("dict[str, {}]", result(inner, false)),
        Type::Interface(class) => class.clone(),
        Type::Dictionary(name) | Type::Enum(name) => format!("_t.{name}"),
        _ => "Any".to_owned(),
    }
}

/// Whether a type is NumPy's array, rather than any other object.
fn is_array(ty: &Type) -> bool {
    is_object(ty) && ty.alias() == Some("NDArray")
}

/// A type in the words of docs.
pub fn words(argument: &Argument) -> String {
    let (ty, nullable) = argument.ty.non_null();
    let text = words_of(ty);
    match &argument.default {
        _ if !argument.optional => text,
        Some(Literal::Null) | None => format!("{text}, optional"),
        // A dtype-like default is shown as the text that it is.
        default => format!(
            "{text}, default {}{}",
            python_default(default),
            if nullable { ", optional" } else { "" }
        ),
    }
}

fn words_of(ty: &Type) -> String {
    if ty.alias() == Some("Path") {
        return "path-like".to_owned();
    }
    if ty.alias() == Some("Address") {
        return "int".to_owned();
    }
    if is_array(ty) {
        return "numpy.ndarray".to_owned();
    }
    if ty.alias() == Some("Class") {
        return "type".to_owned();
    }
    if ty.alias() == Some("Exports") {
        return "str, sequence of str, or mapping of str to str".to_owned();
    }
    match ty.resolved() {
        _ if is_texts(ty) => "str or sequence of str".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer { .. } => "int".to_owned(),
        Type::Double => "float".to_owned(),
        Type::String => "str".to_owned(),
        Type::Bytes => "bytes-like".to_owned(),
        Type::Any => "object".to_owned(),
        Type::Sequence(inner) => format!("sequence of {}", words_of(inner)),
        Type::Record(inner) => format!("mapping of str to {}", words_of(inner)),
        Type::Interface(class) if class == "DType" => "dtype-like".to_owned(),
        Type::Interface(class) if class == "Tensor" => "tensor-like".to_owned(),
        Type::Interface(name) | Type::Dictionary(name) | Type::Enum(name) => name.clone(),
        Type::Callback(_) => "callable".to_owned(),
        _ => "object".to_owned(),
    }
}

/// A result in the words of docs; none for nothing.
pub fn result_words(ty: &Type) -> Option<String> {
    let (inner, nullable) = ty.non_null();
    let text = match inner.resolved() {
        _ if is_array(inner) => "numpy.ndarray".to_owned(),
        Type::Undefined => return None,
        Type::Bytes => "bytes".to_owned(),
        Type::Sequence(item) => format!("list of {}", result_words(item)?),
        Type::Interface(class) => class.clone(),
        Type::Dictionary(_) => "dict".to_owned(),
        _ => words_of(inner),
    };
    Some(if nullable {
        format!("{text} or None")
    } else {
        text
    })
}
