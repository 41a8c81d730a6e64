//! Docs: required on every declaration, `@param` for every argument, links that lead somewhere.

use super::Resolver;
use crate::diagnostic::{Problem, Span};
use crate::docs::{Piece, Target, pieces};
use crate::ir;
use crate::syntax::ast;

/// A link in the docs.
#[derive(Debug)]
pub(super) struct Link {
    path: String,
    span: Span,
}

/// Docs with the `@param` parts taken out.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub docs: ir::Docs,
    pub params: Vec<Param>,
}

/// The docs of one argument.
#[derive(Debug)]
pub(super) struct Param {
    pub name: ast::Ident,
    pub docs: ir::Docs,
}

impl Resolver<'_> {
    /// Docs of a declaration without arguments. `what` names it in messages.
    pub(super) fn docs(&mut self, docs: &ast::Docs, what: &str, span: Span) -> ir::Docs {
        let parts = self.docs_with_params(docs, what, span);
        for param in parts.params {
            let message = format!("`@param {}` names no argument of {what}", param.name.text);
            self.problem(Problem::new(param.name.span, message).hint("it has no arguments"));
        }
        parts.docs
    }

    /// Docs of a declaration whose arguments are described by `@param`.
    pub(super) fn docs_with_params(&mut self, docs: &ast::Docs, what: &str, span: Span) -> Parts {
        let mut parts = Parts::default();
        let mut lines = docs.lines.iter();
        while let Some(line) = lines.next() {
            let fence = line.text.strip_prefix("```");
            if let Some(language) = fence.and_then(ir::Language::of_fence) {
                let mut program = Vec::new();
                let end = lines.by_ref().find(|line| {
                    program.push(line.text.clone());
                    line.text == "```"
                });
                if end.is_none() {
                    let problem = Problem::new(line.span, "this program has no end");
                    self.problem(problem.hint("close it with a line of three backticks"));
                }
                program.pop();
                parts.docs.examples.push(ir::Example {
                    language,
                    lines: program,
                });
                continue;
            }
            self.collect_links(line);
            if line.text.starts_with('@') {
                parts.params.extend(self.param(line));
            } else if let Some(param) = parts.params.last_mut() {
                param.docs.lines.push(line.text.trim_start().to_owned());
            } else {
                parts.docs.lines.push(line.text.clone());
            }
        }
        for lines in std::iter::once(&mut parts.docs.lines)
            .chain(parts.params.iter_mut().map(|param| &mut param.docs.lines))
        {
            let end = lines
                .iter()
                .rposition(|line| !line.is_empty())
                .map_or(0, |last| last + 1);
            lines.truncate(end);
        }
        if parts.docs.lines.is_empty() {
            self.problem(
                Problem::new(span, format!("{what} has no docs"))
                    .hint("write a `///` line above it"),
            );
        }
        for param in &parts.params {
            if param.docs.lines.iter().all(|line| line.is_empty()) {
                let message = format!("`@param {}` says nothing", param.name.text);
                self.problems.push(
                    Problem::new(param.name.span, message)
                        .hint("describe the argument after its name"),
                );
            }
        }
        parts
    }

    fn param(&mut self, line: &ast::Ident) -> Option<Param> {
        let tag = line.text.split_whitespace().next().unwrap_or_default();
        if tag != "@param" {
            let span = Span {
                end: line.span.start + tag.len(),
                ..line.span
            };
            self.problem(
                Problem::new(span, format!("`{tag}` is no tag"))
                    .hint("the only one is `@param name  text`"),
            );
            return None;
        }
        let rest = line.text[tag.len()..].trim_start();
        let name = rest.split_whitespace().next().unwrap_or_default();
        let start = line.span.start + (line.text.len() - rest.len());
        let span = Span {
            start,
            end: start + name.len().max(1),
            ..line.span
        };
        if name.is_empty() {
            self.problem(
                Problem::new(line.span, "`@param` names no argument")
                    .hint("write `@param name  text`"),
            );
            return None;
        }
        let text = rest[name.len()..].trim().to_owned();
        Some(Param {
            name: ast::Ident {
                text: name.to_owned(),
                span,
            },
            docs: ir::Docs {
                lines: vec![text],
                examples: Vec::new(),
            },
        })
    }

    fn collect_links(&mut self, line: &ast::Ident) {
        for piece in pieces(&line.text) {
            if let Piece::Link(path) = piece {
                let start =
                    line.span.start + (path.as_ptr() as usize - line.text.as_ptr() as usize);
                let span = Span {
                    start,
                    end: start + path.len(),
                    ..line.span
                };
                self.links.push(Link {
                    path: path.to_owned(),
                    span,
                });
            }
        }
    }

    /// Reports links that lead nowhere.
    pub(super) fn check_links(&mut self, api: &ir::Api) {
        for link in std::mem::take(&mut self.links) {
            if Target::find(api, &link.path).is_some() {
                continue;
            }
            let known = paths(api);
            let problem = Problem::new(link.span, format!("`[{}]` links to nothing", link.path));
            let problem = problem.hint("a link is `[Class.member]`, `[Type]` or `[function]`; other brackets go into backticks");
            self.problem(problem.did_you_mean(&link.path, known.iter().map(String::as_str)));
        }
    }
}

/// Every path a link can have.
fn paths(api: &ir::Api) -> Vec<String> {
    let mut paths = Vec::new();
    for class in &api.interfaces {
        let name = class.name.as_spec();
        paths.push(name.to_owned());
        paths.extend(
            class
                .properties
                .iter()
                .map(|p| format!("{name}.{}", p.name.as_spec())),
        );
        paths.extend(
            class
                .methods
                .iter()
                .chain(&class.statics)
                .map(|f| format!("{name}.{}", f.name.as_spec())),
        );
    }
    for dictionary in &api.dictionaries {
        paths.push(dictionary.name.0.clone());
        paths.extend(
            dictionary
                .members
                .iter()
                .map(|m| format!("{}.{}", dictionary.name.as_spec(), m.name.as_spec())),
        );
    }
    paths.extend(api.enums.iter().map(|e| e.name.0.clone()));
    paths.extend(api.enums.iter().flat_map(|e| {
        e.values
            .iter()
            .map(move |v| format!("{}.{}", e.name.as_spec(), v.value))
    }));
    paths.extend(api.callbacks.iter().map(|c| c.name.0.clone()));
    paths.extend(api.aliases.iter().map(|a| a.name.0.clone()));
    paths.extend(api.functions.iter().map(ir::Function::path));
    paths
}
