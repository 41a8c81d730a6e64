//! Functions and classes that are written by hand, as the spec declares them: in native code, or in Python.
//!
//! One in Python stands in the module `_<concept>`, and the package has a function of its own before it, so that the docs and
//! the types of all functions come from the spec.

use serde::Serialize;

use super::docs;
use crate::backend::Error;
use crate::ir::{Api, Attributes, Language, Position};

/// A function.
#[derive(Serialize)]
pub struct Function {
    /// Name in Python.
    pub name: String,
    /// The module that it stands in, when it is written in Python.
    pub module: Option<String>,
    /// Lines before the function.
    decorators: Vec<String>,
    /// Its declarations in the stub, each without its end.
    stubs: Vec<String>,
    docs: Vec<String>,
    /// Parameters without types.
    parameters: String,
    /// The same as they are passed on.
    passed: String,
}

/// A class that the spec names in Python's own way.
#[derive(Serialize)]
pub struct Class {
    /// Name in Python.
    pub name: String,
    /// The module that it stands in, when it is written in Python.
    pub module: Option<String>,
}

/// Every function.
///
/// # Errors
/// When a declaration cannot be read.
pub fn functions(api: &Api) -> Result<Vec<Function>, Error> {
    let mut functions = Vec::new();
    for function in &api.functions {
        let Some(texts) = function.attributes.by_hand(Language::Python) else {
            continue;
        };
        let name = function.name.snake();
        let (decorators, declared): (Vec<&String>, Vec<&String>) =
            texts.iter().partition(|text| text.starts_with('@'));
        // The last one takes all that any of them takes.
        let parameters = declared.last().and_then(|text| parameters(text));
        let Some(parameters) = parameters else {
            let message = format!("`{name}` is declared in Python as `(parameters) -> type`");
            return Err(Error::Other(message));
        };
        let passed: Vec<String> = passed(&parameters);
        functions.push(Function {
            module: module(&function.attributes, &function.position),
            decorators: decorators.into_iter().cloned().collect(),
            stubs: declared
                .iter()
                .map(|text| format!("def {name}{text}:"))
                .collect(),
            docs: docs::function(
                function,
                &function.arguments.iter().collect::<Vec<_>>(),
                api,
            ),
            parameters: parameters
                .iter()
                .map(Parameter::untyped)
                .collect::<Vec<_>>()
                .join(", "),
            passed: passed.join(", "),
            name,
        });
    }
    Ok(functions)
}

/// Every class.
pub fn classes(api: &Api) -> Vec<Class> {
    let named = api.interfaces.iter().filter_map(|class| {
        let name = class.attributes.by_hand(Language::Python)?.first()?;
        Some(Class {
            name: name.clone(),
            module: module(&class.attributes, &class.position),
        })
    });
    named.collect()
}

fn module(attributes: &Attributes, position: &Position) -> Option<String> {
    let concept = position.file.trim_end_matches(".webidl");
    attributes.pure_python.then(|| format!("_{concept}"))
}

/// A parameter, or a mark between parameters.
struct Parameter<'a> {
    name: &'a str,
    default: Option<&'a str>,
}

impl Parameter<'_> {
    fn untyped(&self) -> String {
        match self.default {
            Some(default) => format!("{}={default}", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// The parameters of `(a: int, b: str = '') -> None`.
fn parameters(text: &str) -> Option<Vec<Parameter<'_>>> {
    let mut depth = 0i32;
    let mut ends = text.char_indices().filter(|(_, letter)| {
        depth += i32::from("([".contains(*letter)) - i32::from(")]".contains(*letter));
        depth == 0
    });
    let (end, _) = ends.next()?;
    let inside = text.strip_prefix('(')?.get(..end - 1)?;
    let parts = split(inside).into_iter().filter(|part| !part.is_empty());
    Some(parts.map(parameter).collect())
}

fn parameter(part: &str) -> Parameter<'_> {
    let (said, default) = match part.rsplit_once(" = ") {
        Some((said, default)) => (said, Some(default)),
        None => (part, None),
    };
    let name = said.split(':').next().unwrap_or(said);
    Parameter { name, default }
}

/// Parts between commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let outside = |letter: char| {
        depth += i32::from("([".contains(letter)) - i32::from(")]".contains(letter));
        letter == ',' && depth == 0
    };
    text.split(outside).map(str::trim).collect()
}

/// What a call passes on: those behind a star by name.
fn passed(parameters: &[Parameter<'_>]) -> Vec<String> {
    let mut by_name = false;
    let mut passed = Vec::new();
    for Parameter { name, .. } in parameters {
        match *name {
            "*" => by_name = true,
            "/" => {}
            name if by_name => passed.push(format!("{name}={name}")),
            name => passed.push(name.to_owned()),
        }
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (String, String) {
        let read = parameters(text).unwrap();
        let untyped: Vec<String> = read.iter().map(Parameter::untyped).collect();
        (untyped.join(", "), passed(&read).join(", "))
    }

    #[test]
    fn types_are_taken_away_and_names_passed_on() {
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            shown(
                "(key: str, f: Callable[[int, str], Any] | None = None, /, *, way: dict[str, int] = {}) -> None"
            ),
            both("key, f=None, /, *, way={}", "key, f, way=way")
        );
        assert_eq!(shown("() -> Callable[[_T], _T]"), both("", ""));
    }

    #[test]
    fn what_is_no_declaration_is_refused() {
        for text in ["key: str", "(key: str", ""] {
            assert!(parameters(text).is_none(), "{text}");
        }
    }
}
