//! Modules written in Rust: [`module!`](crate::module!) prints what a module exports.

use crate::error::Result;
use crate::value::{Any, IntoAny};

/// What a function of a module may return: a value, or a [`Result`] of one.
pub trait Returned {
    /// The value or the error.
    ///
    /// # Errors
    /// That of a function that failed.
    fn returned(self) -> Result<Any>;
}

impl<T: IntoAny> Returned for T {
    fn returned(self) -> Result<Any> {
        Ok(self.into_any())
    }
}

impl<T: IntoAny> Returned for Result<T> {
    fn returned(self) -> Result<Any> {
        self.map(IntoAny::into_any)
    }
}

/// Makes functions of Rust those of a compiled module, which every language loads.
///
/// The crate is a `cdylib`, and says this once. Arguments are of any type that is read from a value, results of any that becomes one, or a
/// [`Result`](crate::Result) of it. The module has its own copy of tenspan; what it raises, registers and looks up belongs to the library
/// that loaded it.
///
/// ```
/// tenspan::module! {
///     /// Adds two numbers.
///     fn add(a: i64, b: i64) -> i64 {
///         a + b
///     }
///
///     /// The root of a number.
///     fn root(x: f64) -> tenspan::Result<f64> {
///         if x < 0.0 {
///             return Err(tenspan::Error::new(tenspan::ErrorKind::ValueError, format!("{x} is negative")));
///         }
///         Ok(x.sqrt())
///     }
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! module {
    ($(
        $(#[doc = $doc:literal])*
        fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => {
        $(
            $(#[doc = $doc])*
            pub fn $name($($arg: $type),*) $(-> $result)? $body
        )*

        /// What the module exports.
        #[allow(unsafe_code, reason = "functions of C are exported by their names")]
        mod tenspan_module {
            use std::ffi::{c_int, c_void};

            use $crate::abi::exported::Api;
            use $crate::abi::layout::RawAny;

            /// Takes the functions of the library that loaded the module.
            ///
            /// # Safety
            /// `api` is null or the table of a runtime, which lives as long as the process.
            #[unsafe(export_name = "__tenspan_init")]
            unsafe extern "C" fn init(api: *const Api) -> c_int {
                // SAFETY: the caller says the same.
                unsafe { $crate::abi::guest::begin(api) }
            }

            $(
                /// The exported functions of one name.
                mod $name {
                    use super::*;
                    #[allow(unused_imports, reason = "the types of arguments are named as they are outside")]
                    use super::super::*;

                    /// # Safety
                    /// As the calling convention has it.
                    #[unsafe(export_name = concat!("__tvm_ffi_", stringify!($name)))]
                    unsafe extern "C" fn enter(_: *mut c_void, args: *const RawAny, count: i32, result: *mut RawAny) -> c_int {
                        // SAFETY: the convention says of arguments and result what is asked for here.
                        unsafe { $crate::abi::guest::enter(args, count, result, |values| $crate::call_exported!(values, $name($($arg: $type),*))) }
                    }

                    /// # Safety
                    /// As the calling convention has it.
                    #[unsafe(export_name = concat!("__tvm_ffi__doc_", stringify!($name)))]
                    unsafe extern "C" fn doc(_: *mut c_void, _: *const RawAny, _: i32, result: *mut RawAny) -> c_int {
                        let lines: &[&str] = &[$($doc),*];
                        let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
                        // SAFETY: the convention says of the result what is asked for here.
                        unsafe { $crate::abi::guest::give_text(&lines.join("\n"), result) }
                    }
                }
            )*
        }
    };
}

/// Reads the arguments of a call and makes it.
#[doc(hidden)]
#[macro_export]
macro_rules! call_exported {
    ($values:ident, $name:ident($($arg:ident: $type:ty),*)) => {{
        let args = $crate::value::Args::new(stringify!($name), $values);
        let names: &[&str] = &[$(stringify!($arg)),*];
        args.count(names.len(), names.len())?;
        let mut position = 0..;
        $(
            let $arg = args.get::<$type>(position.next().unwrap_or_default(), stringify!($arg))?;
        )*
        let _ = &mut position;
        $crate::export::Returned::returned(super::super::$name($($arg),*))
    }};
}
