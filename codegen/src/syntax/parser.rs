//! Recursive descent over the tokens of one file.
//!
//! A function that returns `None` has reported why. After a mistake the parser goes on with the next
//! member or declaration, so that one run shows all mistakes.

use super::ast::{Attribute, AttributeValue, Definition, DefinitionKind, Docs, EnumValue, Ident};
use super::lexer::{self, Kind, Token};
use crate::diagnostic::{Problem, Span};

mod arguments;
mod members;
mod types;

/// Parses one file; what is wrong goes to `problems`.
pub fn parse(file: usize, source: &str, problems: &mut Vec<Problem>) -> Vec<Definition> {
    let tokens = lexer::tokens(file, source, problems);
    let mut parser = Parser {
        tokens,
        at: 0,
        problems,
    };
    let mut definitions = Vec::new();
    while parser.peek().kind != Kind::End {
        let before = parser.at;
        match parser.definition() {
            Some(definition) => definitions.push(definition),
            None => parser.skip_definition(before),
        }
    }
    definitions
}

/// Words of WebIDL that are names only with a `_` before them.
const KEYWORDS: &[&str] = &[
    "any",
    "async",
    "attribute",
    "bigint",
    "boolean",
    "byte",
    "callback",
    "const",
    "constructor",
    "deleter",
    "dictionary",
    "double",
    "enum",
    "false",
    "float",
    "getter",
    "includes",
    "inherit",
    "interface",
    "iterable",
    "long",
    "maplike",
    "mixin",
    "namespace",
    "null",
    "object",
    "octet",
    "optional",
    "or",
    "partial",
    "readonly",
    "record",
    "required",
    "sequence",
    "setlike",
    "setter",
    "short",
    "static",
    "stringifier",
    "symbol",
    "true",
    "typedef",
    "undefined",
    "unrestricted",
    "unsigned",
];

/// Keywords that WebIDL lets arguments be called.
const ARGUMENT_KEYWORDS: &[&str] = &[
    "async",
    "attribute",
    "callback",
    "const",
    "constructor",
    "deleter",
    "dictionary",
    "enum",
    "getter",
    "includes",
    "inherit",
    "interface",
    "iterable",
    "maplike",
    "mixin",
    "namespace",
    "partial",
    "readonly",
    "required",
    "setlike",
    "setter",
    "static",
    "stringifier",
    "typedef",
    "unrestricted",
];

struct Parser<'a, 'p> {
    tokens: Vec<Token<'a>>,
    at: usize,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Parser<'a, '_> {
    fn definition(&mut self) -> Option<Definition> {
        let docs = self.docs();
        let attributes = self.attributes()?;
        let partial = self.take("partial").map(|token| token.span);
        let word = self.next();
        match word.text {
            "interface" if self.peek().text == "mixin" => {
                let span = self.peek().span;
                self.fail(
                    Problem::new(span, "mixins are not supported")
                        .hint("write the members into the interface"),
                )
            }
            "interface" => {
                let name = self.name("a name for the interface")?;
                if self.peek().text == ":" {
                    let span = self.peek().span;
                    return self.fail(
                        Problem::new(span, format!("`{}` cannot inherit", name.text))
                            .hint("interfaces have no ancestors here; write the members out"),
                    );
                }
                let members = self.block(Parser::interface_member)?;
                Some(Definition {
                    docs,
                    attributes,
                    partial,
                    name,
                    kind: DefinitionKind::Interface(members),
                })
            }
            "namespace" => {
                let name = self.name("a name for the namespace")?;
                let members = self.block(Parser::namespace_member)?;
                Some(Definition {
                    docs,
                    attributes,
                    partial,
                    name,
                    kind: DefinitionKind::Namespace(members),
                })
            }
            "dictionary" if partial.is_none() => {
                let name = self.name("a name for the dictionary")?;
                if self.peek().text == ":" {
                    let span = self.peek().span;
                    return self.fail(
                        Problem::new(span, format!("`{}` cannot inherit", name.text))
                            .hint("dictionaries have no ancestors here; write the members out"),
                    );
                }
                let members = self.block(Parser::dictionary_member)?;
                Some(Definition {
                    docs,
                    attributes,
                    partial,
                    name,
                    kind: DefinitionKind::Dictionary(members),
                })
            }
            "enum" if partial.is_none() => {
                let name = self.name("a name for the enum")?;
                let values = self.enum_values()?;
                Some(Definition {
                    docs,
                    attributes,
                    partial,
                    name,
                    kind: DefinitionKind::Enum(values),
                })
            }
            "callback" if partial.is_none() => self.callback(docs, attributes),
            "typedef" if partial.is_none() => {
                let ty = self.ty()?;
                let name = self.name("a name for the type")?;
                self.expect(";")?;
                Some(Definition {
                    docs,
                    attributes,
                    partial,
                    name,
                    kind: DefinitionKind::Typedef(ty),
                })
            }
            _ => {
                let message = format!("expected a declaration, found {}", shown(word));
                let known = [
                    "interface",
                    "namespace",
                    "dictionary",
                    "enum",
                    "callback",
                    "typedef",
                ];
                let problem = Problem::new(word.span, message).hint(format!(
                    "one of {}",
                    known.map(|k| format!("`{k}`")).join(", ")
                ));
                self.fail(if partial.is_some() {
                    problem.hint("only an `interface` or a `namespace` can be `partial`")
                } else {
                    problem.did_you_mean(word.text, known)
                })
            }
        }
    }

    fn callback(&mut self, docs: Docs, attributes: Vec<Attribute>) -> Option<Definition> {
        if self.peek().text == "interface" {
            let span = self.peek().span;
            return self.fail(
                Problem::new(span, "callback interfaces are not supported")
                    .hint("write `callback Name = result (arguments);`"),
            );
        }
        let name = self.name("a name for the callback")?;
        self.expect("=")?;
        let returns = self.ty()?;
        let arguments = self.arguments()?;
        self.expect(";")?;
        Some(Definition {
            docs,
            attributes,
            partial: None,
            name,
            kind: DefinitionKind::Callback { returns, arguments },
        })
    }

    /// `{ member… };`, going on after a wrong member.
    fn block<T>(&mut self, mut member: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.expect("{")?;
        let mut members = Vec::new();
        while self.peek().text != "}" || self.peek().kind != Kind::Mark {
            if self.peek().kind == Kind::End {
                let span = self.peek().span;
                return self.fail(Problem::new(
                    span,
                    "expected `}`, found the end of the file",
                ));
            }
            match member(self) {
                Some(member) => members.push(member),
                None => self.skip_member(),
            }
        }
        self.expect("}")?;
        self.expect(";")?;
        Some(members)
    }

    fn enum_values(&mut self) -> Option<Vec<EnumValue>> {
        self.expect("{")?;
        let mut values = Vec::new();
        loop {
            let docs = self.docs();
            if self.peek().text == "}" && docs.lines.is_empty() {
                break;
            }
            let token = self.next();
            if token.kind != Kind::Text {
                let message = format!("expected a value in quotes, found {}", shown(token));
                let hint = if token.kind == Kind::Word {
                    format!("write `\"{}\"`", token.text)
                } else {
                    String::new()
                };
                return self.fail(Problem::new(token.span, message).hint(hint));
            }
            values.push(EnumValue {
                docs,
                value: Ident {
                    text: token.text.to_owned(),
                    span: token.span,
                },
            });
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("}")?;
        self.expect(";")?;
        Some(values)
    }

    fn docs(&mut self) -> Docs {
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

    fn attributes(&mut self) -> Option<Vec<Attribute>> {
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
            let Token { text, span, .. } = self.next();
            return Some(AttributeValue::Text(Ident {
                text: text.to_owned(),
                span,
            }));
        }
        if self.take("(").is_none() {
            return Some(AttributeValue::Names(vec![self.name("a text or a name")?]));
        }
        let mut names = vec![self.name("a name")?];
        while self.take(",").is_some() {
            names.push(self.name("a name")?);
        }
        self.expect(")")?;
        Some(AttributeValue::Names(names))
    }

    /// A word that is a name; a leading `_` that keeps it from being a keyword is dropped.
    fn name(&mut self, wanted: &str) -> Option<Ident> {
        self.name_except(wanted, &[])
    }

    /// Like [`Parser::name`], where some keywords may be names.
    fn name_except(&mut self, wanted: &str, allowed: &[&str]) -> Option<Ident> {
        let token = self.next();
        if token.kind != Kind::Word {
            return self.fail(Problem::new(
                token.span,
                format!("expected {wanted}, found {}", shown(token)),
            ));
        }
        if KEYWORDS.contains(&token.text) && !allowed.contains(&token.text) {
            let problem = Problem::new(
                token.span,
                format!("expected {wanted}, found the keyword `{}`", token.text),
            );
            return self.fail(problem.hint(format!("write `_{}`", token.text)));
        }
        let text = token.text.strip_prefix('_').unwrap_or(token.text);
        Some(Ident {
            text: text.to_owned(),
            span: token.span,
        })
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    /// The next token; the end of the file is returned again and again.
    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += usize::from(token.kind != Kind::End);
        token
    }

    fn take(&mut self, text: &str) -> Option<Token<'a>> {
        let found = matches!(self.peek().kind, Kind::Word | Kind::Mark) && self.peek().text == text;
        found.then(|| self.next())
    }

    fn expect(&mut self, text: &str) -> Option<Token<'a>> {
        if let Some(token) = self.take(text) {
            return Some(token);
        }
        let found = self.peek();
        // What is missing at the end of a line is shown there, not at the beginning of the next one.
        let before = self.at.checked_sub(1).map(|at| self.tokens[at].span);
        let span = match before {
            Some(before) if text == ";" => Span {
                start: before.end,
                ..before
            },
            _ => found.span,
        };
        self.fail(Problem::new(
            span,
            format!("expected `{text}`, found {}", shown(found)),
        ))
    }

    fn fail<T>(&mut self, problem: Problem) -> Option<T> {
        self.problems.push(problem);
        None
    }

    /// Goes past the `;` that ends a member, or to the `}` that ends the block.
    fn skip_member(&mut self) {
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            match token.text {
                _ if token.kind == Kind::End => return,
                _ if token.kind != Kind::Mark => {}
                ";" if depth == 0 => {
                    self.next();
                    return;
                }
                "}" if depth == 0 => return,
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.next();
        }
    }

    /// Goes past the declaration that begins at token `start`.
    fn skip_definition(&mut self, start: usize) {
        let reached = self.at;
        self.at = start;
        let mut depth = 0usize;
        loop {
            let token = self.next();
            match token.text {
                _ if token.kind == Kind::End => return,
                _ if token.kind != Kind::Mark => {}
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 && self.at >= reached => return,
                _ => {}
            }
        }
    }
}

/// A token as messages show it.
fn shown(token: Token<'_>) -> String {
    match token.kind {
        Kind::End => "the end of the file".to_owned(),
        Kind::Doc => "a doc comment".to_owned(),
        Kind::Text => format!("`\"{}\"`", token.text),
        _ => format!("`{}`", token.text),
    }
}

#[cfg(test)]
mod tests;
