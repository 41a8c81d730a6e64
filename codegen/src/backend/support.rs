//! What a backend can express, and the check of a spec against it.

use crate::diagnostic::{Problem, Sources};
use crate::ir::{Api, Argument, Attributes, Function, Interface, Language, Position, Type};

/// Capabilities of a backend. A new capability is one field here and one line in [`Support::check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// The language whose `[Skip]` this backend obeys; none when it prints everything.
    pub language: Option<Language>,
    /// Functions passed in.
    pub callbacks: bool,
    /// `any`.
    pub any: bool,
    /// `BufferSource` and `Uint8Array`.
    pub bytes: bool,
    /// Dictionaries.
    pub dictionaries: bool,
    /// `iterable<T>`.
    pub iterable: bool,
    /// `maplike<K, V>`.
    pub maplike: bool,
    /// `maplike` without `readonly`.
    pub writable_maplike: bool,
    /// `record<DOMString, T>`.
    pub records: bool,
    /// Static operations.
    pub statics: bool,
    /// Unions.
    pub unions: bool,
    /// Attributes without `readonly`.
    pub writable_properties: bool,
    /// `[Custom]`.
    pub custom: bool,
    /// Functions of a namespace inside of the library.
    pub namespaces: bool,
}

impl Support {
    /// Everything, in a language.
    pub fn all(language: Option<Language>) -> Support {
        Support {
            language,
            callbacks: true,
            any: true,
            bytes: true,
            dictionaries: true,
            iterable: true,
            maplike: true,
            writable_maplike: true,
            records: true,
            statics: true,
            unions: true,
            writable_properties: true,
            custom: true,
            namespaces: true,
        }
    }

    /// Whether a declaration exists in this backend's language.
    pub fn has(&self, attributes: &Attributes) -> bool {
        self.language
            .is_none_or(|language| !attributes.skip.contains(&language))
    }

    /// Whether a declaration is printed for this backend's language: it exists there, and is not written by hand.
    pub fn prints(&self, attributes: &Attributes) -> bool {
        self.language
            .is_none_or(|language| attributes.is_printed(language))
    }

    /// Every place where the spec asks for what `backend` cannot express.
    pub fn check(&self, backend: &str, api: &Api, sources: &Sources) -> Vec<Problem> {
        let mut check = Check {
            support: *self,
            backend,
            sources,
            problems: Vec::new(),
        };
        check.api(api);
        check.problems
    }
}

struct Check<'a> {
    support: Support,
    backend: &'a str,
    sources: &'a Sources,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn api(&mut self, api: &Api) {
        let support = self.support;
        for class in api
            .interfaces
            .iter()
            .filter(|class| support.prints(&class.attributes))
        {
            self.class(class);
        }
        self.functions(&api.functions);
        for callback in &api.callbacks {
            self.need(support.callbacks, "callbacks", &callback.position);
            self.arguments(&callback.arguments);
        }
        for dictionary in api
            .dictionaries
            .iter()
            .filter(|dictionary| support.has(&dictionary.attributes))
        {
            self.need(support.dictionaries, "dictionaries", &dictionary.position);
            self.arguments(&dictionary.members);
        }
    }

    fn class(&mut self, class: &Interface) {
        let support = self.support;
        if class.iterable.is_some() {
            self.need(support.iterable, "iterable classes", &class.position);
        }
        if let Some(map) = &class.maplike {
            self.need(support.maplike, "maplike classes", &class.position);
            self.need(
                map.readonly || support.writable_maplike,
                "writable maplike classes",
                &class.position,
            );
            self.ty(&map.value, &class.position);
        }
        for property in class
            .properties
            .iter()
            .filter(|property| support.has(&property.attributes))
        {
            self.need(
                property.readonly || support.writable_properties,
                "writable attributes",
                &property.position,
            );
            self.ty(&property.ty, &property.position);
        }
        for function in class
            .statics
            .iter()
            .filter(|function| support.has(&function.attributes))
        {
            self.need(support.statics, "static operations", &function.position);
        }
        self.functions(class.functions());
    }

    fn functions<'f>(&mut self, functions: impl IntoIterator<Item = &'f Function>) {
        let support = self.support;
        for function in functions
            .into_iter()
            .filter(|function| support.prints(&function.attributes))
        {
            let custom = !function.attributes.custom || support.custom;
            self.need(custom, "`[Custom]` operations", &function.position);
            let namespace = function.namespace.is_none() || support.namespaces;
            self.need(
                namespace,
                "functions of an inner namespace",
                &function.position,
            );
            self.ty(&function.returns, &function.position);
            self.arguments(&function.arguments);
        }
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            self.ty(&argument.ty, &argument.position);
        }
    }

    fn ty(&mut self, ty: &Type, position: &Position) {
        match ty {
            Type::Any => self.need(self.support.any, "`any`", position),
            Type::Bytes => self.need(self.support.bytes, "bytes", position),
            Type::Record(value) => {
                self.need(self.support.records, "records", position);
                self.ty(value, position);
            }
            Type::Union(members) => {
                self.need(self.support.unions, "unions", position);
                members.iter().for_each(|member| self.ty(member, position));
            }
            Type::Nullable(inner) | Type::Sequence(inner) => self.ty(inner, position),
            Type::Alias { target, .. } => self.ty(target, position),
            _ => {}
        }
    }

    fn need(&mut self, supported: bool, what: &str, position: &Position) {
        if supported {
            return;
        }
        if let Some(span) = self.sources.word_at(position) {
            let problem = Problem::new(
                span,
                format!("the backend `{}` cannot express {what}", self.backend),
            );
            self.problems.push(match self.support.language {
                Some(language) => {
                    problem.hint(format!("leave it out there with `[Skip=({language})]`"))
                }
                None => problem,
            });
        }
    }
}
