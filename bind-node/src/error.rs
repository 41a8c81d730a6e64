//! Errors of core as JavaScript errors, and thrown values that come home as themselves.

use std::thread::{self, ThreadId};

use napi::bindgen_prelude::{FunctionRef, ToNapiValue, Unknown};
use napi::{Env, Status};
use tenspan::Error;

use crate::host::{Ask, Scope};

/// What JavaScript threw, on its way through core. Only the thread it was thrown on can look at it.
pub struct Thrown {
    keeper: FunctionRef<(), Unknown<'static>>,
    thread: ThreadId,
}

impl Thrown {
    /// `keeper` returns the thrown value.
    pub fn new(keeper: FunctionRef<(), Unknown<'static>>) -> Self {
        Thrown {
            keeper,
            thread: thread::current().id(),
        }
    }

    fn value<'env>(&self, env: &'env Env) -> Option<napi::Result<Unknown<'env>>> {
        (self.thread == thread::current().id()).then(|| {
            self.keeper
                .borrow_back(env)?
                .call(())
                .map(|value| value as Unknown<'env>)
        })
    }
}

/// Throws an error of core; what is returned says so to the bindings.
pub fn throw(scope: &Scope<'_>, error: &Error) -> napi::Error {
    match object(scope, error).and_then(|value| scope.env.throw(value)) {
        Ok(()) => napi::Error::new(Status::PendingException, error.to_string()),
        Err(failed) => failed,
    }
}

/// The error object of an error of core; the very value, if JavaScript threw it.
pub fn object<'env>(scope: &Scope<'env>, error: &Error) -> napi::Result<Unknown<'env>> {
    let thrown = error
        .origin()
        .and_then(|origin| origin.downcast_ref::<Thrown>());
    if let Some(value) = thrown.and_then(|thrown| thrown.value(scope.env)) {
        return value;
    }
    let cause = error
        .cause()
        .map(|cause| object(scope, cause))
        .transpose()?;
    let kind = error.kind_name().into_unknown(scope.env)?;
    let message = error.message().into_unknown(scope.env)?;
    scope.ask_with(Ask::Error, [Some(kind), Some(message), cause])
}

/// An error of the engine on its way through core.
pub fn from_engine(error: &napi::Error) -> Error {
    Error::new(tenspan::ErrorKind::RuntimeError, error.reason.clone())
}
