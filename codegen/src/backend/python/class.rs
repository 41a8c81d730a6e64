//! Views of classes.

use serde::Serialize;

use super::{docs, function, stub, types};
use crate::backend::{Backend, Error};
use crate::ir::{Api, Argument, Interface, Name, Type};

/// Methods that only Python has, written by hand in the front, as the stub shows them.
const MANNERS: &[(&str, &str)] = &[
    (
        "Array",
        include_str!("../../../templates/python/manners/array.pyi"),
    ),
    (
        "Device",
        include_str!("../../../templates/python/manners/device.pyi"),
    ),
    (
        "Dict",
        include_str!("../../../templates/python/manners/dict.pyi"),
    ),
    (
        "Function",
        include_str!("../../../templates/python/manners/function.pyi"),
    ),
    (
        "List",
        include_str!("../../../templates/python/manners/list.pyi"),
    ),
    (
        "Map",
        include_str!("../../../templates/python/manners/map.pyi"),
    ),
    (
        "Shape",
        include_str!("../../../templates/python/manners/shape.pyi"),
    ),
    (
        "Context",
        include_str!("../../../templates/python/manners/context.pyi"),
    ),
    (
        "DType",
        include_str!("../../../templates/python/manners/dtype.pyi"),
    ),
    (
        "File",
        include_str!("../../../templates/python/manners/file.pyi"),
    ),
    (
        "Metadata",
        include_str!("../../../templates/python/manners/metadata.pyi"),
    ),
    (
        "Module",
        include_str!("../../../templates/python/manners/module.pyi"),
    ),
    (
        "Tensor",
        include_str!("../../../templates/python/manners/tensor.pyi"),
    ),
];

/// What classes that are written by hand count as.
const BASES: &[(&str, &str)] = &[
    ("Array", "Sequence[Any]"),
    ("List", "MutableSequence[Any]"),
    ("Map", "Mapping[Any, Any]"),
    ("Dict", "MutableMapping[Any, Any]"),
    ("Shape", "Sequence[int]"),
];

/// A class as it is printed in glue and in the stub.
#[derive(Serialize)]
pub struct View {
    /// Name in Python and in Rust.
    pub name: String,
    /// Module of the glue.
    pub module: String,
    /// Spec file it stands in, without suffix.
    pub concept: String,
    docs: Vec<String>,
    is_value: bool,
    /// Options of `#[pyclass]` and derives.
    options: &'static str,
    derives: Vec<&'static str>,
    methods: Vec<function::View>,
    iterable: Option<Iterable>,
    maplike: Option<Maplike>,
    /// Bases in the stub.
    bases: String,
    manners: Vec<String>,
    /// Whether the class is written by hand in the front: only its place in the stub is printed.
    pub is_custom: bool,
    /// Whether this type of object is told apart from other values by core itself.
    is_basic: bool,
    clone: &'static str,
}

#[derive(Serialize)]
struct Iterable {
    item: String,
    docs: Vec<String>,
}

#[derive(Serialize)]
struct Maplike {
    /// What a value is called in messages.
    noun: String,
    item: String,
    convert: String,
    lifetime: &'static str,
    docs: Vec<String>,
    writable: bool,
    /// The same as Rust writes it.
    mutable: String,
    value_ty: String,
    value_pass: String,
    accepts_mapping: bool,
    stub_item: String,
}

/// The view of a class.
pub fn view(class: &Interface, api: &Api) -> Result<View, Error> {
    let name = class.name.pascal();
    let methods = if class.attributes.custom {
        Vec::new()
    } else {
        methods(class, api)?
    };
    let maplike = maplike(class, api)?;
    let hand_made = BASES
        .iter()
        .find(|(owner, _)| *owner == name && class.attributes.custom)
        .map(|(_, base)| format!("({base})"));
    let bases = maplike.as_ref().map(|map| {
        let parent = if map.writable {
            "MutableMapping"
        } else {
            "Mapping"
        };
        format!("({parent}[str, {}])", map.stub_item)
    });
    let manners = MANNERS
        .iter()
        .find(|(owner, _)| *owner == name)
        .map_or("", |(_, text)| text);
    Ok(View {
        module: class.name.snake(),
        concept: class.position.file.trim_end_matches(".webidl").to_owned(),
        docs: docs::plain(&class.docs, api),
        is_value: class.is_value,
        options: if class.is_value {
            "frozen, eq, hash"
        } else if class.gives_members() {
            // Members that were asked for stand in its dictionary.
            "frozen, weakref, dict"
        } else {
            "frozen, weakref"
        },
        derives: if class.is_value {
            vec!["PartialEq, Eq, Hash"]
        } else {
            Vec::new()
        },
        methods,
        iterable: class
            .iterable
            .as_ref()
            .filter(|_| !class.attributes.custom)
            .map(|item| Iterable {
                item: stub::result(item, false),
                docs: docs::plain(&class.iterable_docs, api),
            }),
        maplike,
        bases: bases.or(hand_made).unwrap_or_default(),
        manners: manners.lines().map(str::to_owned).collect(),
        is_custom: class.attributes.custom,
        is_basic: matches!(name.as_str(), "DType" | "Device" | "Tensor"),
        clone: if class.is_value { "" } else { ".clone()" },
        name,
    })
}

/// Constructor, properties, statics and methods, those that Python has.
fn methods(class: &Interface, api: &Api) -> Result<Vec<function::View>, Error> {
    let support = super::Python.supports();
    let mut methods = Vec::new();
    if let Some(constructor) = &class.constructor {
        methods.push(function::constructor(constructor, class, api)?);
    }
    for property in class
        .properties
        .iter()
        .filter(|property| support.has(&property.attributes))
    {
        methods.extend(function::property(property, class, api)?);
    }
    for method in class
        .statics
        .iter()
        .filter(|method| support.has(&method.attributes))
    {
        methods.push(function::fixed(method, class, api)?);
    }
    for method in class
        .methods
        .iter()
        .filter(|method| support.has(&method.attributes))
    {
        methods.push(function::method(method, class, api)?);
    }
    Ok(methods)
}

fn maplike(class: &Interface, api: &Api) -> Result<Option<Maplike>, Error> {
    let Some(map) = &class.maplike else {
        return Ok(None);
    };
    let output = types::output(&map.value, false, class.name.as_spec(), api)?;
    let value = Argument {
        name: Name("value".to_owned()),
        docs: Default::default(),
        attributes: Default::default(),
        ty: map.value.clone(),
        optional: false,
        default: None,
        borrow: false,
        position: class.position.clone(),
    };
    let parameter = types::parameter(&value, api)?;
    let noun = match map.value.resolved() {
        Type::Interface(class) => Name(class.clone()).snake(),
        _ => "key".to_owned(),
    };
    Ok(Some(Maplike {
        noun,
        lifetime: "<'py>",
        item: output.ty,
        convert: output.convert,
        docs: docs::plain(&map.docs, api),
        writable: !map.readonly,
        mutable: (!map.readonly).to_string(),
        value_ty: parameter.ty,
        value_pass: parameter.pass,
        accepts_mapping: types::accepts_mapping(class.name.as_spec(), api),
        stub_item: stub::result(&map.value, false),
    }))
}
