//! Cases as tests of each language: one module per language, one file per concept and language.

use crate::backend::{Error, Files};
use crate::cases::typed::Suite;
use crate::ir::{Api, Language};

use self::defaults::entries;

mod cpp;
mod defaults;
mod family;
mod node;
mod python;
mod rust;

/// Prints all suites in all languages.
///
/// # Errors
/// When two files have one path.
pub fn print(api: &Api, suites: &[Suite]) -> Result<Files, Error> {
    let mut files = Files::new();
    for suite in suites {
        let concept = &suite.concept;
        files.add(
            format!("tests/generated/rust/{concept}.rs"),
            rust::print(api, suite),
        )?;
        files.add(
            format!("tests/generated/python/test_{concept}.py"),
            python::print(suite),
        )?;
        files.add(
            format!("tests/generated/node/{concept}.test.mjs"),
            node::print(suite),
        )?;
        files.add(
            format!("tests/generated/cpp/{concept}.cpp"),
            cpp::print(api, suite),
        )?;
    }
    files.add("tests/generated/rust/main.rs", rust::main(suites))?;
    Ok(files)
}

/// The languages whose printed tests use a name themselves: in these no variable can have it.
pub fn users(name: &str) -> Vec<Language> {
    let is_taken = |language: &Language| match language {
        Language::Rust => rust::is_taken(name),
        Language::Python => python::is_taken(name),
        Language::Node => node::is_taken(name),
        Language::Cpp => cpp::is_taken(name),
    };
    Language::ALL.iter().copied().filter(is_taken).collect()
}

/// The first line of a printed test, without the comment marks of its language.
fn header(concept: &str) -> String {
    crate::backend::header_from(&format!("{}/{concept}.case", super::FOLDER))
}

/// Lines with their indentation.
struct Text {
    text: String,
    indent: usize,
    unit: &'static str,
}

impl Text {
    fn new(unit: &'static str) -> Text {
        Text {
            text: String::new(),
            indent: 0,
            unit,
        }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.push_str(&self.unit.repeat(self.indent));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// What `body` prints here, and one step further in, without printing it.
    fn aside(&self, steps: usize, body: impl FnOnce(&mut Text)) -> String {
        let mut aside = Text::new(self.unit);
        aside.indent = self.indent + steps;
        body(&mut aside);
        aside.text
    }

    /// Lines that were printed aside.
    fn lines(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// Lines one step further in.
    fn indented(&mut self, body: impl FnOnce(&mut Text)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }
}

/// Text between double quotes, in a form that all four languages read alike.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// What stands between the quotes.
fn escaped(text: &str) -> String {
    let mut quoted = String::new();
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\0' => quoted.push_str("\\x00"),
            other => quoted.push(other),
        }
    }
    quoted
}

fn join<T>(items: impl IntoIterator<Item = T>, one: impl FnMut(T) -> String) -> String {
    items.into_iter().map(one).collect::<Vec<_>>().join(", ")
}
