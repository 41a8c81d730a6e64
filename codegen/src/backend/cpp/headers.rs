//! What stands in the header of a concept, and which headers it needs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::Error;
use super::classes::{Class, class};
use super::data::{Enum, Struct, Using};
use super::functions::{Function, Place, Shape, function, is_here};
use super::{by_file, data, types};
use crate::ir::{Api, Argument, Language, Position, Type};

/// One header.
#[derive(Serialize)]
pub struct Concept {
    /// Name of the spec file, without suffix.
    pub name: String,
    includes: Vec<String>,
    /// Included at the end, where the classes are complete.
    closing: Vec<String>,
    enums: Vec<Enum>,
    /// Classes, to be named before they are defined.
    class_names: Vec<String>,
    usings: Vec<Using>,
    structs: Vec<Struct>,
    classes: Vec<Class>,
    functions: Vec<Function>,
}

/// Handwritten headers that a concept's own header begins with.
const OPENING: &[(&str, &str)] = &[
    ("container", "detail/container.hpp"),
    ("define", "detail/define.hpp"),
    ("device", "detail/device.hpp"),
    ("dtype", "detail/dtype.hpp"),
    ("error", "detail/error.hpp"),
    ("function", "detail/function.hpp"),
    ("module", "detail/module.hpp"),
    ("object", "detail/object.hpp"),
    ("tensor", "detail/tensor.hpp"),
];

/// Handwritten headers that a concept's own header ends with.
const CLOSING: &[(&str, &str)] = &[("tensor", "detail/memory.hpp")];

/// The concept that every other header rests on: it cannot rest on them.
const FIRST: &str = "error";

/// Whether all that a spec file offers to call is left out here: its data is for that alone.
fn is_elsewhere(api: &Api, concept: &str) -> bool {
    let is_of = |position: &Position| position.file.trim_end_matches(".webidl") == concept;
    let mut functions = api.functions.iter().filter(|one| is_of(&one.position));
    let has_class = api.interfaces.iter().any(|one| is_of(&one.position));
    let has_function = functions.clone().next().is_some();
    has_function && !has_class && functions.all(|one| !is_here(&one.attributes))
}

/// One header for each spec file, in the order of their names.
pub fn concepts(api: &Api) -> Result<Vec<Concept>, Error> {
    let enums = by_file(&api.enums, |one| &one.position.file);
    let dictionaries = by_file(
        api.dictionaries
            .iter()
            .filter(|one| is_here(&one.attributes)),
        |one| &one.position.file,
    );
    let callbacks = by_file(&api.callbacks, |one| &one.position.file);
    let aliases = by_file(&api.aliases, |one| &one.position.file);
    let interfaces = by_file(
        api.interfaces.iter().filter(|one| is_here(&one.attributes)),
        |one| &one.position.file,
    );
    let functions = by_file(
        api.functions.iter().filter(|one| is_here(&one.attributes)),
        |one| &one.position.file,
    );
    let names: BTreeSet<&String> = enums
        .keys()
        .chain(dictionaries.keys())
        .chain(callbacks.keys())
        .chain(aliases.keys())
        .chain(interfaces.keys())
        .chain(functions.keys())
        .filter(|name| !is_elsewhere(api, name))
        .collect();
    let homes = homes(api);
    let mut concepts = Vec::new();
    for name in names {
        let classes: Vec<_> = interfaces
            .get(name)
            .into_iter()
            .flatten()
            .copied()
            // What is written by hand stands in the header that this one begins with.
            .filter(|class| !class.attributes.custom)
            .collect();
        let structs: Vec<_> = dictionaries
            .get(name)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let free: Vec<_> = functions
            .get(name)
            .into_iter()
            .flatten()
            .copied()
            // As classes are.
            .filter(|one| one.attributes.is_printed(Language::Cpp))
            .collect();
        let mut used = Vec::new();
        for class in &classes {
            used.extend(
                class
                    .properties
                    .iter()
                    .filter(|p| is_here(&p.attributes))
                    .map(|p| &p.ty),
            );
            used.extend(
                class
                    .functions()
                    .filter(|f| is_here(&f.attributes))
                    .flat_map(types_of),
            );
            used.extend(
                class
                    .iterable
                    .iter()
                    .chain(class.maplike.as_ref().map(|map| &map.value)),
            );
        }
        used.extend(free.iter().copied().flat_map(types_of));
        used.extend(structs.iter().flat_map(|d| arguments(&d.members)));
        let usings = aliases
            .get(name)
            .into_iter()
            .flatten()
            .filter_map(|alias| data::alias(alias, api));
        let callbacks = callbacks
            .get(name)
            .into_iter()
            .flatten()
            .map(|callback| data::callback(callback, api));
        concepts.push(Concept {
            name: name.clone(),
            includes: includes(name, &used, &homes),
            closing: CLOSING
                .iter()
                .filter(|(concept, _)| concept == name)
                .map(|(_, header)| (*header).to_owned())
                .collect(),
            enums: enums
                .get(name)
                .into_iter()
                .flatten()
                .map(|choice| data::enumeration(choice, api))
                .collect(),
            class_names: classes.iter().map(|class| class.name.pascal()).collect(),
            usings: usings.chain(callbacks).collect(),
            structs: structs
                .iter()
                .map(|d| data::dictionary(d, api))
                .collect::<Result<_, _>>()?,
            classes: classes.iter().map(|one| class(one, api)).collect(),
            functions: free.iter().map(|f| free_function(f, api)).collect(),
        });
    }
    Ok(concepts)
}

fn free_function(f: &crate::ir::Function, api: &Api) -> Function {
    let entry = f.name.as_spec().to_owned();
    let shape = Shape {
        entry,
        name: types::name(&f.name),
        docs: &f.docs,
        arguments: &f.arguments,
        returns: &f.returns,
        attributes: &f.attributes,
        place: Place::Free,
    };
    function(&shape, api)
}

fn types_of(function: &crate::ir::Function) -> impl Iterator<Item = &Type> {
    arguments(&function.arguments).chain(std::iter::once(&function.returns))
}

fn arguments(arguments: &[Argument]) -> impl Iterator<Item = &Type> {
    arguments.iter().map(|argument| &argument.ty)
}

/// The concept that each named type belongs to.
fn homes(api: &Api) -> BTreeMap<&str, &str> {
    let enums = api
        .enums
        .iter()
        .map(|one| (one.name.as_spec(), &one.position));
    let dictionaries = api
        .dictionaries
        .iter()
        .map(|one| (one.name.as_spec(), &one.position));
    let callbacks = api
        .callbacks
        .iter()
        .map(|one| (one.name.as_spec(), &one.position));
    let interfaces = api
        .interfaces
        .iter()
        .map(|one| (one.name.as_spec(), &one.position));
    let aliases = api
        .aliases
        .iter()
        .map(|one| (one.name.as_spec(), &one.position));
    let all = enums
        .chain(dictionaries)
        .chain(callbacks)
        .chain(interfaces)
        .chain(aliases);
    all.map(|(name, position)| (name, position.file.trim_end_matches(".webidl")))
        .collect()
}

fn includes(concept: &str, used: &[&Type], homes: &BTreeMap<&str, &str>) -> Vec<String> {
    let opening = OPENING
        .iter()
        .filter(|(name, _)| *name == concept)
        .map(|(_, header)| (*header).to_owned());
    let mut headers: BTreeSet<String> = opening.collect();
    if concept == FIRST {
        return headers.into_iter().collect();
    }
    headers.extend(
        ["call", "callback", "iterate", "like", "sequence"]
            .map(|part| format!("detail/{part}.hpp")),
    );
    let mut names = BTreeSet::new();
    used.iter().for_each(|ty| collect(ty, &mut names));
    let others = names
        .into_iter()
        .filter_map(|name| homes.get(name))
        .filter(|home| **home != concept);
    headers.extend(others.map(|home| format!("{home}.hpp")));
    headers.into_iter().collect()
}

fn collect<'t>(ty: &'t Type, names: &mut BTreeSet<&'t str>) {
    match ty {
        Type::Interface(name)
        | Type::Enum(name)
        | Type::Dictionary(name)
        | Type::Callback(name) => {
            names.insert(name);
        }
        Type::Nullable(inner) | Type::Sequence(inner) | Type::Record(inner) => {
            collect(inner, names)
        }
        Type::Alias { name, target } => {
            names.insert(name);
            collect(target, names);
        }
        Type::Union(members) => members.iter().for_each(|member| collect(member, names)),
        _ => {}
    }
}
