//! The core crate: data types of the spec and the dispatch table.
//!
//! Behaviour is written by hand in core and called by name from what is printed here, so that a spec
//! which core does not satisfy does not compile.

use minijinja::context;

use super::{Backend, Error, Files, Support, header, template};
use crate::docs;
use crate::ir::{Api, Docs, Language};

mod collections;
mod data;
mod dispatch;
mod rustdoc;
pub mod types;
mod unpack;

/// Prints `core/src/generated`.
pub struct Core;

const TEMPLATES: &[(&str, &str)] = &[
    ("mod", include_str!("../../templates/core/mod.rs.j2")),
    ("enums", include_str!("../../templates/core/enums.rs.j2")),
    (
        "dictionaries",
        include_str!("../../templates/core/dictionaries.rs.j2"),
    ),
    (
        "conversions",
        include_str!("../../templates/core/conversions.rs.j2"),
    ),
    (
        "dispatch",
        include_str!("../../templates/core/dispatch.rs.j2"),
    ),
];

impl Backend for Core {
    fn name(&self) -> &str {
        "core"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Rust))
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let engine = template::environment(TEMPLATES)?;
        let mut files = Files::new();
        let enums = data::enums(api);
        let dictionaries = data::dictionaries(api)?;
        let returned = data::returned(api, &dictionaries);
        let groups = dispatch::groups(api)?;
        let view = context! {
            header => header("*"),
            enums => template::view(&enums),
            callbacks => template::view(data::callbacks(api)),
            dictionaries => template::view(&dictionaries),
            returned => template::view(returned),
            groups => template::view(groups),
        };
        for (name, _) in TEMPLATES {
            let text = engine.get_template(name)?.render(&view)?;
            files.add(format!("core/src/generated/{name}.rs"), text)?;
        }
        Ok(files)
    }
}

/// Doc lines as they follow `///`, blank included.
fn doc_lines(docs: &Docs, api: &Api) -> Vec<String> {
    let lines = docs::render(docs, api, &rustdoc::Rustdoc);
    lines
        .into_iter()
        .map(|line| {
            if line.is_empty() {
                line
            } else {
                format!(" {line}")
            }
        })
        .collect()
}
