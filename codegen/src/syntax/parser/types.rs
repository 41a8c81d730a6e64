//! Types: simple ones of one to three words, generic ones, unions, and `?`.

use super::{Parser, shown};
use crate::diagnostic::Problem;
use crate::syntax::ast::{Type, TypeKind};
use crate::syntax::lexer::{Kind, Token};

/// Types that WebIDL has and tenspan has not, with what to write instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("USVString", "text is `DOMString`"),
    (
        "ByteString",
        "text is `DOMString`, bytes are `BufferSource` or `Uint8Array`",
    ),
    ("CSSOMString", "text is `DOMString`"),
    (
        "bigint",
        "whole numbers have at most 64 bits: `long long` or `unsigned long long`",
    ),
    ("symbol", "there is no such value outside of JavaScript"),
    ("Promise", "calls are synchronous"),
    ("async_sequence", "calls are synchronous"),
    ("ObservableArray", "write `FrozenArray`"),
    (
        "ArrayBuffer",
        "bytes are `BufferSource` as arguments and `Uint8Array` as results",
    ),
    (
        "DataView",
        "bytes are `BufferSource` as arguments and `Uint8Array` as results",
    ),
    ("void", "no value is `undefined`"),
    (
        "byte",
        "a number of 8 bits is an `octet`, larger ones are `short` and `long`",
    ),
];

impl Parser<'_, '_> {
    /// A type with everything that belongs to it.
    pub(super) fn ty(&mut self) -> Option<Type> {
        let start = self.peek();
        let kind = if self.take("(").is_some() {
            self.union()?
        } else {
            self.single()?
        };
        let mut ty = Type {
            kind,
            span: start.span.to(self.tokens[self.at - 1].span),
        };
        while let Some(mark) = self.take("?") {
            if matches!(ty.kind, TypeKind::Nullable(_)) {
                return self.fail(
                    Problem::new(mark.span, "a type is nullable once").hint("one `?` is enough"),
                );
            }
            ty = Type {
                span: ty.span.to(mark.span),
                kind: TypeKind::Nullable(Box::new(ty)),
            };
        }
        Some(ty)
    }

    fn union(&mut self) -> Option<TypeKind> {
        let mut members = vec![self.ty()?];
        while self.take("or").is_some() {
            members.push(self.ty()?);
        }
        let close = self.expect(")")?;
        if members.len() < 2 {
            return self.fail(
                Problem::new(close.span, "a union has at least two members")
                    .hint("write `or` and another type"),
            );
        }
        Some(TypeKind::Union(members))
    }

    fn single(&mut self) -> Option<TypeKind> {
        let word = self.next();
        if word.kind != Kind::Word {
            return self.fail(Problem::new(
                word.span,
                format!("expected a type, found {}", shown(word)),
            ));
        }
        if let Some((name, instead)) = UNSUPPORTED.iter().find(|(name, _)| *name == word.text) {
            return self.fail(
                Problem::new(word.span, format!("`{name}` is not supported")).hint(*instead),
            );
        }
        Some(match word.text {
            "undefined" => TypeKind::Undefined,
            "boolean" => TypeKind::Boolean,
            "octet" => TypeKind::Integer {
                signed: false,
                bits: 8,
            },
            "unsigned" => return self.integer(false),
            "short" | "long" => {
                self.at -= 1;
                return self.integer(true);
            }
            "float" | "double" => TypeKind::Double,
            "unrestricted" => return self.unrestricted(),
            "DOMString" => TypeKind::String,
            "BufferSource" => TypeKind::BufferSource,
            "Uint8Array" => TypeKind::Uint8Array,
            "any" => TypeKind::Any,
            "object" => TypeKind::Object,
            "sequence" => TypeKind::Sequence(self.inner()?),
            "FrozenArray" => TypeKind::FrozenArray(self.inner()?),
            "record" => {
                self.expect("<")?;
                let key = self.ty()?;
                self.expect(",")?;
                let value = self.ty()?;
                self.expect(">")?;
                TypeKind::Record(Box::new(key), Box::new(value))
            }
            "optional" => {
                return self.misplaced(
                    word,
                    "`optional` stands before the type of an argument only",
                );
            }
            "readonly" => {
                return self.misplaced(
                    word,
                    "`readonly` stands before `attribute` or `maplike` only",
                );
            }
            name => TypeKind::Named(name.strip_prefix('_').unwrap_or(name).to_owned()),
        })
    }

    fn integer(&mut self, signed: bool) -> Option<TypeKind> {
        if self.take("short").is_some() {
            return Some(TypeKind::Integer { signed, bits: 16 });
        }
        self.expect("long")?;
        let bits = if self.take("long").is_some() { 64 } else { 32 };
        Some(TypeKind::Integer { signed, bits })
    }

    fn unrestricted(&mut self) -> Option<TypeKind> {
        if self.take("double").is_some() || self.take("float").is_some() {
            return Some(TypeKind::Double);
        }
        let found = self.peek();
        self.fail(Problem::new(
            found.span,
            format!("expected `double` or `float`, found {}", shown(found)),
        ))
    }

    fn inner(&mut self) -> Option<Box<Type>> {
        self.expect("<")?;
        let ty = self.ty()?;
        self.expect(">")?;
        Some(Box::new(ty))
    }

    fn misplaced(&mut self, word: Token<'_>, message: &str) -> Option<TypeKind> {
        self.fail(Problem::new(word.span, message))
    }
}
