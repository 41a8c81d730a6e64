//! Views of dictionaries, enumerations and callbacks.

use serde::Serialize;

use super::{docs, stub, types, unsupported};
use crate::backend::Error;
use crate::ir::{Api, Type};

/// A dictionary that functions return: a `dict` with known keys.
#[derive(Serialize)]
pub struct Dictionary {
    name: String,
    function: String,
    docs: Vec<String>,
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Member {
    key: String,
    expression: String,
    stub: String,
    docs: String,
}

/// The dictionaries that functions return.
pub fn dictionaries(api: &Api) -> Result<Vec<Dictionary>, Error> {
    let returned = |name: &str| {
        api.all_functions()
            .any(|function| match function.returns.non_null().0.resolved() {
                Type::Dictionary(returned) => returned == name,
                Type::Sequence(inner) => {
                    matches!(inner.resolved(), Type::Dictionary(returned) if returned == name)
                }
                _ => false,
            })
    };
    let views = api
        .dictionaries
        .iter()
        .filter(|dictionary| returned(dictionary.name.as_spec()));
    views.map(|dictionary| view(dictionary, api)).collect()
}

fn view(dictionary: &crate::ir::Dictionary, api: &Api) -> Result<Dictionary, Error> {
    let mut members = Vec::new();
    for member in &dictionary.members {
        let field = format!("value.{}", member.name.rust());
        let expression = match member.ty.non_null().0.resolved() {
            Type::Boolean | Type::Integer { .. } | Type::Double => field,
            Type::String | Type::Sequence(_) => format!("&{field}"),
            _ => return unsupported("a member of this type in a result", member.name.as_spec()),
        };
        members.push(Member {
            key: member.name.snake(),
            expression,
            stub: stub::result(
                &member.ty,
                matches!(member.ty.resolved(), Type::Sequence(_)),
            ),
            docs: docs::plain(&member.docs, api).join(" "),
        });
    }
    Ok(Dictionary {
        name: dictionary.name.pascal(),
        function: types::dictionary_function(dictionary.name.as_spec()),
        docs: docs::plain(&dictionary.docs, api),
        members,
    })
}

/// An enumeration: the texts that are allowed.
#[derive(Serialize)]
pub struct Enum {
    name: String,
    docs: Vec<String>,
    values: Vec<String>,
}

/// Every enumeration.
pub fn enums(api: &Api) -> Vec<Enum> {
    let view = |choice: &crate::ir::Enum| Enum {
        name: choice.name.pascal(),
        docs: docs::plain(&choice.docs, api),
        values: choice
            .values
            .iter()
            .map(|value| value.value.clone())
            .collect(),
    };
    api.enums.iter().map(view).collect()
}

/// The type of a function that is passed in.
#[derive(Serialize)]
pub struct Callback {
    name: String,
    docs: Vec<String>,
    arguments: String,
}

/// Every callback. What one returns is not looked at, so that any function will do.
pub fn callbacks(api: &Api) -> Result<Vec<Callback>, Error> {
    let view = |callback: &crate::ir::Callback| Callback {
        name: callback.name.pascal(),
        docs: docs::plain(&callback.docs, api),
        arguments: callback
            .arguments
            .iter()
            .map(|argument| stub::argument(argument, api))
            .collect::<Vec<_>>()
            .join(", "),
    };
    Ok(api.callbacks.iter().map(view).collect())
}
