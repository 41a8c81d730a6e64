//! Views of functions: signature, docs, and the call of the dispatch table.

use serde::Serialize;

use super::{doxygen, types};
use crate::ir::{Api, Argument, Attributes, Docs, Language, Type};

#[derive(Serialize)]
pub struct Function {
    docs: Vec<String>,
    /// Everything before the result that a declaration needs.
    before: String,
    name: String,
    /// Parameters with their defaults.
    declared: String,
    /// Parameters as a definition has them.
    defined: String,
    /// `const`, or nothing.
    after: &'static str,
    /// Entry in the dispatch table.
    entry: String,
    /// Type of the result.
    returns: String,
    /// What is passed to the call.
    passed: String,
}

/// What a function is in C++, beside its arguments.
pub struct Shape<'a> {
    /// Entry in the dispatch table.
    pub entry: String,
    /// Name in C++.
    pub name: String,
    /// Docs of the whole.
    pub docs: &'a Docs,
    /// Its arguments.
    pub arguments: &'a [Argument],
    /// What it returns.
    pub returns: &'a Type,
    /// Its attributes.
    pub attributes: &'a Attributes,
    /// Where it stands.
    pub place: Place,
}

/// Where a function stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the namespace.
    Free,
    /// In a class, without an object.
    Static,
    /// On an object.
    Member,
}

/// A function with all its parts decided.
pub fn function(shape: &Shape<'_>, api: &Api) -> Function {
    let is_void = matches!(shape.returns, Type::Undefined);
    let returns = types::value(shape.returns);
    let documented: Vec<&Argument> = shape.arguments.iter().collect();
    let words = (!is_void).then(|| types::words(shape.returns));
    let mut before = doxygen::deprecated(shape.attributes);
    // What is written into an argument need not be looked at as a result too.
    let fills = shape
        .arguments
        .iter()
        .any(|argument| argument.name.as_spec() == "out" || has_member(argument, "out", api));
    if !is_void && !fills {
        before += "[[nodiscard]] ";
    }
    before += match shape.place {
        Place::Free => "inline ",
        Place::Static => "static ",
        Place::Member => "",
    };
    let this = (shape.place == Place::Member).then(|| "*this".to_owned());
    Function {
        docs: doxygen::function(shape.docs, &documented, words, shape.attributes, api),
        before,
        name: shape.name.clone(),
        declared: joined(
            shape
                .arguments
                .iter()
                .map(|argument| parameter(argument) + &default(argument, api)),
        ),
        defined: joined(shape.arguments.iter().map(parameter)),
        after: if shape.place == Place::Member {
            " const"
        } else {
            ""
        },
        entry: shape.entry.clone(),
        returns,
        passed: joined(
            ["method_".to_owned()].into_iter().chain(this).chain(
                shape
                    .arguments
                    .iter()
                    .flat_map(|argument| passed(argument, api)),
            ),
        ),
    }
}

/// Whether an argument is a dictionary with a member of that name.
fn has_member(argument: &Argument, name: &str, api: &Api) -> bool {
    let Type::Dictionary(dictionary) = argument.ty.resolved() else {
        return false;
    };
    api.dictionary(dictionary).is_some_and(|dictionary| {
        let mut members = dictionary.members.iter();
        members.any(|member| member.name.as_spec() == name)
    })
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn parameter(argument: &Argument) -> String {
    format!(
        "{} {}",
        types::parameter(&maybe(argument)),
        types::name(&argument.name)
    )
}

fn default(argument: &Argument, api: &Api) -> String {
    types::default(argument, api).map_or_else(String::new, |default| format!(" = {default}"))
}

/// The type of an argument; one that may be left out without a default may be missing.
fn maybe(argument: &Argument) -> Type {
    match argument.optional && argument.default.is_none() && !argument.ty.non_null().1 {
        true => Type::Nullable(Box::new(argument.ty.clone())),
        false => argument.ty.clone(),
    }
}

/// What is passed for an argument: itself, or the members of a dictionary one by one.
fn passed(argument: &Argument, api: &Api) -> Vec<String> {
    let name = types::name(&argument.name);
    match argument.ty.resolved() {
        Type::Dictionary(dictionary) => {
            let members = api
                .dictionary(dictionary)
                .map_or(&[][..], |dictionary| &dictionary.members);
            members
                .iter()
                .map(|member| format!("{name}.{}", types::name(&member.name)))
                .collect()
        }
        _ => vec![name],
    }
}

/// Whether C++ has a declaration.
pub fn is_here(attributes: &Attributes) -> bool {
    !attributes.skip.contains(&Language::Cpp)
}
