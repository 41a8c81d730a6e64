//! What printed cases are made of: values to compare, checks, files, logs.
#![allow(dead_code, unused_imports, reason = "cases use what they need of it")]

mod check;
mod files;
mod value;

/// Tests that call one function with the values of a loop.
macro_rules! each {
    ($function:ident: $($test:ident($($value:literal),*),)*) => {
        $(#[test]
        fn $test() {
            $function($($value),*);
        })*
    };
}

use std::cell::RefCell;

use tenspan::value::AnyView;
use tenspan::{Dict, Error, ErrorKind, Function, Result};

pub(crate) use check::case;
pub(crate) use files::{exists, read, temp, vector, write};
pub(crate) use value::{
    Value, any, any_of, complex, given, item, len, list, map, plus, range, repeat,
};

/// What callbacks were called with.
#[derive(Default)]
pub struct Log(RefCell<Vec<Value>>);

impl Log {
    /// Adds the arguments of one call.
    pub fn add(&self, values: Value) {
        self.0.borrow_mut().push(values);
    }

    /// Calls so far.
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// The arguments of the last call.
    pub fn last(&self) -> Value {
        self.0.borrow().last().cloned().unwrap_or(Value::Null)
    }
}

impl From<&Log> for Value {
    fn from(log: &Log) -> Value {
        Value::List(log.0.borrow().clone())
    }
}

/// The function to try things with that is registered as `testing.name`.
pub fn native(name: &str) -> Result<Function> {
    tenspan::register_testing_funcs()?;
    let name = format!("testing.{name}");
    found(tenspan::get_global_func(&name, false)?, &name)
}

/// Sets each key from 0 to its square.
pub fn fill(dict: &Dict, count: i64) -> Result<()> {
    (0..count).try_for_each(|key| {
        let (key, square) = (AnyView::int(key), AnyView::int(key * key));
        dict.set(key, square)
    })
}

/// The error that a callback raises.
pub fn failure(kind: &str, message: &str) -> Error {
    Error::from_kind_name(kind, message)
}

/// The value of a key that must be there.
pub fn found<T>(value: Option<T>, key: &str) -> Result<T> {
    value.ok_or_else(|| Error::new(ErrorKind::KeyError, format!("there is no `{key}`")))
}
