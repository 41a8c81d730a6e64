//! Arguments: their order, their defaults, their docs.

use super::attributes::Target;
use super::documentation::Parts;
use super::types::Place;
use super::{Kind, Resolver};
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

    fn check_default(&mut self, argument: &ast::Argument, ty: &Type) {
        let name = &argument.name;
        match &argument.default {
            None if argument.optional => {
                let problem = Problem::new(name.span, format!("`{}` has no default", name.text));
                self.problem(problem.hint(
                    "what may be missing has a default: a value, or `null` for a type with `?`",
                ));
            }
            None => {}
            Some(default) => {
                if let Err(why) = self.fits(&default.value, ty) {
                    let problem = Problem::new(
                        default.span,
                        format!("this is no default for `{}`", name.text),
                    );
                    self.problem(match why {
                        Misfit::Wanted(wanted) => problem.hint(format!("expected {wanted}")),
                        Misfit::NoValue(value, values) => {
                            let known: Vec<&str> = values.iter().map(String::as_str).collect();
                            problem
                                .hint("not a value of the enum")
                                .did_you_mean(&value, known)
                        }
                    });
                }
            }
        }
    }

    fn fits(&self, literal: &Literal, ty: &Type) -> Result<(), Misfit> {
        match (ty, literal) {
            (Type::Alias { target, .. }, _) => self.fits(literal, target),
            (Type::Nullable(_), Literal::Null) | (Type::Any, _) => Ok(()),
            (Type::Nullable(inner), _) => self.fits(literal, inner),
            (Type::Union(members), _) => {
                let tried: Result<Vec<()>, Misfit> = members
                    .iter()
                    .map(|member| flip(self.fits(literal, member)))
                    .collect();
                match tried {
                    Ok(_) => Err(Misfit::Wanted(
                        "a value of one of the union's members".to_owned(),
                    )),
                    // A member took it.
                    Err(_) => Ok(()),
                }
            }
            (Type::Boolean, Literal::Boolean(_)) => Ok(()),
            (Type::Boolean, _) => Err(Misfit::wanted("`true` or `false`")),
            (Type::Integer { signed, bits }, Literal::Integer(value)) => {
                let (least, most) = bounds(*signed, *bits);
                let fits = (least..=most).contains(&i128::from(*value));
                if fits {
                    Ok(())
                } else {
                    Err(Misfit::Wanted(format!(
                        "a whole number from {least} to {most}"
                    )))
                }
            }
            (Type::Integer { .. }, _) => Err(Misfit::wanted("a whole number")),
            (Type::Double, Literal::Integer(_) | Literal::Double(_)) => Ok(()),
            (Type::Double, _) => Err(Misfit::wanted("a number")),
            (Type::String, Literal::String(_)) => Ok(()),
            (Type::String, _) => Err(Misfit::wanted("a text in quotes")),
            (Type::Enum(name), Literal::String(value)) => {
                let values = self
                    .names
                    .get(name)
                    .filter(|d| d.kind == Kind::Enum)
                    .map(|d| d.values.clone())
                    .unwrap_or_default();
                if values.contains(value) {
                    Ok(())
                } else {
                    Err(Misfit::NoValue(value.clone(), values))
                }
            }
            (Type::Enum(_), _) => Err(Misfit::wanted("a value of the enum in quotes")),
            (Type::Sequence(_), Literal::EmptySequence) => Ok(()),
            (Type::Sequence(_), _) => Err(Misfit::wanted("`[]`")),
            (Type::Dictionary(_), Literal::EmptyDictionary) => Ok(()),
            (Type::Dictionary(_), _) => Err(Misfit::wanted("`{}`")),
            _ => Err(Misfit::wanted(
                "a type with `?` and `null`: this type has no literals",
            )),
        }
    }
}

/// Why a literal does not fit.
enum Misfit {
    Wanted(String),
    NoValue(String, Vec<String>),
}

impl Misfit {
    fn wanted(what: &str) -> Misfit {
        Misfit::Wanted(what.to_owned())
    }
}

/// Makes the first success end an iteration.
fn flip(fit: Result<(), Misfit>) -> Result<(), Misfit> {
    match fit {
        Ok(()) => Err(Misfit::wanted("")),
        Err(_) => Ok(()),
    }
}

/// The least and the greatest value of an integer type.
fn bounds(signed: bool, bits: u8) -> (i128, i128) {
    if signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn bounds_are_those_of_the_rust_types() {
        assert_eq!(bounds(true, 64), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(bounds(false, 64), (0, u64::MAX.into()));
        assert_eq!(bounds(false, 8), (0, 255));
    }
}
