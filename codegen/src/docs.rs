//! Docs of the spec: Markdown with links like `[Tensor.reshape]`, printed in the manner of each language.
//!
//! A backend supplies a [`Style`]: what a link and a code span look like there. Links were checked
//! when the spec was resolved, so that none is left dangling.

use crate::ir::{
    Alias, Api, Argument, Callback, Dictionary, Docs, Enum, EnumValue, Function, Interface,
    Property,
};

/// How one language writes the parts of a doc comment.
pub trait Style {
    /// A link to a declaration; `text` is how the spec wrote it.
    fn link(&self, target: Target<'_>, text: &str) -> String;

    /// A code span, backticks included. By default as in the spec.
    fn code(&self, code: &str) -> String {
        format!("`{code}`")
    }

    /// Plain text. By default as in the spec.
    fn text(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// Prints docs line by line; blank lines at both ends are dropped.
pub fn render(docs: &Docs, api: &Api, style: &dyn Style) -> Vec<String> {
    let mut in_fence = false;
    let mut lines: Vec<String> = Vec::new();
    for line in &docs.lines {
        let is_fence = line.trim_start().starts_with("```");
        let verbatim = in_fence || is_fence;
        in_fence ^= is_fence;
        lines.push(if verbatim {
            line.clone()
        } else {
            render_line(line, api, style)
        });
    }
    let first = lines
        .iter()
        .position(|line| !line.trim().is_empty())
        .unwrap_or(lines.len());
    let last = lines
        .iter()
        .rposition(|line| !line.trim().is_empty())
        .map_or(first, |last| last + 1);
    lines.drain(first..last).collect()
}

fn render_line(line: &str, api: &Api, style: &dyn Style) -> String {
    pieces(line)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => style.text(text),
            Piece::Code(code) => style.code(code),
            Piece::Link(path) => match Target::find(api, path) {
                Some(target) => style.link(target, path),
                None => format!("[{path}]"),
            },
        })
        .collect()
}

/// What a link leads to.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// A class.
    Interface(&'a Interface),
    /// An attribute of a class.
    Property(&'a Interface, &'a Property),
    /// A method or a static of a class.
    Method(&'a Interface, &'a Function),
    /// A free function.
    Function(&'a Function),
    /// An enumeration.
    Enum(&'a Enum),
    /// A value of an enumeration.
    EnumValue(&'a Enum, &'a EnumValue),
    /// A dictionary.
    Dictionary(&'a Dictionary),
    /// A member of a dictionary.
    Member(&'a Dictionary, &'a Argument),
    /// A callback.
    Callback(&'a Callback),
    /// A named type.
    Alias(&'a Alias),
}

impl<'a> Target<'a> {
    /// The declaration that a path like `Tensor.reshape` or `copy` names.
    pub fn find(api: &'a Api, path: &str) -> Option<Target<'a>> {
        match path.split_once('.') {
            Some((owner, member)) => Target::find_member(api, owner, member),
            None => api
                .interface(path)
                .map(Target::Interface)
                .or_else(|| api.enumeration(path).map(Target::Enum))
                .or_else(|| api.dictionary(path).map(Target::Dictionary))
                .or_else(|| api.callback(path).map(Target::Callback))
                .or_else(|| {
                    api.functions
                        .iter()
                        .find(|f| f.path() == path)
                        .map(Target::Function)
                })
                .or_else(|| {
                    api.aliases
                        .iter()
                        .find(|a| a.name.as_spec() == path)
                        .map(Target::Alias)
                }),
        }
    }

    fn find_member(api: &'a Api, owner: &str, member: &str) -> Option<Target<'a>> {
        if api.namespaces.iter().any(|of| of.name.as_spec() == owner) {
            let path = format!("{owner}.{member}");
            let functions = api.functions.iter();
            return functions
                .clone()
                .find(|function| function.path() == path)
                .map(Target::Function);
        }
        if let Some(class) = api.interface(owner) {
            let property = class.properties.iter().find(|p| p.name.as_spec() == member);
            let method = class
                .methods
                .iter()
                .chain(&class.statics)
                .find(|f| f.name.as_spec() == member);
            return property
                .map(|p| Target::Property(class, p))
                .or(method.map(|m| Target::Method(class, m)));
        }
        if let Some(choice) = api.enumeration(owner) {
            return choice
                .values
                .iter()
                .find(|v| v.value == member)
                .map(|v| Target::EnumValue(choice, v));
        }
        let data = api.dictionary(owner)?;
        data.members
            .iter()
            .find(|m| m.name.as_spec() == member)
            .map(|m| Target::Member(data, m))
    }
}

/// A part of a line of docs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Anything else.
    Text(&'a str),
    /// What stands between backticks.
    Code(&'a str),
    /// The path of a link, without its brackets.
    Link(&'a str),
}

/// Splits a line at its code spans and links. A bracket that holds no path, or is the text of an
/// ordinary Markdown link, is text.
pub fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    while let Some(found) = line[at..].find(['`', '[']).map(|offset| at + offset) {
        let special = if line[found..].starts_with('`') {
            code_span(line, found)
        } else {
            link(line, found)
        };
        let Some((piece, end)) = special else {
            at = found + 1;
            continue;
        };
        if text_from < found {
            pieces.push(Piece::Text(&line[text_from..found]));
        }
        pieces.push(piece);
        text_from = end;
        at = end;
    }
    if text_from < line.len() {
        pieces.push(Piece::Text(&line[text_from..]));
    }
    pieces
}

fn code_span(line: &str, start: usize) -> Option<(Piece<'_>, usize)> {
    let inside = &line[start + 1..];
    let length = inside.find('`')?;
    Some((Piece::Code(&inside[..length]), start + length + 2))
}

fn link(line: &str, start: usize) -> Option<(Piece<'_>, usize)> {
    let inside = &line[start + 1..];
    let length = inside.find(']')?;
    let path = &inside[..length];
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_path = path.split('.').count() <= 2 && path.split('.').all(is_word);
    let is_markdown = inside[length + 1..].starts_with(['(', '[', ':']);
    (is_path && !is_markdown).then_some((Piece::Link(path), start + length + 2))
}

/// Whether a code span is the name of a member that languages spell differently, such as `allowCopy`.
pub fn is_member_name(code: &str) -> bool {
    code.starts_with(|c: char| c.is_ascii_lowercase())
        && code.contains(|c: char| c.is_ascii_uppercase())
        && code.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::Piece::{Code, Link, Text};
    use super::*;

    #[test]
    fn a_line_is_split_at_code_and_links() {
        assert_eq!(
            pieces("See [Tensor.view] and `a[0]` of [copy]."),
            [
                Text("See "),
                Link("Tensor.view"),
                Text(" and "),
                Code("a[0]"),
                Text(" of "),
                Link("copy"),
                Text(".")
            ]
        );
    }

    #[test]
    fn brackets_without_a_path_are_text() {
        for line in [
            "in [0, 1)",
            "[a b]",
            "[text](https://example.org)",
            "an [open",
            "a ` alone",
            "[1]",
            "[a.b.c]",
            "[]",
        ] {
            assert_eq!(pieces(line), [Text(line)]);
        }
    }

    #[test]
    fn fences_are_verbatim_and_blank_ends_are_dropped() {
        struct Loud;
        impl Style for Loud {
            fn link(&self, _: Target<'_>, text: &str) -> String {
                text.to_owned()
            }
            fn code(&self, code: &str) -> String {
                code.to_uppercase()
            }
        }
        let lines = ["", "use `x`", "```", "`x`", "```", ""]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(
            render(
                &Docs {
                    lines,
                    examples: Vec::new()
                },
                &Api::default(),
                &Loud
            ),
            ["use X", "```", "`x`", "```"]
        );
    }
}
