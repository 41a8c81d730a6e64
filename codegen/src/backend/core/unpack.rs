//! From packed values to the arguments that core takes: the lines of an entry before its call.

use super::types::{is_texts, is_value, literal, owned};
use crate::ir::{Api, Argument, Callback, Literal, Name, Type};

/// Lines that read the arguments, and what is passed on.
#[derive(Default)]
pub struct Unpacked {
    pub lines: Vec<String>,
    pub passed: Vec<String>,
    /// Values that must be there, and values that may be.
    pub least: usize,
    pub most: usize,
}

impl Unpacked {
    /// Reads the object that a method is called on, as `this`.
    pub fn this(class: &str, is_value: bool) -> Unpacked {
        let read = held(class, is_value);
        let line = format!("let this = args.get::<{read}>(0, \"self\")?;");
        Unpacked {
            lines: vec!["let args = args.of_method();".to_owned(), line],
            passed: Vec::new(),
            least: 1,
            most: 1,
        }
    }

    /// Reads an argument at the next position; a dictionary at as many as it has members.
    pub fn argument(&mut self, argument: &Argument, api: &Api) {
        let name = binding(&argument.name);
        match argument.ty.non_null().0.resolved() {
            Type::Dictionary(dictionary) => self.dictionary(dictionary, &name, api),
            Type::Callback(callback) => {
                if let Some(callback) = api.callback(callback) {
                    self.callback(callback, &name, argument, api);
                    self.passed.push(if argument.optional {
                        format!("{name}.as_ref().map(|f| f as _)")
                    } else {
                        format!("&{name}")
                    });
                }
            }
            _ => {
                let value = self.value(argument, api, false);
                self.lines.push(format!("let {name} = {value};"));
                self.passed.push(passed(&name, &argument.ty, api));
            }
        }
    }

    fn position(&mut self, optional: bool) -> usize {
        let position = self.most;
        self.most += 1;
        self.least += usize::from(!optional);
        position
    }

    /// An expression that reads one value, its default included.
    fn value(&mut self, argument: &Argument, api: &Api, in_field: bool) -> String {
        let position = self.position(argument.optional);
        let (inner, nullable) = argument.ty.non_null();
        let read = if in_field {
            owned(inner)
        } else {
            read(inner, api)
        };
        let spec_name = argument.name.as_spec();
        if is_texts(inner) {
            let read = "crate::value::Texts";
            return match argument.optional {
                false => format!("args.get::<{read}>({position}, \"{spec_name}\")?.0"),
                true => format!(
                    "args.optional::<{read}>({position}, \"{spec_name}\")?.unwrap_or_default().0"
                ),
            };
        }
        if !argument.optional && !nullable {
            return format!("args.get::<{read}>({position}, \"{spec_name}\")?");
        }
        let value = format!("args.optional::<{read}>({position}, \"{spec_name}\")?");
        let default = argument
            .default
            .as_ref()
            .filter(|default| **default != Literal::Null);
        match (default, inner.resolved()) {
            (None, Type::Any) => format!("{value}.unwrap_or_default()"),
            (None, _) => value,
            (Some(default), Type::Interface(class)) => format!(
                "match {value} {{ Some(given) => given, None => {} }}",
                constructed(class, default, api)
            ),
            (Some(Literal::String(text)), Type::String) if !in_field => {
                fallback(&value, &format!("{text:?}"), nullable)
            }
            (Some(Literal::EmptySequence), _) => format!("{value}.unwrap_or_default()"),
            (Some(default), inner) => match literal(default, inner) {
                Some(default) => fallback(&value, &default, nullable),
                None => value,
            },
        }
    }

    fn dictionary(&mut self, dictionary: &str, name: &str, api: &Api) {
        let Some(dictionary) = api.dictionary(dictionary) else {
            return;
        };
        let mut fields = Vec::new();
        for member in &dictionary.members {
            let field = member.name.rust();
            let value = match member.ty.non_null().0.resolved() {
                Type::Callback(callback) => {
                    let bound = format!("{name}_{}", member.name.snake());
                    if let Some(callback) = api.callback(callback) {
                        self.callback(callback, &bound, member, api);
                    }
                    format!("{bound}.as_ref().map(|f| f as _)")
                }
                _ => self.value(member, api, true),
            };
            fields.push(format!("{field}: {value},"));
        }
        self.lines.push(format!(
            "let {name} = {} {{ {} }};",
            dictionary.name.pascal(),
            fields.join(" ")
        ));
        self.passed.push(format!("&{name}"));
    }

    /// Binds `name` to a closure over the function passed in, or to an `Option` of one.
    fn callback(&mut self, callback: &Callback, name: &str, argument: &Argument, api: &Api) {
        let position = self.position(argument.optional);
        let parameters: Vec<String> = callback
            .arguments
            .iter()
            .map(|argument| {
                format!(
                    "{}: {}",
                    binding(&argument.name),
                    super::types::borrowed(&argument.ty, api)
                )
            })
            .collect();
        let values: Vec<String> = callback
            .arguments
            .iter()
            .map(|argument| packed(&binding(&argument.name), &argument.ty, api))
            .collect();
        let call = format!("function.call(&[{}])?", values.join(", "));
        let returns = owned(&callback.returns);
        let body = if callback.returns == Type::Undefined {
            format!("{call}; Ok(())")
        } else {
            let callback = callback.name.as_spec();
            format!(
                "let result = {call}; let view = [result.view()]; Args::new(\"{callback}\", &view).get::<{returns}>(0, \"result\")"
            )
        };
        let spec_name = argument.name.as_spec();
        let closure = format!(
            "move |{}| -> Result<{returns}> {{ {body} }}",
            parameters.join(", ")
        );
        if argument.optional {
            self.lines.push(format!(
                "let {name} = args.optional::<Function>({position}, \"{spec_name}\")?;"
            ));
            self.lines
                .push(format!("let {name} = {name}.map(|function| {closure});"));
        } else {
            self.lines.push(format!(
                "let function = args.get::<Function>({position}, \"{spec_name}\")?;"
            ));
            self.lines.push(format!("let {name} = {closure};"));
        }
    }
}

/// The variable of an argument; `args` and `this` are taken.
fn binding(name: &Name) -> String {
    let name = name.rust();
    if matches!(name.as_str(), "args" | "this" | "function") {
        format!("{name}_")
    } else {
        name
    }
}

/// A class as it is read: an object is not counted where a reference to it is enough.
fn held(class: &str, is_value: bool) -> String {
    match is_value {
        true => format!("crate::{class}"),
        false => format!("Cow<'_, crate::{class}>"),
    }
}

/// The type that is asked for: text and bytes are not copied.
fn read(ty: &Type, api: &Api) -> String {
    match ty.resolved() {
        Type::Interface(class) => {
            let is_value = is_value(class, api);
            held(&Name(class.clone()).pascal(), is_value)
        }
        Type::String => "&str".to_owned(),
        Type::Bytes => "&[u8]".to_owned(),
        Type::Any => "AnyView<'_>".to_owned(),
        other => owned(other),
    }
}

/// How a variable is passed to core.
fn passed(name: &str, ty: &Type, api: &Api) -> String {
    let (inner, nullable) = ty.non_null();
    match (inner.resolved(), nullable) {
        (Type::Sequence(_) | Type::Record(_), false) => format!("&{name}"),
        (Type::Sequence(_) | Type::Record(_), true) => format!("{name}.as_deref()"),
        (Type::Interface(class), false) if !is_value(class, api) => format!("&{name}"),
        (Type::Interface(class), true) if !is_value(class, api) => format!("{name}.as_deref()"),
        _ => name.to_owned(),
    }
}

/// How a variable that core gave to a callback becomes a value.
fn packed(name: &str, ty: &Type, api: &Api) -> String {
    let (inner, nullable) = ty.non_null();
    match (inner.resolved(), nullable) {
        (Type::Any, _) => format!("{name}.to_owned()"),
        (Type::Record(_), false) => format!("{name}.to_vec().into_any()"),
        (Type::Interface(class), false) if !is_value(class, api) => {
            format!("{name}.clone().into_any()")
        }
        (Type::Interface(class), true) if !is_value(class, api) => {
            format!("{name}.cloned().into_any()")
        }
        _ => format!("{name}.into_any()"),
    }
}

fn fallback(value: &str, default: &str, nullable: bool) -> String {
    if nullable {
        format!("{value}.or(Some({default}))")
    } else {
        format!("{value}.unwrap_or({default})")
    }
}

/// An object made from the text that a union with `DOMString` defaults to.
fn constructed(class: &str, default: &Literal, api: &Api) -> String {
    let is_value = is_value(class, api);
    let text = match default {
        Literal::String(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    };
    let fails = api
        .interface(class)
        .and_then(|class| class.constructor.as_ref())
        .is_some_and(|new| new.attributes.throws);
    let made = format!(
        "crate::{class}::new({text}){}",
        if fails { "?" } else { "" }
    );
    match is_value {
        true => made,
        false => format!("Cow::Owned({made})"),
    }
}
