//! Recursive descent over the tokens of one file.
//!
//! A function that returns `None` has reported why. After a mistake the parser goes on with the next
//! member or declaration, so that one run shows all mistakes.

use super::ast::{Attribute, Definition, DefinitionKind, Docs, EnumValue, Ident};
use super::lexer::{self, Kind, Token};
use crate::diagnostic::Problem;

mod arguments;
mod attributes;
mod members;
mod names;
mod tokens;
mod types;

use tokens::shown;

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
}

#[cfg(test)]
mod tests;
