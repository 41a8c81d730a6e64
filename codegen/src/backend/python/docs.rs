//! Docs in the form of numpydoc, for `help()` and for editors.

use super::stub;
use crate::docs::{Style, Target, is_member_name, render};
use crate::ir::{Api, Argument, Docs, Example, Function, Language, Name, Type};

/// Width of a line of docs.
const WIDTH: usize = 100;

struct Numpydoc;

impl Style for Numpydoc {
    fn link(&self, target: Target<'_>, text: &str) -> String {
        let name = match target {
            Target::Property(class, property) => {
                format!("{}.{}", class.name.as_spec(), property.name.snake())
            }
            Target::Method(class, method) => {
                format!("{}.{}", class.name.as_spec(), method.name.snake())
            }
            Target::Function(function) => function.name.snake(),
            Target::Member(_, member) => member.name.snake(),
            Target::EnumValue(_, value) => value.value.clone(),
            _ => text.to_owned(),
        };
        format!("`{name}`")
    }

    fn code(&self, code: &str) -> String {
        if is_member_name(code) {
            format!("``{}``", Name(code.to_owned()).snake())
        } else {
            format!("``{code}``")
        }
    }

    fn text(&self, text: &str) -> String {
        // A backslash would begin an escape in the string that a stub holds.
        text.replace('\\', "\\\\")
    }
}

/// Docs without sections: a summary of one sentence, then the rest.
pub fn plain(docs: &Docs, api: &Api) -> Vec<String> {
    let lines = render(docs, api, &Numpydoc);
    let mut paragraphs = lines.split(String::is_empty).map(|lines| lines.join(" "));
    let Some(first) = paragraphs.next().filter(|first| !first.is_empty()) else {
        return Vec::new();
    };
    let (summary, rest) = first_sentence(&first);
    let mut text = wrapped(summary, "");
    for paragraph in std::iter::once(rest.to_owned())
        .chain(paragraphs)
        .filter(|paragraph| !paragraph.is_empty())
    {
        text.push(String::new());
        text.extend(wrapped(&paragraph, ""));
    }
    text
}

/// The docs of a function, with its parameters and what it returns.
pub fn function(function: &Function, arguments: &[&Argument], api: &Api) -> Vec<String> {
    let mut text = plain(&function.docs, api);
    section(&mut text, "Parameters", !arguments.is_empty());
    for argument in arguments {
        text.push(format!(
            "{} : {}",
            argument.name.snake(),
            stub::words(argument)
        ));
        let docs = render(&argument.docs, api, &Numpydoc).join(" ");
        text.extend(wrapped(&docs, "    "));
    }
    if function.name.as_spec() != "new"
        && let Some(returns) = stub::result_words(&function.returns)
    {
        section(&mut text, "Returns", true);
        text.push(returns);
        if let Type::Dictionary(name) = function.returns.resolved()
            && let Some(dictionary) = api.dictionary(name)
        {
            for member in &dictionary.members {
                let docs = render(&member.docs, api, &Numpydoc).join(" ");
                text.extend(wrapped(
                    &format!("``{}``: {docs}", member.name.snake()),
                    "    ",
                ));
            }
        }
    }
    examples(&mut text, &function.docs);
    text
}

/// The programs of Python, as an interpreter shows them.
fn examples(text: &mut Vec<String>, docs: &Docs) {
    let of_here = |example: &&Example| example.language == Language::Python;
    let mut programs = docs.examples.iter().filter(of_here).peekable();
    section(text, "Examples", programs.peek().is_some());
    let (mut in_text, mut is_decorated) = (false, false);
    for line in programs.flat_map(|program| &program.lines) {
        let goes_on = line.starts_with([' ', ')', ']', '}']) || line.starts_with("except ");
        text.push(
            match (line.is_empty(), goes_on || in_text || is_decorated) {
                (true, false) => String::new(),
                (_, true) => format!("... {line}").trim_end().to_owned(),
                _ => format!(">>> {line}"),
            },
        );
        in_text ^= line.matches("'''").count() % 2 == 1;
        is_decorated = line.starts_with('@');
    }
}

fn section(text: &mut Vec<String>, title: &str, present: bool) {
    if present {
        if !text.is_empty() {
            text.push(String::new());
        }
        text.push(title.to_owned());
        text.push("-".repeat(title.len()));
    }
}

/// The first sentence of a text and what follows it.
fn first_sentence(text: &str) -> (&str, &str) {
    let end = text
        .match_indices(". ")
        .map(|(at, _)| at)
        .find(|at| text[..*at].matches("``").count().is_multiple_of(2));
    match end {
        Some(at) => (&text[..=at], text[at + 2..].trim_start()),
        None => (text, ""),
    }
}

fn wrapped(text: &str, indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_one_sentence() {
        let docs = Docs {
            lines: vec!["One `a. b` of".to_owned(), "them. The rest.".to_owned()],
            examples: Vec::new(),
        };
        assert_eq!(
            plain(&docs, &Api::default()),
            ["One ``a. b`` of them.", "", "The rest."]
        );
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let lines = wrapped(&"word ".repeat(50), "    ");
        assert!(
            lines.len() > 1
                && lines
                    .iter()
                    .all(|line| line.len() <= WIDTH && line.starts_with("    word"))
        );
    }
}
