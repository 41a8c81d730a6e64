//! The declarations of TypeScript, from enumerations to functions.

use minijinja::{Value, context};
use serde::Serialize;

use super::super::{header, template};
use super::calls::{is_returned, parameter};
use super::classes::{present, properties};
use super::{Backend as _, Node, signatures, tsdoc, types};
use crate::ir::{
    Api, Argument, Callback, Dictionary, Enum, Function, Interface, Language, Maplike, Property,
    Type,
};

/// A declaration with its comment.
#[derive(Serialize)]
pub struct Declared {
    pub docs: Vec<String>,
    pub text: String,
}

#[derive(Serialize)]
struct Choice {
    name: String,
    docs: Vec<String>,
    values: Vec<ChoiceValue>,
}

#[derive(Serialize)]
struct ChoiceValue {
    docs: Vec<String>,
    text: String,
    end: &'static str,
}

#[derive(Serialize)]
struct Listener {
    name: String,
    docs: Vec<String>,
    ty: String,
}

#[derive(Serialize)]
struct Members {
    name: String,
    head: String,
    docs: Vec<String>,
    members: Vec<Declared>,
}

/// What the template prints.
pub fn view(api: &Api) -> Value {
    let support = Node.supports();
    let classes = api
        .interfaces
        .iter()
        .filter(|class| support.has(&class.attributes) && !class.attributes.custom);
    let functions = api
        .functions
        .iter()
        .filter(|function| support.has(&function.attributes) && function.namespace.is_none());
    let namespaces = api.namespaces.iter().map(|of| Members {
        name: of.name.camel(),
        head: of.name.camel(),
        docs: tsdoc::block(tsdoc::text(&of.docs, api)),
        members: api
            .functions
            .iter()
            .filter(|function| {
                support.has(&function.attributes) && function.namespace.as_ref() == Some(&of.name)
            })
            .flat_map(|found| free(found, api))
            .map(|found| Declared {
                text: found
                    .text
                    .replacen("export declare function", "function", 1),
                docs: found.docs,
            })
            .collect(),
    });
    let docs = tsdoc::text(&api.docs, api).into_iter().map(|line| {
        if line.is_empty() {
            line
        } else {
            format!(" {line}")
        }
    });
    context! {
        header => header("*"),
        docs => docs.collect::<Vec<_>>(),
        enums => template::view(api.enums.iter().map(|found| choice(found, api)).collect::<Vec<_>>()),
        callbacks => template::view(api.callbacks.iter().map(|found| listener(found, api)).collect::<Vec<_>>()),
        dictionaries => template::view(api.dictionaries.iter().filter(|found| support.has(&found.attributes)).map(|found| options(found, api)).collect::<Vec<_>>()),
        classes => template::view(classes.map(|found| class(found, api)).collect::<Vec<_>>()),
        errors => errors(api),
        namespaces => template::view(namespaces.collect::<Vec<_>>()),
        functions => template::view(functions.flat_map(|found| free(found, api)).collect::<Vec<_>>()),
    }
}

/// The classes of errors that JavaScript has none for, with their docs.
fn errors(api: &Api) -> Value {
    let kinds = api
        .enums
        .iter()
        .filter(|found| found.name.pascal() == "ErrorKind");
    let values = kinds.flat_map(|kinds| &kinds.values);
    let declared: Vec<Declared> = values
        .filter(|value| !super::BUILTIN.contains(&value.value.as_str()))
        .map(|value| Declared {
            docs: tsdoc::block(tsdoc::text(&value.docs, api)),
            text: value.value.clone(),
        })
        .collect();
    template::view(declared)
}

fn choice(found: &Enum, api: &Api) -> Choice {
    let last = found.values.len().saturating_sub(1);
    let value = |(i, value): (usize, &crate::ir::EnumValue)| ChoiceValue {
        docs: tsdoc::block(tsdoc::text(&value.docs, api)),
        text: value.value.clone(),
        end: if i == last { ";" } else { "" },
    };
    Choice {
        name: found.name.pascal(),
        docs: tsdoc::comment(&found.docs, &found.attributes, api),
        values: found.values.iter().enumerate().map(value).collect(),
    }
}

fn listener(found: &Callback, api: &Api) -> Listener {
    let given = |argument: &Argument| {
        format!(
            "{}: {}",
            parameter(argument),
            types::output(&argument.ty, None)
        )
    };
    let arguments: Vec<String> = found.arguments.iter().map(given).collect();
    Listener {
        name: found.name.pascal(),
        docs: tsdoc::comment(&found.docs, &found.attributes, api),
        ty: format!(
            "({}) => {}",
            arguments.join(", "),
            types::input(&found.returns)
        ),
    }
}

/// Options may be left out one by one; what is returned has all members.
fn options(found: &Dictionary, api: &Api) -> Members {
    let is_returned = is_returned(found, api);
    let member = |member: &Argument| {
        let name = member.name.camel();
        let by_hand = member.attributes.by_hand(Language::Node);
        let text = if let Some(text) = by_hand.and_then(<[String]>::first) {
            format!("{text};")
        } else if is_returned {
            format!("{name}: {};", types::output(&member.ty, None))
        } else {
            format!("{name}?: {};", optional(&member.ty))
        };
        Declared {
            docs: tsdoc::comment(&member.docs, &member.attributes, api),
            text,
        }
    };
    let name = found.name.pascal();
    Members {
        head: name.clone(),
        name,
        docs: tsdoc::comment(&found.docs, &found.attributes, api),
        members: found.members.iter().map(member).collect(),
    }
}

/// The type of what may be left out.
pub fn optional(ty: &Type) -> String {
    format!("{} | undefined", types::input(ty))
}

/// Whether the class shows its elements as a TypedArray, whose type then depends on the dtype.
pub fn is_generic(class: &Interface) -> bool {
    properties(class).any(|property| property.ty.alias() == Some("TypedArray"))
}

fn class(found: &Interface, api: &Api) -> Members {
    let name = found.name.pascal();
    let (head, this) = if is_generic(found) {
        (
            format!("{name}<D extends DTypeName = DTypeName>"),
            Some(format!("{name}<D>")),
        )
    } else {
        (name.clone(), None)
    };
    let this = this.as_deref();
    let mut members = Vec::new();
    match &found.constructor {
        Some(constructor) => members.push(Declared {
            docs: signatures::docs(constructor, api),
            text: format!(
                "constructor({});",
                signatures::Signature::new(constructor, api, "  ").parameters(None)
            ),
        }),
        None => members.push(declared(
            "Comes from other functions.",
            "private constructor();",
        )),
    }
    members.extend(properties(found).map(|property| property_of(property, this, api)));
    for function in present(&found.statics) {
        members.extend(signatures::overloads(function, "static ", None, api));
    }
    for function in present(&found.methods) {
        members.extend(signatures::overloads(function, "", this, api));
    }
    if let Some(item) = &found.iterable {
        members.extend(iterable(
            &types::output(item, this),
            &tsdoc::text(&found.iterable_docs, api),
        ));
    }
    if let Some(map) = &found.maplike {
        members.extend(maplike(map, api));
    }
    if found.gives_members() {
        members.push(declared(
            "What `get` gives, where the class has no member of that name itself.",
            "readonly [name: string]: any;",
        ));
    }
    members.extend(common(found));
    Members {
        name,
        head,
        docs: tsdoc::comment(&found.docs, &found.attributes, api),
        members,
    }
}

fn declared(docs: &str, text: impl Into<String>) -> Declared {
    let docs = if docs.is_empty() {
        Vec::new()
    } else {
        tsdoc::block(vec![docs.to_owned()])
    };
    Declared {
        docs,
        text: text.into(),
    }
}

fn iterable(item: &str, docs: &[String]) -> Vec<Declared> {
    vec![
        declared(
            "Positions along the outermost dimension.",
            "readonly length: number;",
        ),
        declared(
            "The item at a position; negative counts from the end.",
            format!("at(index: number): {item};"),
        ),
        Declared {
            docs: tsdoc::block(docs.to_vec()),
            text: format!("[Symbol.iterator](): IterableIterator<{item}>;"),
        },
    ]
}

fn maplike(map: &Maplike, api: &Api) -> Vec<Declared> {
    let value = types::output(&map.value, None);
    let docs = tsdoc::text(&map.docs, api);
    let mut members = vec![
        declared("Number of entries.", "readonly size: number;"),
        declared(
            "Whether there is an entry of that name.",
            "has(key: string): boolean;",
        ),
        declared(
            "The value of that name, if there is one.",
            format!("get(key: string): {value} | undefined;"),
        ),
        declared("The names.", "keys(): IterableIterator<string>;"),
        declared(
            "The values, in the order of their names.",
            format!("values(): IterableIterator<{value}>;"),
        ),
        declared(
            "Names and values.",
            format!("entries(): IterableIterator<[string, {value}]>;"),
        ),
        Declared {
            docs: tsdoc::block(docs),
            text: format!("[Symbol.iterator](): IterableIterator<[string, {value}]>;"),
        },
        declared(
            "Calls a function with each value and its name.",
            format!(
                "forEach(work: (value: {value}, key: string, map: this) => void, receiver?: unknown): void;"
            ),
        ),
    ];
    if !map.readonly {
        let given = types::input(&map.value);
        members.push(declared(
            "Adds or replaces a value.",
            format!("set(key: string, value: {given}): this;"),
        ));
        members.push(declared(
            "Takes an entry away; false when there is none.",
            "delete(key: string): boolean;",
        ));
        members.push(declared("Takes all entries away.", "clear(): void;"));
    }
    members
}

fn common(class: &Interface) -> Vec<Declared> {
    if class.is_value {
        return vec![
            declared("The name.", "toJSON(): string;"),
            declared("The name.", "toString(): string;"),
        ];
    }
    vec![
        declared(
            "Gives the memory back now, not when it is collected. Later use throws `ERR_TENSPAN_DISPOSED`.",
            "dispose(): void;",
        ),
        declared("", "[Symbol.dispose](): void;"),
        declared(
            "A summary without elements, safe for `JSON.stringify`.",
            "toJSON(): Record<string, unknown>;",
        ),
    ]
}

fn property_of(property: &Property, this: Option<&str>, api: &Api) -> Declared {
    let readonly = if property.readonly { "readonly " } else { "" };
    let ty = types::output(&property.ty, this);
    Declared {
        docs: tsdoc::comment(&property.docs, &property.attributes, api),
        text: format!("{readonly}{}: {ty};", property.name.camel()),
    }
}

fn free(function: &Function, api: &Api) -> Vec<Declared> {
    if let Some(texts) = function.attributes.by_hand(Language::Node) {
        return signatures::by_hand(function, texts, api);
    }
    signatures::overloads(function, "export declare function ", None, api)
}
