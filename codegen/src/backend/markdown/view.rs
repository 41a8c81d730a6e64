//! What stands on each page: everything decided, ready to print.

use std::collections::BTreeMap;

use serde::Serialize;

use super::links::{cell, docs, link, page};
use super::spelling::{self, On, Row};
use super::words;
use crate::ir::{
    Api, Argument, Attributes, Docs, Example, Function, Interface, Language, Maplike, Property,
    Type,
};

/// One page: the declarations of one spec file.
#[derive(Default, Serialize)]
pub struct Page {
    concept: String,
    classes: Vec<Class>,
    functions: Vec<Item>,
    enums: Vec<Table>,
    dictionaries: Vec<Table>,
    callbacks: Vec<Item>,
    aliases: Vec<Alias>,
}

#[derive(Serialize)]
struct Class {
    name: String,
    docs: String,
    notes: Vec<String>,
    rows: Vec<Row>,
    examples: Vec<Program>,
    constructor: Option<Item>,
    properties: Vec<Item>,
    statics: Vec<Item>,
    methods: Vec<Item>,
    iterable: Option<Collection>,
    maplike: Option<Collection>,
}

/// A property, a method, a function or a callback.
#[derive(Serialize)]
struct Item {
    heading: String,
    docs: String,
    examples: Vec<Program>,
    notes: Vec<String>,
    rows: Vec<Row>,
    arguments: Vec<Entry>,
    /// The word before `returns`: a property has a type, a function gives a result.
    gives: &'static str,
    returns: Option<String>,
    errors: Option<String>,
}

/// A program that shows a use.
#[derive(Serialize)]
struct Program {
    /// What stands after the fence.
    fence: &'static str,
    lines: Vec<String>,
}

/// An argument, a value of an enum, a member of a dictionary.
#[derive(Serialize)]
struct Entry {
    name: String,
    ty: String,
    default: Option<String>,
    docs: String,
}

#[derive(Serialize)]
struct Table {
    name: String,
    docs: String,
    notes: Vec<String>,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Alias {
    name: String,
    docs: String,
    ty: String,
}

#[derive(Serialize)]
struct Collection {
    docs: String,
    item: String,
    writable: bool,
}

/// Sorts every declaration onto its page.
pub fn fill(api: &Api, pages: &mut BTreeMap<String, Page>) {
    let mut at = |concept: &str, add: &dyn Fn(&mut Page)| {
        let page = pages.entry(concept.to_owned()).or_default();
        page.concept = concept.to_owned();
        add(page);
    };
    for declared in &api.interfaces {
        let concept = page(&declared.position);
        at(concept, &|page| {
            page.classes.push(class(declared, api, concept))
        });
    }
    for declared in &api.functions {
        let concept = page(&declared.position);
        at(concept, &|page| {
            page.functions.push(function(
                declared,
                declared.path(),
                On::Library,
                api,
                concept,
            ))
        });
    }
    for choice in &api.enums {
        let concept = page(&choice.position);
        let entry = |value: &crate::ir::EnumValue| Entry {
            name: value.value.clone(),
            ty: String::new(),
            default: None,
            docs: cell(&value.docs, api, concept),
        };
        at(concept, &|page| {
            page.enums.push(Table {
                name: choice.name.as_spec().to_owned(),
                docs: docs(&choice.docs, api, concept),
                notes: notes(&choice.attributes),
                entries: choice.values.iter().map(entry).collect(),
            })
        });
    }
    for data in &api.dictionaries {
        let concept = page(&data.position);
        at(concept, &|page| {
            page.dictionaries.push(Table {
                name: data.name.as_spec().to_owned(),
                docs: docs(&data.docs, api, concept),
                notes: notes(&data.attributes),
                entries: entries(&data.members, api, concept),
            })
        });
    }
    for callback in &api.callbacks {
        let concept = page(&callback.position);
        at(concept, &|page| {
            page.callbacks.push(Item {
                heading: callback.name.as_spec().to_owned(),
                docs: docs(&callback.docs, api, concept),
                examples: programs(&callback.docs),
                notes: notes(&callback.attributes),
                rows: Vec::new(),
                arguments: entries(&callback.arguments, api, concept),
                gives: "Gives",
                returns: returned(&callback.returns, api, concept),
                errors: None,
            })
        });
    }
    for alias in &api.aliases {
        let concept = page(&alias.position);
        at(concept, &|page| {
            page.aliases.push(Alias {
                name: alias.name.as_spec().to_owned(),
                docs: docs(&alias.docs, api, concept),
                ty: words::ty(&alias.target, api, concept),
            })
        });
    }
}

fn class(class: &Interface, api: &Api, page: &str) -> Class {
    let name = class.name.as_spec();
    let member = |declared: &Function, on| {
        function(
            declared,
            format!("{name}.{}", declared.name.as_spec()),
            on,
            api,
            page,
        )
    };
    Class {
        name: name.to_owned(),
        docs: docs(&class.docs, api, page),
        notes: notes(&class.attributes),
        rows: spelling::class(class),
        examples: programs(&class.docs),
        constructor: class.constructor.as_ref().map(|new| {
            function(
                new,
                format!("{name} constructor"),
                On::Class(class),
                api,
                page,
            )
        }),
        properties: class
            .properties
            .iter()
            .map(|declared| property(declared, class, api, page))
            .collect(),
        statics: class
            .statics
            .iter()
            .map(|declared| member(declared, On::Class(class)))
            .collect(),
        methods: class
            .methods
            .iter()
            .map(|declared| member(declared, On::Object(class)))
            .collect(),
        iterable: class.iterable.as_ref().map(|item| Collection {
            docs: docs(&class.iterable_docs, api, page),
            item: words::ty(item, api, page),
            writable: false,
        }),
        maplike: class.maplike.as_ref().map(|map| maplike(map, api, page)),
    }
}

fn maplike(map: &Maplike, api: &Api, page: &str) -> Collection {
    Collection {
        docs: docs(&map.docs, api, page),
        item: words::ty(&map.value, api, page),
        writable: !map.readonly,
    }
}

fn property(property: &Property, class: &Interface, api: &Api, page: &str) -> Item {
    let mut notes = notes(&property.attributes);
    if !property.readonly {
        notes.push("Can be set.".to_owned());
    }
    Item {
        heading: format!("{}.{}", class.name.as_spec(), property.name.as_spec()),
        docs: docs(&property.docs, api, page),
        examples: programs(&property.docs),
        notes,
        rows: spelling::property(property, class),
        arguments: Vec::new(),
        gives: "Type:",
        returns: returned(&property.ty, api, page),
        errors: errors(&property.attributes, api, page),
    }
}

fn function(function: &Function, heading: String, on: On<'_>, api: &Api, page: &str) -> Item {
    Item {
        heading,
        docs: docs(&function.docs, api, page),
        examples: programs(&function.docs),
        notes: notes(&function.attributes),
        rows: spelling::function(function, on, api),
        arguments: entries(&function.arguments, api, page),
        gives: "Gives",
        returns: returned(&function.returns, api, page),
        errors: errors(&function.attributes, api, page),
    }
}

fn programs(docs: &Docs) -> Vec<Program> {
    let program = |example: &Example| Program {
        fence: example.language.fence(),
        lines: example.lines.clone(),
    };
    docs.examples.iter().map(program).collect()
}

fn entries(arguments: &[Argument], api: &Api, page: &str) -> Vec<Entry> {
    let entry = |argument: &Argument| Entry {
        name: argument.name.as_spec().to_owned(),
        ty: match argument.attributes.by_hand.values().next() {
            Some(texts) => format!("`{}`", texts.join("; ").replace('|', "\\|")),
            None => words::ty(&argument.ty, api, page),
        },
        default: argument.default.as_ref().map(words::literal),
        docs: [cell(&argument.docs, api, page)]
            .into_iter()
            .chain(notes(&argument.attributes))
            .collect::<Vec<_>>()
            .join(" "),
    };
    arguments.iter().map(entry).collect()
}

fn returned(ty: &Type, api: &Api, page: &str) -> Option<String> {
    (*ty != Type::Undefined).then(|| words::ty(ty, api, page))
}

fn errors(attributes: &Attributes, api: &Api, page: &str) -> Option<String> {
    let kinds = api
        .enumeration("ErrorKind")
        .map(|kinds| link("error", "ErrorKind", &kinds.position, page));
    attributes
        .throws
        .then(|| kinds.unwrap_or_else(|| "error".to_owned()))
}

fn notes(attributes: &Attributes) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(why) = &attributes.deprecated {
        notes.push(format!("**Deprecated:** {why}"));
    }
    if let Some(version) = &attributes.since {
        notes.push(format!("Since {version}."));
    }
    let shown = |language: &Language| match language {
        Language::Rust => "Rust",
        Language::Python => "Python",
        Language::Node => "Node.js",
        Language::Cpp => "C++",
    };
    if !attributes.skip.is_empty() {
        notes.push(format!(
            "Not in {}.",
            attributes
                .skip
                .iter()
                .map(shown)
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    notes
}
