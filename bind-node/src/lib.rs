//! The Node.js front of tenspan: how JavaScript reaches core.
//!
//! Classes and functions are printed as JavaScript (`js/generated`); they know a value of core by a number in a private
//! field, and call entries of core's dispatch table by their index, with [packed](packed) arguments. What native code
//! wants of JavaScript (wrap a value in its class, make an error) it asks of one function, the [host](host). What an
//! environment has for itself stands in its [`Room`].

mod bytes;
mod callback;
mod classes;
mod custom;
mod dynamic;
mod error;
mod host;
mod kept;
mod metrics;
mod objects;
mod packed;
mod post;
mod room;
mod value;

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Env, Object, Unknown};
use napi_derive::napi;
use tenspan::abi::layout::index;
use tenspan::generated::dispatch;
use tenspan::value::AnyView;
use tenspan::{Error, ErrorKind};

use crate::host::Host;
use crate::room::Room;

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
        .chain(classes::METHODS.iter().map(|(name, _)| *name))
        .collect()
}

/// The key of a class in core, by the type of its values.
#[napi]
pub fn class_key(type_index: i32) -> &'static str {
    match type_index {
        index::TENSOR => "tenspan.Tensor",
        index::DTYPE => "tenspan.DType",
        index::DEVICE => "tenspan.Device",
        index::FUNCTION => "tenspan.Function",
        index::ARRAY => "tenspan.Array",
        index::LIST => "tenspan.List",
        index::MAP => "tenspan.Map",
        index::DICT => "tenspan.Dict",
        index::SHAPE => "tenspan.Shape",
        other if other < index::DYNAMIC => "tenspan.Object",
        other => tenspan::abi::types::key(other),
    }
}

/// The functions that calls go through, with the function to ask, the buffer of the frame, whether memory of core may be
/// shown as array buffers, and whether the engine has a `Float16Array`.
#[napi(catch_unwind)]
pub fn open<'env>(
    env: &'env Env,
    host: Host,
    frame: Unknown<'env>,
    can_share: bool,
    has_halves: bool,
) -> napi::Result<Object<'env>> {
    Room::open(env, host, bytes::frame(frame)?, can_share, has_halves)
}

/// Turns a panic into an error: one that leaves this library would end the process.
fn guarded<T>(work: impl FnOnce() -> tenspan::Result<T>) -> tenspan::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic)))
}

/// The error of a panic.
#[cold]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::new(
        ErrorKind::InternalError,
        format!("a Rust function panicked: {text}"),
    )
}

/// The arguments of a call as core sees them.
type Views<'a> = Vec<AnyView<'a>>;
