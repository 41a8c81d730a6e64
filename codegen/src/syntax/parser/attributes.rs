//! What stands before a declaration: docs and extended attributes.

use super::Parser;
use crate::diagnostic::{Problem, Span};
use crate::syntax::ast::{Attribute, AttributeValue, Docs, Ident};
use crate::syntax::lexer::{Kind, Token};

impl Parser<'_, '_> {
    pub(super) fn docs(&mut self) -> Docs {
        let mut lines = Vec::new();
        while self.peek().kind == Kind::Doc {
            let Token { text, span, .. } = self.next();
            lines.push(Ident {
                text: text.to_owned(),
                span: Span {
                    start: span.end - text.len(),
                    ..span
                },
            });
        }
        Docs { lines }
    }

    pub(super) fn attributes(&mut self) -> Option<Vec<Attribute>> {
        let mut attributes = Vec::new();
        if self.take("[").is_none() {
            return Some(attributes);
        }
        loop {
            let name = self.name("the name of an extended attribute")?;
            let value = if self.take("=").is_some() {
                self.attribute_value()?
            } else {
                AttributeValue::None
            };
            attributes.push(Attribute { name, value });
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("]")?;
        if self.peek().kind == Kind::Doc {
            let span = self.peek().span;
            return self.fail(
                Problem::new(span, "docs stand before the extended attributes")
                    .hint("move this line up"),
            );
        }
        Some(attributes)
    }

    fn attribute_value(&mut self) -> Option<AttributeValue> {
        if self.peek().kind == Kind::Text {
            return self.attribute_text().map(AttributeValue::Text);
        }
        if self.take("(").is_none() {
            return Some(AttributeValue::Names(vec![self.name("a text or a name")?]));
        }
        if self.peek().kind == Kind::Text {
            let mut texts = vec![self.attribute_text()?];
            while self.take(",").is_some() {
                texts.push(self.attribute_text()?);
            }
            self.expect(")")?;
            return Some(AttributeValue::Texts(texts));
        }
        let mut names = vec![self.name("a name")?];
        while self.take(",").is_some() {
            names.push(self.name("a name")?);
        }
        self.expect(")")?;
        Some(AttributeValue::Names(names))
    }

    fn attribute_text(&mut self) -> Option<Ident> {
        if self.peek().kind != Kind::Text {
            let span = self.peek().span;
            return self.fail(Problem::new(span, "a text in quotes is wanted here"));
        }
        let Token { text, span, .. } = self.next();
        Some(Ident {
            text: text.to_owned(),
            span,
        })
    }
}
