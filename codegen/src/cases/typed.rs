//! Cases as printers read them: loops over constants unrolled, their variables kept in texts, names resolved, every argument in its place.

#![allow(
    clippy::large_enum_variant,
    reason = "few nodes live, and boxes would hide their shape"
)]

use std::collections::BTreeMap;

pub use super::ast::Comparison;
use super::constant::{Constant, Text};
use super::shared::Shared;
use crate::ir::{Argument, Function, Language, Name, Type};

/// The cases of one file.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The file's name without suffix.
    pub concept: String,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its sentence.
    pub name: Text,
    /// The variables of the loops around it, outermost first, that stand for texts, and these texts.
    pub values: Vec<(String, String)>,
    /// The sentence as a name of a function; no other case of the file has it.
    pub function: String,
    /// Languages in which it is known to fail, and why.
    pub skips: BTreeMap<Language, String>,
    /// What it does.
    pub body: Vec<Step>,
    /// Where it stands, as `tests/cases/tensor.case:12`.
    pub place: String,
}

/// One step.
#[derive(Debug, Clone)]
pub enum Step {
    /// A variable.
    Let(String, Value),
    /// A variable lets go of its object.
    Drop(String),
    /// Something done.
    Do(Action),
    /// Something done and looked at.
    Expect(Action, Test),
    /// A loop over constants.
    Each {
        /// The name of each value.
        variable: String,
        /// What is done with each.
        rounds: Vec<Round>,
    },
    /// A loop when the case runs.
    For {
        /// The name of each value.
        variable: String,
        /// What is gone through.
        over: Value,
        /// Which values count.
        condition: Option<Value>,
        /// What is done with each.
        body: Vec<Step>,
    },
}

/// What a loop over constants does with one value.
#[derive(Debug, Clone)]
pub struct Round {
    /// The value when it is a text; other values stand in the steps themselves.
    pub text: Option<String>,
    /// The steps; variables in them are not seen outside.
    pub body: Vec<Step>,
}

/// A call, or a change of a mapping.
#[derive(Debug, Clone)]
pub enum Action {
    /// A value, computed.
    Evaluate(Value),
    /// `map[key] = value`.
    Set {
        /// The mapping.
        map: Value,
        /// The key.
        key: Value,
        /// The type of the mapping's values.
        ty: Type,
        /// The new value.
        value: Value,
    },
}

/// What is expected.
#[derive(Debug, Clone)]
pub enum Test {
    /// How it compares with another value.
    Compare(Comparison, Value),
    /// Numbers near to those of another value.
    Near(Value, Constant),
    /// An error.
    Throws {
        /// Its kind.
        kind: String,
        /// Part of its message; empty when any will do.
        part: Text,
    },
}

/// A value with its type.
#[derive(Debug, Clone)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: Ty,
}

/// What is known of a value's type.
#[derive(Debug, Clone, PartialEq)]
pub enum Ty {
    /// A type of the spec.
    Api(Type),
    /// A constant, or a list of things: it takes the type that is wanted.
    Open,
    /// A value of the support code: it can only be compared.
    Plain,
    /// A log that callbacks add to.
    Log,
    /// A function passed in, with its number of parameters.
    Callback(usize),
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Known before the case runs.
    Constant(Constant),
    /// A list with at least one value that is not constant.
    List(Vec<Value>),
    /// Named values, at least one of which is not constant.
    Record(Vec<(String, Value)>),
    /// A variable.
    Variable(String),
    /// A call of the API.
    Call(Call),
    /// An attribute of an object, or a member of a dictionary.
    Property {
        /// Whose.
        of: Box<Value>,
        /// Which.
        name: Name,
        /// Whether reading it can raise.
        throws: bool,
        /// Whether `of` is a dictionary.
        in_dictionary: bool,
    },
    /// An element of an `iterable`.
    At(Box<Value>, i128),
    /// The value of a key of a `maplike`; no such key is a KeyError.
    Lookup(Box<Value>, Box<Value>),
    /// An operation that every `maplike` has.
    Map(MapOperation, Box<Value>, Option<Box<Value>>),
    /// An item of a list.
    Item(Box<Value>, usize),
    /// A function of the support code.
    Support(Support, Vec<Value>),
    /// A function passed in.
    Callback(Callback),
    /// A container or a function, in the manner of the language.
    Shared(Shared),
}

/// An operation that every `maplike` has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapOperation {
    /// `has(key)`
    Has,
    /// `remove(key)`
    Remove,
    /// `clear()`
    Clear,
}

/// Functions of the support code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// `temp(name)`: the path of a file that does not exist yet.
    Temp,
    /// `vector(name)`: the path of a file of tests/vectors.
    Vector,
    /// `read(path)`: the bytes of a file.
    Read,
    /// `write(path, bytes)`: makes a file.
    Write,
    /// `exists(path)`
    Exists,
    /// `len(x)`: elements of a list, an iterable, a mapping or a log.
    Len,
    /// `keys(map)`
    Keys,
    /// `plus(a, b)`: a sum of whole numbers.
    Plus,
    /// `log()`: a list that callbacks add to.
    Log,
    /// `last(log)`
    Last,
    /// `native(name)`: the global function `testing.name`.
    Native,
    /// `fill(dict, count)`: sets each key from 0 to its square.
    Fill,
}

impl Support {
    /// All, with the name that cases call them by.
    pub const ALL: &'static [(&'static str, Support)] = &[
        ("temp", Support::Temp),
        ("vector", Support::Vector),
        ("read", Support::Read),
        ("write", Support::Write),
        ("exists", Support::Exists),
        ("len", Support::Len),
        ("keys", Support::Keys),
        ("plus", Support::Plus),
        ("log", Support::Log),
        ("last", Support::Last),
        ("native", Support::Native),
        ("fill", Support::Fill),
    ];
}

/// A call of the API.
#[derive(Debug, Clone)]
pub struct Call {
    /// On what.
    pub target: Target,
    /// What is called.
    pub function: Function,
    /// For each argument of `function`, what was given.
    pub arguments: Vec<Given>,
}

/// What a function is called on.
#[derive(Debug, Clone)]
pub enum Target {
    /// Nothing.
    Free,
    /// A class, to make an object.
    Constructor(String),
    /// A class.
    Static(String),
    /// An object.
    Method(Box<Value>),
}

/// What a call gives for an argument.
#[derive(Debug, Clone)]
pub enum Given {
    /// Nothing.
    Omitted,
    /// A value.
    Value(Value),
    /// Members of a dictionary.
    Options(Vec<(Argument, Value)>),
}

/// A function passed in.
#[derive(Debug, Clone)]
pub struct Callback {
    /// Names and types of its parameters; types are known where it is passed.
    pub parameters: Vec<String>,
    /// What it does.
    pub body: CallbackBody,
}

/// What a function passed in does.
#[derive(Debug, Clone)]
pub enum CallbackBody {
    /// Adds a list of values to a log.
    Add(String, Vec<Value>),
    /// Raises an error.
    Throw(String, String),
    /// Gives a value.
    Return(Box<Value>),
}

impl Value {
    /// The type of the spec, when it has one.
    pub fn api(&self) -> Option<&Type> {
        match &self.ty {
            Ty::Api(ty) => Some(ty.resolved()),
            _ => None,
        }
    }
}
