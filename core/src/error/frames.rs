//! The frames that an error passed through: kept as they come, written as text when somebody asks.

use std::fmt::{self, Write};
use std::panic::Location;
use std::sync::Arc;

use super::Origin;
use crate::abi::closure::Signature;

/// What stands for the name of a function that only its place in the source is known of.
const NATIVE: &str = "<native>";

/// Gives the frames of an exception of a language as lines of text, most recent first.
pub type ReadFrames = fn(&Origin) -> String;

/// Frames, most recent first.
#[derive(Clone, Default)]
pub struct Frames {
    /// Where the error was made. It stands apart, so that an error that nobody passes on needs no allocation for it.
    first: First,
    rest: Vec<Frame>,
}

#[derive(Clone, Default)]
enum First {
    #[default]
    Nowhere,
    /// A place in the source of this library.
    Place(&'static Location<'static>),
    /// The frames that an exception has passed in its language.
    Exception(Origin, ReadFrames),
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
            first: First::Place(place),
            rest: Vec::new(),
        }
    }

    /// The frames of an exception, which are read when somebody asks.
    pub fn of(origin: Origin, read: ReadFrames) -> Self {
        Frames {
            first: First::Exception(origin, read),
            rest: Vec::new(),
        }
    }

    /// Lines that are text already.
    pub fn text(lines: String) -> Self {
        let mut frames = Frames::default();
        frames.push_text(lines);
        frames
    }

    /// Whether there are more than the place of this library where the error was made.
    pub fn has_more(&self) -> bool {
        !self.rest.is_empty() || matches!(self.first, First::Exception(..))
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

/// The functions that an error left after it was made.
#[derive(Clone)]
pub struct Passed(Vec<Frame>);

impl Frames {
    /// The functions that were left after the error was made, if there are any.
    pub fn passed(&self) -> Option<Passed> {
        (!self.rest.is_empty()).then(|| Passed(self.rest.clone()))
    }
}

/// A line for each, most recent first.
impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_all(&self.0, f)
    }
}

/// One line for each frame: `  File "f", line n, in fn`.
impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.first {
            First::Nowhere => {}
            First::Place(place) => line(f, place.file(), place.line(), NATIVE)?,
            First::Exception(origin, read) => f.write_str(&read(origin))?,
        }
        write_all(&self.rest, f)
    }
}

fn write_all(frames: &[Frame], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for frame in frames {
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
    fn frames_of_an_exception_are_read_when_somebody_asks() {
        let read: ReadFrames = |origin| {
            format!(
                "  File \"{}\", line 1, in f\n",
                origin.downcast_ref::<&str>().unwrap()
            )
        };
        let mut frames = Frames::of(Arc::new("a.py"), read);
        frames.push_text("  File \"b.cpp\", line 2, in g".to_owned());
        assert_eq!(
            frames.to_string(),
            "  File \"a.py\", line 1, in f\n  File \"b.cpp\", line 2, in g\n"
        );
    }

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
