//! The dispatch table: one entry for everything that can be called by name.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::Error;
use super::collections;
use super::unpack::Unpacked;
use crate::ir::{Api, Argument, Attributes, Function, Interface, Language, Name, Property, Type};

/// The entries of one class, or the free functions.
#[derive(Serialize)]
pub struct Group {
    name: String,
    entries: Vec<Entry>,
}

/// One entry of the table.
#[derive(Serialize)]
pub struct Entry {
    /// Name in the table.
    name: String,
    /// Rust function that is the entry.
    function: String,
    least: usize,
    most: usize,
    body: Vec<String>,
}

/// Every entry, class by class, then the functions.
pub fn groups(api: &Api) -> Result<Vec<Group>, Error> {
    let mut groups: Vec<Group> = api
        .interfaces
        .iter()
        .filter(|class| class.attributes.is_printed(Language::Rust))
        .map(|class| class_group(class, api))
        .collect();
    let functions = api
        .functions
        .iter()
        .filter(|function| in_core(&function.attributes));
    let entries = functions.map(|function| {
        let core = core_name(&function.name, &function.attributes);
        let (call, ident) = match &function.namespace {
            Some(of) => (
                format!("crate::{}::{core}", of.snake()),
                format!("{}_{}", of.snake(), function.name.snake()),
            ),
            None => (format!("crate::{core}"), function.name.rust()),
        };
        entry(
            function.path(),
            ident,
            call,
            Unpacked::default(),
            function,
            api,
        )
    });
    groups.push(Group {
        name: "functions".to_owned(),
        entries: entries.collect(),
    });
    groups.retain(|group| !group.entries.is_empty());
    let mut taken = BTreeSet::new();
    for entry in groups.iter().flat_map(|group| &group.entries) {
        if !taken.insert(&entry.function) {
            return Err(Error::Other(format!(
                "`{}` and another entry would both be `{}` in Rust",
                entry.name, entry.function
            )));
        }
    }
    Ok(groups)
}

fn class_group(class: &Interface, api: &Api) -> Group {
    let spec = class.name.as_spec();
    let snake = class.name.snake();
    let core = class
        .attributes
        .rename
        .clone()
        .unwrap_or_else(|| class.name.pascal());
    let mut entries = Vec::new();
    let named = |function: &Function| {
        (
            format!("{spec}.{}", function.name.as_spec()),
            format!("{snake}_{}", function.name.snake()),
        )
    };
    for function in class
        .constructor
        .iter()
        .chain(&class.statics)
        .filter(|function| in_core(&function.attributes))
    {
        let (name, ident) = named(function);
        let call = format!(
            "crate::{core}::{}",
            core_name(&function.name, &function.attributes)
        );
        entries.push(entry(name, ident, call, Unpacked::default(), function, api));
    }
    for property in class
        .properties
        .iter()
        .filter(|property| in_core(&property.attributes))
    {
        entries.extend(property_entries(property, class, &snake, &core, api));
    }
    for function in class
        .methods
        .iter()
        .filter(|function| in_core(&function.attributes))
    {
        let (name, ident) = named(function);
        let call = format!("this.{}", core_name(&function.name, &function.attributes));
        entries.push(entry(
            name,
            ident,
            call,
            Unpacked::this(&core, class.is_value),
            function,
            api,
        ));
    }
    entries.extend(collections::entries(class, &core, api));
    Group {
        name: spec.to_owned(),
        entries,
    }
}

fn property_entries(
    property: &Property,
    class: &Interface,
    snake: &str,
    core: &str,
    api: &Api,
) -> Vec<Entry> {
    let is_value = class.is_value;
    let name = format!("{}.{}", class.name.as_spec(), property.name.as_spec());
    let core_name = core_name(&property.name, &property.attributes);
    let throws = property.attributes.throws;
    let mut unpacked = Unpacked::this(core, is_value);
    unpacked
        .lines
        .push(result(&format!("this.{core_name}()"), &property.ty, throws));
    let mut entries = vec![finish(
        name.clone(),
        format!("{snake}_{}", property.name.snake()),
        unpacked,
    )];
    if !property.readonly {
        let mut unpacked = Unpacked::this(core, is_value);
        unpacked.argument(&argument("value", property.ty.clone()), api);
        let bare = core_name.strip_prefix("r#").unwrap_or(&core_name);
        unpacked.lines.push(result(
            &format!("this.set_{bare}({})", unpacked.passed.join(", ")),
            &Type::Undefined,
            throws,
        ));
        entries.push(finish(
            format!("{name}="),
            format!("{snake}_set_{}", property.name.snake()),
            unpacked,
        ));
    }
    entries
}

fn entry(
    name: String,
    function: String,
    call: String,
    mut unpacked: Unpacked,
    declared: &Function,
    api: &Api,
) -> Entry {
    for argument in &declared.arguments {
        unpacked.argument(argument, api);
    }
    let call = format!("{call}({})", unpacked.passed.join(", "));
    unpacked
        .lines
        .push(result(&call, &declared.returns, declared.attributes.throws));
    finish(name, function, unpacked)
}

/// An entry from its parts.
pub fn finish(name: String, function: String, unpacked: Unpacked) -> Entry {
    Entry {
        name,
        function,
        least: unpacked.least,
        most: unpacked.most,
        body: unpacked.lines,
    }
}

/// The last line: the call, and its result as a value.
fn result(call: &str, returns: &Type, throws: bool) -> String {
    let mark = if throws { "?" } else { "" };
    match (returns.resolved(), throws) {
        (Type::Undefined, _) => format!("{call}{mark}; Ok(Any::NONE)"),
        (Type::Any, true) => call.to_owned(),
        (Type::Any, false) => format!("Ok({call})"),
        _ => format!("Ok({call}{mark}.into_any())"),
    }
}

/// An argument that the spec implies: the index of `iterable`, the key of `maplike`, the value of a setter.
pub fn argument(name: &str, ty: Type) -> Argument {
    Argument {
        name: Name(name.to_owned()),
        docs: Default::default(),
        attributes: Attributes::default(),
        ty,
        optional: false,
        default: None,
        borrow: false,
        position: crate::ir::Position {
            file: String::new(),
            line: 1,
            column: 1,
        },
    }
}

fn core_name(name: &Name, attributes: &Attributes) -> String {
    attributes.rename.clone().unwrap_or_else(|| name.rust())
}

fn in_core(attributes: &Attributes) -> bool {
    !attributes.custom && attributes.is_printed(Language::Rust)
}
