//! Case files as they are written, before anything is known about types.

#![allow(
    clippy::large_enum_variant,
    reason = "few nodes live, and boxes would hide their shape"
)]

use crate::diagnostic::Span;

/// A word and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What stands at the top of a file or in a loop over cases.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// One case.
    Case(Case),
    /// The same cases for each of several values.
    For(ForItems),
    /// A constant for the rest of the file.
    Constant(Word, Expr),
}

/// `for name in source { … }` around cases.
#[derive(Debug, Clone, PartialEq)]
pub struct ForItems {
    /// The name that each value gets.
    pub variable: Word,
    /// An enumeration or a constant list.
    pub source: Expr,
    /// What is repeated.
    pub items: Vec<Item>,
}

/// `case "name" { … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its sentence.
    pub name: Word,
    /// Languages in which it is known to fail, and why.
    pub skips: Vec<(Word, String)>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// One step of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `name = value`.
    Let(Word, Expr),
    /// `drop name`.
    Drop(Word),
    /// Something done.
    Action(Action),
    /// `expect …`.
    Expect(Expectation),
    /// `for name in list where condition { … }`.
    For {
        /// The name that each value gets.
        variable: Word,
        /// What is gone through when the case runs.
        over: Expr,
        /// Which values count.
        condition: Option<Expr>,
        /// What is done with each.
        body: Vec<Statement>,
    },
}

/// A call, or a change of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// An expression, evaluated.
    Evaluate(Expr),
    /// `map[key] = value`.
    Set {
        /// The mapping.
        map: Expr,
        /// The key.
        key: Expr,
        /// The new value.
        value: Expr,
    },
}

/// `expect action check`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// What is looked at.
    pub action: Action,
    /// What it must be.
    pub check: Check,
    /// Where `expect` stands.
    pub span: Span,
}

/// What is expected.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// `==`, `!=`, `<`, `>`.
    Compare(Comparison, Expr),
    /// `~=`, with `within tolerance`.
    Near(Expr, Option<Expr>),
    /// `throws Kind`, with a part of the message.
    Throws(Word, Option<String>),
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Differs,
    /// `<`
    Less,
    /// `>`
    Greater,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `null`.
    Null,
    /// `true`, `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a point, `nan` or `inf`.
    Float(String),
    /// Text, `{name}` not yet replaced.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// `[…]`.
    List(Vec<Expr>),
    /// `{ name: value }`.
    Record(Vec<(Word, Expr)>),
    /// A variable, or an enumeration.
    Name(String),
    /// `name(…)`.
    Call(Word, Vec<Argument>),
    /// `value.name(…)`.
    Method(Box<Expr>, Word, Vec<Argument>),
    /// `value.name`.
    Property(Box<Expr>, Word),
    /// `value[key]`.
    Index(Box<Expr>, Box<Expr>),
    /// `|a, b| log.add(a)`, `|a, b| throw Kind "message"` or `|a, b| return [b, a]`.
    Callback(Vec<Word>, CallbackBody),
}

/// What a callback does.
#[derive(Debug, Clone, PartialEq)]
pub enum CallbackBody {
    /// Adds a list of values to a log.
    Add(Word, Vec<Expr>),
    /// Raises an error of a kind.
    Throw(Word, String),
    /// Gives a value.
    Return(Box<Expr>),
}

/// An argument, by its place or by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// `name:` before it.
    pub name: Option<Word>,
    /// The value.
    pub value: Expr,
}
