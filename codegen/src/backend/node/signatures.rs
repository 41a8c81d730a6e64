//! Functions in TypeScript: parameters, options, and one overload for each way to give a dtype.

use super::calls::{dictionary, parameter};
use super::declarations::{Declared, is_generic, optional};
use super::{tsdoc, types};
use crate::ir::{Api, Argument, Function, Literal, Type};

/// The comment of a function, with the parameters that it must be given.
pub fn docs(function: &Function, api: &Api) -> Vec<String> {
    let required: Vec<&Argument> = function
        .arguments
        .iter()
        .filter(|argument| !argument.optional)
        .collect();
    tsdoc::function(&function.docs, &required, &function.attributes, api)
}

/// A function that is written by hand, as the spec declares it.
pub fn by_hand(function: &Function, texts: &[String], api: &Api) -> Vec<Declared> {
    let arguments: Vec<&Argument> = function.arguments.iter().collect();
    let name = function.name.camel();
    let declared = |(i, text): (usize, &String)| {
        let mut docs = function.docs.clone();
        if i > 0 {
            docs.examples.clear();
        }
        Declared {
            docs: tsdoc::function(&docs, &arguments, &function.attributes, api),
            text: format!("export declare function {name}{text};"),
        }
    };
    texts.iter().enumerate().map(declared).collect()
}

/// A function that makes a tensor of a dtype which is an argument says so for each way to give it.
pub fn overloads(
    function: &Function,
    prefix: &str,
    this: Option<&str>,
    api: &Api,
) -> Vec<Declared> {
    let is_free = prefix.starts_with("export");
    let signature = Signature::new(function, api, if is_free { "" } else { "  " });
    let comment = docs(function, api);
    let name = function.name.camel();
    let print = |generic: &str, parameters: String, returns: &str| Declared {
        docs: comment.clone(),
        text: format!("{prefix}{name}{generic}({parameters}): {returns};"),
    };
    let dtype = function
        .arguments
        .iter()
        .find(|argument| argument.ty.alias() == Some("DTypeLike"));
    let makes_generic = matches!(function.returns.resolved(), Type::Interface(made) if api.interface(made).is_some_and(is_generic));
    let Some(dtype) = dtype.filter(|_| makes_generic) else {
        return vec![print(
            "",
            signature.parameters(None),
            &types::output(&function.returns, this),
        )];
    };
    let class = types::output(&function.returns, None);
    let mut made = Vec::new();
    if let Some(Literal::String(default)) = &dtype.default {
        made.push(print(
            "",
            signature.parameters(Some("undefined")),
            &format!("{class}<'{default}'>"),
        ));
    }
    made.push(print(
        "<D extends DTypeName>",
        signature.parameters(Some("D")),
        &format!("{class}<D>"),
    ));
    made.push(print("", signature.parameters(None), &class));
    made
}

/// The parameters of a function: those that must be there, then options.
pub struct Signature<'a> {
    function: &'a Function,
    api: &'a Api,
    /// What the lines of the declaration begin with.
    indent: &'static str,
}

impl<'a> Signature<'a> {
    /// `indent` is what the lines of the declaration begin with.
    pub fn new(function: &'a Function, api: &'a Api, indent: &'static str) -> Self {
        Signature {
            function,
            api,
            indent,
        }
    }

    /// Prints them. `dtype` is what stands for a dtype: a type parameter, or `undefined` for one that is left out.
    pub fn parameters(&self, dtype: Option<&str>) -> String {
        let mut parameters = Vec::new();
        let mut members = Vec::new();
        let mut bags = Vec::new();
        let mut must_have_options = false;
        for argument in &self.function.arguments {
            let chosen = dtype.filter(|_| argument.ty.alias() == Some("DTypeLike"));
            if let Some(found) = dictionary(argument, self.api) {
                bags.push(found.name.pascal());
            } else if argument.optional {
                must_have_options |= chosen.is_some_and(|chosen| chosen != "undefined");
                members.extend(self.option(argument, chosen));
            } else {
                let ty = chosen.map_or_else(|| types::input(&argument.ty), str::to_owned);
                parameters.push(format!("{}: {ty}", parameter(argument)));
            }
        }
        if !members.is_empty() {
            let lines: String = members
                .iter()
                .map(|line| format!("{}  {line}\n", self.indent))
                .collect();
            bags.push(format!("{{\n{lines}{}}}", self.indent));
        }
        if !bags.is_empty() {
            let mark = if must_have_options { "" } else { "?" };
            parameters.push(format!("options{mark}: {}", bags.join(" & ")));
        }
        parameters.join(", ")
    }

    /// The lines of an option, its docs first.
    fn option(&self, argument: &Argument, chosen: Option<&str>) -> Vec<String> {
        let name = argument.name.camel();
        let mut lines = tsdoc::block(tsdoc::text(&argument.docs, self.api));
        lines.push(match chosen {
            Some("undefined") => format!("{name}?: undefined;"),
            Some(chosen) => format!("{name}: {chosen};"),
            None => format!("{name}?: {};", optional(&argument.ty)),
        });
        lines
    }
}
