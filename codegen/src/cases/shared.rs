//! Values that all languages share, as printers read them: containers made and asked, functions called.

use super::typed::Value;

/// A class of containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `Array([…])`
    Array,
    /// `List([…])`
    List,
    /// `Map([[key, value], …])`
    Map,
    /// `Dict([[key, value], …])`
    Dict,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 4] = [Class::Array, Class::List, Class::Map, Class::Dict];

    /// Its name in the spec and in every language.
    pub fn name(self) -> &'static str {
        match self {
            Class::Array => "Array",
            Class::List => "List",
            Class::Map => "Map",
            Class::Dict => "Dict",
        }
    }

    /// Whether it holds values by key.
    pub fn is_mapping(self) -> bool {
        matches!(self, Class::Map | Class::Dict)
    }
}

/// What a container can be asked or told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `sequence[position]`; negative positions count from the end.
    At,
    /// `sequence[position] = value`
    SetAt,
    /// `sequence.indexOf(value)`: a position, or null.
    IndexOf,
    /// `list.push(value)`
    Push,
    /// `list.remove(position)`: what stood there.
    RemoveAt,
    /// `list.splice(start, stop, [items])`: what stood there.
    Splice,
    /// `mapping[key]`
    Lookup,
    /// `mapping[key] = value`
    SetKey,
    /// `mapping.has(key)`
    Has,
    /// `mapping.remove(key)`: whether there was such a key.
    RemoveKey,
    /// `keys(mapping)`
    Keys,
    /// `mapping.values()`
    Values,
    /// `container.clear()`
    Clear,
}

/// A value that is made or asked in the manner that a language has for it.
#[derive(Debug, Clone)]
pub enum Shared {
    /// A new container: its items, or keys and values in turn.
    Make(Class, Vec<Value>),
    /// An operation on a container, and its arguments.
    Ask(Operation, Box<Value>, Vec<Value>),
    /// A call of a function.
    Call(Box<Value>, Vec<Value>),
}
