//! Cases as functions of pytest.

mod shared;

use super::family::{self, Family, families};
use super::{Text, defaults, entries, escaped, header, join, quoted};
use crate::cases::constant::{self, Constant};
use crate::cases::typed::{
    Action, Call, CallbackBody, Case, Comparison, Given, Kind, MapOperation, Round, Step, Suite,
    Support, Target, Test, Value,
};
use crate::ir::{Language, Type};

/// What the support module offers.
const SUPPORT: &[&str] = &[
    "Log",
    "case",
    "exists",
    "fail",
    "fill",
    "inf",
    "keys",
    "last",
    "nan",
    "native",
    "plus",
    "position_of",
    "read",
    "release",
    "remove",
    "splice",
    "temp",
    "vector",
    "write",
];

/// What else printed tests use.
const OTHERS: &[&str] = &[
    "check", "complex", "len", "list", "pytest", "range", "tenspan",
];

/// Whether printed tests use a name themselves.
pub fn is_taken(name: &str) -> bool {
    SUPPORT.contains(&name) || OTHERS.contains(&name)
}

/// The file of one concept.
pub fn print(suite: &Suite) -> String {
    let mut out = Text::new("    ");
    out.line(format!("\"\"\"{}\"\"\"", header(&suite.concept)));
    out.line("");
    out.line("import pytest  # noqa: F401");
    out.line("import tenspan");
    out.line(format!(
        "from support import {}  # noqa: F401",
        SUPPORT.join(", ")
    ));
    for family in families(suite) {
        self::family(&suite.concept, &family, &mut out);
    }
    out.text
}

/// A function with the variables of its loops as parameters.
fn family(concept: &str, family: &Family<'_>, out: &mut Text) {
    let print = |case: &&Case| out.aside(1, |out| body(concept, case, family, out));
    let shared = family::same(family.cases.iter().map(print));
    if let (Some(shared), Some(axes)) = (shared, family.axes()) {
        out.line("");
        out.line("");
        out.line(format!("# {}", family.first().place));
        // Of several, the first one that is written varies fastest.
        for axis in axes.iter().rev() {
            out.line(format!(
                "@pytest.mark.parametrize({}, [{}])",
                quoted(axis.variable),
                join(&axis.values, |value| quoted(value))
            ));
        }
        let parameters = join(&axes, |axis| axis.variable.to_owned());
        out.line(format!("def test_{}({parameters}):", family.function));
        out.lines(&shared);
        return;
    }
    for case in &family.cases {
        out.line("");
        out.line("");
        out.line(format!("# {}", case.place));
        out.line(format!("def test_{}():", case.function));
        out.indented(|out| {
            for (variable, value) in &case.values {
                out.line(format!("{variable} = {}", quoted(value)));
            }
            body(concept, case, family, out);
        });
    }
}

fn body(concept: &str, case: &Case, family: &Family<'_>, out: &mut Text) {
    let fails = family
        .fails(Language::Python)
        .map_or(String::new(), |why| format!(", fails={}", quoted(why)));
    out.line(format!(
        "with case({}, {}{fails}) as check:",
        quoted(concept),
        text(&case.name)
    ));
    out.indented(|out| steps(&case.body, out));
}

fn steps(steps: &[Step], out: &mut Text) {
    for step in steps {
        self::step(step, out);
    }
}

fn step(step: &Step, out: &mut Text) {
    match step {
        Step::Let(name, value) => out.line(format!("{name} = {}", expr(value))),
        Step::Drop(name) => {
            out.line(format!("del {name}"));
            out.line("release()");
        }
        Step::Do(action) => out.line(self::action(action)),
        Step::Expect(action, Test::Throws { kind, part }) => {
            let part = match family::fixed(part) {
                Some("") => String::new(),
                _ => format!(", {}", text(part)),
            };
            out.line(format!("with check.throws({}{part}):", quoted(kind)));
            out.indented(|out| out.line(self::action(action)));
        }
        Step::Expect(action, Test::Compare(comparison, wanted)) => {
            let method = match comparison {
                Comparison::Equal => "equal",
                Comparison::Differs => "differs",
                Comparison::Less => "less",
                Comparison::Greater => "greater",
            };
            out.line(format!(
                "check.{method}({}, {})",
                self::action(action),
                expr(wanted)
            ));
        }
        Step::Expect(action, Test::Near(wanted, tolerance)) => {
            out.line(format!(
                "check.near({}, {}, {})",
                self::action(action),
                expr(wanted),
                constant(tolerance)
            ));
        }
        Step::Each { variable, rounds } => each(variable, rounds, out),
        Step::For {
            variable,
            over,
            condition,
            body,
        } => {
            out.line(format!("for {variable} in {}:", expr(over)));
            out.indented(|out| match condition {
                Some(condition) => {
                    out.line(format!("if {}:", expr(condition)));
                    out.indented(|out| steps(body, out));
                }
                None => steps(body, out),
            });
        }
    }
}

/// A loop over constants.
fn each(variable: &str, rounds: &[Round], out: &mut Text) {
    let print = |round: &Round| out.aside(1, |out| steps(&round.body, out));
    if let Some((texts, body)) = family::alike(rounds, print) {
        out.line(format!(
            "for {variable} in check.each({}, [{}]):",
            quoted(variable),
            join(texts, quoted)
        ));
        out.lines(&body);
        return;
    }
    for round in rounds {
        if let Some(text) = &round.text {
            out.line(format!("{variable} = {}", quoted(text)));
        }
        steps(&round.body, out);
    }
}

fn action(action: &Action) -> String {
    match action {
        Action::Evaluate(value) => expr(value),
        Action::Set {
            map, key, value, ..
        } => format!("{}[{}] = {}", expr(map), expr(key), expr(value)),
    }
}

fn expr(value: &Value) -> String {
    match &value.kind {
        Kind::Constant(value) => constant(value),
        Kind::List(items) => format!("[{}]", join(items, expr)),
        Kind::Record(_) => format!(
            "{{{}}}",
            join(entries(value), |(key, value)| format!(
                "{}: {}",
                quoted(key),
                expr(&value)
            ))
        ),
        Kind::Variable(name) => name.clone(),
        Kind::Call(call) => self::call(call),
        Kind::Property {
            of,
            name,
            in_dictionary: true,
            ..
        } => format!("{}[{}]", expr(of), quoted(&name.snake())),
        Kind::Property { of, name, .. } => format!("{}.{}", expr(of), name.snake()),
        Kind::At(of, position) => format!("{}[{position}]", expr(of)),
        Kind::Lookup(of, key) => format!("{}[{}]", expr(of), expr(key)),
        Kind::Map(MapOperation::Has, of, key) => format!(
            "{} in {}",
            key.as_deref().map_or(String::new(), expr),
            expr(of)
        ),
        Kind::Map(MapOperation::Remove, of, key) => {
            format!(
                "{}.pop({}, None) is not None",
                expr(of),
                key.as_deref().map_or(String::new(), expr)
            )
        }
        Kind::Map(MapOperation::Clear, of, _) => format!("{}.clear()", expr(of)),
        Kind::Item(of, position) => format!("{}[{position}]", expr(of)),
        Kind::Support(support, arguments) => self::support(*support, arguments),
        Kind::Shared(value) => shared::shared(value),
        Kind::Callback(callback) => {
            let parameters = callback.parameters.join(", ");
            match &callback.body {
                CallbackBody::Add(log, values) => {
                    format!("lambda {parameters}: {log}.add({})", join(values, expr))
                }
                CallbackBody::Return(value) => format!("lambda {parameters}: {}", expr(value)),
                CallbackBody::Throw(kind, message) => {
                    format!(
                        "lambda {parameters}: fail({}, {})",
                        quoted(kind),
                        quoted(message)
                    )
                }
            }
        }
    }
}

fn support(support: Support, arguments: &[Value]) -> String {
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
    format!("{name}({})", join(arguments, expr))
}

fn call(call: &Call) -> String {
    let name = call.function.name.snake();
    let callee = match &call.target {
        Target::Free => format!("tenspan.{name}"),
        Target::Constructor(class) => format!("tenspan.{class}"),
        Target::Static(class) => format!("tenspan.{class}.{name}"),
        Target::Method(object) => format!("{}.{name}", expr(object)),
    };
    let mut arguments = Vec::new();
    for (wanted, given) in call.function.arguments.iter().zip(&call.arguments) {
        match given {
            Given::Value(value) if wanted.optional => arguments.push(format!(
                "{}={}",
                wanted.name.snake(),
                argument(&wanted.ty, value)
            )),
            Given::Value(value) => arguments.push(argument(&wanted.ty, value)),
            Given::Omitted => {}
            Given::Options(options) => {
                arguments.extend(options.iter().map(|(member, value)| {
                    format!("{}={}", member.name.snake(), argument(&member.ty, value))
                }));
            }
        }
    }
    format!("{callee}({})", arguments.join(", "))
}

fn argument(ty: &Type, value: &Value) -> String {
    match (ty.non_null().0.resolved(), &value.kind) {
        (Type::Double, Kind::Constant(Constant::Integer(value))) => format!("{value}.0"),
        _ => expr(value),
    }
}

fn text(text: &constant::Text) -> String {
    match (family::fixed(text), family::bare(text)) {
        (Some(fixed), _) => quoted(fixed),
        (_, Some(variable)) => variable.to_owned(),
        _ => {
            let written = |text: &str| escaped(text).replace('{', "{{").replace('}', "}}");
            let woven = family::woven(text, written, |name| format!("{{{name}}}"));
            format!("f\"{woven}\"")
        }
    }
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Null => "None".to_owned(),
        Constant::Boolean(true) => "True".to_owned(),
        Constant::Boolean(false) => "False".to_owned(),
        Constant::Integer(value) => value.to_string(),
        Constant::Float(text) => text.clone(),
        Constant::Complex(parts) => {
            format!("complex({}, {})", constant(&parts[0]), constant(&parts[1]))
        }
        Constant::Text(found) => text(found),
        Constant::Bytes(bytes) => defaults::byte_text(bytes),
        Constant::List(items) => format!("[{}]", join(items, constant)),
        Constant::Record(entries) => {
            format!(
                "{{{}}}",
                join(entries, |(key, value)| format!(
                    "{}: {}",
                    quoted(key),
                    constant(value)
                ))
            )
        }
        Constant::Range(start, stop) => format!("list(range({start}, {stop}))"),
        Constant::Repeat(value, times) => format!("[{}] * {times}", constant(value)),
    }
}
