//! Values: constants folded, names and members resolved.

use super::super::ast::{self, Argument, Expr, ExprKind, Word};
use super::super::constant::{Constant, Text};
use super::super::shared::Class;
use super::super::typed::{Callback, CallbackBody, Kind, MapOperation, Support, Target, Ty, Value};
use super::accept::{accepts, describe, describe_value};
use super::arguments::{counted, given};
use super::{Checked, Checker, shared};
use crate::diagnostic::{Problem, Span};
use crate::ir::{Interface, Maplike, Type};

impl Checker<'_> {
    /// A value that must be constant.
    pub(super) fn constant(&mut self, expr: &Expr) -> Checked<Constant> {
        match self.expr(expr)?.kind {
            Kind::Constant(constant) => Ok(constant),
            _ => self.report(Problem::new(
                expr.span,
                "this is not known before the case runs",
            )),
        }
    }

    /// A value that can stand where `wanted` is wanted.
    pub(super) fn expr_of(&mut self, expr: &Expr, wanted: &Type) -> Checked<Value> {
        let value = self.expr(expr)?;
        if accepts(self.api, wanted, &value) {
            return Ok(value);
        }
        let message = format!(
            "found {}, wanted {}",
            describe_value(&value),
            describe(wanted)
        );
        self.report(Problem::new(expr.span, message))
    }

    /// Any value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Checked<Value> {
        let open = |constant| {
            Ok(Value {
                kind: Kind::Constant(constant),
                ty: Ty::Open,
            })
        };
        match &expr.kind {
            ExprKind::Null => open(Constant::Null),
            ExprKind::Boolean(value) => open(Constant::Boolean(*value)),
            ExprKind::Integer(value) => open(Constant::Integer(*value)),
            ExprKind::Float(text) => open(Constant::Float(text.clone())),
            ExprKind::Text(text) => open(Constant::Text(self.interpolate(text, expr.span)?)),
            ExprKind::Bytes(bytes) => open(Constant::Bytes(bytes.clone())),
            ExprKind::List(items) => {
                let items = items
                    .iter()
                    .map(|item| self.expr(item))
                    .collect::<Checked<Vec<_>>>()?;
                Ok(list(items))
            }
            ExprKind::Record(entries) => {
                let mut values = Vec::new();
                for (key, value) in entries {
                    let key = self.interpolate(&key.text, key.span)?.to_string();
                    values.push((key, self.expr(value)?));
                }
                Ok(record(values))
            }
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Call(name, arguments) => self.free_call(name, arguments),
            ExprKind::Method(of, name, arguments) => self.method(of, name, arguments),
            ExprKind::Property(of, name) => self.property(of, name),
            ExprKind::Index(of, key) => self.index(of, key),
            ExprKind::Callback(parameters, body) => self.callback(parameters, body),
        }
    }

    /// Replaces `{name}` by the constant of that name.
    pub(super) fn interpolate(&mut self, text: &str, span: Span) -> Checked<Text> {
        let mut result = Text::written("");
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, tail)) = after.split_once('}') else {
                break;
            };
            let Some(value) = self.constants.get(name).and_then(Constant::in_text) else {
                let problem = Problem::new(
                    span,
                    format!("`{{{name}}}` names no constant that has a text"),
                );
                return self.report(problem);
            };
            result.push(before);
            result.append(&value);
            rest = tail;
        }
        result.push(rest);
        Ok(result)
    }

    fn name(&mut self, name: &str, span: Span) -> Checked<Value> {
        if let Some(ty) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return Ok(Value {
                kind: Kind::Variable(name.to_owned()),
                ty: ty.clone(),
            });
        }
        if let Some(constant) = self.constants.get(name) {
            return Ok(Value {
                kind: Kind::Constant(constant.clone()),
                ty: Ty::Open,
            });
        }
        if let Some(known) = self.api.enumeration(name) {
            let values = known
                .values
                .iter()
                .map(|value| Constant::Text(Text::written(&value.value)))
                .collect();
            return Ok(Value {
                kind: Kind::Constant(Constant::List(values)),
                ty: Ty::Open,
            });
        }
        let known: Vec<String> = self
            .scopes
            .iter()
            .flat_map(|scope| scope.keys())
            .chain(self.constants.keys())
            .cloned()
            .collect();
        let problem = Problem::new(span, format!("`{name}` is not defined"));
        self.report(problem.did_you_mean(name, known.iter().map(String::as_str)))
    }

    fn free_call(&mut self, name: &Word, arguments: &[Argument]) -> Checked<Value> {
        let api = self.api;
        let variable = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(&name.text));
        if variable.is_some_and(shared::is_function) {
            let function = self.name(&name.text, name.span)?;
            return self.call_function(function, arguments);
        }
        if let Some(class) = shared::class_named(&name.text) {
            return self.make(class, name, arguments);
        }
        if let (true, [map]) = (name.text == "keys", arguments) {
            let map_value = self.expr(&map.value)?;
            if self.maplike(&map_value).is_none() {
                return self.keys_of(map_value, map.value.span);
            }
        }
        if let Some(function) = api
            .functions
            .iter()
            .find(|function| function.name.as_spec() == name.text)
        {
            return self.call(Target::Free, function, name.span, arguments);
        }
        if let Some(constructor) = api
            .interface(&name.text)
            .and_then(|class| class.constructor.as_ref())
        {
            return self.call(
                Target::Constructor(name.text.clone()),
                constructor,
                name.span,
                arguments,
            );
        }
        match name.text.as_str() {
            "range" | "repeat" => return self.long_list(name, arguments),
            "complex" => return self.complex(name, arguments),
            _ => {}
        }
        if let Some((_, support)) = Support::ALL.iter().find(|(known, _)| *known == name.text) {
            return self.support(*support, name, arguments);
        }
        let free = api.functions.iter();
        let known = free
            .filter(|function| function.namespace.is_none())
            .map(|function| function.name.as_spec());
        let known = known.chain(api.interfaces.iter().map(|class| class.name.as_spec()));
        let known = known
            .chain(Support::ALL.iter().map(|(name, _)| *name))
            .chain(["range", "repeat", "complex"]);
        let problem = Problem::new(name.span, format!("there is no function `{}`", name.text));
        self.report(problem.did_you_mean(&name.text, known))
    }

    fn long_list(&mut self, name: &Word, arguments: &[Argument]) -> Checked<Value> {
        let values = arguments
            .iter()
            .map(|argument| self.constant(&argument.value))
            .collect::<Checked<Vec<_>>>()?;
        let list = match (name.text.as_str(), values.as_slice()) {
            ("range", [Constant::Integer(start), Constant::Integer(stop)]) => {
                Constant::Range(*start, *stop)
            }
            ("repeat", [value, Constant::Integer(times)]) if (0..=1 << 20).contains(times) => {
                Constant::Repeat(
                    Box::new(value.clone()),
                    usize::try_from(*times).unwrap_or(0),
                )
            }
            _ => {
                return self.report(Problem::new(
                    name.span,
                    "wanted `range(start, stop)` or `repeat(value, times)`",
                ));
            }
        };
        Ok(Value {
            kind: Kind::Constant(list),
            ty: Ty::Open,
        })
    }

    fn complex(&mut self, name: &Word, arguments: &[Argument]) -> Checked<Value> {
        let part = |constant| match constant {
            Constant::Integer(whole) => Some(Constant::Float(format!("{whole}.0"))),
            Constant::Float(_) => Some(constant),
            _ => None,
        };
        let parts = arguments
            .iter()
            .map(|argument| self.constant(&argument.value).map(part))
            .collect::<Checked<Vec<_>>>()?;
        match <[_; 2]>::try_from(parts) {
            Ok([Some(re), Some(im)]) => Ok(Value {
                kind: Kind::Constant(Constant::Complex(Box::new([re, im]))),
                ty: Ty::Open,
            }),
            _ => self.report(Problem::new(name.span, "wanted `complex(re, im)`")),
        }
    }

    fn support(&mut self, support: Support, name: &Word, arguments: &[Argument]) -> Checked<Value> {
        let text = Type::String;
        let count = Type::Integer {
            signed: false,
            bits: 32,
        };
        let (wanted, ty): (&[Option<&Type>], Ty) = match support {
            Support::Temp | Support::Vector => (&[Some(&text)], Ty::Api(Type::String)),
            Support::Read => (&[Some(&text)], Ty::Api(Type::Bytes)),
            Support::Write => (&[Some(&text), Some(&Type::Bytes)], Ty::Api(Type::Undefined)),
            Support::Exists => (&[Some(&text)], Ty::Api(Type::Boolean)),
            Support::Len => (&[None], Ty::Plain),
            Support::Keys | Support::Last => (&[None], Ty::Plain),
            Support::Plus => (&[None, None], Ty::Plain),
            Support::Log => (&[], Ty::Log),
            Support::Native => (
                &[Some(&text)],
                Ty::Api(Type::Interface("Function".to_owned())),
            ),
            Support::Fill => (&[None, Some(&count)], Ty::Api(Type::Undefined)),
        };
        if wanted.len() != arguments.len()
            || arguments.iter().any(|argument| argument.name.is_some())
        {
            let message = format!(
                "`{}` takes {} by position, {}",
                name.text,
                counted(wanted.len()),
                given(arguments.len())
            );
            return self.report(Problem::new(name.span, message));
        }
        let mut values = Vec::new();
        for (argument, wanted) in arguments.iter().zip(wanted) {
            let value = match wanted {
                Some(wanted) => self.expr_of(&argument.value, wanted)?,
                None => self.expr(&argument.value)?,
            };
            let fits = match support {
                Support::Len => self.has_length(&value),
                Support::Keys => self.maplike(&value).is_some(),
                Support::Last => value.ty == Ty::Log,
                Support::Fill if values.is_empty() => shared::class_of(&value) == Some(Class::Dict),
                _ => true,
            };
            if !fits {
                let message = format!("`{}` does not take {}", name.text, describe_value(&value));
                return self.report(Problem::new(argument.value.span, message));
            }
            values.push(value);
        }
        Ok(Value {
            kind: Kind::Support(support, values),
            ty,
        })
    }

    fn has_length(&self, value: &Value) -> bool {
        match value.api() {
            Some(Type::Sequence(_) | Type::Bytes | Type::Any) => true,
            Some(Type::Interface(name)) => {
                self.api
                    .interface(name)
                    .is_some_and(|class| class.iterable.is_some() || class.maplike.is_some())
                    || shared::class_of(value).is_some()
            }
            _ => value.ty == Ty::Log,
        }
    }

    pub(super) fn maplike(&self, value: &Value) -> Option<&Maplike> {
        self.class(value).and_then(|class| class.maplike.as_ref())
    }

    fn class(&self, value: &Value) -> Option<&Interface> {
        match value.api() {
            Some(Type::Interface(name)) => self.api.interface(name),
            _ => None,
        }
    }

    fn method(&mut self, of: &Expr, name: &Word, arguments: &[Argument]) -> Checked<Value> {
        let api = self.api;
        if let ExprKind::Name(class) = &of.kind
            && let Some(class) = api.interface(class)
            && let Some(function) = class
                .statics
                .iter()
                .find(|function| function.name.as_spec() == name.text)
        {
            return self.call(
                Target::Static(class.name.as_spec().to_owned()),
                function,
                name.span,
                arguments,
            );
        }
        let object = self.expr(of)?;
        if let Some(class) = shared::class_of(&object) {
            return self.ask(class, object, name, arguments);
        }
        let Some(Type::Interface(class)) = object.api() else {
            let message = format!("{} has no method `{}`", describe_value(&object), name.text);
            return self.report(Problem::new(name.span, message));
        };
        let Some(class) = api.interface(class) else {
            return Err(super::Reported);
        };
        if let Some(function) = class
            .methods
            .iter()
            .find(|function| function.name.as_spec() == name.text)
        {
            return self.call(
                Target::Method(Box::new(object)),
                function,
                name.span,
                arguments,
            );
        }
        if let Some(maplike) = &class.maplike {
            let operation = match (name.text.as_str(), maplike.readonly) {
                ("has", _) => Some((MapOperation::Has, 1, Type::Boolean)),
                ("remove", false) => Some((MapOperation::Remove, 1, Type::Boolean)),
                ("clear", false) => Some((MapOperation::Clear, 0, Type::Undefined)),
                _ => None,
            };
            if let Some((operation, count, ty)) = operation {
                if arguments.len() != count {
                    let message = format!(
                        "`{}` takes {}, {}",
                        name.text,
                        counted(count),
                        given(arguments.len())
                    );
                    return self.report(Problem::new(name.span, message));
                }
                let key = arguments
                    .first()
                    .map(|argument| self.expr_of(&argument.value, &maplike.key))
                    .transpose()?;
                return Ok(Value {
                    kind: Kind::Map(operation, Box::new(object), key.map(Box::new)),
                    ty: Ty::Api(ty),
                });
            }
        }
        let message = format!("`{}` has no method `{}`", class.name.as_spec(), name.text);
        let known = class.methods.iter().map(|function| function.name.as_spec());
        let problem = Problem::new(name.span, message).did_you_mean(&name.text, known);
        self.report(problem)
    }

    fn property(&mut self, of: &Expr, name: &Word) -> Checked<Value> {
        let api = self.api;
        let object = self.expr(of)?;
        let property = |object, name, throws, in_dictionary, ty| {
            let kind = Kind::Property {
                of: Box::new(object),
                name,
                throws,
                in_dictionary,
            };
            Ok(Value {
                kind,
                ty: Ty::Api(ty),
            })
        };
        let known: Vec<&str> = match object.api() {
            Some(Type::Dictionary(dictionary)) => {
                let members = api
                    .dictionary(dictionary)
                    .map(|dictionary| dictionary.members.as_slice())
                    .unwrap_or_default();
                if let Some(member) = members
                    .iter()
                    .find(|member| member.name.as_spec() == name.text)
                {
                    return property(object, member.name.clone(), false, true, member.ty.clone());
                }
                members.iter().map(|member| member.name.as_spec()).collect()
            }
            Some(Type::Interface(class)) => {
                let properties = api
                    .interface(class)
                    .map(|class| class.properties.as_slice())
                    .unwrap_or_default();
                if let Some(found) = properties
                    .iter()
                    .find(|property| property.name.as_spec() == name.text)
                {
                    self.exists(&found.attributes, &name.text, name.span)?;
                    return property(
                        object,
                        found.name.clone(),
                        found.attributes.throws,
                        false,
                        found.ty.clone(),
                    );
                }
                properties
                    .iter()
                    .map(|property| property.name.as_spec())
                    .collect()
            }
            _ => Vec::new(),
        };
        let message = format!(
            "{} has no property `{}`",
            describe_value(&object),
            name.text
        );
        self.report(Problem::new(name.span, message).did_you_mean(&name.text, known))
    }

    fn index(&mut self, of: &Expr, key: &Expr) -> Checked<Value> {
        let object = self.expr(of)?;
        if let Some(class) = shared::class_of(&object) {
            return self.element(class, object, key);
        }
        if let Some(maplike) = self.maplike(&object).cloned() {
            let key = self.expr_of(key, &maplike.key)?;
            return Ok(Value {
                kind: Kind::Lookup(Box::new(object), Box::new(key)),
                ty: Ty::Api(maplike.value),
            });
        }
        let Constant::Integer(position) = self.constant(key)? else {
            return self.report(Problem::new(key.span, "wanted a position"));
        };
        if let Some(element) = self.class(&object).and_then(|class| class.iterable.clone()) {
            return Ok(Value {
                kind: Kind::At(Box::new(object), position),
                ty: Ty::Api(element),
            });
        }
        let element = match object.api() {
            Some(Type::Sequence(element)) => Ty::Api((**element).clone()),
            Some(Type::Any | Type::Bytes) => Ty::Plain,
            _ if object.ty == Ty::Plain => Ty::Plain,
            _ => {
                let message = format!("{} has no items", describe_value(&object));
                return self.report(Problem::new(of.span, message));
            }
        };
        let Ok(position) = usize::try_from(position) else {
            return self.report(Problem::new(key.span, "items are counted from 0"));
        };
        Ok(Value {
            kind: Kind::Item(Box::new(object), position),
            ty: element,
        })
    }

    fn callback(&mut self, parameters: &[Word], body: &ast::CallbackBody) -> Checked<Value> {
        self.scopes.push(Default::default());
        let checked = self.callback_body(parameters, body);
        self.scopes.pop();
        let names: Vec<String> = parameters
            .iter()
            .map(|parameter| parameter.text.clone())
            .collect();
        let ty = Ty::Callback(names.len());
        Ok(Value {
            kind: Kind::Callback(Callback {
                parameters: names,
                body: checked?,
            }),
            ty,
        })
    }

    fn callback_body(
        &mut self,
        parameters: &[Word],
        body: &ast::CallbackBody,
    ) -> Checked<CallbackBody> {
        for parameter in parameters {
            self.declare(parameter, Ty::Plain)?;
        }
        match body {
            ast::CallbackBody::Add(log, values) => {
                if self.name(&log.text, log.span)?.ty != Ty::Log {
                    return self.report(
                        Problem::new(log.span, format!("`{}` is no log", log.text))
                            .hint("`log()` makes one"),
                    );
                }
                let values = values
                    .iter()
                    .map(|value| self.expr(value))
                    .collect::<Checked<_>>()?;
                Ok(CallbackBody::Add(log.text.clone(), values))
            }
            ast::CallbackBody::Return(value) => {
                Ok(CallbackBody::Return(Box::new(self.expr(value)?)))
            }
            ast::CallbackBody::Throw(kind, message) => {
                self.test(&ast::Check::Throws(kind.clone(), None))?;
                Ok(CallbackBody::Throw(kind.text.clone(), message.clone()))
            }
        }
    }
}

/// A list, constant when all its items are.
fn list(items: Vec<Value>) -> Value {
    let constants: Option<Vec<Constant>> = items.iter().map(as_constant).collect();
    let kind = constants.map_or(Kind::List(items), |items| {
        Kind::Constant(Constant::List(items))
    });
    Value { kind, ty: Ty::Open }
}

/// Named values, constant when all of them are.
fn record(entries: Vec<(String, Value)>) -> Value {
    let constants: Option<Vec<(String, Constant)>> = entries
        .iter()
        .map(|(key, value)| as_constant(value).map(|value| (key.clone(), value)))
        .collect();
    let kind = constants.map_or(Kind::Record(entries), |entries| {
        Kind::Constant(Constant::Record(entries))
    });
    Value { kind, ty: Ty::Open }
}

fn as_constant(value: &Value) -> Option<Constant> {
    match &value.kind {
        Kind::Constant(constant) => Some(constant.clone()),
        _ => None,
    }
}
