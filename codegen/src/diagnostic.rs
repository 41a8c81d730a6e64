//! Problems of a spec, each with the line it stands on and a hint.
//!
//! Nothing stops at the first problem: all of them are collected and shown together in a [`Report`].

use std::fmt;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::{Files as _, SimpleFiles};
use codespan_reporting::term;

use crate::ir::Position;

/// Texts of the spec, by the number that a [`Span`] holds.
#[derive(Debug, Clone)]
pub struct Sources {
    files: SimpleFiles<String, String>,
    names: Vec<String>,
}

impl Sources {
    /// No texts.
    pub fn new() -> Sources {
        Sources {
            files: SimpleFiles::new(),
            names: Vec::new(),
        }
    }

    /// Adds a file by its name inside the spec folder.
    pub fn add(&mut self, name: &str, text: String) -> usize {
        self.add_in("spec", name, text)
    }

    /// Adds a file by its name inside another folder, which messages show before it.
    pub fn add_in(&mut self, folder: &str, name: &str, text: String) -> usize {
        self.names.push(name.to_owned());
        self.files.add(format!("{folder}/{name}"), text)
    }

    /// The text of a file.
    pub fn text(&self, file: usize) -> &str {
        self.files.source(file).unwrap_or_default()
    }

    /// Numbers of all files.
    pub fn files(&self) -> std::ops::Range<usize> {
        0..self.names.len()
    }

    /// Where a span begins.
    pub fn position(&self, span: Span) -> Position {
        let (line, column) = self
            .files
            .location(span.file, span.start)
            .map_or((1, 1), |location| {
                (location.line_number, location.column_number)
            });
        Position {
            file: self.names.get(span.file).cloned().unwrap_or_default(),
            line,
            column,
        }
    }

    /// The word at a position.
    pub fn word_at(&self, position: &Position) -> Option<Span> {
        let file = self.names.iter().position(|name| *name == position.file)?;
        let line = self
            .files
            .line_range(file, position.line.checked_sub(1)?)
            .ok()?;
        let text = self.text(file).get(line.clone())?;
        let (skip, _) = text.char_indices().nth(position.column.checked_sub(1)?)?;
        let start = line.start + skip;
        let length = text[skip..]
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len() - skip);
        Some(Span {
            file,
            start,
            end: start + length.max(1),
        })
    }
}

impl Default for Sources {
    fn default() -> Sources {
        Sources::new()
    }
}

/// A piece of a spec file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Number of the file in [`Sources`].
    pub file: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// From the beginning of this span to the end of another.
    pub fn to(self, end: Span) -> Span {
        Span {
            end: end.end.max(self.end),
            ..self
        }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What was found and what was wanted.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do about it, shown under the line.
    pub hint: Option<String>,
    /// Another place that matters, and why.
    pub related: Option<(Span, String)>,
}

impl Problem {
    /// A mistake at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Problem {
        Problem {
            message: message.into(),
            span,
            hint: None,
            related: None,
        }
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the nearest of `known` as "did you mean", when one is near.
    pub fn did_you_mean<'a>(
        self,
        wrong: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Problem {
        match nearest(wrong, known) {
            Some(name) => self.hint(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds another place.
    pub fn related(mut self, span: Span, why: impl Into<String>) -> Problem {
        self.related = Some((span, why.into()));
        self
    }
}

/// Everything that is wrong with a spec. Its text shows each problem with its line.
#[derive(Debug)]
pub struct Report {
    sources: Sources,
    problems: Vec<Problem>,
}

impl Report {
    /// Problems in the order of the spec, each once.
    pub fn new(sources: Sources, mut problems: Vec<Problem>) -> Report {
        problems.sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
        problems.dedup();
        Report { sources, problems }
    }

    /// The problems.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // ASCII frames: reports are also read in logs and compared in tests.
        let config = term::Config {
            chars: term::Chars::ascii(),
            ..term::Config::default()
        };
        for problem in &self.problems {
            let hint = problem.hint.clone().unwrap_or_default();
            let mut labels = vec![
                Label::primary(problem.span.file, problem.span.start..problem.span.end)
                    .with_message(hint),
            ];
            if let Some((span, why)) = &problem.related {
                labels.push(Label::secondary(span.file, span.start..span.end).with_message(why));
            }
            let diagnostic = Diagnostic::error()
                .with_message(&problem.message)
                .with_labels(labels);
            let text = term::emit_into_string(&config, &self.sources.files, &diagnostic)
                .map_err(|_| fmt::Error)?;
            f.write_str(&text)?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

/// The known name that the fewest edits make out of `wrong`; none when every name is too far.
fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = wrong.chars().count() / 3 + 1;
    known
        .into_iter()
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(edits, _)| *edits <= limit)
        .min()
        .map(|(_, name)| name)
}

/// Edit distance after Levenshtein, with one row of the table.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (a, b, edits) in [
            ("", "abc", 3),
            ("Tensr", "Tensor", 1),
            ("kitten", "sitting", 3),
            ("same", "same", 0),
        ] {
            assert_eq!(distance(a, b), edits);
        }
    }

    #[test]
    fn names_too_far_are_not_suggested() {
        assert_eq!(nearest("Tensr", ["Tensor", "DType"]), Some("Tensor"));
        assert_eq!(nearest("Elephant", ["Tensor", "DType"]), None);
    }

    #[test]
    fn a_report_shows_place_line_and_hint() {
        let mut sources = Sources::new();
        let file = sources.add("tensor.webidl", "a;\n  Tensr add();\n".to_owned());
        let problem = Problem::new(
            Span {
                file,
                start: 5,
                end: 10,
            },
            "`Tensr` is not defined",
        )
        .did_you_mean("Tensr", ["Tensor"]);
        let text = Report::new(sources, vec![problem]).to_string();
        for part in [
            "`Tensr` is not defined",
            "spec/tensor.webidl:2:3",
            "  Tensr add();",
            "^^^^^ did you mean `Tensor`?",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn columns_count_characters() {
        let mut sources = Sources::new();
        let file = sources.add("x.webidl", "ä Ü x".to_owned());
        let span = Span {
            file,
            start: 6,
            end: 7,
        };
        assert_eq!(sources.position(span).column, 5);
        assert_eq!(sources.word_at(&sources.position(span)), Some(span));
    }
}
