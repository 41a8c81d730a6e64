//! The tree of a spec file: what was written, not yet what it means.

use crate::diagnostic::Span;

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// Without the `_` that escapes a keyword.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// `///` lines before a declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Docs {
    /// Each line and where its text stands.
    pub lines: Vec<Ident>,
}

/// One extended attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: Ident,
    /// What follows the `=`.
    pub value: AttributeValue,
}

/// The value of an extended attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeValue {
    /// Nothing.
    None,
    /// Text in quotes.
    Text(Ident),
    /// Several texts in parentheses.
    Texts(Vec<Ident>),
    /// One name, or several in parentheses.
    Names(Vec<Ident>),
}

/// A declaration at the top of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its docs.
    pub docs: Docs,
    /// Its extended attributes.
    pub attributes: Vec<Attribute>,
    /// The word `partial`, when it adds to another declaration.
    pub partial: Option<Span>,
    /// Its name.
    pub name: Ident,
    /// What it declares.
    pub kind: DefinitionKind,
}

/// What a definition declares.
#[derive(Debug, Clone, PartialEq)]
pub enum DefinitionKind {
    /// A class.
    Interface(Vec<Member>),
    /// Free functions.
    Namespace(Vec<Member>),
    /// Plain data.
    Dictionary(Vec<Argument>),
    /// A choice of strings.
    Enum(Vec<EnumValue>),
    /// The signature of a function passed in.
    Callback {
        /// What it returns.
        returns: Type,
        /// What it is called with.
        arguments: Vec<Argument>,
    },
    /// A name for a type.
    Typedef(Type),
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumValue {
    /// Its docs.
    pub docs: Docs,
    /// The text.
    pub value: Ident,
}

/// A member of an interface or a namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its docs.
    pub docs: Docs,
    /// Its extended attributes.
    pub attributes: Vec<Attribute>,
    /// What it is.
    pub kind: MemberKind,
    /// Its name, or the word that says what it is.
    pub span: Span,
}

/// What a member is.
#[derive(Debug, Clone, PartialEq)]
pub enum MemberKind {
    /// `constructor(…)`.
    Constructor(Vec<Argument>),
    /// A method or a function.
    Operation {
        /// Whether it belongs to the class.
        is_static: bool,
        /// What it returns.
        returns: Type,
        /// Its name.
        name: Ident,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// An attribute.
    Property {
        /// Whether it cannot be set.
        readonly: bool,
        /// Its type.
        ty: Type,
        /// Its name.
        name: Ident,
    },
    /// `iterable<T>`.
    Iterable(Type),
    /// `maplike<K, V>`.
    Maplike {
        /// Whether it cannot be changed.
        readonly: bool,
        /// Type of the keys.
        key: Type,
        /// Type of the values.
        value: Type,
    },
}

/// An argument or a member of a dictionary.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its docs; arguments have theirs in `@param` instead.
    pub docs: Docs,
    /// Its extended attributes.
    pub attributes: Vec<Attribute>,
    /// Whether `optional` stands before it.
    pub optional: bool,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Ident,
    /// What follows `=`.
    pub default: Option<Literal>,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeKind {
    /// `undefined`.
    Undefined,
    /// `boolean`.
    Boolean,
    /// Whole numbers.
    Integer {
        /// Whether negative values exist.
        signed: bool,
        /// 8, 16, 32 or 64.
        bits: u8,
    },
    /// `double` and `float`.
    Double,
    /// `DOMString`.
    String,
    /// `BufferSource`.
    BufferSource,
    /// `Uint8Array`.
    Uint8Array,
    /// `any`.
    Any,
    /// `object`.
    Object,
    /// `T?`.
    Nullable(Box<Type>),
    /// `sequence<T>`.
    Sequence(Box<Type>),
    /// `FrozenArray<T>`.
    FrozenArray(Box<Type>),
    /// `record<K, V>`.
    Record(Box<Type>, Box<Type>),
    /// `(A or B)`.
    Union(Vec<Type>),
    /// A declared name.
    Named(String),
}

/// A literal and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// Its value.
    pub value: crate::ir::Literal,
    /// Where it stands.
    pub span: Span,
}
