//! Containers and functions in C++: templates over any values, operators, calls.

use super::super::{join, quoted};
use super::Printer;
use crate::cases::constant::Constant;
use crate::cases::shared::{Class, Operation, Shared};
use crate::cases::typed::{Callback, CallbackBody, Kind, Ty, Value};

impl Printer<'_> {
    pub(super) fn shared(&self, value: &Shared) -> String {
        match value {
            Shared::Make(class, items) => self.make(*class, items),
            Shared::Ask(operation, of, arguments) => {
                self.ask(*operation, &self.expr(of), arguments)
            }
            Shared::Call(function, arguments) => {
                let arguments = join(arguments, |argument| self.passed(argument));
                format!("{}({arguments})", self.expr(function))
            }
        }
    }

    fn make(&self, class: Class, items: &[Value]) -> String {
        let items = match class.is_mapping() {
            true => join(items.chunks(2), |pair| {
                format!("{{{}}}", join(pair, |value| self.owned(value)))
            }),
            false => join(items, |item| self.owned(item)),
        };
        format!("tenspan::{}<>{{{items}}}", class.name())
    }

    fn ask(&self, operation: Operation, of: &str, arguments: &[Value]) -> String {
        let all = join(arguments, |argument| self.owned(argument));
        match (operation, arguments) {
            (Operation::At, [at]) => format!("{of}[{}]", self.expr(at)),
            (Operation::SetAt, [at, value]) => {
                format!("{of}.set({}, {})", self.expr(at), self.owned(value))
            }
            (Operation::RemoveAt, [at]) => format!("{of}.remove({})", self.expr(at)),
            (Operation::Splice, [start, stop, items @ ..]) => {
                let items = join(items, |item| self.owned(item));
                let (start, stop) = (self.expr(start), self.expr(stop));
                format!("{of}.splice({start}, {stop}, {{{items}}})")
            }
            (Operation::Lookup, _) => format!("{of}[{all}]"),
            (Operation::SetKey, _) => format!("{of}.set({all})"),
            (Operation::IndexOf, _) => format!("{of}.index_of({all})"),
            (Operation::Push, _) => format!("{of}.push({all})"),
            (Operation::Has, _) => format!("{of}.has({all})"),
            (Operation::RemoveKey, _) => format!("{of}.remove({all})"),
            (Operation::Keys, _) => format!("{of}.keys()"),
            (Operation::Values, _) => format!("{of}.values()"),
            _ => format!("{of}.clear()"),
        }
    }

    /// A value as a `tenspan::Any`.
    fn owned(&self, value: &Value) -> String {
        let is_any = matches!(&value.ty, Ty::Api(_)) || matches!(value.kind, Kind::Callback(_));
        match is_any {
            true => format!("tenspan::Any({})", self.passed(value)),
            false => format!("any({})", self.expr(value)),
        }
    }

    /// A value as a function takes it: what has a natural form of its own stands so.
    fn passed(&self, value: &Value) -> String {
        match &value.kind {
            Kind::Callback(callback) => format!("tenspan::Function({})", self.lambda(callback)),
            Kind::Constant(
                Constant::Boolean(_)
                | Constant::Integer(_)
                | Constant::Float(_)
                | Constant::Text(_)
                | Constant::Null,
            ) => self.expr(value),
            Kind::Constant(_) | Kind::List(_) => format!("any({})", self.expr(value)),
            _ if value.ty == Ty::Plain => format!("any({})", self.expr(value)),
            _ => self.expr(value),
        }
    }

    /// A function of this language that others may keep.
    pub(super) fn lambda(&self, callback: &Callback) -> String {
        let uses = matches!(callback.body, CallbackBody::Return(_));
        let parameters = join(&callback.parameters, |parameter| match uses {
            true => format!("[[maybe_unused]] const tenspan::Any& {parameter}"),
            false => "const tenspan::Any&".to_owned(),
        });
        match &callback.body {
            CallbackBody::Return(value) => {
                let returned = match &value.kind {
                    Kind::Variable(name) => name.clone(),
                    _ => self.owned(value),
                };
                format!("[]({parameters}) -> tenspan::Any {{ return {returned}; }}")
            }
            CallbackBody::Throw(kind, message) => format!(
                "[]({parameters}) -> tenspan::Any {{ fail({}, {}); }}",
                quoted(kind),
                quoted(message)
            ),
            CallbackBody::Add(..) => String::new(),
        }
    }
}
