//! Types of the spec as types of C++, in each place they stand in.

use crate::ir::{Api, Argument, Literal, Name, Type};
use crate::naming;

/// Words that cannot be names in C++ as they are.
const KEYWORDS: &[&str] = &[
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "not",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
];

/// Named types that the handwritten headers have a class for, which takes whatever C++ callers have at hand.
const OWN: &[&str] = &["Path"];

/// Classes written by hand as templates, which hold any value when nothing is said.
const TEMPLATES: &[&str] = &["Array", "Dict", "List", "Map"];

/// A member, a function or an argument.
pub fn name(name: &Name) -> String {
    let snake = name.snake();
    if KEYWORDS.contains(&snake.as_str()) {
        snake + "_"
    } else {
        snake
    }
}

/// A type as C++ owns it: results, members of structs, items.
pub fn value(ty: &Type) -> String {
    match ty {
        Type::Undefined => "void".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer { signed, bits } => {
            format!("std::{}int{bits}_t", if *signed { "" } else { "u" })
        }
        Type::Double => "double".to_owned(),
        Type::String => "std::string".to_owned(),
        Type::Bytes => "std::vector<std::uint8_t>".to_owned(),
        Type::Any | Type::Object => "Any".to_owned(),
        Type::Nullable(inner) if matches!(inner.resolved(), Type::Callback(_)) => value(inner),
        Type::Nullable(inner) => format!("std::optional<{}>", value(inner)),
        Type::Sequence(inner) => format!("std::vector<{}>", value(inner)),
        Type::Record(inner) => format!("std::vector<std::pair<std::string, {}>>", value(inner)),
        Type::Interface(name) if TEMPLATES.contains(&name.as_str()) => format!("{name}<>"),
        Type::Interface(name)
        | Type::Enum(name)
        | Type::Dictionary(name)
        | Type::Callback(name) => pascal(name),
        Type::Alias { name, target } if is_union(target) || is_own(name) => {
            value(target.resolved())
        }
        Type::Alias { name, .. } => pascal(name),
        Type::Union(_) => value(ty.resolved()),
    }
}

/// A type as an item of a list or a record that a caller gives.
fn item(ty: &Type) -> String {
    match ty {
        Type::Alias { name, target } if is_union(target) || is_own(name) => pascal(name),
        other => value(other),
    }
}

/// A type as a struct of options holds it: records, and what a choice is made from, are taken as in an argument.
pub fn member(ty: &Type) -> String {
    match ty {
        Type::Nullable(inner) if is_choice(inner) || is_record(inner) => {
            format!("std::optional<{}>", member(inner))
        }
        Type::Record(inner) => format!("Record<{}>", item(inner)),
        other if is_choice(other) => item(other),
        other => value(other),
    }
}

fn is_record(ty: &Type) -> bool {
    matches!(ty, Type::Record(_))
}

fn is_choice(ty: &Type) -> bool {
    matches!(ty, Type::Alias { target, .. } if is_union(target))
}

/// A type as a function takes it.
pub fn parameter(ty: &Type) -> String {
    let shared = |text: String| format!("const {text}&");
    match ty {
        Type::Boolean | Type::Integer { .. } | Type::Double | Type::Enum(_) => value(ty),
        Type::String => "std::string_view".to_owned(),
        Type::Bytes => shared("BytesView".to_owned()),
        Type::Sequence(inner) => shared(format!("Sequence<{}>", item(inner))),
        Type::Record(inner) => shared(format!("Record<{}>", item(inner))),
        Type::Nullable(inner) => match inner.resolved() {
            Type::String if !inner.alias().is_some_and(is_own) => {
                "std::optional<std::string_view>".to_owned()
            }
            Type::Callback(_) => shared(value(ty)),
            _ if is_scalar(inner) => value(ty),
            _ => shared(format!("std::optional<{}>", item(inner))),
        },
        Type::Alias { name, target } if is_union(target) || is_own(name) => shared(item(ty)),
        Type::Alias { target, .. } if is_scalar(target) => value(ty),
        Type::Alias { target, .. } => parameter(target),
        Type::Union(_) if matches!(ty.resolved(), Type::String) => shared("Name".to_owned()),
        _ => shared(value(ty)),
    }
}

/// What an argument is when it is left out; none when it cannot be.
pub fn default(argument: &Argument, api: &Api) -> Option<String> {
    if !argument.optional && argument.default.is_none() {
        return None;
    }
    let is_callback = matches!(argument.ty.non_null().0.resolved(), Type::Callback(_));
    Some(match &argument.default {
        None | Some(Literal::Null) if is_callback => "nullptr".to_owned(),
        None | Some(Literal::Null) => "std::nullopt".to_owned(),
        Some(Literal::Boolean(value)) => value.to_string(),
        Some(Literal::Integer(value)) => integer(*value, argument.ty.non_null().0.resolved()),
        Some(Literal::Double(text)) => text.clone(),
        Some(Literal::String(text)) => string(text, argument.ty.resolved(), api),
        Some(Literal::EmptySequence | Literal::EmptyDictionary) => "{}".to_owned(),
    })
}

fn integer(value: i64, ty: &Type) -> String {
    match ty {
        Type::Double => format!("{value}.0"),
        _ => value.to_string(),
    }
}

fn string(text: &str, ty: &Type, api: &Api) -> String {
    match ty {
        Type::Enum(name) if api.enumeration(name).is_some() => {
            format!("{}::{}", pascal(name), naming::variant(text))
        }
        _ => format!("{text:?}"),
    }
}

/// What a function returns, in words.
pub fn words(ty: &Type) -> String {
    let (inner, nullable) = ty.non_null();
    let noun = match inner.resolved() {
        Type::Boolean => "answer".to_owned(),
        Type::Integer { .. } | Type::Double => "number".to_owned(),
        Type::String => "text".to_owned(),
        Type::Bytes => "bytes".to_owned(),
        Type::Sequence(_) | Type::Record(_) => "list".to_owned(),
        Type::Interface(name)
        | Type::Enum(name)
        | Type::Dictionary(name)
        | Type::Callback(name) => Name(name.clone()).snake().replace('_', " "),
        _ => "value".to_owned(),
    };
    if nullable {
        format!("The {noun}, if there is one.")
    } else {
        format!("The {noun}.")
    }
}

fn is_scalar(ty: &Type) -> bool {
    matches!(
        ty.resolved(),
        Type::Boolean | Type::Integer { .. } | Type::Double | Type::Enum(_)
    )
}

/// Whether a type is a choice whose alias is a type of its own in C++.
pub fn is_union(ty: &Type) -> bool {
    matches!(ty, Type::Union(_))
}

/// Whether an alias is a class of the handwritten headers.
pub fn is_own(alias: &str) -> bool {
    OWN.contains(&alias)
}

/// A type's name.
pub fn pascal(name: &str) -> String {
    Name(name.to_owned()).pascal()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like() -> Type {
        let union = Type::Union(vec![Type::Interface("Tensor".to_owned()), Type::Object]);
        Type::Alias {
            name: "TensorLike".to_owned(),
            target: Box::new(union),
        }
    }

    #[test]
    fn results_are_owned_and_arguments_borrowed() {
        let text = Type::Nullable(Box::new(Type::String));
        assert_eq!(value(&text), "std::optional<std::string>");
        assert_eq!(parameter(&text), "std::optional<std::string_view>");
        let lengths = Type::Sequence(Box::new(Type::Integer {
            signed: false,
            bits: 64,
        }));
        assert_eq!(value(&lengths), "std::vector<std::uint64_t>");
        assert_eq!(parameter(&lengths), "const Sequence<std::uint64_t>&");
    }

    #[test]
    fn a_choice_is_taken_by_its_alias_and_returned_as_its_first_member() {
        assert_eq!(
            (value(&like()).as_str(), parameter(&like()).as_str()),
            ("Tensor", "const TensorLike&")
        );
        assert_eq!(
            parameter(&Type::Nullable(Box::new(like()))),
            "const std::optional<TensorLike>&"
        );
        assert_eq!(
            parameter(&Type::Record(Box::new(like()))),
            "const Record<TensorLike>&"
        );
        assert_eq!(
            member(&Type::Nullable(Box::new(like()))),
            "std::optional<TensorLike>"
        );
        let named = Type::Record(Box::new(like()));
        assert_eq!(member(&named), "Record<TensorLike>");
        assert_eq!(
            member(&Type::Nullable(Box::new(named))),
            "std::optional<Record<TensorLike>>"
        );
    }

    #[test]
    fn a_named_type_of_its_own_is_taken_by_its_class() {
        let path = Type::Alias {
            name: "Path".to_owned(),
            target: Box::new(Type::String),
        };
        assert_eq!(
            (value(&path).as_str(), parameter(&path).as_str()),
            ("std::string", "const Path&")
        );
        assert_eq!(
            parameter(&Type::Nullable(Box::new(path))),
            "const std::optional<Path>&"
        );
    }

    #[test]
    fn keywords_get_a_tail() {
        assert_eq!(name(&Name("delete".to_owned())), "delete_");
        assert_eq!(name(&Name("from".to_owned())), "from");
    }
}
