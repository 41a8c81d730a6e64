//! Views of enums, structs, callbacks and aliases: everything decided, ready to print.

use serde::Serialize;

use super::super::Error;
use super::{doxygen, types};
use crate::ir::{self, Api, Type};
use crate::naming;

#[derive(Serialize)]
pub struct Enum {
    name: String,
    docs: Vec<String>,
    values: Vec<Value>,
    /// Whether each value has an exception class.
    is_error: bool,
}

#[derive(Serialize)]
struct Value {
    name: String,
    text: String,
    docs: Vec<String>,
    /// Exception class, for the kinds of errors.
    class: String,
}

#[derive(Serialize)]
pub struct Struct {
    name: String,
    docs: Vec<String>,
    members: Vec<Member>,
    is_returned: bool,
}

#[derive(Serialize)]
struct Member {
    name: String,
    docs: Vec<String>,
    ty: String,
    default: String,
}

/// `using name = target;`
#[derive(Serialize)]
pub struct Using {
    name: String,
    docs: Vec<String>,
    target: String,
}

/// The enumeration whose values are exception classes in every language.
const ERROR_KINDS: &str = "ErrorKind";

pub fn enumeration(choice: &ir::Enum, api: &Api) -> Enum {
    let values = choice.values.iter().map(|value| Value {
        name: naming::variant(&value.value),
        text: format!("{:?}", value.value),
        docs: doxygen::lines(&value.docs, api),
        class: format!(
            "{}Error",
            naming::variant(&value.value).trim_end_matches("Error")
        ),
    });
    Enum {
        name: choice.name.pascal(),
        docs: doxygen::lines(&choice.docs, api),
        values: values.collect(),
        is_error: choice.name.as_spec() == ERROR_KINDS,
    }
}

pub fn dictionary(dictionary: &ir::Dictionary, api: &Api) -> Result<Struct, Error> {
    let mut members = Vec::new();
    for member in &dictionary.members {
        let path = format!("{}.{}", dictionary.name.as_spec(), member.name.as_spec());
        let default = types::default(member, api)
            .ok_or_else(|| Error::Other(format!("`{path}` has no default")))?;
        members.push(Member {
            name: types::name(&member.name),
            docs: doxygen::lines(&member.docs, api),
            ty: types::member(&member.ty),
            default,
        });
    }
    Ok(Struct {
        name: dictionary.name.pascal(),
        docs: doxygen::lines(&dictionary.docs, api),
        members,
        is_returned: is_returned(dictionary, api),
    })
}

/// Whether core gives values of a dictionary out, as lists of its members.
fn is_returned(dictionary: &ir::Dictionary, api: &Api) -> bool {
    let is_it =
        |ty: &Type| matches!(ty, Type::Dictionary(name) if *name == dictionary.name.as_spec());
    api.all_functions()
        .any(|function| match function.returns.non_null().0.resolved() {
            Type::Sequence(inner) | Type::Record(inner) => is_it(inner.resolved()),
            other => is_it(other),
        })
}

pub fn callback(callback: &ir::Callback, api: &Api) -> Using {
    let arguments = callback.arguments.iter().map(|argument| {
        format!(
            "{} {}",
            types::value(&argument.ty),
            types::name(&argument.name)
        )
    });
    Using {
        name: callback.name.pascal(),
        docs: doxygen::lines(&callback.docs, api),
        target: format!(
            "std::function<{}({})>",
            types::value(&callback.returns),
            arguments.collect::<Vec<_>>().join(", ")
        ),
    }
}

/// An alias; none for an object of another language, or for a class of the handwritten headers.
pub fn alias(alias: &ir::Alias, api: &Api) -> Option<Using> {
    let target = match &alias.target {
        Type::Object => return None,
        _ if types::is_own(alias.name.as_spec()) => return None,
        Type::Union(_) => like(alias.target.resolved(), api),
        other => types::value(other),
    };
    Some(Using {
        name: alias.name.pascal(),
        docs: doxygen::lines(&alias.docs, api),
        target,
    })
}

/// What stands for a choice between a class and what it is made from: small values are made implicitly.
fn like(first: &Type, api: &Api) -> String {
    match first {
        Type::Interface(name) if api.interface(name).is_some_and(|class| class.is_value) => {
            types::pascal(name)
        }
        Type::Interface(name) => format!("detail::Like<{}>", types::pascal(name)),
        other => types::value(other),
    }
}
