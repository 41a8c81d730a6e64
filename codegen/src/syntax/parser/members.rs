//! Members of interfaces and namespaces.

use super::Parser;
use crate::diagnostic::Problem;
use crate::syntax::ast::{Attribute, Docs, Member, MemberKind};

/// Members that WebIDL has and tenspan has not, with what to write instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("const", "write a readonly attribute"),
    ("stringifier", "write an operation"),
    ("getter", "write an operation"),
    ("setter", "write an operation"),
    ("deleter", "write an operation"),
    ("setlike", "write `iterable` or `maplike`"),
    ("async", "only plain `iterable` exists"),
    ("inherit", "interfaces have no ancestors here"),
];

impl Parser<'_, '_> {
    /// A member of `namespace`: only operations.
    pub(super) fn namespace_member(&mut self) -> Option<Member> {
        let docs = self.docs();
        let attributes = self.attributes()?;
        let word = self.peek();
        if matches!(
            word.text,
            "readonly" | "attribute" | "static" | "constructor" | "iterable" | "maplike"
        ) {
            let problem = Problem::new(
                word.span,
                format!("a namespace has no `{}` members", word.text),
            );
            return self.fail(problem.hint("only operations stand in a namespace"));
        }
        self.operation(docs, attributes, false)
    }

    /// A member of `interface`.
    pub(super) fn interface_member(&mut self) -> Option<Member> {
        let docs = self.docs();
        let attributes = self.attributes()?;
        let word = self.peek();
        if let Some((name, instead)) = UNSUPPORTED.iter().find(|(name, _)| *name == word.text) {
            return self.fail(
                Problem::new(word.span, format!("`{name}` members are not supported"))
                    .hint(*instead),
            );
        }
        match word.text {
            "constructor" => {
                let span = self.next().span;
                let arguments = self.arguments()?;
                self.expect(";")?;
                Some(Member {
                    docs,
                    attributes,
                    kind: MemberKind::Constructor(arguments),
                    span,
                })
            }
            "readonly" => {
                let word = self.next();
                match self.peek().text {
                    "attribute" => self.property(docs, attributes, true),
                    "maplike" => self.maplike(docs, attributes, true),
                    _ => self.fail(Problem::new(
                        word.span,
                        "`readonly` stands before `attribute` or `maplike` only",
                    )),
                }
            }
            "attribute" => self.property(docs, attributes, false),
            "maplike" => self.maplike(docs, attributes, false),
            "iterable" => self.iterable(docs, attributes),
            "static" => {
                self.next();
                let word = self.peek();
                if matches!(word.text, "attribute" | "readonly") {
                    let problem = Problem::new(word.span, "static attributes are not supported");
                    return self.fail(problem.hint("write a static operation"));
                }
                self.operation(docs, attributes, true)
            }
            _ => self.operation(docs, attributes, false),
        }
    }

    fn operation(
        &mut self,
        docs: Docs,
        attributes: Vec<Attribute>,
        is_static: bool,
    ) -> Option<Member> {
        let returns = self.ty()?;
        let name = self.name_except("a name for the operation", &["includes"])?;
        let arguments = self.arguments()?;
        self.expect(";")?;
        let span = name.span;
        Some(Member {
            docs,
            attributes,
            kind: MemberKind::Operation {
                is_static,
                returns,
                name,
                arguments,
            },
            span,
        })
    }

    fn property(
        &mut self,
        docs: Docs,
        attributes: Vec<Attribute>,
        readonly: bool,
    ) -> Option<Member> {
        self.expect("attribute")?;
        let ty = self.ty()?;
        let name = self.name_except("a name for the attribute", &["async", "required"])?;
        self.expect(";")?;
        let span = name.span;
        Some(Member {
            docs,
            attributes,
            kind: MemberKind::Property { readonly, ty, name },
            span,
        })
    }

    fn iterable(&mut self, docs: Docs, attributes: Vec<Attribute>) -> Option<Member> {
        let span = self.expect("iterable")?.span;
        self.expect("<")?;
        let ty = self.ty()?;
        if self.peek().text == "," {
            let comma = self.peek().span;
            let problem = Problem::new(comma, "`iterable` takes one type");
            return self.fail(problem.hint("a class that maps keys to values is a `maplike`"));
        }
        self.expect(">")?;
        self.expect(";")?;
        Some(Member {
            docs,
            attributes,
            kind: MemberKind::Iterable(ty),
            span,
        })
    }

    fn maplike(
        &mut self,
        docs: Docs,
        attributes: Vec<Attribute>,
        readonly: bool,
    ) -> Option<Member> {
        let span = self.expect("maplike")?.span;
        self.expect("<")?;
        let key = self.ty()?;
        self.expect(",")?;
        let value = self.ty()?;
        self.expect(">")?;
        self.expect(";")?;
        Some(Member {
            docs,
            attributes,
            kind: MemberKind::Maplike {
                readonly,
                key,
                value,
            },
            span,
        })
    }
}
