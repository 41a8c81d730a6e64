//! Recursive descent from tokens to [`ast`](super::ast).
//!
//! Inside a case the parser goes on after a mistake with the next line, so that several are told at once.

use super::ast::{
    Action, Argument, CallbackBody, Case, Check, Comparison, Expectation, Expr, ExprKind, ForItems,
    Item, Statement, Word,
};
use super::lexer::{self, Kind, Token};
use crate::diagnostic::{Problem, Span};

/// Parses one file.
pub fn parse(file: usize, source: &str, problems: &mut Vec<Problem>) -> Vec<Item> {
    let tokens = lexer::tokens(file, source, problems);
    let mut parser = Parser {
        tokens,
        at: 0,
        problems,
    };
    let items = parser.items();
    if !matches!(parser.peek().kind, Kind::End) {
        let problem = Problem::new(parser.peek().span, "this `}` closes nothing");
        parser.problems.push(problem);
    }
    items
}

/// A mistake was reported; the caller skips to where it can go on.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'p> {
    tokens: Vec<Token>,
    at: usize,
    problems: &'p mut Vec<Problem>,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if !matches!(token.kind, Kind::End) {
            self.at += 1;
        }
        token
    }

    fn fail<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.peek().clone();
        let problem = Problem::new(
            token.span,
            format!("found {}, wanted {wanted}", describe(&token.kind)),
        );
        self.problems.push(problem);
        Err(Reported)
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek().kind, Kind::Mark(found) if found == mark)
    }

    /// A mark on the same line as what stands before it.
    fn continues_with(&self, mark: &str) -> bool {
        self.is_mark(mark) && !self.peek().begins_line
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, Kind::Word(found) if found == word)
    }

    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn mark(&mut self, mark: &str) -> Parsed<Span> {
        let span = self.peek().span;
        if self.take_mark(mark) {
            Ok(span)
        } else {
            self.fail(&format!("`{mark}`"))
        }
    }

    fn word(&mut self, what: &str) -> Parsed<Word> {
        if let Kind::Word(text) = self.peek().kind.clone() {
            let span = self.next().span;
            return Ok(Word { text, span });
        }
        self.fail(what)
    }

    fn text(&mut self, what: &str) -> Parsed<Word> {
        if let Kind::Text(text) = self.peek().kind.clone() {
            let span = self.next().span;
            return Ok(Word { text, span });
        }
        self.fail(what)
    }

    fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !matches!(self.peek().kind, Kind::End) && !self.is_mark("}") {
            let before = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(Reported) => self.skip(before, |parser| {
                    parser.is_word("case") || parser.is_word("for") || parser.is_word("const")
                }),
            }
        }
        items
    }

    /// Skips to the beginning of a line where `stop` holds; at least one token when nothing was read.
    fn skip(&mut self, before: usize, stop: impl Fn(&Self) -> bool) {
        if self.at == before {
            self.next();
        }
        loop {
            let token = self.peek();
            if matches!(token.kind, Kind::End) || (token.begins_line && stop(self)) {
                return;
            }
            self.next();
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.take_word("case") {
            return self.case().map(Item::Case);
        }
        if self.take_word("const") {
            let name = self.word("a name")?;
            self.mark("=")?;
            return Ok(Item::Constant(name, self.expr()?));
        }
        if self.take_word("for") {
            let variable = self.word("a name for each value")?;
            self.keyword("in")?;
            let source = self.expr()?;
            self.mark("{")?;
            let items = self.items();
            self.mark("}")?;
            return Ok(Item::For(ForItems {
                variable,
                source,
                items,
            }));
        }
        self.fail("`case`, `for` or `const`")
    }

    fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) {
            Ok(())
        } else {
            self.fail(&format!("`{word}`"))
        }
    }

    fn case(&mut self) -> Parsed<Case> {
        let name = self.text("the case's sentence in quotes")?;
        self.mark("{")?;
        let mut skips = Vec::new();
        while self.take_word("skip") {
            self.mark("(")?;
            let language = self.word("a language")?;
            self.mark(")")?;
            let reason = self.text("the reason in quotes")?;
            skips.push((language, reason.text));
        }
        let body = self.block()?;
        Ok(Case { name, skips, body })
    }

    /// Statements up to `}`, which is taken.
    fn block(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while !self.take_mark("}") {
            if matches!(self.peek().kind, Kind::End) {
                return self.fail("`}`");
            }
            let before = self.at;
            match self.statement() {
                Ok(statement) => {
                    statements.push(statement);
                    if !self.peek().begins_line && !self.is_mark("}") {
                        let problem =
                            Problem::new(self.peek().span, "a statement ends with its line");
                        self.problems.push(problem);
                        self.skip(before, |_| true);
                    }
                }
                Err(Reported) => self.skip(before, |_| true),
            }
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let span = self.peek().span;
        if self.take_word("expect") {
            let action = self.action()?;
            let check = self.check()?;
            return Ok(Statement::Expect(Expectation {
                action,
                check,
                span,
            }));
        }
        if self.take_word("drop") {
            return Ok(Statement::Drop(self.word("a variable")?));
        }
        if self.take_word("for") {
            let variable = self.word("a name for each value")?;
            self.keyword("in")?;
            let over = self.expr()?;
            let condition = if self.take_word("where") {
                Some(self.expr()?)
            } else {
                None
            };
            self.mark("{")?;
            let body = self.block()?;
            return Ok(Statement::For {
                variable,
                over,
                condition,
                body,
            });
        }
        if let (Kind::Word(_), Some(Kind::Mark("="))) = (
            &self.peek().kind,
            self.tokens.get(self.at + 1).map(|t| &t.kind),
        ) {
            let name = self.word("a name")?;
            self.mark("=")?;
            return Ok(Statement::Let(name, self.expr()?));
        }
        self.action().map(Statement::Action)
    }

    fn action(&mut self) -> Parsed<Action> {
        let expr = self.expr()?;
        if self.continues_with("=") {
            if let ExprKind::Index(map, key) = expr.kind {
                self.mark("=")?;
                return Ok(Action::Set {
                    map: *map,
                    key: *key,
                    value: self.expr()?,
                });
            }
            return self.fail("a value to look up before `=`, as in `map[\"key\"] = 1`");
        }
        Ok(Action::Evaluate(expr))
    }

    fn check(&mut self) -> Parsed<Check> {
        let comparisons = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Differs),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        for (mark, comparison) in comparisons {
            if self.take_mark(mark) {
                return Ok(Check::Compare(comparison, self.expr()?));
            }
        }
        if self.take_mark("~=") {
            let near = self.expr()?;
            let tolerance = if self.take_word("within") {
                Some(self.expr()?)
            } else {
                None
            };
            return Ok(Check::Near(near, tolerance));
        }
        if self.take_word("throws") {
            let kind = self.word("the kind of an error")?;
            let part = match &self.peek().kind {
                Kind::Text(_) => Some(self.text("part of the message")?.text),
                _ => None,
            };
            return Ok(Check::Throws(kind, part));
        }
        self.fail("`==`, `!=`, `<`, `>`, `~=` or `throws`")
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            if self.take_mark(".") {
                let name = self.word("a member")?;
                let span = expr.span.to(name.span);
                let kind = if self.continues_with("(") {
                    ExprKind::Method(Box::new(expr), name, self.arguments()?)
                } else {
                    ExprKind::Property(Box::new(expr), name)
                };
                expr = Expr { kind, span };
            } else if self.continues_with("[") {
                self.mark("[")?;
                let key = self.expr()?;
                let span = expr.span.to(self.mark("]")?);
                expr = Expr {
                    kind: ExprKind::Index(Box::new(expr), Box::new(key)),
                    span,
                };
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        let span = token.span;
        let kind = match token.kind {
            Kind::Integer(value) => self.taken(ExprKind::Integer(value)),
            Kind::Decimal(text) => self.taken(ExprKind::Float(text)),
            Kind::Text(text) => self.taken(ExprKind::Text(text)),
            Kind::Bytes(bytes) => self.taken(ExprKind::Bytes(bytes)),
            Kind::Mark("-") => return self.negative(),
            Kind::Mark("[") => {
                self.next();
                let items = self.list("]", Self::expr)?;
                ExprKind::List(items)
            }
            Kind::Mark("{") => {
                self.next();
                ExprKind::Record(self.list("}", Self::entry)?)
            }
            Kind::Mark("|") => return self.callback(),
            Kind::Word(word) => {
                self.next();
                match word.as_str() {
                    "null" => ExprKind::Null,
                    "true" | "false" => ExprKind::Boolean(word == "true"),
                    "nan" | "inf" => ExprKind::Float(word),
                    _ if self.continues_with("(") => {
                        ExprKind::Call(Word { text: word, span }, self.arguments()?)
                    }
                    _ => ExprKind::Name(word),
                }
            }
            _ => return self.fail("a value"),
        };
        let end = self.tokens[self.at.saturating_sub(1)].span;
        Ok(Expr {
            kind,
            span: span.to(end),
        })
    }

    fn taken(&mut self, kind: ExprKind) -> ExprKind {
        self.next();
        kind
    }

    fn negative(&mut self) -> Parsed<Expr> {
        let span = self.mark("-")?;
        let positive = self.primary()?;
        let kind = match positive.kind {
            ExprKind::Integer(value) => ExprKind::Integer(-value),
            ExprKind::Float(text) => ExprKind::Float(format!("-{text}")),
            _ => {
                self.problems
                    .push(Problem::new(positive.span, "only a number can follow `-`"));
                return Err(Reported);
            }
        };
        Ok(Expr {
            kind,
            span: span.to(positive.span),
        })
    }

    fn callback(&mut self) -> Parsed<Expr> {
        let span = self.mark("|")?;
        let parameters = self.list("|", |parser| parser.word("a parameter"))?;
        let body = if self.take_word("throw") {
            let kind = self.word("the kind of an error")?;
            CallbackBody::Throw(kind, self.text("the message in quotes")?.text)
        } else if self.take_word("return") {
            CallbackBody::Return(Box::new(self.expr()?))
        } else {
            let log = self.word("`throw`, `return` or a log")?;
            self.mark(".")?;
            self.keyword("add")?;
            self.mark("(")?;
            CallbackBody::Add(log, self.list(")", Self::expr)?)
        };
        let end = self.tokens[self.at.saturating_sub(1)].span;
        Ok(Expr {
            kind: ExprKind::Callback(parameters, body),
            span: span.to(end),
        })
    }

    fn entry(&mut self) -> Parsed<(Word, Expr)> {
        let key = if matches!(self.peek().kind, Kind::Text(_)) {
            self.text("a key")?
        } else {
            self.word("a key")?
        };
        self.mark(":")?;
        Ok((key, self.expr()?))
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.mark("(")?;
        self.list(")", |parser| {
            let named = matches!(
                parser.tokens.get(parser.at + 1).map(|token| &token.kind),
                Some(Kind::Mark(":"))
            );
            let name = if named {
                Some(parser.word("an argument's name")?)
            } else {
                None
            };
            if named {
                parser.mark(":")?;
            }
            Ok(Argument {
                name,
                value: parser.expr()?,
            })
        })
    }

    /// Things parted by commas up to `end`, which is taken; a comma may stand before it.
    fn list<T>(
        &mut self,
        end: &str,
        mut one: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut list = Vec::new();
        loop {
            if self.take_mark(end) {
                return Ok(list);
            }
            list.push(one(self)?);
            if !self.take_mark(",") && !self.is_mark(end) {
                return self.fail(&format!("`,` or `{end}`"));
            }
        }
    }
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Word(word) => format!("`{word}`"),
        Kind::Integer(value) => format!("`{value}`"),
        Kind::Decimal(text) => format!("`{text}`"),
        Kind::Text(text) => format!("\"{text}\""),
        Kind::Bytes(_) => "bytes".to_owned(),
        Kind::Mark(mark) => format!("`{mark}`"),
        Kind::End => "the end of the file".to_owned(),
    }
}
