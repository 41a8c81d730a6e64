//! Values, calls and their arguments in printed Rust.

use super::super::defaults::{byte_text, items, literal};
use super::super::{entries, join, quoted};
use super::literal::{double, owned_text, plain, text};
use super::{Printer, mark, parameter_type};
use crate::cases::constant::Constant;
use crate::cases::typed::{
    Call, CallbackBody, Given, Kind, MapOperation, Support, Target, Ty, Value,
};
use crate::ir::{Argument, Literal, Type};

impl Printer<'_> {
    /// A value by itself.
    pub(super) fn expr(&self, value: &Value) -> String {
        match &value.kind {
            Kind::Constant(constant) => plain(constant),
            Kind::List(items) => format!("list![{}]", join(items, |item| self.compared(item))),
            Kind::Record(entries) => {
                let one = |(key, value): &(String, Value)| {
                    format!("({}, Value::from({}))", quoted(key), self.compared(value))
                };
                format!("map(&[{}])", join(entries, one))
            }
            Kind::Variable(name) => name.clone(),
            Kind::Call(call) => self.call(call),
            Kind::Property {
                of,
                name,
                in_dictionary: true,
                ..
            } => format!("{}.{}", self.expr(of), name.rust()),
            Kind::Property {
                of, name, throws, ..
            } => format!("{}.{}(){}", self.expr(of), name.rust(), mark(*throws)),
            Kind::At(of, position) => format!("{}.at({position})?", self.expr(of)),
            Kind::Lookup(of, key) => {
                let key = self.argument(&Type::String, key);
                format!("found({}.get({key})?, {key})?", self.expr(of))
            }
            Kind::Map(operation, of, key) => {
                let of = self.expr(of);
                let key = key
                    .as_ref()
                    .map_or(String::new(), |key| self.argument(&Type::String, key));
                match operation {
                    MapOperation::Has => format!("{of}.has({key})"),
                    MapOperation::Remove => format!("{of}.remove({key})"),
                    MapOperation::Clear => format!("{of}.clear()"),
                }
            }
            Kind::Item(of, position) if matches!(of.api(), Some(Type::Sequence(_))) => {
                format!("{}[{position}]", self.expr(of))
            }
            Kind::Item(of, position) => format!("item({}, {position})", self.compared(of)),
            Kind::Support(support, arguments) => self.support(*support, arguments),
            Kind::Callback(_) => String::new(),
            Kind::Shared(value) => self.shared(value),
        }
    }

    pub(super) fn support(&self, support: Support, arguments: &[Value]) -> String {
        let text = |place: usize| {
            arguments
                .get(place)
                .map_or(String::new(), |value| self.argument(&Type::String, value))
        };
        let value = |place: usize| {
            arguments
                .get(place)
                .map_or(String::new(), |value| self.compared(value))
        };
        match support {
            Support::Temp => format!("temp({})", text(0)),
            Support::Vector => format!("vector({})", text(0)),
            Support::Read => format!("read({})?", text(0)),
            Support::Exists => format!("exists({})", text(0)),
            Support::Write => {
                let bytes = arguments
                    .get(1)
                    .map_or(String::new(), |bytes| self.argument(&Type::Bytes, bytes));
                format!("write({}, {bytes})?", text(0))
            }
            Support::Len => match arguments.first() {
                Some(of) if matches!(of.api(), Some(Type::Interface(_) | Type::Sequence(_))) => {
                    format!("{}.len()", self.expr(of))
                }
                _ => format!("len({})", value(0)),
            },
            Support::Keys => format!(
                "{}.keys()",
                arguments
                    .first()
                    .map_or(String::new(), |map| self.expr(map))
            ),
            Support::Plus => format!("plus({}, {})", value(0), value(1)),
            Support::Log => "Log::default()".to_owned(),
            Support::Native => format!("native({})?", text(0)),
            Support::Fill => format!("fill({}, {})?", value(0), value(1)),
            Support::Last => format!(
                "{}.last()",
                arguments
                    .first()
                    .map_or(String::new(), |log| self.expr(log))
            ),
        }
    }

    pub(super) fn call(&self, call: &Call) -> String {
        let name = call.function.name.rust();
        let callee = match &call.target {
            Target::Free => format!("tenspan::{name}"),
            Target::Constructor(class) => format!("tenspan::{class}::new"),
            Target::Static(class) => format!("tenspan::{class}::{name}"),
            Target::Method(object) => format!("{}.{name}", self.expr(object)),
        };
        let arguments = join(
            call.function.arguments.iter().zip(&call.arguments),
            |(wanted, given)| match given {
                Given::Value(value) => self.argument(&wanted.ty, value),
                Given::Omitted => self.default(wanted),
                Given::Options(options) => self.options(&wanted.ty, options),
            },
        );
        format!(
            "{callee}({arguments}){}",
            mark(call.function.attributes.throws)
        )
    }

    /// A value as an argument of a type.
    pub(super) fn argument(&self, ty: &Type, value: &Value) -> String {
        let (inner, nullable) = ty.non_null();
        if nullable {
            return match &value.kind {
                Kind::Constant(Constant::Null) => "None".to_owned(),
                _ if matches!(value.ty, Ty::Api(ref found) if found.non_null().1) => {
                    self.expr(value)
                }
                _ => format!("Some({})", self.argument(inner, value)),
            };
        }
        let computed = !matches!(
            value.kind,
            Kind::Constant(_) | Kind::List(_) | Kind::Record(_) | Kind::Callback(_)
        );
        match (inner.resolved(), &value.kind) {
            (Type::Double, Kind::Constant(constant)) => double(constant),
            (Type::Integer { .. }, Kind::Constant(Constant::Integer(value))) => value.to_string(),
            (Type::String, Kind::Constant(Constant::Text(found))) => text(found),
            (Type::String, _) => format!("&{}", self.expr(value)),
            (Type::Bytes, Kind::Constant(Constant::Bytes(bytes))) => byte_text(bytes),
            (Type::Bytes, _) => format!("&{}", self.expr(value)),
            (Type::Any, _) if computed => format!("any_of(&{}).view()", self.expr(value)),
            (Type::Any, _) => format!("any({}).view()", self.expr(value)),
            (Type::Enum(name), Kind::Constant(Constant::Text(text))) => format!(
                "tenspan::generated::enums::{name}::{}",
                crate::naming::variant(&text.to_string())
            ),
            (Type::Sequence(_) | Type::Record(_), _) if computed => {
                format!("&{}", self.expr(value))
            }
            (Type::Sequence(element), _) => format!(
                "&[{}]",
                join(items(value), |item| self.owned(element, &item))
            ),
            (Type::Record(element), _) => {
                format!("&[{}]", self.pairs(element, value))
            }
            (Type::Interface(_), Kind::Callback(callback)) => {
                format!("&{}", self.function(callback))
            }
            (Type::Interface(name), _) => {
                let owned = self.owned(inner, value);
                let by_value = self.api.interface(name).is_some_and(|class| class.is_value);
                if by_value {
                    owned
                } else if computed {
                    format!("&{}", self.expr(value))
                } else {
                    format!("&{owned}")
                }
            }
            (Type::Callback(name), Kind::Callback(callback)) => {
                let types = self
                    .api
                    .callback(name)
                    .map(|callback| callback.arguments.as_slice())
                    .unwrap_or_default();
                let parameters = join(
                    callback.parameters.iter().zip(types),
                    |(parameter, wanted)| format!("{parameter}: {}", parameter_type(&wanted.ty)),
                );
                match &callback.body {
                    CallbackBody::Add(log, values) => {
                        let values = join(values, |value| self.expr(value));
                        format!("&|{parameters}| {{ {log}.add(list![{values}]); Ok(()) }}")
                    }
                    CallbackBody::Return(value) => {
                        format!("&|{parameters}| Ok({})", self.expr(value))
                    }
                    CallbackBody::Throw(kind, message) => {
                        let unused = callback
                            .parameters
                            .iter()
                            .map(|_| "_")
                            .collect::<Vec<_>>()
                            .join(", ");
                        format!(
                            "&|{unused}| Err(failure({}, {}))",
                            quoted(kind),
                            quoted(message)
                        )
                    }
                }
            }
            _ => self.expr(value),
        }
    }

    /// The names and values of a record.
    fn pairs(&self, element: &Type, value: &Value) -> String {
        join(entries(value), |(key, value)| {
            format!(
                "({}.to_owned(), {})",
                quoted(key),
                self.owned(element, &value)
            )
        })
    }

    /// A value as an element of a sequence or a record, which owns it.
    fn owned(&self, ty: &Type, value: &Value) -> String {
        match (ty.resolved(), &value.kind) {
            (Type::String, Kind::Constant(Constant::Text(text))) => owned_text(text),
            (Type::Interface(name), Kind::Constant(Constant::Text(found))) => {
                format!("tenspan::{name}::new({})?", text(found))
            }
            (Type::Interface(_), Kind::Constant(_)) => {
                format!("tenspan::asarray(any({}).view(), None)?", self.expr(value))
            }
            (Type::Interface(name), Kind::Variable(_))
                if !self.api.interface(name).is_some_and(|class| class.is_value) =>
            {
                format!("{}.clone()", self.expr(value))
            }
            (Type::Any, _) => self.argument(ty, value).replace(".view()", ""),
            (Type::Integer { .. }, Kind::Constant(Constant::Integer(value))) => value.to_string(),
            _ => self.expr(value),
        }
    }

    pub(super) fn options(&self, ty: &Type, options: &[(Argument, Value)]) -> String {
        let Type::Dictionary(name) = ty.resolved() else {
            return String::new();
        };
        let all = self
            .api
            .dictionary(name)
            .map_or(0, |dictionary| dictionary.members.len());
        // A dictionary owns what it holds.
        let members = join(options, |(member, value)| {
            let (inner, nullable) = member.ty.non_null();
            let value = match ((inner.resolved(), nullable), &value.kind) {
                (
                    (Type::Interface(_) | Type::Sequence(_) | Type::Record(_), true),
                    Kind::Constant(Constant::Null),
                ) => "None".to_owned(),
                ((Type::Interface(_), true), _) => format!("Some({})", self.owned(inner, value)),
                ((Type::Sequence(element), true), _) => format!(
                    "Some(vec![{}])",
                    join(items(value), |item| self.owned(element, &item))
                ),
                ((Type::Record(element), true), _) => {
                    format!("Some(vec![{}])", self.pairs(element, value))
                }
                ((Type::String, true), Kind::Constant(Constant::Text(text))) => {
                    format!("Some({})", owned_text(text))
                }
                _ => self.argument(&member.ty, value),
            };
            format!("{}: {value}", member.name.rust())
        });
        let rest = if options.len() < all {
            ", ..Default::default()"
        } else {
            ""
        };
        format!("&tenspan::generated::dictionaries::{name} {{ {members}{rest} }}")
    }

    fn default(&self, argument: &Argument) -> String {
        let ty = argument.ty.resolved();
        match (ty, &argument.default) {
            (Type::Dictionary(name), _) => {
                format!("&tenspan::generated::dictionaries::{name}::default()")
            }
            (_, Some(Literal::Boolean(value))) => value.to_string(),
            (Type::Nullable(_), Some(Literal::Null)) => "None".to_owned(),
            (Type::Nullable(inner), Some(default)) => {
                let value = literal(default);
                format!("Some({})", self.argument(inner, &value))
            }
            (_, Some(default)) => self.argument(&argument.ty, &literal(default)),
            (_, None) => "None".to_owned(),
        }
    }
}
