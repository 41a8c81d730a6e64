//! Types: names looked up, and each form allowed only where every language can have it.

use super::{Kind, Resolver};
use crate::diagnostic::{Problem, Span};
use crate::ir::Type;
use crate::syntax::ast::{self, TypeKind};

/// Where a type stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Argument,
    Result,
    Property,
    DictionaryMember,
    CallbackArgument,
    CallbackResult,
    /// Key, value or element of a collection class.
    Element,
    /// In a typedef: judged where the typedef is used.
    Alias,
}

impl Place {
    fn shown(self) -> &'static str {
        match self {
            Place::Argument => "an argument",
            Place::Result => "a result",
            Place::Property => "an attribute",
            Place::DictionaryMember => "a member of a dictionary",
            Place::CallbackArgument => "an argument of a callback",
            Place::CallbackResult => "the result of a callback",
            Place::Element => "an element of a collection",
            Place::Alias => "a typedef",
        }
    }

    /// Whether values come from the caller.
    fn is_input(self) -> bool {
        matches!(
            self,
            Place::Argument | Place::DictionaryMember | Place::CallbackResult
        )
    }
}

impl Resolver<'_> {
    /// Looks a type up and checks that it may stand there.
    pub(super) fn ty(&mut self, ty: &ast::Type, place: Place) -> Type {
        let resolved = self.form(ty, place, true);
        self.check_use(&resolved, place, ty.span, true);
        resolved
    }

    /// The rules that depend on how a type is written. `top` is false inside of another type.
    fn form(&mut self, ty: &ast::Type, place: Place, top: bool) -> Type {
        let wrong = |message: String| Problem::new(ty.span, message);
        match &ty.kind {
            TypeKind::Undefined => {
                if !(top && matches!(place, Place::Result | Place::CallbackResult)) {
                    self.problem(
                        wrong("`undefined` can only be returned".to_owned())
                            .hint("what may be missing is nullable: `T?`"),
                    );
                    return Type::Any;
                }
                Type::Undefined
            }
            TypeKind::Boolean => Type::Boolean,
            TypeKind::Integer { signed, bits } => Type::Integer {
                signed: *signed,
                bits: *bits,
            },
            TypeKind::Double => Type::Double,
            TypeKind::String => Type::String,
            TypeKind::BufferSource if !place.is_input() && place != Place::Alias => {
                self.problem(
                    wrong(format!("`BufferSource` cannot be {}", place.shown()))
                        .hint("write `Uint8Array`"),
                );
                Type::Any
            }
            TypeKind::Uint8Array if place.is_input() => {
                self.problem(
                    wrong(format!("`Uint8Array` cannot be {}", place.shown()))
                        .hint("write `BufferSource`"),
                );
                Type::Any
            }
            TypeKind::BufferSource | TypeKind::Uint8Array => Type::Bytes,
            TypeKind::Any => Type::Any,
            TypeKind::Object => {
                if top && place != Place::Alias {
                    self.problem(
                        wrong("`object` needs a name".to_owned())
                            .hint("write a `typedef object Name;` and use that"),
                    );
                }
                Type::Object
            }
            TypeKind::Nullable(inner) => self.nullable(inner, place, ty.span),
            TypeKind::Sequence(_) if place == Place::Property => {
                self.problem(
                    wrong("an attribute cannot be a `sequence`".to_owned())
                        .hint("write `FrozenArray`"),
                );
                Type::Any
            }
            TypeKind::FrozenArray(_) if !matches!(place, Place::Property | Place::Alias) => {
                self.problem(
                    wrong(format!("a `FrozenArray` cannot be {}", place.shown()))
                        .hint("write `sequence`"),
                );
                Type::Any
            }
            TypeKind::Sequence(inner) | TypeKind::FrozenArray(inner) => {
                Type::Sequence(Box::new(self.form(inner, place, false)))
            }
            TypeKind::Record(key, value) => {
                if key.kind != TypeKind::String {
                    self.problem(
                        Problem::new(key.span, "the names of a `record` are text")
                            .hint("write `DOMString`"),
                    );
                }
                Type::Record(Box::new(self.form(value, place, false)))
            }
            TypeKind::Union(members) => self.union(members, place),
            TypeKind::Named(name) => self.named(name, ty.span),
        }
    }

    fn nullable(&mut self, inner: &ast::Type, place: Place, span: Span) -> Type {
        let inner = self.form(inner, place, false);
        match &inner {
            Type::Any => {
                self.problem(
                    Problem::new(span, "`any` includes null already").hint("drop the `?`"),
                );
                Type::Any
            }
            inner if inner.non_null().1 => {
                self.problem(
                    Problem::new(span, "this type is nullable already").hint("drop the `?`"),
                );
                inner.clone()
            }
            Type::Dictionary(name) => {
                let problem =
                    Problem::new(span, format!("the dictionary `{name}` cannot be nullable"));
                self.problem(problem.hint("a dictionary without members is `{}`"));
                Type::Any
            }
            _ => Type::Nullable(Box::new(inner)),
        }
    }

    fn union(&mut self, members: &[ast::Type], place: Place) -> Type {
        let resolved: Vec<Type> = members
            .iter()
            .map(|member| self.form(member, place, false))
            .collect();
        for (member, ty) in members.iter().zip(&resolved) {
            if ty.non_null().1 || matches!(ty, Type::Any | Type::Dictionary(_) | Type::Callback(_))
            {
                self.problem(
                    Problem::new(member.span, "this type cannot be a member of a union")
                        .hint("numbers, text, bytes, lists, enums, classes and `object` can"),
                );
            }
        }
        if let (Some(Type::Object), Some(first)) = (resolved.first(), members.first()) {
            let problem = Problem::new(
                first.span,
                "a union begins with the type that core receives",
            );
            self.problem(problem.hint("`object` cannot be the first"));
        }
        Type::Union(resolved)
    }

    fn named(&mut self, name: &str, span: Span) -> Type {
        let owned = name.to_owned();
        match self.names.get(name).map(|declared| declared.kind) {
            Some(Kind::Interface) => Type::Interface(owned),
            Some(Kind::Dictionary) => Type::Dictionary(owned),
            Some(Kind::Enum) => Type::Enum(owned),
            Some(Kind::Callback) => Type::Callback(owned),
            Some(Kind::Alias) => match self.aliases.get(name) {
                Some(target) => Type::Alias {
                    name: owned,
                    target: Box::new(target.clone()),
                },
                // The alias is part of a cycle that was reported.
                None => Type::Any,
            },
            Some(Kind::Namespace) => {
                self.problem(Problem::new(
                    span,
                    format!("`{name}` is a namespace, not a type"),
                ));
                Type::Any
            }
            None => {
                let simple = [
                    "boolean",
                    "octet",
                    "short",
                    "long",
                    "double",
                    "DOMString",
                    "any",
                    "undefined",
                    "BufferSource",
                ];
                let generic = ["Uint8Array", "FrozenArray", "sequence", "record", "object"];
                let declared = self
                    .names
                    .iter()
                    .filter(|(_, d)| d.kind != Kind::Namespace)
                    .map(|(name, _)| name.as_str());
                let known: Vec<&str> = declared.chain(simple).chain(generic).collect();
                let problem = Problem::new(span, format!("`{name}` is not defined"))
                    .did_you_mean(name, known);
                self.problem(problem);
                Type::Any
            }
        }
    }

    /// The rules that depend on what a type is, aliases followed.
    fn check_use(&mut self, ty: &Type, place: Place, span: Span, top: bool) {
        if place == Place::Alias {
            return;
        }
        let refuse = |what: &str| Problem::new(span, format!("{what} cannot be {}", place.shown()));
        match ty {
            Type::Alias { target, .. } => self.check_use(target, place, span, top),
            Type::Nullable(inner) => self.check_use(inner, place, span, top),
            Type::Sequence(inner) => self.check_use(inner, place, span, false),
            Type::Record(inner) => {
                if !matches!(
                    place,
                    Place::Argument | Place::Result | Place::DictionaryMember
                ) {
                    let problem = refuse("a `record`");
                    self.problem(
                        problem
                            .hint("a record is an argument, a result or a member of a dictionary"),
                    );
                }
                self.check_use(inner, place, span, false);
            }
            Type::Union(_) if !place.is_input() => {
                self.problem(
                    refuse("a union").hint("write the one type that core returns, or `any`"),
                );
            }
            Type::Dictionary(name) => {
                let has_callback = self
                    .names
                    .get(name)
                    .is_some_and(|declared| declared.has_callback);
                if place == Place::Argument && !top {
                    self.problem(
                        refuse(&format!("a list of the dictionary `{name}`"))
                            .hint("a dictionary is an argument of its own"),
                    );
                } else if !matches!(place, Place::Argument | Place::Result) {
                    self.problem(
                        refuse(&format!("the dictionary `{name}`"))
                            .hint("a dictionary is an argument or a result"),
                    );
                } else if place == Place::Result && has_callback {
                    self.problem(
                        refuse(&format!("the dictionary `{name}`")).hint("it holds a callback"),
                    );
                }
            }
            Type::Callback(name)
                if !top || !matches!(place, Place::Argument | Place::DictionaryMember) =>
            {
                let problem =
                    Problem::new(span, format!("the callback `{name}` cannot stand here"));
                self.problem(problem.hint("a callback is an argument or a member of a dictionary"));
            }
            _ => {}
        }
    }
}
