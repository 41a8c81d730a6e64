//! The API reference: one Markdown page for each spec file, and an index.
//!
//! Documentation is one more language: a declaration is shown in the spelling of each of them.

use std::collections::BTreeMap;

use minijinja::context;

use super::{Backend, Error, Files, Support, header, template};
use crate::ir::Api;

mod links;
mod spelling;
mod view;
mod words;

/// Prints `docs/reference`.
pub struct Markdown;

const TEMPLATES: &[(&str, &str)] = &[
    ("page", include_str!("../../templates/markdown/page.md.j2")),
    (
        "index",
        include_str!("../../templates/markdown/index.md.j2"),
    ),
];

impl Backend for Markdown {
    fn name(&self) -> &str {
        "markdown"
    }

    fn supports(&self) -> Support {
        Support::all(None)
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let engine = template::environment(TEMPLATES)?;
        let mut files = Files::new();
        let mut pages: BTreeMap<String, view::Page> = BTreeMap::new();
        view::fill(api, &mut pages);
        for (concept, page) in &pages {
            let view = context! { header => header(concept), page => template::view(page) };
            let text = engine.get_template("page")?.render(view)?;
            files.add(format!("docs/reference/{concept}.md"), tidy(&text))?;
        }
        let about = links::docs(&api.docs, api, "README");
        let view = context! { header => header("*"), about, pages => template::view(pages.values().collect::<Vec<_>>()) };
        let text = engine.get_template("index")?.render(view)?;
        files.add("docs/reference/README.md", tidy(&text))?;
        Ok(files)
    }
}

/// One blank line wherever the templates left several.
fn tidy(text: &str) -> String {
    let mut tidy = String::new();
    for line in text.lines() {
        if !(line.is_empty() && tidy.ends_with("\n\n")) {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy
}
