//! Declarations with behaviour: interfaces and namespaces.

use super::Resolver;
use super::attributes::{Found, Target};
use super::types::Place;
use crate::diagnostic::{Problem, Span};
use crate::ir::{self, Type};
use crate::syntax::ast::{self, MemberKind};

/// The namespace of the library: its members are the free functions.
const NAMESPACE: &str = "tenspan";

/// The namespaces inside of it.
const INNER: &[&str] = &["cpp"];

/// Names that `iterable` brings into core.
const ITERABLE_NAMES: &[&str] = &["len", "at"];

/// Names that `maplike` brings into core.
const MAPLIKE_NAMES: &[&str] = &[
    "len", "keys", "get", "set", "remove", "clear", "has", "values", "entries", "items",
];

impl Resolver<'_> {
    pub(super) fn interface(
        &mut self,
        definition: &ast::Definition,
        members: &[ast::Member],
    ) -> ir::Interface {
        let name = &definition.name;
        let docs = self.docs(&definition.docs, &format!("`{}`", name.text), name.span);
        let found = self.attributes(&definition.attributes, Target::Interface);
        let mut class = ir::Interface {
            name: self.name(name),
            docs,
            attributes: found.attributes,
            is_value: found.value,
            constructor: None,
            properties: Vec::new(),
            methods: Vec::new(),
            statics: Vec::new(),
            iterable: None,
            iterable_docs: ir::Docs::default(),
            maplike: None,
            position: self.sources.position(name.span),
        };
        self.check_unique("the member", members.iter().filter_map(member_name));
        for member in members {
            self.interface_member(member, &mut class);
        }
        self.check_collection_names(members, &class);
        class
    }

    fn interface_member(&mut self, member: &ast::Member, class: &mut ir::Interface) {
        let owner = class.name.as_spec().to_owned();
        match &member.kind {
            MemberKind::Constructor(arguments) => {
                let returns = Type::Interface(owner.clone());
                let name = ast::Ident {
                    text: "new".to_owned(),
                    span: member.span,
                };
                let what = format!("the constructor of `{owner}`");
                let found = self.attributes(&member.attributes, Target::Constructor);
                let function = self.function(member, &name, arguments, returns, found, &what);
                self.check_once(class.constructor.is_some(), "constructor", member.span);
                class.constructor = Some(function);
            }
            MemberKind::Operation {
                is_static,
                returns,
                name,
                arguments,
            } => {
                let function = self.operation(
                    member,
                    name,
                    returns,
                    arguments,
                    Target::Operation,
                    &format!("`{owner}.{}`", name.text),
                );
                if *is_static {
                    class.statics.push(function)
                } else {
                    class.methods.push(function)
                }
            }
            MemberKind::Property { readonly, ty, name } => {
                let property = self.property(member, *readonly, ty, name, &owner);
                class.properties.push(property);
            }
            MemberKind::Iterable(ty) => {
                self.attributes(&member.attributes, Target::Collection);
                class.iterable_docs = self.docs(
                    &member.docs,
                    &format!("`iterable` of `{owner}`"),
                    member.span,
                );
                self.check_once(
                    class.iterable.is_some() || class.maplike.is_some(),
                    "`iterable` or `maplike`",
                    member.span,
                );
                class.iterable = Some(self.ty(ty, Place::Element));
            }
            MemberKind::Maplike {
                readonly,
                key,
                value,
            } => {
                self.attributes(&member.attributes, Target::Collection);
                let docs = self.docs(
                    &member.docs,
                    &format!("`maplike` of `{owner}`"),
                    member.span,
                );
                self.check_once(
                    class.iterable.is_some() || class.maplike.is_some(),
                    "`iterable` or `maplike`",
                    member.span,
                );
                if key.kind != ast::TypeKind::String {
                    self.problem(
                        Problem::new(key.span, "the keys of a `maplike` are text")
                            .hint("write `DOMString`"),
                    );
                }
                let value = self.ty(value, Place::Element);
                class.maplike = Some(ir::Maplike {
                    key: Type::String,
                    value,
                    readonly: *readonly,
                    docs,
                });
            }
        }
    }

    fn check_once(&mut self, taken: bool, what: &str, span: Span) {
        if taken {
            self.problem(
                Problem::new(span, format!("a class has one {what}")).hint("this is the second"),
            );
        }
    }

    fn property(
        &mut self,
        member: &ast::Member,
        readonly: bool,
        ty: &ast::Type,
        name: &ast::Ident,
        owner: &str,
    ) -> ir::Property {
        self.check_member_name(name);
        let docs = self.docs(&member.docs, &format!("`{owner}.{}`", name.text), name.span);
        let attributes = self
            .attributes(&member.attributes, Target::Property)
            .attributes;
        let ty = self.ty(ty, Place::Property);
        self.check_share(&attributes, &ty, name);
        self.check_object(&ty, &attributes, name.span);
        ir::Property {
            name: self.name(name),
            docs,
            ty,
            readonly,
            attributes,
            position: self.sources.position(name.span),
        }
    }

    pub(super) fn namespace(
        &mut self,
        definition: &ast::Definition,
        members: &[ast::Member],
        api: &mut ir::Api,
    ) {
        let name = &definition.name;
        let inner = INNER.contains(&name.text.as_str());
        if name.text != NAMESPACE && !inner {
            let problem = Problem::new(
                name.span,
                format!("`{}` is not the namespace of the library", name.text),
            );
            self.problem(problem.hint(format!("did you mean `{NAMESPACE}`?")));
        }
        self.attributes(&definition.attributes, Target::Namespace);
        let docs = self.docs(&definition.docs, &format!("`{}`", name.text), name.span);
        if inner {
            let name = self.name(name);
            api.namespaces.push(ir::Namespace { name, docs });
        } else {
            api.docs = docs;
        }
        self.check_unique("the function", members.iter().filter_map(member_name));
        for member in members {
            if let MemberKind::Operation {
                returns,
                name,
                arguments,
                ..
            } = &member.kind
            {
                let what = format!("`{}`", name.text);
                let mut function =
                    self.operation(member, name, returns, arguments, Target::Function, &what);
                function.namespace = inner.then(|| self.name(&definition.name));
                api.functions.push(function);
            }
        }
    }

    fn operation(
        &mut self,
        member: &ast::Member,
        name: &ast::Ident,
        returns: &ast::Type,
        arguments: &[ast::Argument],
        target: Target,
        what: &str,
    ) -> ir::Function {
        self.check_member_name(name);
        let returns = self.ty(returns, Place::Result);
        let found = self.attributes(&member.attributes, target);
        self.function(member, name, arguments, returns, found, what)
    }

    fn function(
        &mut self,
        member: &ast::Member,
        name: &ast::Ident,
        arguments: &[ast::Argument],
        returns: Type,
        found: Found,
        what: &str,
    ) -> ir::Function {
        let parts = self.docs_with_params(&member.docs, what, name.span);
        let docs = parts.docs.clone();
        let attributes = found.attributes;
        self.check_share(&attributes, &returns, name);
        self.check_object(&returns, &attributes, name.span);
        let resolved = self.arguments(arguments, parts, Place::Argument, what);
        for (argument, written) in resolved.iter().zip(arguments) {
            self.check_object(&argument.ty, &attributes, written.name.span);
        }
        ir::Function {
            name: self.name(name),
            namespace: None,
            docs,
            arguments: resolved,
            returns,
            attributes,
            position: self.sources.position(name.span),
        }
    }

    fn check_share(&mut self, attributes: &ir::Attributes, ty: &Type, name: &ast::Ident) {
        if attributes.share && !matches!(ty.non_null().0.resolved(), Type::Bytes) {
            let problem = Problem::new(
                name.span,
                format!("`[Share]` on `{}`, which does not return bytes", name.text),
            );
            self.problem(problem.hint("it stands where a `Uint8Array` is returned"));
        }
    }

    /// Core cannot name a value of a language; a `[Custom]` operation never reaches core, nor does one that is written by hand.
    fn check_object(&mut self, ty: &Type, attributes: &ir::Attributes, span: Span) {
        let is_object = |ty: &Type| matches!(ty.resolved(), Type::Object);
        let inner = match ty.non_null().0 {
            Type::Sequence(inner) | Type::Record(inner) => inner,
            other => other,
        };
        if is_object(inner) && !attributes.custom && attributes.is_printed(ir::Language::Rust) {
            let problem = Problem::new(span, "a value of the language itself cannot reach core");
            self.problem(problem.hint("make it `[Custom]`, or take `any`"));
        }
    }

    fn check_collection_names(&mut self, members: &[ast::Member], class: &ir::Interface) {
        let (taken, what) = match (&class.iterable, &class.maplike) {
            (Some(_), _) => (ITERABLE_NAMES, "iterable"),
            (_, Some(_)) => (MAPLIKE_NAMES, "maplike"),
            _ => return,
        };
        for name in members
            .iter()
            .filter_map(member_name)
            .filter(|name| taken.contains(&name.text.as_str()))
        {
            let problem = Problem::new(
                name.span,
                format!("`{}` belongs to `{what}` in this class", name.text),
            );
            self.problem(problem.hint("choose another name"));
        }
    }
}

fn member_name(member: &ast::Member) -> Option<&ast::Ident> {
    match &member.kind {
        MemberKind::Operation { name, .. } | MemberKind::Property { name, .. } => Some(name),
        _ => None,
    }
}
