//! Types of the spec on both sides: in glue, in stubs, in docs.

use crate::backend::Error;
use crate::ir::{Api, Argument, Literal, Type};
use crate::naming;

use super::unsupported;

/// Arguments by these names are written, so that what is passed may not be a copy.
const WRITTEN: &[&str] = &["out", "dst"];

/// An argument in glue.
pub struct Parameter {
    /// Its type in the signature of the method.
    pub ty: String,
    /// What is passed to core, in terms of its name.
    pub pass: String,
}

/// How glue takes an argument and what it passes to core.
pub fn parameter(argument: &Argument, api: &Api) -> Result<Parameter, Error> {
    let name = argument.name.rust();
    let place = argument.name.as_spec();
    let (ty, nullable) = argument.ty.non_null();
    let (rust, pass, is_plain) = borrowed(ty, &name, place, api)?;
    if !nullable {
        return Ok(Parameter { ty: rust, pass });
    }
    let pass = if is_plain {
        name
    } else {
        format!("{name}.as_ref().map(|{name}| {pass})")
    };
    Ok(Parameter {
        ty: format!("Option<{rust}>"),
        pass,
    })
}

/// The type in a signature, the expression for core, and whether that is the argument itself.
fn borrowed(
    ty: &Type,
    name: &str,
    place: &str,
    api: &Api,
) -> Result<(String, String, bool), Error> {
    let value = |ty: &str, pass: String| Ok((format!("crate::value::{ty}"), pass, false));
    let plain = |ty: &str| Ok((ty.to_owned(), name.to_owned(), true));
    if ty.alias() == Some("Path") {
        return value("Path", format!("{name}.as_str()"));
    }
    if is_object(ty) {
        return plain("Bound<'py, PyAny>");
    }
    if is_union(ty) && *ty.resolved() == Type::String {
        return value("Text", format!("{name}.as_str()"));
    }
    match ty.resolved() {
        Type::Boolean => plain("bool"),
        Type::Integer { signed, bits } => plain(&integer(*signed, *bits)),
        Type::Double => plain("f64"),
        Type::String => plain("&str"),
        Type::Bytes => Ok((
            "crate::bytes::Borrowed".to_owned(),
            format!("{name}.as_slice()"),
            false,
        )),
        Type::Any => value("Value", format!("{name}.0.view()")),
        Type::Sequence(inner) => match inner.resolved() {
            Type::Integer { signed, bits } => value(
                &format!("Integers<{}>", integer(*signed, *bits)),
                format!("&{name}.0"),
            ),
            _ => unsupported("a list of anything but integers as an argument", place),
        },
        Type::Record(inner) if is_class(inner, "Tensor") => value("Tensors", format!("&{name}.0")),
        Type::Interface(class) => Ok(class_argument(class, name, place, api)),
        _ => unsupported("an argument of this type", place),
    }
}

fn class_argument(class: &str, name: &str, place: &str, api: &Api) -> (String, String, bool) {
    match class {
        "DType" => (
            "crate::value::DTypeArg".to_owned(),
            format!("{name}.0"),
            false,
        ),
        "Tensor" if WRITTEN.contains(&place) => (
            "crate::value::TensorOut".to_owned(),
            format!("&{name}.0"),
            false,
        ),
        "Tensor" => (
            "crate::value::TensorArg".to_owned(),
            format!("&{name}.0"),
            false,
        ),
        _ if accepts_mapping(class, api) => (
            format!("crate::generated::{class}Like"),
            format!("&{name}.0"),
            false,
        ),
        _ => (
            format!("Bound<'py, crate::generated::{class}>"),
            format!("&{name}.get().0"),
            false,
        ),
    }
}

/// Whether any mapping is accepted where the class is wanted: it is one, and can be made empty and filled.
pub fn accepts_mapping(class: &str, api: &Api) -> bool {
    api.interface(class).is_some_and(|class| {
        let fillable = class.maplike.as_ref().is_some_and(|map| !map.readonly);
        fillable
            && class
                .constructor
                .as_ref()
                .is_some_and(|new| new.arguments.iter().all(|argument| argument.optional))
    })
}

/// Whether an argument is a row of integers that must be given.
pub fn is_spread(argument: &Argument) -> bool {
    let is_row = matches!(argument.ty.resolved(), Type::Sequence(item) if matches!(item.resolved(), Type::Integer { .. }));
    is_row && !argument.optional
}

/// A language's own value, which only `[Custom]` operations take.
pub fn is_object(ty: &Type) -> bool {
    matches!(ty.resolved(), Type::Object)
}

fn is_union(ty: &Type) -> bool {
    match ty {
        Type::Alias { target, .. } => is_union(target),
        other => matches!(other, Type::Union(_)),
    }
}

fn is_class(ty: &Type, name: &str) -> bool {
    matches!(ty.resolved(), Type::Interface(class) if class == name)
}

fn integer(signed: bool, bits: u8) -> String {
    format!("{}{bits}", if signed { 'i' } else { 'u' })
}

/// A result in glue.
pub struct Output {
    /// Its type.
    pub ty: String,
    /// The expression that makes it of `result`, of type `PyResult`.
    pub convert: String,
}

/// What glue makes of a result of core. A list is a tuple where it is a property, which never changes.
pub fn output(ty: &Type, is_property: bool, place: &str) -> Result<Output, Error> {
    let plain = |ty: &str| {
        Ok(Output {
            ty: ty.to_owned(),
            convert: "Ok(result)".to_owned(),
        })
    };
    let (inner, nullable) = ty.non_null();
    if nullable {
        let is_plain = matches!(
            inner.resolved(),
            Type::Boolean | Type::Integer { .. } | Type::Double | Type::String
        );
        return match inner.resolved() {
            Type::Interface(class) => Ok(Output {
                ty: format!("Option<crate::generated::{class}>"),
                convert: format!("Ok(result.map(crate::generated::{class}))"),
            }),
            _ if is_plain => plain(&format!(
                "Option<{}>",
                output(inner, is_property, place)?.ty
            )),
            _ => unsupported("an optional result of this type", place),
        };
    }
    let into = |ty: &str, convert: String| {
        Ok(Output {
            ty: ty.to_owned(),
            convert,
        })
    };
    match ty.resolved() {
        _ if is_object(ty) => plain("Bound<'py, PyAny>"),
        Type::Undefined => plain("()"),
        Type::Boolean => plain("bool"),
        Type::Integer { signed, bits } => plain(&integer(*signed, *bits)),
        Type::Double => plain("f64"),
        Type::String if is_property => plain("&str"),
        Type::String => plain("String"),
        Type::Bytes => into(
            "Bound<'py, pyo3::types::PyBytes>",
            "Ok(pyo3::types::PyBytes::new(py, &result))".to_owned(),
        ),
        Type::Any => into(
            "Bound<'py, PyAny>",
            "crate::value::to_python(py, result.view())".to_owned(),
        ),
        Type::Interface(class) => into(
            &format!("crate::generated::{class}"),
            format!("Ok(crate::generated::{class}(result))"),
        ),
        Type::Dictionary(name) => {
            let make = dictionary_function(name);
            into(
                "Bound<'py, pyo3::types::PyDict>",
                format!("crate::generated::dictionaries::{make}(py, &result)"),
            )
        }
        Type::Sequence(inner) if is_property => match inner.resolved() {
            Type::Integer { .. } => into(
                "Bound<'py, pyo3::types::PyTuple>",
                "pyo3::types::PyTuple::new(py, result)".to_owned(),
            ),
            _ => unsupported("a property of this type", place),
        },
        Type::Sequence(inner) => match inner.resolved() {
            Type::Interface(class) => into(
                &format!("Vec<crate::generated::{class}>"),
                format!("Ok(result.into_iter().map(crate::generated::{class}).collect())"),
            ),
            Type::Dictionary(name) => {
                let make = dictionary_function(name);
                into(
                    "Vec<Bound<'py, pyo3::types::PyDict>>",
                    format!(
                        "result.iter().map(|item| crate::generated::dictionaries::{make}(py, item)).collect()"
                    ),
                )
            }
            _ => plain(&format!("Vec<{}>", output(inner, false, place)?.ty)),
        },
        _ => unsupported("a result of this type", place),
    }
}

/// Name of the function that makes a `dict` of a dictionary.
pub fn dictionary_function(name: &str) -> String {
    crate::ir::Name(name.to_owned()).snake()
}

/// A default as Rust writes it in the signature of PyO3.
pub fn rust_default(argument: &Argument) -> Result<String, Error> {
    let (ty, _) = argument.ty.non_null();
    let place = argument.name.as_spec();
    Ok(match (&argument.default, ty.resolved()) {
        (Some(Literal::Null), _) => "None".to_owned(),
        (None, _) if argument.ty.non_null().1 => "None".to_owned(),
        (Some(Literal::Boolean(value)), _) => value.to_string(),
        (Some(Literal::Integer(value)), Type::Double) => format!("{value}.0"),
        (Some(Literal::Integer(value)), _) => value.to_string(),
        (Some(Literal::Double(text)), _) => text.clone(),
        (Some(Literal::String(name)), Type::Interface(class)) if class == "DType" => {
            format!(
                "crate::value::DTypeArg::named(tenspan::DTypeName::{})",
                naming::variant(name)
            )
        }
        (Some(Literal::String(text)), Type::String) => format!("{text:?}"),
        _ => return unsupported("this default", place),
    })
}

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
pub fn stub_argument(argument: &Argument, api: &Api) -> String {
    let (ty, nullable) = argument.ty.non_null();
    let written = WRITTEN.contains(&argument.name.as_spec());
    let text = if written && is_class(ty, "Tensor") {
        "_t.TensorOut".to_owned()
    } else {
        stub_input(ty, api)
    };
    if nullable {
        format!("{text} | None")
    } else {
        text
    }
}

fn stub_input(ty: &Type, api: &Api) -> String {
    if ty.alias() == Some("Path") {
        return "_t.PathLike".to_owned();
    }
    if is_union(ty) && *ty.resolved() == Type::String {
        return "str | DType".to_owned();
    }
    match ty.resolved() {
        Type::Bytes => "Buffer".to_owned(),
        Type::Sequence(inner) if matches!(inner.resolved(), Type::Integer { .. }) => {
            "_t.ShapeLike".to_owned()
        }
        Type::Record(inner) => format!("Mapping[str, {}]", stub_input(inner, api)),
        Type::Interface(class) if class == "DType" => "_t.DTypeLike".to_owned(),
        Type::Interface(class) if class == "Tensor" => "_t.TensorLike".to_owned(),
        Type::Interface(class) if accepts_mapping(class, api) => {
            format!("{class} | Mapping[str, Any]")
        }
        Type::Callback(name) => format!("_t.{name}"),
        _ => stub_result(ty, false),
    }
}

/// The type of a result in the stub: exact.
pub fn stub_result(ty: &Type, is_property: bool) -> String {
    let (inner, nullable) = ty.non_null();
    if nullable {
        return format!("{} | None", stub_result(inner, is_property));
    }
    match ty.resolved() {
        _ if is_object(ty) => "npt.NDArray[Any]".to_owned(),
        Type::Undefined => "None".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer { .. } => "int".to_owned(),
        Type::Double => "float".to_owned(),
        Type::String => "str".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Sequence(inner) if is_property => {
            format!("tuple[{}, ...]", stub_result(inner, false))
        }
        Type::Sequence(inner) => format!("list[{}]", stub_result(inner, false)),
        Type::Record(inner) => format!("dict[str, {}]", stub_result(inner, false)),
        Type::Interface(class) => class.clone(),
        Type::Dictionary(name) | Type::Enum(name) => format!("_t.{name}"),
        _ => "Any".to_owned(),
    }
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
    if is_object(ty) {
        return "numpy.ndarray".to_owned();
    }
    match ty.resolved() {
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
        _ if is_object(inner) => "numpy.ndarray".to_owned(),
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
