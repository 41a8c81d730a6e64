//! Tokens of WebIDL, with `///` lines kept as tokens of their own.

use crate::diagnostic::{Problem, Span};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word, keywords included: WebIDL decides by place what a word is.
    Word,
    /// A whole number: decimal, octal or hexadecimal.
    Integer,
    /// A number with a point or an exponent.
    Decimal,
    /// Text in double quotes.
    Text,
    /// A `///` line.
    Doc,
    /// One character of punctuation, or `...`.
    Mark,
    /// The end of the file.
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its text: without quotes for [`Kind::Text`], without `///` and the blank after it for [`Kind::Doc`].
    pub text: &'a str,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// Splits a file into tokens; the last is [`Kind::End`]. What is no token is reported and skipped.
pub fn tokens<'a>(file: usize, source: &'a str, problems: &mut Vec<Problem>) -> Vec<Token<'a>> {
    let mut lexer = Lexer {
        file,
        source,
        at: 0,
        problems,
    };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == Kind::End {
            return tokens;
        }
    }
}

struct Lexer<'a, 'p> {
    file: usize,
    source: &'a str,
    at: usize,
    problems: &'p mut Vec<Problem>,
}

impl<'a> Lexer<'a, '_> {
    fn next(&mut self) -> Token<'a> {
        loop {
            self.take_while(char::is_whitespace);
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return self.token(Kind::End, 0, 0, 0);
            };
            if rest.starts_with("///") && !rest.starts_with("////") {
                return self.doc();
            } else if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                self.block_comment();
            } else if first == '"' {
                return self.text();
            } else if first.is_ascii_alphabetic() || (first == '_' && begins_word(&rest[1..])) {
                let length =
                    length_while(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
                return self.token(Kind::Word, length, 0, 0);
            } else if first.is_ascii_digit()
                || (matches!(first, '-' | '.') && begins_number(&rest[1..]))
            {
                return self.number();
            } else if rest.starts_with("...") {
                return self.token(Kind::Mark, 3, 0, 0);
            } else if "{}()[]<>,;:=?".contains(first) {
                return self.token(Kind::Mark, 1, 0, 0);
            } else {
                let span = self.span(first.len_utf8());
                self.problems
                    .push(Problem::new(span, format!("`{first}` has no meaning here")));
                self.at = span.end;
            }
        }
    }

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

    /// Takes `length` bytes; its text lacks the first `before` and the last `after` of them.
    fn token(&mut self, kind: Kind, length: usize, before: usize, after: usize) -> Token<'a> {
        let span = self.span(length);
        self.at = span.end;
        Token {
            kind,
            text: &self.source[span.start + before..span.end - after],
            span,
        }
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) {
        self.at += length_while(self.rest(), wanted);
    }

    fn doc(&mut self) -> Token<'a> {
        let line = self.rest().lines().next().unwrap_or_default().trim_end();
        let before = if line.starts_with("/// ") { 4 } else { 3 };
        self.token(Kind::Doc, line.len(), before, 0)
    }

    fn block_comment(&mut self) {
        match self.rest().find("*/") {
            Some(end) => self.at += end + 2,
            None => {
                let problem =
                    Problem::new(self.span(2), "this comment has no end").hint("`*/` is missing");
                self.problems.push(problem);
                self.at = self.source.len();
            }
        }
    }

    fn text(&mut self) -> Token<'a> {
        let line = self.rest().lines().next().unwrap_or_default();
        if let Some(end) = line[1..].find('"') {
            return self.token(Kind::Text, end + 2, 1, 1);
        }
        self.problems.push(
            Problem::new(self.span(line.len()), "this text has no end")
                .hint("`\"` is missing on this line"),
        );
        // What follows the first word is more likely to be meant as code.
        let word = length_while(&line[1..], |c| c.is_ascii_alphanumeric() || c == '_');
        self.token(Kind::Text, word + 1, 1, 0)
    }

    fn number(&mut self) -> Token<'a> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = &rest[sign..];
        if digits.starts_with("0x") || digits.starts_with("0X") {
            let length = 2 + length_while(&digits[2..], |c| c.is_ascii_hexdigit());
            return self.token(Kind::Integer, sign + length, 0, 0);
        }
        let whole = length_while(digits, |c| c.is_ascii_digit());
        let mut length = whole;
        if digits[length..].starts_with('.') {
            length += 1 + length_while(&digits[length + 1..], |c| c.is_ascii_digit());
        }
        if digits[length..].starts_with(['e', 'E']) {
            let signed = usize::from(digits[length + 1..].starts_with(['+', '-']));
            let exponent = length_while(&digits[length + 1 + signed..], |c| c.is_ascii_digit());
            length += if exponent > 0 {
                1 + signed + exponent
            } else {
                0
            };
        }
        let kind = if length == whole {
            Kind::Integer
        } else {
            Kind::Decimal
        };
        self.token(kind, sign + length, 0, 0)
    }
}

fn length_while(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|c| !wanted(c)).unwrap_or(text.len())
}

fn begins_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn begins_number(text: &str) -> bool {
    text.strip_prefix('.')
        .unwrap_or(text)
        .starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(source: &str) -> (Vec<(Kind, &str)>, Vec<Problem>) {
        let mut problems = Vec::new();
        let tokens = tokens(0, source, &mut problems);
        (
            tokens
                .iter()
                .map(|token| (token.kind, token.text))
                .collect(),
            problems,
        )
    }

    #[test]
    fn words_numbers_texts_and_marks() {
        let (tokens, problems) = lex("unsigned _readonly -12 0xFF 1.5 -2e3 .5 \"a b\" ... ?;");
        assert!(problems.is_empty());
        use Kind::{Decimal, End, Integer, Mark, Text, Word};
        assert_eq!(
            tokens,
            [
                (Word, "unsigned"),
                (Word, "_readonly"),
                (Integer, "-12"),
                (Integer, "0xFF"),
                (Decimal, "1.5"),
                (Decimal, "-2e3"),
                (Decimal, ".5"),
                (Text, "a b"),
                (Mark, "..."),
                (Mark, "?"),
                (Mark, ";"),
                (End, ""),
            ]
        );
    }

    #[test]
    fn comments_are_skipped_and_docs_are_kept() {
        let (tokens, _) = lex("// no\n/* no\n no */ /// yes  \n///  indented\n///\n//// no\nx");
        assert_eq!(
            tokens,
            [
                (Kind::Doc, "yes"),
                (Kind::Doc, " indented"),
                (Kind::Doc, ""),
                (Kind::Word, "x"),
                (Kind::End, "")
            ]
        );
    }

    #[test]
    fn spans_include_quotes() {
        let mut problems = Vec::new();
        let token = tokens(3, "  \"ab\"", &mut problems)[0];
        assert_eq!(
            token.span,
            Span {
                file: 3,
                start: 2,
                end: 6
            }
        );
    }

    #[test]
    fn what_is_no_token_is_reported_and_skipped() {
        let (tokens, problems) = lex("a # ü b");
        assert_eq!(
            tokens,
            [(Kind::Word, "a"), (Kind::Word, "b"), (Kind::End, "")]
        );
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn text_and_comment_without_end_are_reported() {
        assert_eq!(lex("\"abc\nx").1.len(), 1);
        assert_eq!(lex("/* abc").1.len(), 1);
    }

    #[test]
    fn any_text_ends_in_an_end_token() {
        for source in [
            "", "-", ".", "_", "\"", "/", "0x", "1e", "1.", "\u{feff}", "///", "/*",
        ] {
            let (tokens, _) = lex(source);
            assert_eq!(
                tokens.last().map(|token| token.0),
                Some(Kind::End),
                "{source:?}"
            );
        }
    }
}
