//! Views of classes.

use serde::Serialize;

use super::functions::{Function, Place, Shape, function, is_here};
use super::{doxygen, types};
use crate::ir::{Api, Interface, Property, Type};

#[derive(Serialize)]
pub struct Class {
    name: String,
    spec: String,
    docs: Vec<String>,
    constructor: Option<Function>,
    /// `explicit `, or nothing for a value that is made from anything like its only argument.
    explicit: &'static str,
    /// Name of the only argument, when any text makes a value of the class.
    implicit: Option<String>,
    /// Whether equal values are equal.
    is_value: bool,
    getters: Vec<Getter>,
    setters: Vec<Setter>,
    functions: Vec<Function>,
    sequence: Option<Sequence>,
    mapping: Option<Mapping>,
    /// Whether the mapping can be changed.
    /// Whether it can be made empty, to be filled with named values.
    is_fillable: bool,
    is_writable: bool,
}

#[derive(Serialize)]
struct Getter {
    docs: Vec<String>,
    /// Everything before the result that the declaration needs.
    before: String,
    name: String,
    ty: String,
    entry: String,
}

#[derive(Serialize)]
struct Setter {
    /// Name of the property's getter.
    getter: String,
    name: String,
    ty: String,
    entry: String,
}

/// A class that is iterated by position.
#[derive(Serialize)]
struct Sequence {
    docs: Vec<String>,
    item: String,
    /// `size`, unless the class has something else of that name.
    len: &'static str,
}

/// A class that is iterated by key.
#[derive(Serialize)]
struct Mapping {
    docs: Vec<String>,
    value: String,
    parameter: String,
}

/// A class with all its parts decided.
pub fn class(class: &Interface, api: &Api) -> Class {
    let spec = class.name.as_spec();
    let constructor = class
        .constructor
        .as_ref()
        .filter(|constructor| is_here(&constructor.attributes));
    let implicit = constructor
        .filter(|constructor| class.is_value && constructor.arguments.len() == 1)
        .map(|constructor| &constructor.arguments[0])
        .filter(|argument| matches!(argument.ty.resolved(), Type::String))
        .map(|argument| types::name(&argument.name));
    let properties = || {
        class
            .properties
            .iter()
            .filter(|property| is_here(&property.attributes))
    };
    let shape = |f: &crate::ir::Function, place| {
        let name = types::name(&f.name);
        function(
            &Shape {
                entry: format!("{spec}.{}", f.name.as_spec()),
                name,
                docs: &f.docs,
                arguments: &f.arguments,
                returns: &f.returns,
                attributes: &f.attributes,
                place,
            },
            api,
        )
    };
    let statics = class
        .statics
        .iter()
        .filter(|f| is_here(&f.attributes))
        .map(|f| shape(f, Place::Static));
    let methods = class
        .methods
        .iter()
        .filter(|f| is_here(&f.attributes))
        .map(|f| shape(f, Place::Member));
    let has_size = properties().any(|property| types::name(&property.name) == "size");
    Class {
        name: class.name.pascal(),
        spec: spec.to_owned(),
        docs: doxygen::class(&class.docs, &class.attributes, api),
        explicit: if constructor.is_some_and(|c| c.arguments.is_empty()) {
            ""
        } else {
            "explicit "
        },
        implicit,
        constructor: constructor.map(|constructor| {
            let returns = Type::Undefined;
            let entry = format!("{spec}.new");
            function(
                &Shape {
                    entry,
                    name: class.name.pascal(),
                    docs: &constructor.docs,
                    arguments: &constructor.arguments,
                    returns: &returns,
                    attributes: &constructor.attributes,
                    place: Place::Static,
                },
                api,
            )
        }),
        is_value: class.is_value,
        getters: properties()
            .map(|property| getter(property, spec, api))
            .collect(),
        setters: properties()
            .filter(|property| !property.readonly)
            .map(|property| setter(property, spec))
            .collect(),
        functions: statics.chain(methods).collect(),
        sequence: class.iterable.as_ref().map(|item| Sequence {
            docs: doxygen::lines(&class.iterable_docs, api),
            item: types::value(item),
            len: if has_size { "len" } else { "size" },
        }),
        mapping: class.maplike.as_ref().map(|map| Mapping {
            docs: doxygen::lines(&map.docs, api),
            value: types::value(&map.value),
            parameter: types::parameter(&map.value),
        }),
        is_fillable: constructor
            .is_some_and(|new| new.arguments.iter().all(|argument| argument.optional)),
        is_writable: class.maplike.as_ref().is_some_and(|map| !map.readonly),
    }
}

fn getter(property: &Property, spec: &str, api: &Api) -> Getter {
    Getter {
        docs: doxygen::property(&property.docs, &property.attributes, api),
        before: doxygen::deprecated(&property.attributes),
        name: types::name(&property.name),
        ty: types::value(&property.ty),
        entry: format!("{spec}.{}", property.name.as_spec()),
    }
}

fn setter(property: &Property, spec: &str) -> Setter {
    Setter {
        getter: types::name(&property.name),
        name: format!("set_{}", property.name.snake()),
        ty: types::parameter(&property.ty),
        entry: format!("{spec}.{}=", property.name.as_spec()),
    }
}
