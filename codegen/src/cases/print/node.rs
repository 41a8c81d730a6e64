//! Cases as tests of `node:test`.

mod shared;

use super::family::{self, Axis, Family, families};
use super::{Text, entries, escaped, header, join, quoted};
use crate::cases::constant::{self, Constant};
use crate::cases::typed::{
    Action, Call, CallbackBody, Case, Comparison, Given, Kind, MapOperation, Round, Step, Suite,
    Support, Target, Test, Value,
};
use crate::ir::Language;

/// What the support module offers.
const SUPPORT: &[&str] = &[
    "Log",
    "bytes",
    "complex",
    "exists",
    "fail",
    "fill",
    "item",
    "keys",
    "last",
    "len",
    "lookup",
    "native",
    "plus",
    "positionOf",
    "range",
    "read",
    "release",
    "repeat",
    "run",
    "temp",
    "tenspan",
    "vector",
    "write",
];

/// What else printed tests use.
const OTHERS: &[&str] = &["check", "test"];

/// Whether printed tests use a name themselves.
pub fn is_taken(name: &str) -> bool {
    SUPPORT.contains(&name) || OTHERS.contains(&name)
}

/// The largest whole number that is exact as a number of JavaScript.
const MAX_SAFE: i128 = (1 << 53) - 1;

/// The file of one concept.
pub fn print(suite: &Suite) -> String {
    let mut out = Text::new("  ");
    out.line(format!("// {}", header(&suite.concept)));
    out.line("import { test } from 'node:test';");
    out.line(format!(
        "import {{ {} }} from '../../support/node/support.mjs';",
        SUPPORT.join(", ")
    ));
    for family in families(suite) {
        self::family(&suite.concept, &family, &mut out);
    }
    out.text
}

/// A test in the loops around it.
fn family(concept: &str, family: &Family<'_>, out: &mut Text) {
    if let Some(axes) = family.axes() {
        let print = |case: &&Case| out.aside(axes.len(), |out| self::case(concept, case, out));
        if let Some(test) = family::same(family.cases.iter().map(print)) {
            out.line("");
            out.line(format!("// {}", family.first().place));
            loops(&axes, &test, out);
            return;
        }
    }
    for case in &family.cases {
        out.line("");
        out.line(format!("// {}", case.place));
        if case.values.is_empty() {
            self::case(concept, case, out);
            continue;
        }
        out.line("{");
        out.indented(|out| {
            for (variable, value) in &case.values {
                out.line(format!("const {variable} = {};", quoted(value)));
            }
            self::case(concept, case, out);
        });
        out.line("}");
    }
}

fn loops(axes: &[Axis<'_>], body: &str, out: &mut Text) {
    let [axis, inner @ ..] = axes else {
        return out.lines(body);
    };
    out.line(format!(
        "for (const {} of [{}]) {{",
        axis.variable,
        join(&axis.values, |value| quoted(value))
    ));
    out.indented(|out| loops(inner, body, out));
    out.line("}");
}

fn case(concept: &str, case: &Case, out: &mut Text) {
    let fails = case
        .skips
        .get(&Language::Node)
        .map_or("null".to_owned(), |why| quoted(why));
    let name = text(&case.name);
    out.line(format!(
        "test({name}, () => run({}, {name}, {fails}, (check) => {{",
        quoted(concept)
    ));
    out.indented(|out| steps(&case.body, out));
    out.line("}));");
}

fn steps(steps: &[Step], out: &mut Text) {
    for step in steps {
        self::step(step, out);
    }
}

fn step(step: &Step, out: &mut Text) {
    match step {
        Step::Let(name, value) => out.line(format!("const {name} = {};", expr(value))),
        Step::Drop(name) => out.line(format!("release({name});")),
        Step::Do(action) => out.line(format!("{};", self::action(action))),
        Step::Expect(action, Test::Throws { kind, part }) => {
            out.line(format!(
                "check.throws({}, {}, () => {{",
                quoted(kind),
                text(part)
            ));
            out.indented(|out| out.line(format!("{};", self::action(action))));
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
                self::action(action),
                expr(wanted)
            ));
        }
        Step::Expect(action, Test::Near(wanted, tolerance)) => {
            out.line(format!(
                "check.near({}, {}, {});",
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
            out.line(format!("for (const {variable} of {}) {{", expr(over)));
            out.indented(|out| match condition {
                Some(condition) => {
                    out.line(format!("if ({}) {{", expr(condition)));
                    out.indented(|out| steps(body, out));
                    out.line("}");
                }
                None => steps(body, out),
            });
            out.line("}");
        }
    }
}

/// A loop over constants.
fn each(variable: &str, rounds: &[Round], out: &mut Text) {
    let print = |round: &Round| out.aside(1, |out| steps(&round.body, out));
    if let Some((texts, body)) = family::alike(rounds, print) {
        out.line(format!(
            "for (const {variable} of check.each({}, [{}])) {{",
            quoted(variable),
            join(texts, quoted)
        ));
        out.lines(&body);
        out.line("}");
        return;
    }
    for round in rounds {
        out.line("{");
        out.indented(|out| {
            if let Some(text) = &round.text {
                out.line(format!("const {variable} = {};", quoted(text)));
            }
            steps(&round.body, out);
        });
        out.line("}");
    }
}

fn action(action: &Action) -> String {
    match action {
        Action::Evaluate(value) => expr(value),
        Action::Set {
            map, key, value, ..
        } => format!("{}.set({}, {})", expr(map), expr(key), expr(value)),
    }
}

fn expr(value: &Value) -> String {
    match &value.kind {
        Kind::Constant(value) => constant(value),
        Kind::List(items) => format!("[{}]", join(items, expr)),
        Kind::Record(_) => format!(
            "{{ {} }}",
            join(entries(value), |(key, value)| format!(
                "{}: {}",
                quoted(key),
                expr(&value)
            ))
        ),
        Kind::Variable(name) => name.clone(),
        Kind::Call(call) => self::call(call),
        Kind::Property { of, name, .. } => format!("{}.{}", expr(of), name.camel()),
        Kind::At(of, position) => format!("{}.at({position})", expr(of)),
        Kind::Lookup(of, key) => format!("lookup({}, {})", expr(of), expr(key)),
        Kind::Map(operation, of, key) => {
            let name = match operation {
                MapOperation::Has => "has",
                MapOperation::Remove => "delete",
                MapOperation::Clear => "clear",
            };
            format!(
                "{}.{name}({})",
                expr(of),
                key.as_deref().map_or(String::new(), expr)
            )
        }
        Kind::Item(of, position) => format!("item({}, {position})", expr(of)),
        Kind::Support(support, arguments) => self::support(*support, arguments),
        Kind::Shared(value) => shared::shared(value),
        Kind::Callback(callback) => {
            let parameters = callback.parameters.join(", ");
            match &callback.body {
                CallbackBody::Add(log, values) => {
                    format!("({parameters}) => {log}.add({})", join(values, expr))
                }
                CallbackBody::Return(value) => format!("({parameters}) => {}", expr(value)),
                CallbackBody::Throw(kind, message) => {
                    format!("() => fail({}, {})", quoted(kind), quoted(message))
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
        Support::Log => "new Log",
        Support::Last => "last",
        Support::Native => "native",
        Support::Fill => "fill",
    };
    format!("{name}({})", join(arguments, expr))
}

fn call(call: &Call) -> String {
    let name = call.function.name.camel();
    let callee = match &call.target {
        Target::Free => format!("tenspan.{name}"),
        Target::Constructor(class) => format!("new tenspan.{class}"),
        Target::Static(class) => format!("tenspan.{class}.{name}"),
        Target::Method(object) => format!("{}.{name}", expr(object)),
    };
    let mut arguments = Vec::new();
    let mut options = Vec::new();
    for (wanted, given) in call.function.arguments.iter().zip(&call.arguments) {
        match given {
            Given::Value(value) if wanted.optional => {
                options.push(format!("{}: {}", wanted.name.camel(), expr(value)))
            }
            Given::Value(value) => arguments.push(expr(value)),
            Given::Omitted => {}
            Given::Options(given) => {
                options.extend(
                    given
                        .iter()
                        .map(|(member, value)| format!("{}: {}", member.name.camel(), expr(value))),
                );
            }
        }
    }
    if !options.is_empty() {
        arguments.push(format!("{{ {} }}", options.join(", ")));
    }
    format!("{callee}({})", arguments.join(", "))
}

fn text(text: &constant::Text) -> String {
    match (family::fixed(text), family::bare(text)) {
        (Some(fixed), _) => quoted(fixed),
        (_, Some(variable)) => variable.to_owned(),
        _ => {
            // What is escaped between double quotes may be between backquotes, too.
            let written = |text: &str| escaped(text).replace('`', "\\`").replace("${", "\\${");
            let woven = family::woven(text, written, |name| format!("${{{name}}}"));
            format!("`{woven}`")
        }
    }
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Null => "null".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) if value.abs() > MAX_SAFE => format!("{value}n"),
        Constant::Integer(value) => value.to_string(),
        Constant::Float(text) => match text.as_str() {
            "nan" | "-nan" => "NaN".to_owned(),
            "inf" => "Infinity".to_owned(),
            "-inf" => "-Infinity".to_owned(),
            other => other.to_owned(),
        },
        Constant::Complex(parts) => {
            format!("complex({}, {})", constant(&parts[0]), constant(&parts[1]))
        }
        Constant::Text(found) => text(found),
        Constant::Bytes(bytes) => format!("bytes([{}])", join(bytes, u8::to_string)),
        Constant::List(items) => format!("[{}]", join(items, constant)),
        Constant::Record(entries) => {
            format!(
                "{{ {} }}",
                join(entries, |(key, value)| format!(
                    "{}: {}",
                    quoted(key),
                    constant(value)
                ))
            )
        }
        Constant::Range(start, stop) => format!("range({start}, {stop})"),
        Constant::Repeat(value, times) => format!("repeat({}, {times})", constant(value)),
    }
}
