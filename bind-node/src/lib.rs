//! The addon behind the package `tenspan` on npm: a few functions, called by printed JavaScript classes.
//!
//! The classes hold a [`Handle`] in a private field and call entries of core's dispatch table by their index.
//! What native code wants of JavaScript (wrap a handle in its class, make an error) it asks of one function, the
//! [`Host`](host::Host), that comes with every call: so there is no state here, and each worker has its own.

mod bytes;
mod callback;
mod custom;
mod error;
mod host;
mod value;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Array, Env, External, Unknown};
use napi_derive::napi;
use tenspan::generated::dispatch;
use tenspan::value::{Any, AnyView, Args};
use tenspan::{Error, ErrorKind};

use crate::host::{Host, Scope};
use crate::value::Given;

/// What a JavaScript object holds: a value of core until it is disposed of.
pub struct Handle {
    value: RefCell<Option<Any>>,
    /// Whether the elements that JavaScript sees are a copy.
    data_copied: Cell<bool>,
}

impl Handle {
    fn new(value: Any) -> Self {
        Handle {
            value: RefCell::new(Some(value)),
            data_copied: Cell::new(false),
        }
    }

    /// The value, counted once more.
    fn value(&self) -> Option<Any> {
        self.value.borrow().clone()
    }
}

/// Version of the addon. The package refuses one that is not its own.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Names of all that can be called, by their index. A later entry replaces an earlier one of its name.
#[napi]
pub fn methods() -> Vec<&'static str> {
    let core = dispatch::METHODS.iter().map(|(name, _)| *name);
    core.chain(custom::METHODS.iter().map(|(name, _)| *name))
        .collect()
}

/// Calls an entry. In `bytes` a bit is set for each argument that is bytes rather than a tensor.
#[napi(catch_unwind)]
pub fn call<'env>(
    env: &'env Env,
    host: Host<'env>,
    index: u32,
    args: Array<'env>,
    bytes: u32,
) -> napi::Result<Unknown<'env>> {
    let scope = Scope { env, host };
    let given = Given::read(&scope, &args, bytes)?;
    let index = index as usize;
    let result = if let Some((name, entry)) = dispatch::METHODS.get(index) {
        let result = guarded(|| entry(Args::new(name, &given.views())));
        given.finish(&scope)?;
        result.map(|result| value::to_js(&scope, &result))
    } else if let Some((name, entry)) = custom::METHODS.get(index - dispatch::METHODS.len()) {
        let result = guarded(|| entry(&scope, &given, Args::new(name, &given.views())));
        given.finish(&scope)?;
        result.map(|result| result.into_js(&scope))
    } else {
        Err(Error::new(
            ErrorKind::InternalError,
            format!("there is no entry {index}"),
        ))
    };
    result.unwrap_or_else(|error| Err(error::throw(&scope, &error)))
}

/// Lets go of what a handle holds. Done again it does nothing.
#[napi]
pub fn release(handle: &External<Handle>) {
    // Taken out before it is dropped: dropping may run code of the engine, which may look at the handle again.
    let value = handle.value.take();
    drop(value);
}

/// Turns a panic into an error: one that leaves this library would end the process.
fn guarded<T>(work: impl FnOnce() -> tenspan::Result<T>) -> tenspan::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Error::new(
            ErrorKind::InternalError,
            format!("a Rust function panicked: {text}"),
        ))
    })
}

/// The arguments of a call as core sees them.
type Views<'a> = Vec<AnyView<'a>>;
