//! Links between the pages, and docs as Markdown.

use crate::docs::{self, Style, Target};
use crate::ir::{Api, Docs, Position};

/// Docs as Markdown text for a page.
pub fn docs(docs: &Docs, api: &Api, page: &str) -> String {
    docs::render(docs, api, &Links { page }).join("\n")
}

/// Docs on one line, for the cell of a table.
pub fn cell(docs: &Docs, api: &Api, page: &str) -> String {
    self::docs(docs, api, page)
        .replace('\n', " ")
        .replace('|', "\\|")
}

/// The page that a declaration stands on.
pub fn page(position: &Position) -> &str {
    position
        .file
        .strip_suffix(".webidl")
        .unwrap_or(&position.file)
}

/// A link from one page to a heading of another.
pub fn link(text: &str, heading: &str, target: &Position, from: &str) -> String {
    // GitHub's rule: lower case, punctuation dropped.
    let anchor: String = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == '_')
        .collect::<String>()
        .to_lowercase();
    let page = page(target);
    if page == from {
        format!("[{text}](#{anchor})")
    } else {
        format!("[{text}]({page}.md#{anchor})")
    }
}

struct Links<'a> {
    page: &'a str,
}

impl Style for Links<'_> {
    fn link(&self, target: Target<'_>, text: &str) -> String {
        let (heading, position) = match target {
            Target::Interface(class) => (class.name.as_spec().to_owned(), &class.position),
            Target::Property(class, property) => (
                format!("{}.{}", class.name.as_spec(), property.name.as_spec()),
                &property.position,
            ),
            Target::Method(class, method) => (
                format!("{}.{}", class.name.as_spec(), method.name.as_spec()),
                &method.position,
            ),
            Target::Function(function) => (function.path(), &function.position),
            // Values and members stand in the table of the type they belong to.
            Target::Enum(choice) | Target::EnumValue(choice, _) => {
                (choice.name.as_spec().to_owned(), &choice.position)
            }
            Target::Dictionary(data) | Target::Member(data, _) => {
                (data.name.as_spec().to_owned(), &data.position)
            }
            Target::Callback(callback) => (callback.name.as_spec().to_owned(), &callback.position),
            Target::Alias(alias) => (alias.name.as_spec().to_owned(), &alias.position),
        };
        link(&format!("`{text}`"), &heading, position, self.page)
    }
}
