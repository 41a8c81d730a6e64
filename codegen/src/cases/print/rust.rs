//! Cases as functions of one integration test.

mod literal;
mod shared;
mod value;

use self::literal::{double, text};
use super::family::{self, Family, families};
use super::{Text, header, join, quoted};
use crate::cases::typed::{Action, Case, Comparison, Kind, Round, Step, Suite, Test, Value};
use crate::ir::{Api, Language, Type};

/// What printed tests use, of the support module and of their own.
const USED: &[&str] = &[
    "any", "any_of", "case", "check", "complex", "exists", "failure", "fill", "found", "given",
    "item", "len", "map", "native", "plus", "range", "read", "repeat", "temp", "tenspan", "vector",
    "write",
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
}

fn mark(throws: bool) -> &'static str {
    if throws { "?" } else { "" }
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
