//! The frames that an error passed through: kept as they come, written as text when somebody asks.

use std::fmt::{self, Write};
use std::panic::Location;
use std::sync::Arc;

use crate::abi::closure::Signature;

/// What stands for the name of a function that only its place in the source is known of.
const NATIVE: &str = "<native>";

/// Frames, most recent first.
#[derive(Clone, Default)]
pub struct Frames {
    /// Where the error was made. It stands apart, so that an error that nobody passes on needs no allocation for it.
    first: Option<&'static Location<'static>>,
    rest: Vec<Frame>,
}

#[derive(Clone)]
enum Frame {
    /// A function of ours that ended with the error.
    Function(Arc<Signature>),
    /// Lines that someone else wrote.
    Text(Box<str>),
}

impl Frames {
    /// The frame of a place in the source.
    pub fn at(place: &'static Location<'static>) -> Self {
        Frames {
            first: Some(place),
            rest: Vec::new(),
        }
    }

    /// Lines that are text already.
    pub fn text(lines: String) -> Self {
        let mut frames = Frames::default();
        frames.push_text(lines);
        frames
    }

    /// Whether there are more than the place where the error was made.
    pub fn has_more(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Adds a function that the error leaves.
    pub fn push(&mut self, function: Arc<Signature>) {
        self.rest.push(Frame::Function(function));
    }

    /// Adds lines that are text already.
    pub fn push_text(&mut self, mut lines: String) {
        if lines.is_empty() {
            return;
        }
        if !lines.ends_with('\n') {
            lines.push('\n');
        }
        self.rest.push(Frame::Text(lines.into_boxed_str()));
    }
}

/// One line for each frame: `  File "f", line n, in fn`.
impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.first {
            line(f, place.file(), place.line(), NATIVE)?;
        }
        for frame in &self.rest {
            match frame {
                Frame::Function(signature) => {
                    let (file, at) = signature
                        .place
                        .as_ref()
                        .map_or((NATIVE, 0), |place| (&*place.file, place.line));
                    line(f, file, at, &signature.name)?;
                }
                Frame::Text(lines) => f.write_str(lines)?,
            }
        }
        Ok(())
    }
}

fn line(out: &mut impl Write, file: &str, number: u32, function: &str) -> fmt::Result {
    out.write_str("  File \"")?;
    out.write_str(file)?;
    write!(out, "\", line {number}, in ")?;
    out.write_str(function)?;
    out.write_char('\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::closure::Place;

    #[test]
    fn frames_are_lines_with_the_most_recent_first() {
        let named = |name: &str, place| {
            Arc::new(Signature {
                name: name.to_owned(),
                parameters: Vec::new(),
                place,
            })
        };
        let mut frames = Frames::at(Location::caller());
        assert!(
            !frames.has_more() && Frames::text("  File \"a\", line 1, in f".to_owned()).has_more()
        );
        frames.push(named("inner", None));
        assert!(frames.has_more());
        frames.push_text("  File \"a.py\", line 3, in work".to_owned());
        let place = Place {
            file: "b.cpp".into(),
            line: 7,
        };
        frames.push(named("outer", Some(place)));
        let text = frames.to_string();
        let (first, rest) = text.split_once('\n').unwrap();
        assert!(
            first.starts_with("  File \"") && first.ends_with(", in <native>"),
            "{first}"
        );
        assert!(first.contains(file!()), "{first}");
        assert_eq!(
            rest,
            "  File \"<native>\", line 0, in inner\n  File \"a.py\", line 3, in work\n  File \"b.cpp\", line 7, in outer\n"
        );
    }
}
