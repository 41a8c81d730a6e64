//! The cursor over the tokens: looking ahead, taking, and going on after a mistake.

use super::Parser;
use crate::diagnostic::{Problem, Span};
use crate::syntax::lexer::{Kind, Token};

impl<'a> Parser<'a, '_> {
    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    /// The next token; the end of the file is returned again and again.
    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += usize::from(token.kind != Kind::End);
        token
    }

    pub(super) fn take(&mut self, text: &str) -> Option<Token<'a>> {
        let found = matches!(self.peek().kind, Kind::Word | Kind::Mark) && self.peek().text == text;
        found.then(|| self.next())
    }

    pub(super) fn expect(&mut self, text: &str) -> Option<Token<'a>> {
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

    pub(super) fn fail<T>(&mut self, problem: Problem) -> Option<T> {
        self.problems.push(problem);
        None
    }

    /// Goes past the `;` that ends a member, or to the `}` that ends the block.
    pub(super) fn skip_member(&mut self) {
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
    pub(super) fn skip_definition(&mut self, start: usize) {
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
pub(super) fn shown(token: Token<'_>) -> String {
    match token.kind {
        Kind::End => "the end of the file".to_owned(),
        Kind::Doc => "a doc comment".to_owned(),
        Kind::Text => format!("`\"{}\"`", token.text),
        _ => format!("`{}`", token.text),
    }
}
