//! Containers and functions: which operations they have, and what these take.

use super::super::ast::{Argument, Expr, Word};
use super::super::constant::Constant;
use super::super::shared::{Class, Operation, Shared};
use super::super::typed::{CallbackBody, Kind, Ty, Value};
use super::accept::describe_value;
use super::arguments::counted;
use super::{Checked, Checker};
use crate::diagnostic::{Problem, Span};
use crate::ir::Type;

/// The class of containers of this name.
pub fn class_named(name: &str) -> Option<Class> {
    Class::ALL.into_iter().find(|class| class.name() == name)
}

/// The class of containers that a value is of.
pub fn class_of(value: &Value) -> Option<Class> {
    match value.api() {
        Some(Type::Interface(name)) => class_named(name),
        _ => None,
    }
}

/// Whether a value is a function that can be called.
pub fn is_function(ty: &Ty) -> bool {
    matches!(ty, Ty::Api(ty) if matches!(ty.resolved(), Type::Interface(name) if name == "Function"))
}

fn shared(shared: Shared, ty: Type) -> Checked<Value> {
    Ok(Value {
        kind: Kind::Shared(shared),
        ty: Ty::Api(ty),
    })
}

impl Checker<'_> {
    /// A value that a container or a function can be given.
    fn given(&mut self, expr: &Expr) -> Checked<Value> {
        let value = self.expr(expr)?;
        match &value.kind {
            Kind::Callback(callback) if matches!(callback.body, CallbackBody::Add(..)) => {
                let message = "a function that others may keep cannot add to a log";
                self.report(Problem::new(expr.span, message))
            }
            Kind::Record(_) | Kind::Constant(Constant::Record(_)) => {
                let problem = Problem::new(expr.span, "named values cannot be passed");
                self.report(problem.hint("`Map([[\"name\", value]])` makes a mapping"))
            }
            _ => Ok(value),
        }
    }

    fn all_given(&mut self, arguments: &[Argument]) -> Checked<Vec<Value>> {
        let mut values = Vec::new();
        for argument in arguments {
            if let Some(name) = &argument.name {
                let message = "arguments stand by position here";
                return self.report(Problem::new(name.span, message));
            }
            values.push(self.given(&argument.value)?);
        }
        Ok(values)
    }

    /// A call of a function in a variable.
    pub(super) fn call_function(
        &mut self,
        function: Value,
        arguments: &[Argument],
    ) -> Checked<Value> {
        let arguments = self.all_given(arguments)?;
        shared(Shared::Call(Box::new(function), arguments), Type::Any)
    }

    /// A new container.
    pub(super) fn make(
        &mut self,
        class: Class,
        name: &Word,
        arguments: &[Argument],
    ) -> Checked<Value> {
        let wanted = match class.is_mapping() {
            true => "[[key, value], …]",
            false => "[…]",
        };
        let values = self.all_given(arguments)?;
        let found = match values.as_slice() {
            [list] => items(list).and_then(|items| match class.is_mapping() {
                true => pairs(items),
                false => Some(items),
            }),
            _ => None,
        };
        let Some(found) = found else {
            let message = format!("wanted `{}({wanted})`", class.name());
            return self.report(Problem::new(name.span, message));
        };
        let ty = Type::Interface(class.name().to_owned());
        shared(Shared::Make(class, found), ty)
    }

    /// `container[key]`.
    pub(super) fn element(&mut self, class: Class, of: Value, key: &Expr) -> Checked<Value> {
        let operation = match class.is_mapping() {
            true => Operation::Lookup,
            false => Operation::At,
        };
        let key = self.key(class, key)?;
        shared(Shared::Ask(operation, Box::new(of), vec![key]), Type::Any)
    }

    /// `container[key] = value`.
    pub(super) fn put(
        &mut self,
        class: Class,
        of: Value,
        key: &Expr,
        value: &Expr,
    ) -> Checked<Value> {
        let operation = match class {
            Class::List => Operation::SetAt,
            Class::Dict => Operation::SetKey,
            Class::Array | Class::Map => {
                let message = format!("{} cannot be changed", describe_value(&of));
                return self.report(Problem::new(key.span, message));
            }
        };
        let arguments = vec![self.key(class, key)?, self.given(value)?];
        shared(
            Shared::Ask(operation, Box::new(of), arguments),
            Type::Undefined,
        )
    }

    fn key(&mut self, class: Class, key: &Expr) -> Checked<Value> {
        let value = self.given(key)?;
        if !class.is_mapping() && !is_position(&value) {
            return self.report(Problem::new(key.span, "wanted a position"));
        }
        Ok(value)
    }

    /// `container.name(…)`.
    pub(super) fn ask(
        &mut self,
        class: Class,
        of: Value,
        name: &Word,
        arguments: &[Argument],
    ) -> Checked<Value> {
        use Operation::{Clear, Has, IndexOf, Push, RemoveAt, RemoveKey, Splice, Values};
        let any_list = || Type::Sequence(Box::new(Type::Any));
        let position = || {
            Type::Nullable(Box::new(Type::Integer {
                signed: false,
                bits: 64,
            }))
        };
        let (operation, ty, positions, count) = match (name.text.as_str(), class) {
            ("indexOf", Class::Array | Class::List) => (IndexOf, position(), 0, 1),
            ("push", Class::List) => (Push, Type::Undefined, 0, 1),
            ("remove", Class::List) => (RemoveAt, Type::Any, 1, 1),
            ("splice", Class::List) => (Splice, any_list(), 2, 3),
            ("has", Class::Map | Class::Dict) => (Has, Type::Boolean, 0, 1),
            ("values", Class::Map | Class::Dict) => (Values, any_list(), 0, 0),
            ("remove", Class::Dict) => (RemoveKey, Type::Boolean, 0, 1),
            ("clear", Class::List | Class::Dict) => (Clear, Type::Undefined, 0, 0),
            _ => {
                let message = format!("`{}` has no method `{}`", class.name(), name.text);
                return self.report(Problem::new(name.span, message));
            }
        };
        let mut values = self.all_given(arguments)?;
        let fits = values.len() == count && values[..positions].iter().all(is_position);
        if !fits {
            let message = format!("`{}` takes {}", name.text, counted(count));
            let problem = Problem::new(name.span, message);
            return self.report(problem.hint("positions are whole numbers, written out"));
        }
        if operation == Splice {
            let list = values.pop().and_then(|list| items(&list));
            let Some(list) = list else {
                let problem = Problem::new(name.span, "`splice` takes the new items in a list");
                return self.report(problem);
            };
            values.extend(list);
        }
        shared(Shared::Ask(operation, Box::new(of), values), ty)
    }

    /// `keys(mapping)` of a container; nothing for other values.
    pub(super) fn keys_of(&mut self, of: Value, span: Span) -> Checked<Value> {
        if !class_of(&of).is_some_and(Class::is_mapping) {
            let message = format!("`keys` does not take {}", describe_value(&of));
            return self.report(Problem::new(span, message));
        }
        shared(
            Shared::Ask(Operation::Keys, Box::new(of), Vec::new()),
            Type::Sequence(Box::new(Type::Any)),
        )
    }
}

fn is_position(value: &Value) -> bool {
    matches!(&value.kind, Kind::Constant(Constant::Integer(at)) if i64::try_from(*at).is_ok())
}

/// The items of a list that is written out.
fn items(list: &Value) -> Option<Vec<Value>> {
    match &list.kind {
        Kind::List(items) => Some(items.clone()),
        Kind::Constant(constant) => {
            let item = |constant| Value {
                kind: Kind::Constant(constant),
                ty: Ty::Open,
            };
            Some(constant.items()?.into_iter().map(item).collect())
        }
        _ => None,
    }
}

/// The pairs of a list one after the other.
fn pairs(list: Vec<Value>) -> Option<Vec<Value>> {
    let mut flat = Vec::new();
    for pair in &list {
        let pair = items(pair).filter(|pair| pair.len() == 2)?;
        flat.extend(pair);
    }
    Some(flat)
}
