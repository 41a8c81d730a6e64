//! Values that cross borders, and how Rust types become and come from them.
//!
//! [`Any`] owns a value, [`AnyView`] borrows one. [`IntoAny`] and [`FromAny`] are implemented once for
//! each Rust type, in `write` and `read`; [`Args`] applies them to the arguments of a call and says which one is
//! wrong. A class of Rust becomes an object by [`class!`](crate::class).

pub mod args;
mod class;
mod equal;
mod order;
pub(crate) mod read;
mod repr;
mod texts;
mod write;

pub use crate::abi::any::{Any, AnyView, BigInt, Kind, Stable};
pub use crate::abi::opaque::Opaque;
pub use args::Args;
pub use class::Class;
pub use equal::{equal, hash, try_equal, try_hash};
pub use order::compare;
pub use texts::Texts;

use crate::error::Result;

/// A Rust type that becomes a value.
pub trait IntoAny {
    /// The value.
    fn into_any(self) -> Any;
}

/// A Rust type that can be read from a value.
pub trait FromAny<'a>: Sized {
    /// What is wanted, for messages: "an integer", "a list of strings".
    fn wanted() -> String;

    /// Reads the value; `None` when it is of another kind.
    ///
    /// # Errors
    /// When the kind is right and the value is not: a number out of range, a list of unequal lengths.
    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>>;

    /// What the value holds, if that is one already and can be borrowed. By default this returns `None`.
    #[inline]
    fn held(_value: &'a AnyView<'a>) -> Option<&'a Self> {
        None
    }
}

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

crate::class!(Complex, "tenspan.Complex");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn args<'a>(values: &'a [AnyView<'a>]) -> Args<'a> {
        Args::new("f", values)
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_was_found() {
        let values = [Any::string("x"), Any::int(300)];
        let views: Vec<_> = values.iter().map(Any::view).collect();
        let error = args(&views).get::<u64>(0, "shape").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TypeError);
        assert_eq!(
            error.message(),
            "f: argument 0 (`shape`) wants an integer, found the string \"x\""
        );
        let error = args(&views).get::<i8>(1, "n").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OverflowError);
        assert_eq!(
            error.message(),
            "f: argument 1 (`n`): 300 is not between -128 and 127"
        );
        let error = args(&views).get::<u64>(2, "m").unwrap_err();
        assert_eq!(error.message(), "f: argument 2 (`m`) is missing");
        // The object of a method is not counted, and options have names.
        let of_method = args(&views).of_method();
        let error = of_method.get::<u64>(0, "self").unwrap_err();
        assert!(error.message().starts_with("f: `self` wants"), "{error}");
        let error = of_method.get::<i8>(1, "n").unwrap_err();
        assert!(
            error.message().starts_with("f: argument 0 (`n`)"),
            "{error}"
        );
        let error = of_method.optional::<i8>(1, "n").unwrap_err();
        assert!(error.message().starts_with("f: argument `n`"), "{error}");
    }

    #[test]
    fn lists_are_read_item_by_item() {
        let values = [
            vec![1u64, 2, 3].into_any(),
            Any::array(vec![Any::int(1), Any::NONE]),
        ];
        let views: Vec<_> = values.iter().map(Any::view).collect();
        assert_eq!(args(&views).get::<Vec<i64>>(0, "shape").unwrap(), [1, 2, 3]);
        let error = args(&views).get::<Vec<i64>>(1, "shape").unwrap_err();
        assert_eq!(
            error.message(),
            "f: argument 1 (`shape`): item 1 wants an integer, found None"
        );
    }

    #[test]
    fn named_values_keep_their_order() {
        let named = vec![("b".to_owned(), 1i64), ("a".to_owned(), 2)];
        let value = named.clone().into_any();
        let views = [value.view()];
        assert_eq!(
            args(&views).get::<Vec<(String, i64)>>(0, "x").unwrap(),
            named
        );
    }
}
