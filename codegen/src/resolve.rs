//! What the spec means: names looked up, parts put together, and every rule of the house checked.
//!
//! A mistake is reported and the rest is resolved as if it were not there, so that one run shows all
//! of them; the [`ir::Api`] is only used when there were none.

use std::collections::BTreeMap;

use crate::diagnostic::{Problem, Sources, Span};
use crate::ir;
use crate::syntax::ast;

mod arguments;
mod attributes;
mod classes;
mod data;
mod defaults;
mod documentation;
mod types;

use documentation::Link;

/// Resolves the declarations of all files, in their order.
pub fn resolve(sources: &Sources, definitions: Vec<ast::Definition>) -> (ir::Api, Vec<Problem>) {
    let mut resolver = Resolver {
        sources,
        names: BTreeMap::new(),
        aliases: BTreeMap::new(),
        links: Vec::new(),
        problems: Vec::new(),
    };
    let definitions = resolver.collect(definitions);
    resolver.declare_aliases(&definitions);
    resolver.mark_callbacks(&definitions);
    let mut api = ir::Api::default();
    for definition in &definitions {
        resolver.definition(definition, &mut api);
    }
    resolver.check_links(&api);
    (api, resolver.problems)
}

struct Resolver<'a> {
    sources: &'a Sources,
    /// Every type of the spec: what it is and where.
    names: BTreeMap<String, Declared>,
    /// Aliases that are resolved.
    aliases: BTreeMap<String, ir::Type>,
    /// Links in docs, checked when everything is known.
    links: Vec<Link>,
    problems: Vec<Problem>,
}

/// What a name of the spec stands for.
#[derive(Debug, Clone)]
struct Declared {
    kind: Kind,
    span: Span,
    /// Values of an enum, names of a dictionary's members.
    values: Vec<String>,
    /// Whether a dictionary holds a callback and can only be passed in.
    has_callback: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Interface,
    Namespace,
    Dictionary,
    Enum,
    Callback,
    Alias,
}

impl Resolver<'_> {
    /// Learns every name, and puts `partial` declarations into the ones they belong to.
    fn collect(&mut self, definitions: Vec<ast::Definition>) -> Vec<ast::Definition> {
        let (partial, mut whole): (Vec<_>, Vec<_>) =
            definitions.into_iter().partition(|d| d.partial.is_some());
        whole.iter().for_each(|definition| self.declare(definition));
        for part in partial {
            let same = |d: &&mut ast::Definition| {
                d.name.text == part.name.text
                    && std::mem::discriminant(&d.kind) == std::mem::discriminant(&part.kind)
            };
            match whole.iter_mut().find(same) {
                Some(base) => join(base, part.kind),
                None => {
                    let word = if matches!(part.kind, ast::DefinitionKind::Interface(_)) {
                        "interface"
                    } else {
                        "namespace"
                    };
                    let message = format!("`{}` is only ever `partial`", part.name.text);
                    self.problem(
                        Problem::new(part.name.span, message)
                            .hint(format!("one file declares `{word} {}`", part.name.text)),
                    );
                }
            }
        }
        whole
    }

    fn declare(&mut self, definition: &ast::Definition) {
        let ast::Ident { text, span } = &definition.name;
        if let Some(first) = self.names.get(text) {
            let problem = Problem::new(*span, format!("`{text}` is declared twice"))
                .related(first.span, "declared here first");
            return self.problem(problem);
        }
        let (kind, values) = match &definition.kind {
            ast::DefinitionKind::Interface(_) => (Kind::Interface, Vec::new()),
            ast::DefinitionKind::Namespace(_) => (Kind::Namespace, Vec::new()),
            ast::DefinitionKind::Dictionary(members) => (
                Kind::Dictionary,
                members
                    .iter()
                    .map(|member| member.name.text.clone())
                    .collect(),
            ),
            ast::DefinitionKind::Enum(values) => (
                Kind::Enum,
                values.iter().map(|v| v.value.text.clone()).collect(),
            ),
            ast::DefinitionKind::Callback { .. } => (Kind::Callback, Vec::new()),
            ast::DefinitionKind::Typedef(_) => (Kind::Alias, Vec::new()),
        };
        self.names.insert(
            text.clone(),
            Declared {
                kind,
                span: *span,
                values,
                has_callback: false,
            },
        );
    }

    fn definition(&mut self, definition: &ast::Definition, api: &mut ir::Api) {
        if !matches!(definition.kind, ast::DefinitionKind::Namespace(_)) {
            self.check_type_name(&definition.name);
        }
        match &definition.kind {
            ast::DefinitionKind::Interface(members) => {
                api.interfaces.push(self.interface(definition, members))
            }
            ast::DefinitionKind::Namespace(members) => self.namespace(definition, members, api),
            ast::DefinitionKind::Dictionary(members) => {
                api.dictionaries.push(self.dictionary(definition, members))
            }
            ast::DefinitionKind::Enum(values) => {
                api.enums.push(self.enumeration(definition, values))
            }
            ast::DefinitionKind::Callback { returns, arguments } => {
                api.callbacks
                    .push(self.callback(definition, returns, arguments));
            }
            ast::DefinitionKind::Typedef(_) => api.aliases.push(self.alias(definition)),
        }
    }

    fn check_type_name(&mut self, name: &ast::Ident) {
        let pascal = ir::Name(name.text.clone()).pascal();
        if name.text != pascal {
            self.problem(
                Problem::new(name.span, format!("`{}` is not PascalCase", name.text))
                    .hint(format!("write `{pascal}`")),
            );
        }
    }

    fn check_member_name(&mut self, name: &ast::Ident) {
        let camel = ir::Name(name.text.clone()).camel();
        if name.text != camel {
            self.problem(
                Problem::new(name.span, format!("`{}` is not camelCase", name.text))
                    .hint(format!("write `{camel}`")),
            );
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn name(&self, name: &ast::Ident) -> ir::Name {
        ir::Name(name.text.clone())
    }

    /// Reports a name that occurs twice in one list.
    fn check_unique<'n>(&mut self, what: &str, names: impl IntoIterator<Item = &'n ast::Ident>) {
        let mut seen: BTreeMap<String, Span> = BTreeMap::new();
        for name in names {
            // Names that differ in case only would be one name in some language.
            let key = ir::Name(name.text.clone()).snake();
            if let Some(first) = seen.get(&key) {
                let message = format!("{what} `{}` is declared twice", name.text);
                self.problem(
                    Problem::new(name.span, message).related(*first, "declared here first"),
                );
            } else {
                seen.insert(key, name.span);
            }
        }
    }
}

/// Adds the members of a partial declaration.
fn join(base: &mut ast::Definition, part: ast::DefinitionKind) {
    use ast::DefinitionKind::{Interface, Namespace};
    if let (Interface(members), Interface(more)) | (Namespace(members), Namespace(more)) =
        (&mut base.kind, part)
    {
        members.extend(more);
    }
}
