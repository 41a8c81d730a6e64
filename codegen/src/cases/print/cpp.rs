//! Cases as a program per concept.

mod shared;

use super::defaults::{items, literal};
use super::family::{self, Axis, Family, families};
use super::{Text, entries, escaped, header, join};
use crate::cases::constant::{self, Constant, Part};
use crate::cases::typed::{
    Action, Call, CallbackBody, Case, Comparison, Given, Kind, MapOperation, Round, Step, Suite,
    Support, Target, Test, Ty, Value,
};
use crate::ir::{Api, Argument, Language, Type};

/// What printed tests use, of the support header and of their own.
const USED: &[&str] = &[
    "any",
    "bytes",
    "check",
    "complex",
    "empty",
    "exists",
    "fail",
    "fill",
    "infinity",
    "item",
    "keys",
    "last",
    "len",
    "list",
    "map",
    "named",
    "native",
    "not_a_number",
    "plus",
    "range",
    "read",
    "release",
    "repeat",
    "std",
    "suite",
    "temp",
    "tenspan",
    "texts",
    "vector",
    "with",
    "write",
];

/// Whether printed tests use a name themselves.
pub fn is_taken(name: &str) -> bool {
    USED.contains(&name)
}

/// The file of one concept.
pub fn print(api: &Api, suite: &Suite) -> String {
    let printer = Printer { api };
    let mut out = Text::new("  ");
    out.line(format!("// {}", header(&suite.concept)));
    out.line("#include \"support.hpp\"");
    out.line("");
    out.line("using namespace cases;");
    out.line("");
    out.line(format!("CASES({}) {{", suite.concept));
    out.indented(|out| {
        out.line(format!("Suite suite({});", quoted(&suite.concept)));
        for family in families(suite) {
            printer.family(&family, out);
        }
        out.line("");
        out.line("return suite.finish();");
    });
    out.line("}");
    out.text
}

struct Printer<'a> {
    api: &'a Api,
}

impl Printer<'_> {
    /// A case in the loops around it.
    fn family(&self, family: &Family<'_>, out: &mut Text) {
        if let Some(axes) = family.axes() {
            let print = |case: &&Case| out.aside(axes.len(), |out| self.case(case, out));
            if let Some(case) = family::same(family.cases.iter().map(print)) {
                out.line("");
                out.line(format!("// {}", family.first().place));
                loops(&axes, &case, out);
                return;
            }
        }
        for case in &family.cases {
            out.line("");
            out.line(format!("// {}", case.place));
            if case.values.is_empty() {
                self.case(case, out);
                continue;
            }
            out.line("{");
            out.indented(|out| {
                for (variable, value) in &case.values {
                    out.line(format!("const std::string {variable} = {};", quoted(value)));
                }
                self.case(case, out);
            });
            out.line("}");
        }
    }

    fn case(&self, case: &Case, out: &mut Text) {
        let fails = case
            .skips
            .get(&Language::Cpp)
            .map_or("nullptr".to_owned(), |why| quoted(why));
        let capture = if case.values.is_empty() { "" } else { "&" };
        out.line(format!(
            "suite.run({}, {fails}, [{capture}](Check& check) {{",
            text(&case.name)
        ));
        out.indented(|out| self.steps(&case.body, out));
        out.line("});");
    }

    /// A loop over constants.
    fn each(&self, variable: &str, rounds: &[Round], out: &mut Text) {
        let print = |round: &Round| out.aside(1, |out| self.steps(&round.body, out));
        if let Some((texts, body)) = family::alike(rounds, print) {
            out.line(format!(
                "check.each({}, {{{}}}, [&](const std::string& {variable}) {{",
                quoted(variable),
                join(texts, quoted)
            ));
            out.lines(&body);
            out.line("});");
            return;
        }
        for round in rounds {
            out.line("{");
            out.indented(|out| {
                if let Some(text) = &round.text {
                    out.line(format!("const std::string {variable} = {};", quoted(text)));
                }
                self.steps(&round.body, out);
            });
            out.line("}");
        }
    }

    fn steps(&self, steps: &[Step], out: &mut Text) {
        for step in steps {
            self.step(step, out);
        }
    }

    fn step(&self, step: &Step, out: &mut Text) {
        match step {
            Step::Let(name, value) => out.line(format!("auto {name} = {};", self.expr(value))),
            Step::Drop(name) => out.line(format!("release(std::move({name}));")),
            // The result of most calls must not be dropped silently.
            Step::Do(Action::Evaluate(value)) if value.api() != Some(&Type::Undefined) => {
                out.line(format!("static_cast<void>({});", self.expr(value)));
            }
            Step::Do(action) => out.line(format!("{};", self.action(action))),
            Step::Expect(action, Test::Throws { kind, part }) => {
                out.line(format!(
                    "check.throws({}, {}, __LINE__, [&] {{",
                    quoted(kind),
                    text(part)
                ));
                out.indented(|out| {
                    out.line(format!("static_cast<void>({});", self.action(action)))
                });
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
                    "check.{method}({}, {}, __LINE__);",
                    self.action(action),
                    self.expr(wanted)
                ));
            }
            Step::Expect(action, Test::Near(wanted, tolerance)) => {
                let tolerance = plain(tolerance);
                out.line(format!(
                    "check.near({}, {}, {tolerance}, __LINE__);",
                    self.action(action),
                    self.expr(wanted)
                ));
            }
            Step::Each { variable, rounds } => self.each(variable, rounds, out),
            Step::For {
                variable,
                over,
                condition,
                body,
            } => {
                out.line(format!(
                    "for (const auto& {variable} : {}) {{",
                    self.expr(over)
                ));
                out.indented(|out| match condition {
                    Some(condition) => {
                        out.line(format!("if ({}) {{", self.expr(condition)));
                        out.indented(|out| self.steps(body, out));
                        out.line("}");
                    }
                    None => self.steps(body, out),
                });
                out.line("}");
            }
        }
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
                    "{}.set({}, {})",
                    self.expr(map),
                    self.argument(&Type::String, key),
                    self.argument(ty, value)
                )
            }
        }
    }

    /// A value by itself.
    fn expr(&self, value: &Value) -> String {
        match &value.kind {
            Kind::Constant(constant) => plain(constant),
            Kind::List(items) => list(&join(items, |item| self.expr(item))),
            Kind::Record(_) => {
                let one = |(key, value): (&str, Value)| {
                    format!("{{{}, {}}}", quoted(key), self.expr(&value))
                };
                format!("map({{{}}})", join(entries(value), one))
            }
            Kind::Variable(name) => name.clone(),
            Kind::Call(call) => self.call(call),
            Kind::Property {
                of,
                name,
                in_dictionary: true,
                ..
            } => format!("{}.{}", self.expr(of), word(&name.snake())),
            Kind::Property { of, name, .. } => {
                format!("{}.{}()", self.expr(of), word(&name.snake()))
            }
            Kind::At(of, position) => format!("{}[{position}]", self.expr(of)),
            Kind::Lookup(of, key) => format!(
                "{}.get({})",
                self.expr(of),
                self.argument(&Type::String, key)
            ),
            Kind::Map(operation, of, key) => {
                let name = match operation {
                    MapOperation::Has => "contains",
                    MapOperation::Remove => "erase",
                    MapOperation::Clear => "clear",
                };
                let key = key
                    .as_ref()
                    .map_or(String::new(), |key| self.argument(&Type::String, key));
                format!("{}.{name}({key})", self.expr(of))
            }
            Kind::Item(of, position) if matches!(of.api(), Some(Type::Sequence(_))) => {
                format!("{}[{position}]", self.expr(of))
            }
            Kind::Item(of, position) => format!("item({}, {position})", self.expr(of)),
            Kind::Support(support, arguments) => self.support(*support, arguments),
            Kind::Callback(_) => String::new(),
            Kind::Shared(value) => self.shared(value),
        }
    }

    fn support(&self, support: Support, arguments: &[Value]) -> String {
        let name = match support {
            Support::Temp => "temp",
            Support::Vector => "vector",
            Support::Read => "read",
            Support::Write => "write",
            Support::Exists => "exists",
            Support::Len => "len",
            Support::Keys => "keys",
            Support::Plus => "plus",
            Support::Log => "Log",
            Support::Last => "last",
            Support::Native => "native",
            Support::Fill => "fill",
        };
        let wanted: &[Type] = match support {
            Support::Write => &[Type::String, Type::Bytes],
            _ => &[],
        };
        let one = |(place, value): (usize, &Value)| match wanted.get(place) {
            Some(ty) => self.argument(ty, value),
            None => self.expr(value),
        };
        format!("{name}({})", join(arguments.iter().enumerate(), one))
    }

    fn call(&self, call: &Call) -> String {
        let name = word(&call.function.name.snake());
        let callee = match &call.target {
            Target::Free => format!("tenspan::{name}"),
            Target::Constructor(class) => format!("tenspan::{class}"),
            Target::Static(class) => format!("tenspan::{class}::{name}"),
            Target::Method(object) => format!("{}.{name}", self.expr(object)),
        };
        let last = call
            .arguments
            .iter()
            .rposition(|given| !matches!(given, Given::Omitted))
            .map_or(0, |last| last + 1);
        let given = call
            .function
            .arguments
            .iter()
            .zip(&call.arguments)
            .take(last);
        let arguments = join(given, |(wanted, given)| match given {
            Given::Value(value) => self.argument(&wanted.ty, value),
            Given::Omitted => self.default(wanted),
            Given::Options(options) => self.options(&wanted.ty, options),
        });
        format!("{callee}({arguments})")
    }

    /// A value as an argument of a type.
    fn argument(&self, ty: &Type, value: &Value) -> String {
        let (inner, _) = ty.non_null();
        let computed = !matches!(
            value.kind,
            Kind::Constant(_) | Kind::List(_) | Kind::Record(_) | Kind::Callback(_)
        );
        if computed {
            return self.expr(value);
        }
        match (inner.resolved(), &value.kind) {
            (Type::Callback(_), Kind::Constant(Constant::Null)) => "nullptr".to_owned(),
            (Type::Any, Kind::Constant(_)) => format!("any({})", self.expr(value)),
            (_, Kind::Constant(Constant::Null)) => "std::nullopt".to_owned(),
            (Type::Any, _) => format!("any({})", self.expr(value)),
            (Type::Sequence(element), _) => format!(
                "{{{}}}",
                join(items(value), |item| self.argument(element, &item))
            ),
            (Type::Record(element), _) => {
                let one = |(key, value): (&str, Value)| {
                    format!("{{{}, {}}}", quoted(key), self.argument(element, &value))
                };
                format!("named({{{}}})", join(entries(value), one))
            }
            (Type::Interface(_), Kind::Callback(callback)) => self.lambda(callback),
            (Type::Interface(_), Kind::Constant(Constant::Text(found))) => text(found),
            (Type::Interface(_), _) => format!("tenspan::asarray(any({}))", self.expr(value)),
            (Type::Enum(name), Kind::Constant(Constant::Text(text))) => {
                format!(
                    "tenspan::{name}::{}",
                    crate::naming::variant(&text.to_string())
                )
            }
            (Type::Bytes, Kind::Constant(Constant::Bytes(bytes))) => byte_list(bytes),
            (Type::Callback(name), Kind::Callback(callback)) => {
                let types = self
                    .api
                    .callback(name)
                    .map(|callback| callback.arguments.as_slice())
                    .unwrap_or_default();
                let used = matches!(callback.body, CallbackBody::Add(..));
                let parameters = join(
                    callback.parameters.iter().zip(types),
                    |(parameter, wanted)| {
                        format!(
                            "{}{}",
                            parameter_type(&wanted.ty),
                            if used {
                                format!(" {parameter}")
                            } else {
                                String::new()
                            }
                        )
                    },
                );
                match &callback.body {
                    CallbackBody::Add(log, values) => {
                        format!(
                            "[&]({parameters}) {{ {log}.add({{{}}}); }}",
                            join(values, |value| self.expr(value))
                        )
                    }
                    CallbackBody::Return(value) => {
                        format!("[&]({parameters}) {{ return {}; }}", self.expr(value))
                    }
                    CallbackBody::Throw(kind, message) => {
                        format!(
                            "[]({parameters}) {{ fail({}, {}); }}",
                            quoted(kind),
                            quoted(message)
                        )
                    }
                }
            }
            _ => self.expr(value),
        }
    }

    fn options(&self, ty: &Type, options: &[(Argument, Value)]) -> String {
        let Type::Dictionary(name) = ty.resolved() else {
            return String::new();
        };
        let members = options.iter().map(|(member, value)| {
            let name = word(&member.name.snake());
            let value = self.argument(&member.ty, value);
            let (inner, nullable) = member.ty.non_null();
            // `{}` alone would be no list at all.
            let is_list = nullable && matches!(inner.resolved(), Type::Sequence(_));
            match is_list && value.starts_with('{') {
                true => {
                    format!(" options.{name} = std::decay_t<decltype(*options.{name})>{value};")
                }
                false => format!(" options.{name} = {value};"),
            }
        });
        format!(
            "with<tenspan::{name}>([&](auto& options) {{{} }})",
            members.collect::<String>()
        )
    }

    fn default(&self, argument: &Argument) -> String {
        match &argument.default {
            Some(default) => self.argument(&argument.ty, &literal(default)),
            None if matches!(argument.ty.resolved(), Type::Dictionary(_)) => "{}".to_owned(),
            None => self.argument(
                &argument.ty,
                &Value {
                    kind: Kind::Constant(Constant::Null),
                    ty: Ty::Open,
                },
            ),
        }
    }
}

fn loops(axes: &[Axis<'_>], body: &str, out: &mut Text) {
    let [axis, inner @ ..] = axes else {
        return out.lines(body);
    };
    out.line(format!(
        "for (const std::string& {} : texts({{{}}})) {{",
        axis.variable,
        join(&axis.values, |value| quoted(value))
    ));
    out.indented(|out| loops(inner, body, out));
    out.line("}");
}

/// A text as a literal; one with a NUL in it, which would end there, with its length.
fn quoted(text: &str) -> String {
    if !text.contains('\0') {
        return super::quoted(text);
    }
    // In octal, which ends after three digits whatever follows.
    let parts: Vec<_> = text.split('\0').map(escaped).collect();
    format!("std::string(\"{}\", {})", parts.join("\\000"), text.len())
}

/// A text as a literal, or a sum that is a `std::string`.
fn text(text: &constant::Text) -> String {
    if let Some(fixed) = family::fixed(text) {
        return quoted(fixed);
    }
    let parts = text.parts().iter().map(|part| match part {
        Part::Written(text) => quoted(text),
        Part::Variable { name, .. } => name.clone(),
    });
    parts.collect::<Vec<_>>().join(" + ")
}

/// A name, with `_` behind it when it is a word of C++.
fn word(name: &str) -> String {
    const WORDS: &[&str] = &[
        "default", "delete", "new", "operator", "register", "switch", "template", "typename",
        "union",
    ];
    if WORDS.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

fn list(items: &str) -> String {
    if items.is_empty() {
        "empty()".to_owned()
    } else {
        format!("list({{{items}}})")
    }
}

/// A constant as a value of the support code.
fn plain(constant: &Constant) -> String {
    match constant {
        Constant::Null => "nullptr".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) if i32::try_from(*value).is_ok() => value.to_string(),
        // The literal has no sign of its own, and the positive number would not fit.
        Constant::Integer(value) if *value == i128::from(i64::MIN) => {
            format!("{}LL - 1", value + 1)
        }
        Constant::Integer(value) if i64::try_from(*value).is_ok() => format!("{value}LL"),
        Constant::Integer(value) if u64::try_from(*value).is_ok() => format!("{value}ULL"),
        Constant::Integer(value) => {
            let words = [*value as i64, (*value >> 64) as i64].map(|word| match word {
                i64::MIN => format!("{}LL - 1", word + 1),
                _ => format!("{word}LL"),
            });
            format!("tenspan::BigInt({{{}}})", words.join(", "))
        }
        Constant::Float(text) => match text.as_str() {
            "nan" | "-nan" => "not_a_number".to_owned(),
            "inf" => "infinity".to_owned(),
            "-inf" => "-infinity".to_owned(),
            other => other.to_owned(),
        },
        Constant::Complex(parts) => format!("complex({}, {})", plain(&parts[0]), plain(&parts[1])),
        Constant::Text(found) => text(found),
        Constant::Bytes(bytes) => byte_list(bytes),
        Constant::List(items) => list(&join(items, plain)),
        Constant::Record(entries) => {
            format!(
                "map({{{}}})",
                join(entries, |(key, value)| format!(
                    "{{{}, {}}}",
                    quoted(key),
                    plain(value)
                ))
            )
        }
        Constant::Range(start, stop) => format!("range({start}, {stop})"),
        Constant::Repeat(value, times) => format!("repeat({}, {times})", plain(value)),
    }
}

fn byte_list(bytes: &[u8]) -> String {
    format!("bytes({{{}}})", join(bytes, u8::to_string))
}

fn parameter_type(ty: &Type) -> String {
    match ty.resolved() {
        Type::Boolean => "bool".to_owned(),
        Type::Integer { signed, bits } => {
            format!("std::{}int{bits}_t", if *signed { "" } else { "u" })
        }
        Type::Double => "double".to_owned(),
        Type::String => "const std::string&".to_owned(),
        _ => "const auto&".to_owned(),
    }
}
