//! Values known before a case runs.

use std::fmt;

/// A text, and how it was put together.
///
/// Printers that print a loop as a loop need the parts; all else the text itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    parts: Vec<Part>,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Written out.
    Written(String),
    /// The text of a loop's variable.
    Variable {
        /// Its name.
        name: String,
        /// What it is for this value of the loop.
        text: String,
    },
}

impl Text {
    /// A text without variables.
    pub fn written(text: impl Into<String>) -> Text {
        let mut whole = Text { parts: Vec::new() };
        whole.push(&text.into());
        whole
    }

    /// The text of a loop's variable.
    pub fn variable(name: &str, text: &str) -> Text {
        let part = Part::Variable {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        Text { parts: vec![part] }
    }

    /// Adds what is written out.
    pub fn push(&mut self, written: &str) {
        match self.parts.last_mut() {
            _ if written.is_empty() => {}
            Some(Part::Written(before)) => before.push_str(written),
            _ => self.parts.push(Part::Written(written.to_owned())),
        }
    }

    /// Adds another text.
    pub fn append(&mut self, other: &Text) {
        for part in &other.parts {
            match part {
                Part::Written(written) => self.push(written),
                variable => self.parts.push(variable.clone()),
            }
        }
    }

    /// Its parts; no two that are written out stand side by side.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text with names in the place of variables.
    pub fn pattern(&self) -> String {
        let pattern = self.parts.iter().map(|part| match part {
            Part::Written(written) => written.as_str(),
            Part::Variable { name, .. } => name.as_str(),
        });
        pattern.collect()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Written(text) | Part::Variable { text, .. } => f.write_str(text),
        })
    }
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a point, `nan`, `inf` or `-inf`, as written.
    Float(String),
    /// `complex(re, im)`: both parts as [`Constant::Float`].
    Complex(Box<[Constant; 2]>),
    /// Text.
    Text(Text),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Constant>),
    /// Named values.
    Record(Vec<(String, Constant)>),
    /// `range(start, stop)`: whole numbers from the first up to the last, which is left out.
    Range(i128, i128),
    /// `repeat(value, times)`: a list of one value.
    Repeat(Box<Constant>, usize),
}

impl Constant {
    /// The items of a list; `None` when it is no list.
    pub fn items(&self) -> Option<Vec<Constant>> {
        match self {
            Constant::List(items) => Some(items.clone()),
            Constant::Range(start, stop) => Some((*start..*stop).map(Constant::Integer).collect()),
            Constant::Repeat(value, times) => Some(vec![(**value).clone(); *times]),
            _ => None,
        }
    }

    /// How it stands in a text; `None` when it has no such form.
    pub fn in_text(&self) -> Option<Text> {
        match self {
            Constant::Boolean(value) => Some(Text::written(value.to_string())),
            Constant::Integer(value) => Some(Text::written(value.to_string())),
            Constant::Float(text) => Some(Text::written(text)),
            Constant::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Constant::Null => "null".to_owned(),
            Constant::Boolean(value) => format!("`{value}`"),
            Constant::Integer(value) => format!("`{value}`"),
            Constant::Float(text) => format!("`{text}`"),
            Constant::Complex(_) => "a complex number".to_owned(),
            Constant::Text(text) => format!("\"{text}\""),
            Constant::Bytes(_) => "bytes".to_owned(),
            Constant::List(_) | Constant::Range(..) | Constant::Repeat(..) => "a list".to_owned(),
            Constant::Record(_) => "named values".to_owned(),
        }
    }
}
