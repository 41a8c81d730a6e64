//! Declarations without behaviour: dictionaries, enums, callbacks and typedefs.

use std::collections::BTreeMap;

use super::attributes::Target;
use super::types::Place;
use super::{Kind, Resolver};
use crate::diagnostic::Problem;
use crate::naming;
use crate::{ir, syntax::ast};

impl Resolver<'_> {
    pub(super) fn dictionary(
        &mut self,
        definition: &ast::Definition,
        members: &[ast::Argument],
    ) -> ir::Dictionary {
        let name = &definition.name;
        let docs = self.docs(&definition.docs, &format!("`{}`", name.text), name.span);
        let attributes = self
            .attributes(&definition.attributes, Target::Dictionary)
            .attributes;
        if members.is_empty() {
            self.problem(Problem::new(
                name.span,
                format!("`{}` has no members", name.text),
            ));
        }
        self.check_unique("the member", members.iter().map(|member| &member.name));
        let members = members
            .iter()
            .map(|member| self.member(member, &name.text))
            .collect();
        ir::Dictionary {
            name: self.name(name),
            docs,
            attributes,
            members,
            position: self.sources.position(name.span),
        }
    }

    pub(super) fn enumeration(
        &mut self,
        definition: &ast::Definition,
        values: &[ast::EnumValue],
    ) -> ir::Enum {
        let name = &definition.name;
        let docs = self.docs(&definition.docs, &format!("`{}`", name.text), name.span);
        let attributes = self
            .attributes(&definition.attributes, Target::Data)
            .attributes;
        if values.is_empty() {
            self.problem(Problem::new(
                name.span,
                format!("`{}` has no values", name.text),
            ));
        }
        let mut variants: BTreeMap<String, &ast::Ident> = BTreeMap::new();
        for ast::EnumValue { value, .. } in values {
            let variant = naming::variant(&value.text);
            if !variant.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let problem =
                    Problem::new(value.span, format!("`\"{}\"` cannot be a name", value.text));
                self.problem(problem.hint("a value begins with a letter"));
            } else if let Some(first) = variants.get(&variant) {
                let problem = Problem::new(
                    value.span,
                    format!("the value `\"{}\"` is declared twice", value.text),
                );
                self.problem(problem.related(first.span, "declared here first"));
            } else {
                variants.insert(variant, value);
            }
        }
        let mut resolved = Vec::new();
        for ast::EnumValue { docs, value } in values {
            let docs = self.docs(docs, &format!("the value `\"{}\"`", value.text), value.span);
            resolved.push(ir::EnumValue {
                value: value.text.clone(),
                docs,
            });
        }
        ir::Enum {
            name: self.name(name),
            docs,
            attributes,
            values: resolved,
            position: self.sources.position(name.span),
        }
    }

    pub(super) fn callback(
        &mut self,
        definition: &ast::Definition,
        returns: &ast::Type,
        arguments: &[ast::Argument],
    ) -> ir::Callback {
        let name = &definition.name;
        let owner = format!("`{}`", name.text);
        let parts = self.docs_with_params(&definition.docs, &owner, name.span);
        let docs = parts.docs.clone();
        let attributes = self
            .attributes(&definition.attributes, Target::Data)
            .attributes;
        let arguments = self.arguments(arguments, parts, Place::CallbackArgument, &owner);
        let returns = self.ty(returns, Place::CallbackResult);
        ir::Callback {
            name: self.name(name),
            docs,
            attributes,
            arguments,
            returns,
            position: self.sources.position(name.span),
        }
    }

    pub(super) fn alias(&mut self, definition: &ast::Definition) -> ir::Alias {
        let name = &definition.name;
        let docs = self.docs(&definition.docs, &format!("`{}`", name.text), name.span);
        let attributes = self
            .attributes(&definition.attributes, Target::Data)
            .attributes;
        let target = self
            .aliases
            .get(&name.text)
            .cloned()
            .unwrap_or(ir::Type::Any);
        ir::Alias {
            name: self.name(name),
            docs,
            attributes,
            target,
            position: self.sources.position(name.span),
        }
    }

    /// Resolves every typedef before anything uses one, those that others stand for first.
    pub(super) fn declare_aliases(&mut self, definitions: &[ast::Definition]) {
        let mut waiting: Vec<(&ast::Ident, &ast::Type)> = definitions
            .iter()
            .filter_map(|definition| match &definition.kind {
                ast::DefinitionKind::Typedef(ty) => Some((&definition.name, ty)),
                _ => None,
            })
            .collect();
        loop {
            let before = waiting.len();
            waiting.retain(|(name, ty)| {
                let ready = self
                    .aliases_in(ty)
                    .iter()
                    .all(|inner| self.aliases.contains_key(inner));
                if ready {
                    let target = self.ty(ty, Place::Alias);
                    self.aliases.insert(name.text.clone(), target);
                }
                !ready
            });
            if waiting.len() == before {
                break;
            }
        }
        if let Some((first, _)) = waiting.first() {
            let names: Vec<String> = waiting
                .iter()
                .map(|(name, _)| format!("`{}`", name.text))
                .collect();
            let problem = Problem::new(first.span, format!("`{}` stands for itself", first.text));
            self.problem(problem.hint(format!("the circle is among {}", names.join(", "))));
        }
    }

    /// Names of the typedefs that a type is made of.
    fn aliases_in(&self, ty: &ast::Type) -> Vec<String> {
        use ast::TypeKind::{FrozenArray, Named, Nullable, Record, Sequence, Union};
        match &ty.kind {
            Named(name) if self.names.get(name).is_some_and(|d| d.kind == Kind::Alias) => {
                vec![name.clone()]
            }
            Nullable(inner) | Sequence(inner) | FrozenArray(inner) => self.aliases_in(inner),
            Record(key, value) => [self.aliases_in(key), self.aliases_in(value)].concat(),
            Union(members) => members
                .iter()
                .flat_map(|member| self.aliases_in(member))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Notes which dictionaries hold callbacks.
    pub(super) fn mark_callbacks(&mut self, definitions: &[ast::Definition]) {
        for definition in definitions {
            let ast::DefinitionKind::Dictionary(members) = &definition.kind else {
                continue;
            };
            let has_callback = members.iter().any(|member| self.is_callback(&member.ty));
            if let Some(declared) = self.names.get_mut(&definition.name.text) {
                declared.has_callback = has_callback;
            }
        }
    }

    fn is_callback(&self, ty: &ast::Type) -> bool {
        match &ty.kind {
            ast::TypeKind::Nullable(inner) => self.is_callback(inner),
            ast::TypeKind::Named(name) => self
                .names
                .get(name)
                .is_some_and(|d| d.kind == Kind::Callback),
            _ => false,
        }
    }
}
