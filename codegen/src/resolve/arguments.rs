//! Arguments: their order, their defaults, their docs.

use super::Resolver;
use super::attributes::Target;
use super::documentation::Parts;
use super::types::Place;
use crate::diagnostic::Problem;
use crate::ir::{self, Literal, Type};
use crate::syntax::ast;

impl Resolver<'_> {
    /// Arguments of an operation, a constructor or a callback, with their docs from `@param`.
    pub(super) fn arguments(
        &mut self,
        list: &[ast::Argument],
        parts: Parts,
        place: Place,
        owner: &str,
    ) -> Vec<ir::Argument> {
        self.check_unique("the argument", list.iter().map(|argument| &argument.name));
        for param in &parts.params {
            if !list
                .iter()
                .any(|argument| argument.name.text == param.name.text)
            {
                let message = format!("`@param {}` names no argument of {owner}", param.name.text);
                let problem = Problem::new(param.name.span, message);
                self.problem(problem.did_you_mean(
                    &param.name.text,
                    list.iter().map(|argument| argument.name.text.as_str()),
                ));
            }
        }
        self.check_unique("the `@param`", parts.params.iter().map(|param| &param.name));
        let mut arguments = Vec::new();
        for (index, argument) in list.iter().enumerate() {
            let resolved = self.argument(argument, place, &parts, owner);
            let is_dictionary = matches!(resolved.ty.resolved(), Type::Dictionary(_));
            if is_dictionary && (index + 1 < list.len() || !argument.optional) {
                let problem = Problem::new(
                    argument.name.span,
                    format!(
                        "the dictionary `{}` must be last and optional",
                        argument.name.text
                    ),
                );
                self.problem(problem.hint("write `optional … = {}` at the end"));
            }
            if let Type::Dictionary(dictionary) = resolved.ty.resolved() {
                self.check_members_apart(dictionary, argument, list);
            }
            arguments.push(resolved);
        }
        self.check_order(list, place);
        arguments
    }

    fn argument(
        &mut self,
        argument: &ast::Argument,
        place: Place,
        parts: &Parts,
        owner: &str,
    ) -> ir::Argument {
        self.check_member_name(&argument.name);
        let found = self.attributes(&argument.attributes, Target::Argument);
        let ty = self.ty(&argument.ty, place);
        if found.borrow && !matches!(ty.non_null().0.resolved(), Type::Bytes) {
            let problem = Problem::new(
                argument.name.span,
                format!("`[Borrow]` on `{}`, which is not bytes", argument.name.text),
            );
            self.problem(problem.hint("it stands on a `BufferSource`"));
        }
        let docs = parts
            .params
            .iter()
            .find(|param| param.name.text == argument.name.text)
            .map(|param| param.docs.clone());
        // A dictionary speaks for itself.
        if docs.is_none() && !matches!(ty, Type::Dictionary(_)) {
            let message = format!("argument `{}` of {owner} has no docs", argument.name.text);
            self.problem(Problem::new(argument.name.span, message).hint(format!(
                "write `/// @param {}  …` above",
                argument.name.text
            )));
        }
        self.check_default(argument, &ty);
        ir::Argument {
            name: self.name(&argument.name),
            docs: docs.unwrap_or_default(),
            attributes: found.attributes,
            optional: argument.optional,
            default: argument
                .default
                .as_ref()
                .map(|default| default.value.clone()),
            borrow: found.borrow,
            position: self.sources.position(argument.name.span),
            ty,
        }
    }

    /// A member of a dictionary: like an optional argument, with docs of its own.
    pub(super) fn member(&mut self, member: &ast::Argument, dictionary: &str) -> ir::Argument {
        self.check_member_name(&member.name);
        let found = self.attributes(&member.attributes, Target::DictionaryMember);
        let ty = self.ty(&member.ty, Place::DictionaryMember);
        let what = format!("`{dictionary}.{}`", member.name.text);
        let docs = self.docs(&member.docs, &what, member.name.span);
        self.check_default(member, &ty);
        let is_object = matches!(ty.non_null().0.resolved(), Type::Interface(_));
        if let Some(default) = member
            .default
            .as_ref()
            .filter(|default| is_object && matches!(default.value, Literal::String(_)))
        {
            let problem = Problem::new(default.span, format!("{what} cannot default to an object"));
            self.problem(problem.hint("make it `T?` and default to `null`"));
        }
        ir::Argument {
            name: self.name(&member.name),
            docs,
            attributes: found.attributes,
            optional: true,
            default: member.default.as_ref().map(|default| default.value.clone()),
            borrow: false,
            position: self.sources.position(member.name.span),
            ty,
        }
    }

    /// Members become keywords beside the other arguments: no two may share a name.
    fn check_members_apart(
        &mut self,
        dictionary: &str,
        argument: &ast::Argument,
        list: &[ast::Argument],
    ) {
        let members = self
            .names
            .get(dictionary)
            .map(|declared| declared.values.clone())
            .unwrap_or_default();
        for other in list
            .iter()
            .filter(|other| other.name != argument.name && members.contains(&other.name.text))
        {
            let message = format!(
                "`{}` is an argument and a member of `{dictionary}`",
                other.name.text
            );
            self.problem(
                Problem::new(other.name.span, message)
                    .hint("members become keywords beside it: choose another name"),
            );
        }
    }

    fn check_order(&mut self, list: &[ast::Argument], place: Place) {
        let first_optional = list.iter().find(|argument| argument.optional);
        if let (Place::CallbackArgument, Some(optional)) = (place, first_optional) {
            let problem = Problem::new(optional.name.span, "a callback has no optional arguments");
            return self.problem(problem.hint("it is called with all of them"));
        }
        let Some(from) = list.iter().position(|argument| argument.optional) else {
            return;
        };
        for argument in list[from..].iter().filter(|argument| !argument.optional) {
            let message = format!(
                "`{}` is required, but stands after optional arguments",
                argument.name.text
            );
            let problem = Problem::new(argument.name.span, message)
                .related(list[from].name.span, "the first optional one");
            self.problem(problem.hint("required arguments come first"));
        }
    }
}
