//! The Node front: classes in JavaScript over the dispatch table, and their TypeScript declarations.
//!
//! Each concept of the spec becomes one CommonJS module; `index.cjs` gathers them and `index.mjs` gives the same
//! objects to `import`. What a call does beyond passing values on is decided in [`calls`], types in [`types`].

use std::collections::BTreeMap;

use minijinja::context;
use serde::Serialize;

use super::{Backend, Error, Files, Support, header, template};
use crate::ir::{Api, Language, Position};

mod calls;
mod classes;
mod declarations;
mod tsdoc;
mod types;

/// Prints `bind-node/js`.
pub struct Node;

const TEMPLATES: &[(&str, &str)] = &[
    ("module", include_str!("../../templates/node/module.cjs.j2")),
    (
        "generated/data.cjs",
        include_str!("../../templates/node/data.cjs.j2"),
    ),
    (
        "index.cjs",
        include_str!("../../templates/node/index.cjs.j2"),
    ),
    (
        "index.mjs",
        include_str!("../../templates/node/index.mjs.j2"),
    ),
    (
        "index.d.cts",
        include_str!("../../templates/node/index.d.cts.j2"),
    ),
    (
        "index.d.mts",
        include_str!("../../templates/node/index.d.mts.j2"),
    ),
];

/// The classes and functions of one file of the spec.
#[derive(Default, Serialize)]
struct Module {
    concept: String,
    names: Vec<String>,
    classes: Vec<classes::Class>,
    functions: Vec<calls::Function>,
}

impl Backend for Node {
    fn name(&self) -> &str {
        "node"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Node))
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let engine = template::environment(TEMPLATES)?;
        let mut files = Files::new();
        let modules = modules(api);
        for module in &modules {
            let view = context! {
                header => header(&module.concept),
                classes => template::view(&module.classes),
                functions => template::view(&module.functions),
                names => &module.names,
            };
            let text = engine.get_template("module")?.render(&view)?;
            files.add(
                format!("bind-node/js/generated/{}.cjs", module.concept),
                text,
            )?;
        }
        let view = context! {
            header => header("*"),
            modules => template::view(&modules),
            dictionaries => template::view(calls::readers(api)),
        };
        for (name, _) in TEMPLATES
            .iter()
            .filter(|(name, _)| !matches!(*name, "module" | "index.d.cts"))
        {
            files.add(
                format!("bind-node/js/{name}"),
                engine.get_template(name)?.render(&view)?,
            )?;
        }
        let text = engine
            .get_template("index.d.cts")?
            .render(declarations::view(api))?;
        files.add("bind-node/js/index.d.cts", text)?;
        Ok(files)
    }
}

/// One module for each file of the spec that declares something callable.
fn modules(api: &Api) -> Vec<Module> {
    let support = Node.supports();
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    for class in api
        .interfaces
        .iter()
        .filter(|class| support.has(&class.attributes))
    {
        let module = modules.entry(concept(&class.position)).or_default();
        module.names.push(class.name.pascal());
        module.classes.push(classes::class(class, api));
    }
    for function in api
        .functions
        .iter()
        .filter(|function| support.has(&function.attributes))
    {
        let module = modules.entry(concept(&function.position)).or_default();
        module.names.push(function.name.camel());
        module.functions.push(calls::function(function, api));
    }
    modules
        .into_iter()
        .map(|(concept, module)| Module { concept, ..module })
        .collect()
}

fn concept(position: &Position) -> String {
    position.file.trim_end_matches(".webidl").to_owned()
}
