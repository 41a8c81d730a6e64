//! The resolved spec as a text that a person can read: what `codegen --print-ir` shows.

use std::fmt::{self, Display, Formatter};

use crate::ir::{Api, Argument, Attributes, Function, Interface, Literal, Property, Type};

/// Shows every declaration on a line of its own, with its attributes and its place.
pub struct Listing<'a>(pub &'a Api);

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let api = self.0;
        for alias in &api.aliases {
            writeln!(
                f,
                "alias {} = {}",
                alias.name.as_spec(),
                Shown(&alias.target)
            )?;
        }
        for choice in &api.enums {
            let values: Vec<&str> = choice
                .values
                .iter()
                .map(|value| value.value.as_str())
                .collect();
            writeln!(f, "enum {}: {}", choice.name.as_spec(), values.join(" "))?;
        }
        for data in &api.dictionaries {
            writeln!(f, "dictionary {}", data.name.as_spec())?;
            for member in &data.members {
                writeln!(f, "  {}", Shown(member))?;
            }
        }
        for callback in &api.callbacks {
            let (arguments, returns) = (list(&callback.arguments), Shown(&callback.returns));
            writeln!(
                f,
                "callback {}({arguments}) -> {returns}",
                callback.name.as_spec()
            )?;
        }
        for class in &api.interfaces {
            class_lines(f, class)?;
        }
        for function in &api.functions {
            let kind = match &function.namespace {
                Some(of) => format!("function {}.", of.as_spec()),
                None => "function ".to_owned(),
            };
            function_line(f, &kind, function)?;
        }
        Ok(())
    }
}

fn class_lines(f: &mut Formatter<'_>, class: &Interface) -> fmt::Result {
    let value = if class.is_value { " value" } else { "" };
    writeln!(
        f,
        "class {}{value}{}",
        class.name.as_spec(),
        Shown(&class.attributes)
    )?;
    if let Some(new) = &class.constructor {
        function_line(f, "  constructor ", new)?;
    }
    for Property {
        name,
        ty,
        readonly,
        attributes,
        ..
    } in &class.properties
    {
        let writable = if *readonly { "" } else { " writable" };
        writeln!(
            f,
            "  property {}: {}{writable}{}",
            name.as_spec(),
            Shown(ty),
            Shown(attributes)
        )?;
    }
    for function in &class.statics {
        function_line(f, "  static ", function)?;
    }
    for function in &class.methods {
        function_line(f, "  method ", function)?;
    }
    if let Some(item) = &class.iterable {
        writeln!(f, "  iterable of {}", Shown(item))?;
    }
    if let Some(map) = &class.maplike {
        let writable = if map.readonly { "" } else { " writable" };
        writeln!(
            f,
            "  maplike {} to {}{writable}",
            Shown(&map.key),
            Shown(&map.value)
        )?;
    }
    Ok(())
}

fn function_line(f: &mut Formatter<'_>, kind: &str, function: &Function) -> fmt::Result {
    let Function {
        name,
        arguments,
        returns,
        attributes,
        position,
        ..
    } = function;
    write!(
        f,
        "{kind}{}({}) -> {}",
        name.as_spec(),
        list(arguments),
        Shown(returns)
    )?;
    writeln!(
        f,
        "{}  {}:{}",
        Shown(attributes),
        position.file,
        position.line
    )
}

fn list(arguments: &[Argument]) -> String {
    arguments
        .iter()
        .map(|argument| Shown(argument).to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

struct Shown<'a, T>(&'a T);

impl Display for Shown<'_, Argument> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Argument {
            name,
            ty,
            optional,
            default,
            borrow,
            ..
        } = self.0;
        write!(
            f,
            "{}{}: {}",
            name.as_spec(),
            if *optional { "?" } else { "" },
            Shown(ty)
        )?;
        if let Some(default) = default {
            write!(f, " = {}", Shown(default))?;
        }
        f.write_str(if *borrow { " borrowed" } else { "" })
    }
}

impl Display for Shown<'_, Attributes> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Attributes {
            throws,
            share,
            custom,
            quick,
            rows,
            rename,
            skip,
            by_hand,
            pure_python,
            since,
            deprecated,
        } = self.0;
        for (on, word) in [
            (throws, " throws"),
            (share, " shared"),
            (custom, " custom"),
            (quick, " quick"),
            (rows, " of-rows"),
            (pure_python, " pure-python"),
        ] {
            f.write_str(if *on { word } else { "" })?;
        }
        for (word, text) in [
            ("named", rename),
            ("since", since),
            ("deprecated", deprecated),
        ] {
            if let Some(text) = text {
                write!(f, " {word} {text:?}")?;
            }
        }
        for (language, texts) in by_hand {
            write!(f, " {language} {texts:?}")?;
        }
        skip.iter()
            .try_for_each(|language| write!(f, " not-in-{language}"))
    }
}

impl Display for Shown<'_, Literal> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Literal::Null => f.write_str("null"),
            Literal::Boolean(value) => write!(f, "{value}"),
            Literal::Integer(value) => write!(f, "{value}"),
            Literal::Double(text) => f.write_str(text),
            Literal::String(text) => write!(f, "{text:?}"),
            Literal::EmptySequence => f.write_str("[]"),
            Literal::EmptyDictionary => f.write_str("{}"),
        }
    }
}

impl Display for Shown<'_, Type> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Type::Undefined => f.write_str("nothing"),
            Type::Boolean => f.write_str("boolean"),
            Type::Integer { signed, bits } => {
                write!(f, "{}{bits}", if *signed { 'i' } else { 'u' })
            }
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Bytes => f.write_str("bytes"),
            Type::Any => f.write_str("any"),
            Type::Object => f.write_str("object"),
            Type::Nullable(inner) => write!(f, "{}?", Shown(&**inner)),
            Type::Sequence(inner) => write!(f, "[{}]", Shown(&**inner)),
            Type::Record(inner) => write!(f, "{{{}}}", Shown(&**inner)),
            Type::Interface(name)
            | Type::Enum(name)
            | Type::Dictionary(name)
            | Type::Callback(name) => f.write_str(name),
            Type::Alias { name, .. } => f.write_str(name),
            Type::Union(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|member| Shown(member).to_string())
                    .collect();
                write!(f, "({})", members.join(" | "))
            }
        }
    }
}
