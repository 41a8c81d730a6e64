//! How a call looks in each language: names and the form of arguments, types only where Rust needs them.

use serde::Serialize;

use super::super::core::types;
use crate::ir::{
    Api, Argument, Attributes, Function, Interface, Language, Literal, Name, Property, Type,
};

/// One row of a signature table.
#[derive(Serialize)]
pub struct Row {
    language: &'static str,
    code: String,
}

/// What a call is made on.
#[derive(Clone, Copy)]
pub enum On<'a> {
    /// Nothing: a free function.
    Library,
    /// A class: its constructor or a static.
    Class(&'a Interface),
    /// An object.
    Object(&'a Interface),
}

/// A function in every language that has it.
pub fn function(function: &Function, on: On<'_>, api: &Api) -> Vec<Row> {
    let is_new = function.name.as_spec() == "new";
    let printed = |language| {
        let name = match (&function.namespace, language) {
            (Some(of), Language::Rust | Language::Cpp) => {
                format!("{}::{}", of.snake(), name(&function.name, language))
            }
            (Some(of), _) => format!("{}.{}", of.snake(), name(&function.name, language)),
            (None, _) => name(&function.name, language),
        };
        let arguments = arguments(function, language, api);
        let class = |class: &Interface| class.name.pascal();
        match (language, on) {
            (Language::Python, On::Library) => format!("tenspan.{name}({arguments})"),
            (Language::Node, On::Library) => format!("{name}({arguments})"),
            (Language::Cpp, On::Library) => format!("tenspan::{name}({arguments})"),
            (Language::Rust, On::Library) => format!(
                "tenspan::{name}({arguments}){}",
                returns(&function.returns, &function.attributes)
            ),
            (Language::Node, On::Class(of)) if is_new => format!("new {}({arguments})", class(of)),
            (Language::Python | Language::Cpp, On::Class(of)) if is_new => {
                format!("{}({arguments})", class(of))
            }
            (Language::Rust, On::Class(of)) => format!(
                "{}::{name}({arguments}){}",
                class(of),
                returns(&function.returns, &function.attributes)
            ),
            (Language::Cpp, On::Class(of)) => format!("{}::{name}({arguments})", class(of)),
            (_, On::Class(of)) => format!("{}.{name}({arguments})", class(of)),
            (Language::Rust, On::Object(of)) => format!(
                "{}.{name}({arguments}){}",
                object(of),
                returns(&function.returns, &function.attributes)
            ),
            (_, On::Object(of)) => format!("{}.{name}({arguments})", object(of)),
        }
    };
    rows(&function.attributes, |language| {
        match function.attributes.by_hand(language) {
            Some(texts) => texts
                .iter()
                .filter_map(|text| declared(text, &function.name, language))
                .collect(),
            None => vec![printed(language)],
        }
    })
}

/// A declaration that is written by hand; nothing for what is only said of it.
fn declared(text: &str, of: &Name, language: Language) -> Option<String> {
    match language {
        Language::Python if text.starts_with('@') => None,
        Language::Python => Some(format!("tenspan.{}{text}", of.snake())),
        Language::Node => Some(format!("{}{text}", of.camel())),
        Language::Cpp | Language::Rust => Some(text.to_owned()),
    }
}

/// The names of a class whose languages have their own for it.
pub fn class(class: &Interface) -> Vec<Row> {
    if class.attributes.by_hand.is_empty() {
        return Vec::new();
    }
    rows(&class.attributes, |language| {
        let by_hand = class.attributes.by_hand(language);
        by_hand.map_or_else(|| vec![class.name.pascal()], <[String]>::to_vec)
    })
}

/// A property in every language that has it.
pub fn property(property: &Property, class: &Interface) -> Vec<Row> {
    rows(&property.attributes, |language| {
        let read = format!("{}.{}", object(class), name(&property.name, language));
        let code = match language {
            Language::Python | Language::Node => read,
            Language::Cpp => format!("{read}()"),
            Language::Rust => format!("{read}(){}", returns(&property.ty, &property.attributes)),
        };
        vec![code]
    })
}

fn rows(attributes: &Attributes, code: impl Fn(Language) -> Vec<String>) -> Vec<Row> {
    let shown = [
        (Language::Python, "Python"),
        (Language::Node, "Node.js"),
        (Language::Cpp, "C++"),
        (Language::Rust, "Rust"),
    ];
    shown
        .into_iter()
        .filter(|(language, _)| {
            let by_hand = attributes.by_hand(*language).is_some();
            let only_glue = attributes.custom && *language == Language::Rust && !by_hand;
            !(only_glue || attributes.skip.contains(language))
        })
        .flat_map(|(language, shown)| {
            let row = move |code: String| Row {
                language: shown,
                code: code.replace('|', "\\|"),
            };
            code(language).into_iter().map(row)
        })
        .collect()
}

fn name(name: &Name, language: Language) -> String {
    if language == Language::Node {
        name.camel()
    } else {
        name.snake()
    }
}

/// The variable that stands for an object in examples.
fn object(class: &Interface) -> String {
    class.name.snake()
}

fn arguments(function: &Function, language: Language, api: &Api) -> String {
    match language {
        Language::Python => python_arguments(function, api),
        Language::Node => node_arguments(function, api),
        Language::Cpp => cpp_arguments(function),
        Language::Rust => function
            .arguments
            .iter()
            .map(|argument| {
                format!(
                    "{}: {}",
                    argument.name.snake(),
                    short(&types::borrowed(&argument.ty, api))
                )
            })
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Positional arguments, then dictionary members as keywords.
fn python_arguments(function: &Function, api: &Api) -> String {
    let with_default = |argument: &Argument| match &argument.default {
        Some(default) => format!(
            "{}={}",
            argument.name.snake(),
            literal(default, "None", "True", "False")
        ),
        None => argument.name.snake(),
    };
    let mut arguments = Vec::new();
    for argument in &function.arguments {
        match members(argument, api) {
            Some(members) => {
                arguments.push("*".to_owned());
                arguments.extend(members.iter().map(with_default));
            }
            None => arguments.push(with_default(argument)),
        }
    }
    arguments.join(", ")
}

/// Required arguments, then one object of everything that may be left out.
fn node_arguments(function: &Function, api: &Api) -> String {
    let mut arguments = Vec::new();
    let mut options = Vec::new();
    for argument in &function.arguments {
        match members(argument, api) {
            Some(members) => options.extend(members.iter().map(|member| member.name.camel())),
            None if argument.optional => options.push(argument.name.camel()),
            None => arguments.push(argument.name.camel()),
        }
    }
    if !options.is_empty() {
        arguments.push(format!("{{ {} }}", options.join(", ")));
    }
    arguments.join(", ")
}

/// Optional arguments with their defaults; a dictionary is a struct.
fn cpp_arguments(function: &Function) -> String {
    let shown = |argument: &Argument| match &argument.default {
        Some(default) => format!(
            "{} = {}",
            argument.name.snake(),
            literal(default, "{}", "true", "false")
        ),
        None => argument.name.snake(),
    };
    function
        .arguments
        .iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join(", ")
}

fn literal(literal: &Literal, null: &str, yes: &str, no: &str) -> String {
    match literal {
        Literal::Null => null.to_owned(),
        Literal::Boolean(value) => if *value { yes } else { no }.to_owned(),
        Literal::Integer(value) => value.to_string(),
        Literal::Double(text) => text.clone(),
        Literal::String(text) => format!("\"{text}\""),
        Literal::EmptySequence => "[]".to_owned(),
        Literal::EmptyDictionary => "{}".to_owned(),
    }
}

fn members<'a>(argument: &Argument, api: &'a Api) -> Option<&'a [Argument]> {
    match argument.ty.resolved() {
        Type::Dictionary(name) => api
            .dictionary(name)
            .map(|dictionary| dictionary.members.as_slice()),
        _ => None,
    }
}

/// The result in Rust. Text and lists that cannot fail may be borrowed or owned: that is core's choice.
fn returns(ty: &Type, attributes: &Attributes) -> String {
    let returned = short(&types::owned(ty));
    match (attributes.throws, ty.non_null().0.resolved()) {
        (true, _) => format!(" -> Result<{returned}>"),
        (false, Type::Undefined | Type::String | Type::Sequence(_)) => String::new(),
        (false, _) => format!(" -> {returned}"),
    }
}

/// A path of core without the modules that a reader does not need.
fn short(ty: &str) -> String {
    ["super::enums::", "crate::value::", "crate::", "'a ", "<'a>"]
        .iter()
        .fold(ty.to_owned(), |ty, path| ty.replace(path, ""))
}
