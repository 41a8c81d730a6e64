//! Names, and the keywords that cannot be names.

use super::Parser;
use super::tokens::shown;
use crate::diagnostic::Problem;
use crate::syntax::ast::Ident;
use crate::syntax::lexer::Kind;

impl Parser<'_, '_> {
    /// A word that is a name; a leading `_` that keeps it from being a keyword is dropped.
    pub(super) fn name(&mut self, wanted: &str) -> Option<Ident> {
        self.name_except(wanted, &[])
    }

    /// Like [`Parser::name`], where some keywords may be names.
    pub(super) fn name_except(&mut self, wanted: &str, allowed: &[&str]) -> Option<Ident> {
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
pub(super) const ARGUMENT_KEYWORDS: &[&str] = &[
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
