//! Texts, or one of them.

use super::{AnyView, FromAny, Kind};
use crate::error::Result;

/// Texts; where they are read, one alone stands for a list of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl<'a> FromAny<'a> for Texts {
    fn wanted() -> String {
        "a string or a list of strings".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(match value.kind() {
            Kind::Str(text) => Some(Texts(vec![text.to_owned()])),
            _ => Vec::from_any(value)?.map(Texts),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Any, Args, IntoAny};

    #[test]
    fn one_text_is_a_list_of_one() {
        let values = [
            "a".into_any(),
            vec!["a".to_owned(), "b".to_owned()].into_any(),
            Any::int(1),
        ];
        let views: Vec<_> = values.iter().map(Any::view).collect();
        let args = Args::new("f", &views);
        assert_eq!(args.get::<Texts>(0, "x").unwrap().0, ["a"]);
        assert_eq!(args.get::<Texts>(1, "x").unwrap().0, ["a", "b"]);
        let error = args.get::<Texts>(2, "x").unwrap_err();
        assert_eq!(
            error.message(),
            "f: argument 2 (`x`) wants a string or a list of strings, found the integer 1"
        );
    }
}
