//! Arguments, members of dictionaries, and the literals they default to.

use super::Parser;
use super::names::ARGUMENT_KEYWORDS;
use super::tokens::shown;
use crate::diagnostic::Problem;
use crate::ir;
use crate::syntax::ast::{Argument, Docs, Literal};
use crate::syntax::lexer::Kind;

impl Parser<'_, '_> {
    /// `(argument, …)`.
    pub(super) fn arguments(&mut self) -> Option<Vec<Argument>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.take(")").is_some() {
            return Some(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect(")")?;
        Some(arguments)
    }

    fn argument(&mut self) -> Option<Argument> {
        let attributes = self.attributes()?;
        let optional = self.take("optional").is_some();
        let ty = self.ty()?;
        if self.peek().text == "..." {
            let span = self.peek().span;
            let problem = Problem::new(span, "a variable number of arguments is not supported");
            return self.fail(problem.hint("take a `sequence` instead"));
        }
        let name = self.name_except("a name for the argument", ARGUMENT_KEYWORDS)?;
        if self.peek().text == "=" && !optional {
            let span = self.peek().span;
            let problem = Problem::new(
                span,
                format!("`{}` has a default but is not optional", name.text),
            );
            return self.fail(problem.hint("write `optional` before its type"));
        }
        let default = self.default()?;
        // The docs of an argument stand in `@param` of its operation.
        Some(Argument {
            docs: Docs::default(),
            attributes,
            optional,
            ty,
            name,
            default,
        })
    }

    /// `type name = default;` of a dictionary.
    pub(super) fn dictionary_member(&mut self) -> Option<Argument> {
        let docs = self.docs();
        let attributes = self.attributes()?;
        if let Some(required) = self.take("required") {
            let problem =
                Problem::new(required.span, "a member of a dictionary cannot be required");
            return self.fail(problem.hint("make it an argument, or give it a default"));
        }
        let ty = self.ty()?;
        let name = self.name("a name for the member")?;
        let default = self.default()?;
        self.expect(";")?;
        Some(Argument {
            docs,
            attributes,
            optional: true,
            ty,
            name,
            default,
        })
    }

    /// `= literal`, when there is one.
    fn default(&mut self) -> Option<Option<Literal>> {
        if self.take("=").is_none() {
            return Some(None);
        }
        let token = self.next();
        let value = match (token.kind, token.text) {
            (Kind::Word, "null") => ir::Literal::Null,
            (Kind::Word, "true") => ir::Literal::Boolean(true),
            (Kind::Word, "false") => ir::Literal::Boolean(false),
            (Kind::Text, text) => ir::Literal::String(text.to_owned()),
            (Kind::Decimal, text) => ir::Literal::Double(text.to_owned()),
            (Kind::Integer, text) => match integer(text) {
                Some(number) => ir::Literal::Integer(number),
                None => {
                    return self.fail(Problem::new(
                        token.span,
                        format!("`{text}` does not fit 64 bits with a sign"),
                    ));
                }
            },
            (Kind::Mark, "[") => {
                self.expect("]")?;
                ir::Literal::EmptySequence
            }
            (Kind::Mark, "{") => {
                self.expect("}")?;
                ir::Literal::EmptyDictionary
            }
            _ => {
                let problem = Problem::new(
                    token.span,
                    format!("expected a default, found {}", shown(token)),
                );
                return self
                    .fail(problem.hint(
                        "`null`, `true`, `false`, a number, a text in quotes, `[]` or `{}`",
                    ));
            }
        };
        Some(Some(Literal {
            value,
            span: token.span,
        }))
    }
}

/// The value of an integer of WebIDL: decimal, octal with a leading 0, hexadecimal.
fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (radix, digits) = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(digits) => (16, digits),
        None if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        None => (10, digits),
    };
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn integers_of_all_bases() {
        assert_eq!(integer("42"), Some(42));
        assert_eq!(integer("-0x10"), Some(-16));
        assert_eq!(integer("017"), Some(15));
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(integer("9223372036854775808"), None);
        assert_eq!(integer("0x"), None);
    }
}
