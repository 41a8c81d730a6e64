//! Values known before a case runs.

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
    /// Text.
    Text(String),
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
    pub fn in_text(&self) -> Option<String> {
        match self {
            Constant::Boolean(value) => Some(value.to_string()),
            Constant::Integer(value) => Some(value.to_string()),
            Constant::Float(text) | Constant::Text(text) => Some(text.clone()),
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
            Constant::Text(text) => format!("\"{text}\""),
            Constant::Bytes(_) => "bytes".to_owned(),
            Constant::List(_) | Constant::Range(..) | Constant::Repeat(..) => "a list".to_owned(),
            Constant::Record(_) => "named values".to_owned(),
        }
    }
}
