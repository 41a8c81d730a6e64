//! The neutral description of the public interface: what every backend reads.
//!
//! [`Api`] holds resolved declarations in the order of the spec. Nothing in it belongs to one
//! language; a backend turns a [`Name`] into its own case and a [`Type`] into its own types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Everything the spec declares.
#[derive(Debug, Clone, Default)]
pub struct Api {
    /// Docs of `namespace tenspan`: what the library is.
    pub docs: Docs,
    /// Enumerations, such as the dtype names and the error kinds.
    pub enums: Vec<Enum>,
    /// Plain data with defaults.
    pub dictionaries: Vec<Dictionary>,
    /// Signatures of functions that callers pass in.
    pub callbacks: Vec<Callback>,
    /// Classes.
    pub interfaces: Vec<Interface>,
    /// Namespaces inside of the library, such as `cpp`.
    pub namespaces: Vec<Namespace>,
    /// Free functions: the members of `namespace tenspan` and of the namespaces inside.
    pub functions: Vec<Function>,
    /// Names for types, kept because a language may have a type of its own for one.
    pub aliases: Vec<Alias>,
}

impl Api {
    /// Finds a class by its name in the spec.
    pub fn interface(&self, name: &str) -> Option<&Interface> {
        self.interfaces.iter().find(|i| i.name.as_spec() == name)
    }

    /// Finds a dictionary by its name in the spec.
    pub fn dictionary(&self, name: &str) -> Option<&Dictionary> {
        self.dictionaries.iter().find(|d| d.name.as_spec() == name)
    }

    /// Finds an enumeration by its name in the spec.
    pub fn enumeration(&self, name: &str) -> Option<&Enum> {
        self.enums.iter().find(|e| e.name.as_spec() == name)
    }

    /// Finds a callback by its name in the spec.
    pub fn callback(&self, name: &str) -> Option<&Callback> {
        self.callbacks.iter().find(|c| c.name.as_spec() == name)
    }

    /// Constructors, statics and methods of every class, then the free functions.
    pub fn all_functions(&self) -> impl Iterator<Item = &Function> {
        self.interfaces
            .iter()
            .flat_map(Interface::functions)
            .chain(&self.functions)
    }
}

/// A name as the spec writes it: `camelCase` for members, `PascalCase` for types.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub String);

/// Where a declaration stands, for messages and for "Generated from".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// File name relative to the spec folder, such as `tensor.webidl`.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// The text of `///` lines, without the `@param` parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Docs {
    /// Lines without their marker; Markdown, with links like `[Tensor.reshape]`.
    pub lines: Vec<String>,
    /// Programs that show a use, as they stood between fences.
    pub examples: Vec<Example>,
}

/// A program that shows a use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The language that it is written in.
    pub language: Language,
    /// Its lines.
    pub lines: Vec<String>,
}

/// The languages that a declaration can be left out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// The core crate itself.
    Rust,
    /// The PyO3 front.
    Python,
    /// The Node-API front.
    Node,
    /// The C++ header.
    Cpp,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] = &[
        Language::Rust,
        Language::Python,
        Language::Node,
        Language::Cpp,
    ];

    /// The language of a program between fences, by what stands after the first.
    pub fn of_fence(word: &str) -> Option<Language> {
        Language::ALL
            .iter()
            .find(|language| language.fence() == word)
            .copied()
    }

    /// What stands after the fence of a program.
    pub fn fence(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Python => "python",
            Language::Node => "js",
            Language::Cpp => "cpp",
        }
    }

    /// The extended attribute that says how a declaration is written by hand in the language.
    pub fn attribute(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::Node => "Node",
            Language::Cpp => "Cpp",
        }
    }

    /// The name that `[Skip]` uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Python => "python",
            Language::Node => "node",
            Language::Cpp => "cpp",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Extended attributes of a declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Returns `Result` in core; raises in the language.
    pub throws: bool,
    /// The language's object keeps the storage alive; nothing is copied.
    pub share: bool,
    /// Glue calls the front's handwritten `custom` module instead of core; a class is written by hand in each front.
    pub custom: bool,
    /// Takes no time worth giving the interpreter to others for.
    pub quick: bool,
    /// A product of two rows, which fronts may pass without making tensors of them.
    pub rows: bool,
    /// Name in core, where Rust must differ.
    pub rename: Option<String>,
    /// Languages without this declaration.
    pub skip: BTreeSet<Language>,
    /// How it is declared where it is written by hand in the language itself, in the words of that language.
    pub by_hand: BTreeMap<Language, Vec<String>>,
    /// Written in Python, and not in native code.
    pub pure_python: bool,
    /// First version that has it.
    pub since: Option<String>,
    /// Why it should no longer be used.
    pub deprecated: Option<String>,
}

impl Attributes {
    /// Whether a language has the declaration.
    pub fn is_in(&self, language: Language) -> bool {
        !self.skip.contains(&language)
    }

    /// Whether the declaration is printed for a language: it exists there, and is not written by hand.
    pub fn is_printed(&self, language: Language) -> bool {
        self.is_in(language) && self.by_hand(language).is_none()
    }

    /// How the declaration is written by hand in a language, where the spec says so.
    pub fn by_hand(&self, language: Language) -> Option<&[String]> {
        self.by_hand.get(&language).map(Vec::as_slice)
    }
}

/// A resolved type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// No value.
    Undefined,
    /// `boolean`.
    Boolean,
    /// `octet`, `short`, `long`, `long long` and their unsigned forms.
    Integer {
        /// Whether negative values exist.
        signed: bool,
        /// 8, 16, 32 or 64.
        bits: u8,
    },
    /// `double` or `float`.
    Double,
    /// `DOMString`.
    String,
    /// `BufferSource` (arguments) or `Uint8Array` (results).
    Bytes,
    /// `any`: every value that can cross a border.
    Any,
    /// `object`: a value of the language itself. Only behind an [`Type::Alias`] or in a union.
    Object,
    /// `T?`.
    Nullable(Box<Type>),
    /// `sequence<T>` or `FrozenArray<T>`.
    Sequence(Box<Type>),
    /// `record<DOMString, T>`: named values in order.
    Record(Box<Type>),
    /// A class, by name.
    Interface(String),
    /// An enumeration, by name.
    Enum(String),
    /// A dictionary, by name.
    Dictionary(String),
    /// A callback, by name.
    Callback(String),
    /// A named type of [`Api::aliases`].
    Alias {
        /// Name in the spec.
        name: String,
        /// What it stands for.
        target: Box<Type>,
    },
    /// A union: accepted in any form of `members`, converted to the first, which is what core receives.
    Union(Vec<Type>),
}

impl Type {
    /// The type that core sees: aliases followed, unions replaced by their first member.
    pub fn resolved(&self) -> &Type {
        match self {
            Type::Alias { target, .. } => target.resolved(),
            Type::Union(members) => members.first().map_or(self, Type::resolved),
            other => other,
        }
    }

    /// The type inside a nullable one, or the type itself; and whether it was nullable.
    pub fn non_null(&self) -> (&Type, bool) {
        match self {
            Type::Nullable(inner) => (inner, true),
            Type::Alias { target, .. } if matches!(**target, Type::Nullable(_)) => {
                target.non_null()
            }
            other => (other, false),
        }
    }

    /// The name of the outermost alias, if the type was written as one.
    pub fn alias(&self) -> Option<&str> {
        match self {
            Type::Alias { name, .. } => Some(name),
            Type::Nullable(inner) => inner.alias(),
            _ => None,
        }
    }
}

/// A literal of the spec.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent, as written.
    Double(String),
    /// Text.
    String(String),
    /// `[]`.
    EmptySequence,
    /// `{}`.
    EmptyDictionary,
}

/// A named type.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// Name in the spec.
    pub name: Name,
    /// Its docs.
    pub docs: Docs,
    /// `since` and `deprecated`; the others do not occur here.
    pub attributes: Attributes,
    /// What it stands for.
    pub target: Type,
    /// Where it stands.
    pub position: Position,
}

/// An enumeration of strings.
#[derive(Debug, Clone, PartialEq)]
pub struct Enum {
    /// Name in the spec.
    pub name: Name,
    /// Its docs.
    pub docs: Docs,
    /// `since` and `deprecated`; the others do not occur here.
    pub attributes: Attributes,
    /// Values in order.
    pub values: Vec<EnumValue>,
    /// Where it stands.
    pub position: Position,
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumValue {
    /// The string itself.
    pub value: String,
    /// Its docs.
    pub docs: Docs,
}

/// Plain data with defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Dictionary {
    /// Name in the spec.
    pub name: Name,
    /// Its docs.
    pub docs: Docs,
    /// `since` and `deprecated`; the others do not occur here.
    pub attributes: Attributes,
    /// Members in order.
    pub members: Vec<Argument>,
    /// Where it stands.
    pub position: Position,
}

/// The signature of a function that a caller passes in.
#[derive(Debug, Clone, PartialEq)]
pub struct Callback {
    /// Name in the spec.
    pub name: Name,
    /// Its docs.
    pub docs: Docs,
    /// `since` and `deprecated`; the others do not occur here.
    pub attributes: Attributes,
    /// Arguments it is called with.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub returns: Type,
    /// Where it stands.
    pub position: Position,
}

/// A class.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// Name in the spec.
    pub name: Name,
    /// Its docs.
    pub docs: Docs,
    /// Extended attributes.
    pub attributes: Attributes,
    /// `[Value]`: small, copied, compared by value.
    pub is_value: bool,
    /// How it is made, when it can be made directly.
    pub constructor: Option<Function>,
    /// Properties.
    pub properties: Vec<Property>,
    /// Methods on an instance.
    pub methods: Vec<Function>,
    /// Methods on the class.
    pub statics: Vec<Function>,
    /// Element type of `iterable<T>`.
    pub iterable: Option<Type>,
    /// Docs of `iterable<T>`.
    pub iterable_docs: Docs,
    /// `maplike<K, V>`.
    pub maplike: Option<Maplike>,
    /// Where it stands.
    pub position: Position,
}

impl Interface {
    /// Whether what it maps names to are also its members: functions are.
    pub fn gives_members(&self) -> bool {
        let map = self.maplike.as_ref();
        map.is_some_and(
            |map| matches!(map.value.resolved(), Type::Interface(name) if name == "Function"),
        )
    }

    /// The constructor, statics and methods.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.constructor
            .iter()
            .chain(&self.statics)
            .chain(&self.methods)
    }
}

/// A class that maps keys to values.
#[derive(Debug, Clone, PartialEq)]
pub struct Maplike {
    /// Type of the keys.
    pub key: Type,
    /// Type of the values.
    pub value: Type,
    /// Whether it cannot be changed.
    pub readonly: bool,
    /// Its docs.
    pub docs: Docs,
}

/// An attribute of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// Name in the spec.
    pub name: Name,
    /// Its docs.
    pub docs: Docs,
    /// Its type.
    pub ty: Type,
    /// Whether it cannot be set.
    pub readonly: bool,
    /// Extended attributes.
    pub attributes: Attributes,
    /// Where it stands.
    pub position: Position,
}

/// A method, a static, a constructor or a free function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Name in the spec; `new` for a constructor.
    pub name: Name,
    /// The namespace inside of the library that it is a free function of.
    pub namespace: Option<Name>,
    /// Its docs.
    pub docs: Docs,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub returns: Type,
    /// Extended attributes.
    pub attributes: Attributes,
    /// Where it stands.
    pub position: Position,
}

impl Function {
    /// The name of a free function in the library: `copy`, or `cpp.loadInline`.
    pub fn path(&self) -> String {
        self.path_as(".", Name::as_spec, Name::as_spec)
    }

    /// The name of a free function in the library, spelled and joined as a language does it.
    pub fn path_as<'n, N, F>(
        &'n self,
        separator: &str,
        namespace: impl Fn(&'n Name) -> N,
        function: impl Fn(&'n Name) -> F,
    ) -> String
    where
        N: fmt::Display,
        F: fmt::Display,
    {
        let name = function(&self.name);
        match &self.namespace {
            Some(of) => format!("{}{separator}{name}", namespace(of)),
            None => name.to_string(),
        }
    }
}

/// A namespace inside of the library: a module in Python, an object in Node.js.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub docs: Docs,
}

/// An argument, or a member of a dictionary.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Name in the spec.
    pub name: Name,
    /// Its docs: the `@param` text, or the member's own.
    pub docs: Docs,
    /// `since` and `deprecated`; the others do not occur here.
    pub attributes: Attributes,
    /// Its type.
    pub ty: Type,
    /// Whether it may be left out.
    pub optional: bool,
    /// What it is when left out.
    pub default: Option<Literal>,
    /// `[Borrow]`: bytes that are valid for the call only.
    pub borrow: bool,
    /// Where it stands.
    pub position: Position,
}
