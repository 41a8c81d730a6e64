//! Rust classes as objects of types of their own.

/// A Rust class whose values travel as objects of a type of their own. Implemented by [`class!`](crate::class).
pub trait Class: Clone + Send + Sync + 'static {
    /// Key of the type, such as `tenspan.File`.
    const KEY: &'static str;

    /// Index of the type, given out at first use.
    fn type_index() -> i32;
}

/// Makes a Rust type a [`Class`]: values of it become objects, and are borrowed from them where that is enough.
#[macro_export]
macro_rules! class {
    ($name:ty, $key:literal) => {
        $crate::class!(object $name, $key);

        impl<'a> $crate::value::FromAny<'a> for $name {
            fn wanted() -> String {
                format!("a {}", $key)
            }

            fn from_any(
                value: &'a $crate::value::AnyView<'a>,
            ) -> $crate::error::Result<Option<Self>> {
                Ok($crate::abi::class::read::<$name>(*value).cloned())
            }

            fn held(value: &'a $crate::value::AnyView<'a>) -> Option<&'a Self> {
                $crate::abi::class::read(*value)
            }
        }
    };
    // For a class that other values can be turned into, and that says itself how.
    (object $name:ty, $key:literal) => {
        impl $crate::value::Class for $name {
            const KEY: &'static str = $key;

            fn type_index() -> i32 {
                static INDEX: std::sync::OnceLock<i32> = std::sync::OnceLock::new();
                *INDEX.get_or_init(|| $crate::abi::types::register($key))
            }
        }

        impl $crate::value::IntoAny for $name {
            fn into_any(self) -> $crate::value::Any {
                $crate::abi::class::object(self)
            }
        }

        impl<'a> $crate::value::FromAny<'a> for &'a $name {
            fn wanted() -> String {
                format!("a {}", $key)
            }

            fn from_any(
                value: &'a $crate::value::AnyView<'a>,
            ) -> $crate::error::Result<Option<Self>> {
                Ok($crate::abi::class::read(*value))
            }
        }
    };
}
