//! Tokens of case files. Line ends matter in one way: a token knows whether it begins a line.

use crate::diagnostic::{Problem, Span};

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A name or a keyword.
    Word(String),
    /// A whole number.
    Integer(i128),
    /// A number with a point or an exponent, as written.
    Decimal(String),
    /// Text with its escapes resolved; `{name}` in it is still as written.
    Text(String),
    /// Bytes: `b"…"` or `x"00 ff"`.
    Bytes(Vec<u8>),
    /// Punctuation.
    Mark(&'static str),
    /// The end of the file.
    End,
}

/// A token, where it stands, and whether it is the first of its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
    /// Whether only blanks stand before it on its line.
    pub begins_line: bool,
}

/// Longer marks first: the first that fits is taken.
const MARKS: &[&str] = &[
    "==", "!=", "~=", "{", "}", "(", ")", "[", "]", "<", ">", ",", ":", "=", ".", "|", "-",
];

/// Splits a file into tokens; the last is [`Kind::End`]. What is no token is reported and skipped.
pub fn tokens(file: usize, source: &str, problems: &mut Vec<Problem>) -> Vec<Token> {
    let mut lexer = Lexer {
        file,
        source,
        at: 0,
        begins_line: true,
        problems,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        if lexer.rest().is_empty() {
            let span = lexer.span(0);
            tokens.push(Token {
                kind: Kind::End,
                span,
                begins_line: true,
            });
            return tokens;
        }
        let begins_line = std::mem::take(&mut lexer.begins_line);
        let start = lexer.at;
        if let Some(kind) = lexer.kind() {
            let span = Span {
                file,
                start,
                end: lexer.at,
            };
            tokens.push(Token {
                kind,
                span,
                begins_line,
            });
        }
    }
}

struct Lexer<'a, 'p> {
    file: usize,
    source: &'a str,
    at: usize,
    begins_line: bool,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Lexer<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn span(&self, length: usize) -> Span {
        Span {
            file: self.file,
            start: self.at,
            end: self.at + length,
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with('\n') {
                self.begins_line = true;
                self.at += 1;
            } else if rest.starts_with([' ', '\t', '\r']) {
                self.at += 1;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    fn kind(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if let Some(text) = rest.strip_prefix("b\"") {
            self.at += 1;
            let inner = text.len();
            return self
                .text()
                .map(|text| Kind::Bytes(text.into_bytes()))
                .filter(|_| inner > 0);
        }
        if rest.starts_with("x\"") {
            self.at += 1;
            return self.hexadecimal();
        }
        if first == '"' {
            return self.text().map(Kind::Text);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let length = length_while(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            self.at += length;
            return Some(Kind::Word(rest[..length].to_owned()));
        }
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            self.at += mark.len();
            return Some(Kind::Mark(mark));
        }
        let span = self.span(first.len_utf8());
        self.problems
            .push(Problem::new(span, format!("`{first}` has no meaning here")));
        self.at = span.end;
        None
    }

    fn number(&mut self) -> Kind {
        let rest = self.rest();
        let mut length = length_while(rest, |c| c.is_ascii_digit());
        let whole = length;
        if rest[length..].starts_with('.')
            && rest[length + 1..].starts_with(|c: char| c.is_ascii_digit())
        {
            length += 1 + length_while(&rest[length + 1..], |c| c.is_ascii_digit());
        }
        if rest[length..].starts_with(['e', 'E']) {
            let signed = usize::from(rest[length + 1..].starts_with(['+', '-']));
            let exponent = length_while(&rest[length + 1 + signed..], |c| c.is_ascii_digit());
            length += if exponent > 0 {
                1 + signed + exponent
            } else {
                0
            };
        }
        let text = &rest[..length];
        let span = self.span(length);
        self.at += length;
        if length > whole {
            return Kind::Decimal(text.to_owned());
        }
        text.parse().map_or_else(
            |_| {
                self.problems.push(Problem::new(
                    span,
                    format!("`{text}` does not fit 128 bits"),
                ));
                Kind::Integer(0)
            },
            Kind::Integer,
        )
    }

    /// Reads the text in quotes that begins here.
    fn text(&mut self) -> Option<String> {
        let begin = self.span(1);
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Some(text);
                }
                '\n' => break,
                '\\' => match chars.next().map(|(_, escaped)| escaped) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('0') => text.push('\0'),
                    Some(same @ ('"' | '\\')) => text.push(same),
                    other => {
                        let found = other.map(String::from).unwrap_or_default();
                        let place = Span {
                            start: begin.start + at,
                            end: begin.start + at + 1,
                            ..begin
                        };
                        let problem = Problem::new(place, format!("`\\{found}` is not an escape"));
                        self.problems
                            .push(problem.hint("there are \\n \\t \\0 \\\" and \\\\"));
                    }
                },
                other => text.push(other),
            }
        }
        self.problems
            .push(Problem::new(begin, "this text has no end").hint("`\"` is missing on this line"));
        self.at += length_while(self.rest(), |c| c != '\n');
        None
    }

    fn hexadecimal(&mut self) -> Option<Kind> {
        let span = self.span(1);
        let text: String = self.text()?.split_whitespace().collect();
        let digits: Option<Vec<u8>> = (0..text.len())
            .step_by(2)
            .map(|at| {
                text.get(at..at + 2)
                    .and_then(|pair| u8::from_str_radix(pair, 16).ok())
            })
            .collect();
        if digits.is_none() {
            let problem = Problem::new(span, "these are not pairs of hexadecimal digits");
            self.problems.push(problem.hint("such as x\"00 ff\""));
        }
        digits.map(Kind::Bytes)
    }
}

fn length_while(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|c| !wanted(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(source: &str) -> (Vec<Kind>, usize) {
        let mut problems = Vec::new();
        let kinds = tokens(0, source, &mut problems)
            .into_iter()
            .map(|token| token.kind)
            .collect();
        (kinds, problems.len())
    }

    #[test]
    fn numbers_texts_and_bytes() {
        let (kinds, problems) = lex("12 1.5 2e-3 \"a\\n{b}\" b\"\\0z\" x\"00 fF\" // no\n");
        assert_eq!(problems, 0);
        assert_eq!(
            kinds,
            [
                Kind::Integer(12),
                Kind::Decimal("1.5".into()),
                Kind::Decimal("2e-3".into()),
                Kind::Text("a\n{b}".into()),
                Kind::Bytes(vec![0, b'z']),
                Kind::Bytes(vec![0, 255]),
                Kind::End,
            ]
        );
    }

    #[test]
    fn a_property_of_a_number_is_no_fraction() {
        assert_eq!(lex("a[0].x").0.len(), 7);
    }

    #[test]
    fn tokens_know_their_line() {
        let tokens = tokens(0, "a b\n c", &mut Vec::new());
        let begins: Vec<bool> = tokens.iter().map(|token| token.begins_line).collect();
        assert_eq!(begins, [true, false, true, true]);
    }

    #[test]
    fn faults_are_reported_and_skipped() {
        for source in ["\"abc", "x\"0\"", "x\"zz\"", "§", "\"\\q\""] {
            assert_eq!(lex(source).1, 1, "{source}");
        }
    }
}
