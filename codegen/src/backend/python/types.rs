//! Types of the spec in glue: what it takes, what it passes to core, what it returns.

use crate::backend::Error;
use crate::ir::{Api, Argument, Literal, Type};
use crate::naming;

use super::unsupported;

/// Arguments by these names are written, so that what is passed may not be a copy.
pub const WRITTEN: &[&str] = &["out", "dst"];

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
        return value("arguments::Path", format!("{name}.as_str()"));
    }
    if ty.alias() == Some("Address") {
        return value("arguments::Address", format!("{name}.0"));
    }
    if ty.alias() == Some("Exports") {
        return value("arguments::Exports", format!("{name}.0.view()"));
    }
    if ty.alias() == Some("ArrayLike") {
        return value("arguments::ArrayArg", format!("{name}.0.view()"));
    }
    if is_object(ty) {
        return plain("Bound<'py, PyAny>");
    }
    if is_union(ty) && *ty.resolved() == Type::String {
        return value("arguments::Text", format!("{name}.as_str()"));
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
            Type::String if is_union(ty) => value("arguments::Texts", format!("&{name}.0")),
            Type::Integer { signed, bits } => value(
                &format!("arguments::Integers<{}>", integer(*signed, *bits)),
                format!("&{name}.0"),
            ),
            _ => unsupported("a list of anything but integers as an argument", place),
        },
        Type::Record(inner) if is_class(inner, "Tensor") => {
            value("arguments::Tensors", format!("&{name}.0"))
        }
        Type::Interface(class) => Ok(class_argument(class, name, place, api)),
        _ => unsupported("an argument of this type", place),
    }
}

fn class_argument(class: &str, name: &str, place: &str, api: &Api) -> (String, String, bool) {
    match class {
        "DType" => (
            "crate::value::arguments::DTypeArg".to_owned(),
            format!("{name}.0"),
            false,
        ),
        "Tensor" if WRITTEN.contains(&place) => (
            "crate::value::arguments::TensorOut".to_owned(),
            format!("&{name}.0"),
            false,
        ),
        "Tensor" => (
            "crate::value::arguments::TensorArg".to_owned(),
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

/// Whether a class is written by hand in the front.
pub fn is_custom(class: &str, api: &Api) -> bool {
    api.interface(class)
        .is_some_and(|class| class.attributes.custom)
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

/// Whether a type is a union.
pub fn is_union(ty: &Type) -> bool {
    match ty {
        Type::Alias { target, .. } => is_union(target),
        other => matches!(other, Type::Union(_)),
    }
}

/// Whether a type is the class of that name.
pub fn is_class(ty: &Type, name: &str) -> bool {
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
pub fn output(ty: &Type, is_property: bool, place: &str, api: &Api) -> Result<Output, Error> {
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
            Type::Interface(class) if is_custom(class, api) => Ok(Output {
                ty: "Option<Bound<'py, PyAny>>".to_owned(),
                convert: "result.map(|result| crate::value::object(py, result)).transpose()"
                    .to_owned(),
            }),
            Type::Interface(class) => Ok(Output {
                ty: format!("Option<crate::generated::{class}>"),
                convert: format!("Ok(result.map(crate::generated::{class}))"),
            }),
            _ if is_plain => plain(&format!(
                "Option<{}>",
                output(inner, is_property, place, api)?.ty
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
        Type::Interface(class) if is_custom(class, api) => into(
            "Bound<'py, PyAny>",
            "crate::value::object(py, result)".to_owned(),
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
            Type::Integer { .. } | Type::String => into(
                "Bound<'py, pyo3::types::PyTuple>",
                "pyo3::types::PyTuple::new(py, result)".to_owned(),
            ),
            Type::Interface(class) if !is_custom(class, api) => into(
                "Bound<'py, pyo3::types::PyTuple>",
                format!(
                    "pyo3::types::PyTuple::new(py, result.into_iter().map(crate::generated::{class}))"
                ),
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
            _ => plain(&format!("Vec<{}>", output(inner, false, place, api)?.ty)),
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
        (Some(Literal::Null), _) if ty.alias() == Some("Exports") => {
            "crate::value::arguments::Exports::default()".to_owned()
        }
        (Some(Literal::Null), _) => "None".to_owned(),
        (None, _) if argument.ty.non_null().1 => "None".to_owned(),
        (Some(Literal::Boolean(value)), _) => value.to_string(),
        (Some(Literal::Integer(value)), Type::Double) => format!("{value}.0"),
        (Some(Literal::Integer(value)), _) => value.to_string(),
        (Some(Literal::Double(text)), _) => text.clone(),
        (Some(Literal::String(name)), Type::Interface(class)) if class == "DType" => {
            format!(
                "crate::value::arguments::DTypeArg::named(tenspan::DTypeName::{})",
                naming::variant(name)
            )
        }
        (Some(Literal::String(text)), Type::String) => format!("{text:?}"),
        (Some(Literal::EmptySequence), Type::Sequence(_)) if is_union(ty) => {
            "crate::value::arguments::Texts::default()".to_owned()
        }
        _ => return unsupported("this default", place),
    })
}
