//! Containers and functions in Rust: values that own or borrow, methods, calls.

use super::super::{join, quoted};
use super::Printer;
use crate::cases::shared::{Class, Operation, Shared};
use crate::cases::typed::{Callback, CallbackBody, Kind, Value};

impl Printer<'_> {
    pub(super) fn shared(&self, value: &Shared) -> String {
        match value {
            Shared::Make(class, items) => {
                let items = join(items, |item| self.passed(item));
                let fails = if *class == Class::Array { "" } else { "?" };
                format!("tenspan::{}::new(&[{items}]){fails}", class.name())
            }
            Shared::Ask(operation, of, arguments) => {
                self.ask(*operation, &self.expr(of), arguments)
            }
            Shared::Call(function, arguments) => {
                let arguments = join(arguments, |argument| self.passed(argument));
                format!("{}.call(&[{arguments}])?", self.expr(function))
            }
        }
    }

    fn ask(&self, operation: Operation, of: &str, arguments: &[Value]) -> String {
        let view = |value: &Value| format!("{}.view()", self.passed(value));
        let all = join(arguments, view);
        match (operation, arguments) {
            (Operation::At, [at]) => format!("{of}.get({})?", self.expr(at)),
            (Operation::SetAt, [at, value]) => {
                format!("{of}.set({}, {})?", self.expr(at), view(value))
            }
            (Operation::RemoveAt, [at]) => format!("{of}.remove({})?", self.expr(at)),
            (Operation::Splice, [start, stop, items @ ..]) => {
                let items = join(items, |item| self.passed(item));
                let (start, stop) = (self.expr(start), self.expr(stop));
                format!("{of}.splice({start}, {stop}, &[{items}])?")
            }
            (Operation::Lookup, _) => format!("{of}.get({all})?"),
            (Operation::SetKey, _) => format!("{of}.set({all})?"),
            (Operation::IndexOf, _) => format!("{of}.index_of({all})"),
            (Operation::Push, _) => format!("{of}.push({all})?"),
            (Operation::Has, _) => format!("{of}.has({all})?"),
            (Operation::RemoveKey, _) => format!("{of}.remove({all})?"),
            (Operation::Keys, _) => format!("{of}.keys()"),
            (Operation::Values, _) => format!("{of}.values()"),
            _ => format!("{of}.clear()"),
        }
    }

    /// A value as an `Any`.
    pub(super) fn passed(&self, value: &Value) -> String {
        match &value.kind {
            Kind::Callback(callback) => format!("any_of(&{})", self.function(callback)),
            Kind::Constant(_) | Kind::List(_) => format!("any({})", self.expr(value)),
            _ => format!("any_of(&{})", self.expr(value)),
        }
    }

    /// A function of this language that others may keep.
    pub(super) fn function(&self, callback: &Callback) -> String {
        match &callback.body {
            CallbackBody::Return(value) => {
                let bind = |(place, name): (usize, &String)| {
                    format!("let {name} = &given(arguments, {place}); ")
                };
                let parameters = callback.parameters.iter().enumerate();
                let parameters: String = parameters.map(bind).collect();
                format!(
                    "tenspan::Function::new(|arguments| {{ {parameters}Ok({}) }})",
                    self.returned(value)
                )
            }
            CallbackBody::Throw(kind, message) => format!(
                "tenspan::Function::new(|_| Err(failure({}, {})))",
                quoted(kind),
                quoted(message)
            ),
            CallbackBody::Add(..) => String::new(),
        }
    }

    /// What a function returns; its parameters are borrowed.
    fn returned(&self, value: &Value) -> String {
        match &value.kind {
            Kind::Variable(name) => format!("any_of({name})"),
            Kind::List(items) => format!("any(list![{}])", join(items, |item| self.expr(item))),
            _ => self.passed(value),
        }
    }
}
