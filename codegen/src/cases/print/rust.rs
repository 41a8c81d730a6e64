//! Cases as functions of one integration test.

use super::defaults::{byte_text, items, literal};
use super::family::{self, Family, families};
use super::{Text, entries, escaped, header, join, quoted};
use crate::cases::constant::{self, Constant};
use crate::cases::typed::{
    Action, Call, CallbackBody, Case, Comparison, Given, Kind, MapOperation, Round, Step, Suite,
    Support, Target, Test, Ty, Value,
};
use crate::ir::{Api, Argument, Language, Literal, Type};

/// What printed tests use, of the support module and of their own.
const USED: &[&str] = &[
    "any", "any_of", "case", "check", "complex", "exists", "failure", "found", "item", "len",
    "map", "plus", "range", "read", "repeat", "temp", "tenspan", "vector", "write",
];

/// Whether printed tests use a name themselves.
pub fn is_taken(name: &str) -> bool {
    USED.contains(&name)
}

/// The file of one concept.
pub fn print(api: &Api, suite: &Suite) -> String {
    let mut out = Text::new("    ");
    out.line(format!("//! {}", header(&suite.concept)));
    out.line("");
    out.line("use crate::support::*;");
    let printer = Printer { api };
    for family in families(suite) {
        printer.family(&suite.concept, &family, &mut out);
    }
    out.text
}

/// The file that gathers all concepts.
pub fn main(suites: &[Suite]) -> String {
    let mut out = Text::new("    ");
    out.line(format!("//! {}", header("*")));
    out.line("");
    // What is compared is borrowed, whether it is used again or not.
    let reason = "printed alike for every value";
    out.line(format!(
        "#![allow(clippy::needless_borrows_for_generic_args, reason = {reason:?})]"
    ));
    out.line("");
    out.line("#[macro_use]");
    out.line("#[path = \"../../support/rust/mod.rs\"]");
    out.line("mod support;");
    out.line("");
    for suite in suites {
        out.line(format!("mod {};", suite.concept));
    }
    out.text
}

struct Printer<'a> {
    api: &'a Api,
}

impl Printer<'_> {
    /// A function with the variables of its loops, called by a test for each of their values.
    fn family(&self, concept: &str, family: &Family<'_>, out: &mut Text) {
        let first = family.first();
        let print = |case: &&Case| out.aside(0, |out| self.body(concept, case, family, out));
        let shared = family::same(family.cases.iter().map(print));
        let (Some(body), false) = (shared, first.values.is_empty()) else {
            for case in &family.cases {
                out.line("");
                out.line(format!("/// {}", case.place));
                out.line("#[test]");
                out.line(format!("fn {}() {{", case.function));
                for (variable, value) in &case.values {
                    out.line(format!("let {variable} = {};", quoted(value)));
                }
                self.body(concept, case, family, out);
                out.line("}");
            }
            return;
        };
        let parameters = join(&first.values, |(name, _)| format!("{name}: &'static str"));
        out.line("");
        out.line(format!("/// {}", first.place));
        out.line(format!("fn {}({parameters}) {{", family.function));
        out.lines(&body);
        out.line("}");
        out.line("");
        out.line("each! {");
        out.indented(|out| {
            out.line(format!("{}:", family.function));
            for case in &family.cases {
                let values = join(family::values(case), quoted);
                out.line(format!("{}({values}),", case.function));
            }
        });
        out.line("}");
    }

    fn body(&self, concept: &str, case: &Case, family: &Family<'_>, out: &mut Text) {
        let fails = family
            .fails(Language::Rust)
            .map_or("None".to_owned(), |why| format!("Some({})", quoted(why)));
        out.line(format!(
            "case({}, {}, {fails}, |check| {{",
            quoted(concept),
            text(&case.name)
        ));
        self.steps(&case.body, out);
        out.line("Ok(())");
        out.line("});");
    }

    fn steps(&self, steps: &[Step], out: &mut Text) {
        for step in steps {
            self.step(step, out);
        }
    }

    fn step(&self, step: &Step, out: &mut Text) {
        match step {
            Step::Let(name, value) => out.line(format!("let {name} = {};", self.expr(value))),
            Step::Drop(name) => out.line(format!("drop({name});")),
            Step::Do(action) => out.line(format!("{};", self.action(action))),
            Step::Expect(action, Test::Throws { kind, part }) => {
                out.line(format!(
                    "check.throws({}, {}, || {{",
                    quoted(kind),
                    text(part)
                ));
                out.line(format!("{};", self.action(action)));
                out.line("Ok(())");
                out.line("});");
            }
            Step::Expect(action, Test::Compare(comparison, wanted)) => {
                let method = match comparison {
                    Comparison::Equal => "equal",
                    Comparison::Differs => "differs",
                    Comparison::Less => "less",
                    Comparison::Greater => "greater",
                };
                out.line(format!(
                    "check.{method}({}, {});",
                    self.looked_at(action),
                    self.compared(wanted)
                ));
            }
            Step::Expect(action, Test::Near(wanted, tolerance)) => {
                let tolerance = double(tolerance);
                out.line(format!(
                    "check.near({}, {}, {tolerance});",
                    self.looked_at(action),
                    self.compared(wanted)
                ));
            }
            Step::Each { variable, rounds } => self.each(variable, rounds, out),
            Step::For {
                variable,
                over,
                condition,
                body,
            } => self.for_loop(variable, over, condition.as_ref(), body, out),
        }
    }

    /// A loop over constants.
    fn each(&self, variable: &str, rounds: &[Round], out: &mut Text) {
        let print = |round: &Round| out.aside(0, |out| self.steps(&round.body, out));
        if let Some((texts, body)) = family::alike(rounds, print) {
            let texts = join(texts, quoted);
            let name = quoted(variable);
            out.line(format!(
                "for {variable} in check.each({name}, &[{texts}]) {{"
            ));
            out.lines(&body);
            out.line("}");
            return;
        }
        for round in rounds {
            out.line("{");
            if let Some(text) = &round.text {
                out.line(format!("let {variable} = {};", quoted(text)));
            }
            self.steps(&round.body, out);
            out.line("}");
        }
    }

    fn for_loop(
        &self,
        variable: &str,
        over: &Value,
        condition: Option<&Value>,
        body: &[Step],
        out: &mut Text,
    ) {
        let list = self.expr(over);
        if matches!(over.api(), Some(Type::Interface(_))) {
            out.line(format!("for position in 0..{list}.len() {{"));
            out.line(format!("let {variable} = {list}.at(position)?;"));
        } else {
            out.line(format!("for {variable} in {list} {{"));
        }
        if let Some(condition) = condition {
            out.line(format!("if {} {{", self.expr(condition)));
        }
        self.steps(body, out);
        out.line(if condition.is_some() { "}}" } else { "}" });
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Evaluate(value) => self.expr(value),
            Action::Set {
                map,
                key,
                ty,
                value,
            } => {
                format!(
                    "{}.set({}, {})?",
                    self.expr(map),
                    self.argument(&Type::String, key),
                    self.argument(ty, value)
                )
            }
        }
    }

    fn looked_at(&self, action: &Action) -> String {
        match action {
            Action::Evaluate(value) => self.compared(value),
            Action::Set { .. } => self.action(action),
        }
    }

    /// A value to compare: borrowed where it would be moved.
    fn compared(&self, value: &Value) -> String {
        match &value.kind {
            Kind::Variable(name) => format!("&{name}"),
            Kind::Property {
                in_dictionary: true,
                ..
            } => format!("&{}", self.expr(value)),
            Kind::Item(of, _) if matches!(of.api(), Some(Type::Sequence(_))) => {
                format!("&{}", self.expr(value))
            }
            _ => self.expr(value),
        }
    }

    /// A value by itself.
    fn expr(&self, value: &Value) -> String {
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
        }
    }

    fn support(&self, support: Support, arguments: &[Value]) -> String {
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
            Support::Last => format!(
                "{}.last()",
                arguments
                    .first()
                    .map_or(String::new(), |log| self.expr(log))
            ),
        }
    }

    fn call(&self, call: &Call) -> String {
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
    fn argument(&self, ty: &Type, value: &Value) -> String {
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

    fn options(&self, ty: &Type, options: &[(Argument, Value)]) -> String {
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

fn mark(throws: bool) -> &'static str {
    if throws { "?" } else { "" }
}

/// A text as `&str` or a reference to one made here.
fn text(text: &constant::Text) -> String {
    match (family::fixed(text), family::bare(text)) {
        (Some(fixed), _) => quoted(fixed),
        (_, Some(variable)) => variable.to_owned(),
        _ => format!("&{}", formatted(text)),
    }
}

/// A text as `String`.
fn owned_text(text: &constant::Text) -> String {
    match (family::fixed(text), family::bare(text)) {
        (Some(fixed), _) => format!("{}.to_owned()", quoted(fixed)),
        (_, Some(variable)) => format!("{variable}.to_owned()"),
        _ => formatted(text),
    }
}

fn formatted(text: &constant::Text) -> String {
    let written = |text: &str| escaped(text).replace('{', "{{").replace('}', "}}");
    let woven = family::woven(text, written, |name| format!("{{{name}}}"));
    format!("format!(\"{woven}\")")
}

/// A constant as a value of the support code.
fn plain(constant: &Constant) -> String {
    match constant {
        Constant::Null => "Value::Null".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) if i32::try_from(*value).is_ok() => value.to_string(),
        Constant::Integer(value) => format!("{value}_i128"),
        Constant::Float(_) => double(constant),
        Constant::Complex(parts) => format!("complex({}, {})", plain(&parts[0]), plain(&parts[1])),
        Constant::Text(found) => text(found),
        Constant::Bytes(bytes) => byte_text(bytes),
        Constant::List(items) => format!("list![{}]", join(items, plain)),
        Constant::Record(entries) => {
            format!(
                "map(&[{}])",
                join(entries, |(key, value)| format!(
                    "({}, Value::from({}))",
                    quoted(key),
                    plain(value)
                ))
            )
        }
        Constant::Range(start, stop) => format!("range({start}, {stop})"),
        Constant::Repeat(value, times) => format!("repeat({}, {times})", plain(value)),
    }
}

fn double(constant: &Constant) -> String {
    match constant {
        Constant::Integer(value) => format!("{value}.0"),
        Constant::Float(text) => match text.as_str() {
            "nan" | "-nan" => "f64::NAN".to_owned(),
            "inf" => "f64::INFINITY".to_owned(),
            "-inf" => "f64::NEG_INFINITY".to_owned(),
            other => other.to_owned(),
        },
        other => plain(other),
    }
}

fn parameter_type(ty: &Type) -> &'static str {
    match ty.resolved() {
        Type::Boolean => "bool",
        Type::Integer {
            signed: true,
            bits: 64,
        } => "i64",
        Type::Integer {
            signed: false,
            bits: 64,
        } => "u64",
        Type::Integer { signed: true, .. } => "i32",
        Type::Integer { signed: false, .. } => "u32",
        Type::Double => "f64",
        Type::String => "&str",
        _ => "_",
    }
}
