//! Functions in both directions: of JavaScript as functions of core, and of core as functions of JavaScript.
//!
//! A function of JavaScript runs on the thread of its engine: called there it runs at once, called elsewhere the caller waits
//! (see [`Post`](crate::post)). Passed back to JavaScript it is the function that it was.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use napi::bindgen_prelude::{Array, ToNapiValue, Unknown, ValueType};
use tenspan::Result;
use tenspan::abi::layout::index;
use tenspan::function::Function;
use tenspan::value::{Any, AnyView, IntoAny};

use crate::bytes;
use crate::host::{Ask, Scope};
use crate::kept::Kept;
use crate::{dynamic, error, value};

/// What the closure of a function of core holds of one of JavaScript.
struct Original {
    kept: Kept,
    /// Where the function of core is.
    address: OnceLock<u64>,
}

/// The functions of JavaScript behind functions of core, by the addresses of these.
static ORIGINALS: LazyLock<Mutex<HashMap<u64, Weak<Original>>>> = LazyLock::new(Mutex::default);

fn originals() -> MutexGuard<'static, HashMap<u64, Weak<Original>>> {
    ORIGINALS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Original {
    // Runs before the memory of the function of core is given back, so the address is nobody else's yet.
    fn drop(&mut self) {
        if let Some(address) = self.address.get() {
            originals().remove(address);
        }
    }
}

/// A JavaScript function as a value of core.
pub fn from_js(scope: &Scope<'_>, function: Unknown<'_>) -> napi::Result<Any> {
    let known = scope.ask(Ask::Give, function)?;
    if known.get_type()? == ValueType::Number {
        return value::held(scope, bytes::read(known)?);
    }
    let known: Array<'_> = bytes::read(known)?;
    let number = known.get(0)?.unwrap_or_default();
    let name: String = known.get(1)?.unwrap_or_default();
    let original = Arc::new(Original {
        kept: Kept::of(scope, number),
        address: OnceLock::new(),
    });
    let body = {
        let original = Arc::clone(&original);
        move |args: &[AnyView<'_>]| call(&original, args)
    };
    let function = if name.is_empty() {
        Function::new(body)
    } else {
        Function::named(name, &[], body)
    };
    let address = function.object().handle().as_ptr().addr() as u64;
    let _ = original.address.set(address);
    originals().insert(address, Arc::downgrade(&original));
    Ok(function.into_any())
}

/// Calls a function of JavaScript from any thread.
fn call(original: &Arc<Original>, args: &[AnyView<'_>]) -> Result<Any> {
    let post = original.kept.post();
    if post.is_here() {
        return post.here(|scope| enter(scope, &original.kept, args));
    }
    let args: Vec<Any> = args.iter().map(|arg| arg.to_any()).collect();
    let original = Arc::clone(original);
    post.run(move |scope| enter(scope, &original.kept, AnyView::slice(&args)))
}

/// Calls a function of JavaScript in its room.
fn enter(scope: &Scope<'_>, function: &Kept, args: &[AnyView<'_>]) -> Result<Any> {
    let outcome = (|| {
        let number = function.number().into_unknown(scope.env)?;
        let list = if dynamic::pack(scope, args) {
            None
        } else {
            Some(dynamic::list(scope, args)?)
        };
        let outcome = scope.ask_with(Ask::Call, [Some(number), list, None])?;
        if outcome.get_type()? == ValueType::Undefined {
            return Ok(Ok(dynamic::unpack(scope)));
        }
        let outcome: Array<'_> = bytes::read(outcome)?;
        let nothing = ().into_unknown(scope.env)?;
        if outcome.len() == 2 {
            let thrown = outcome.get::<Unknown<'_>>(1)?.unwrap_or(nothing);
            return error::thrown(scope, thrown).map(Err);
        }
        let result = outcome.get::<Unknown<'_>>(0)?.unwrap_or(nothing);
        dynamic::read(scope, result, 0).map(Ok)
    })();
    outcome.unwrap_or_else(|engine| Err(error::from_engine(scope, &engine)))
}

/// A function of core as a JavaScript function: the one it was made of, if it is of this room.
pub fn to_js<'env>(scope: &Scope<'env>, function: &Function) -> napi::Result<Unknown<'env>> {
    let value = function.clone().into_any();
    if let Some(found) = dynamic::find(scope, bytes::address(value.view()))? {
        return Ok(found);
    }
    match original(scope, function) {
        Some(original) => original,
        None => dynamic::wrap(scope, value, index::FUNCTION, None),
    }
}

/// The function of JavaScript that a function of core was made of, in its room.
pub fn original<'env>(
    scope: &Scope<'env>,
    function: &Function,
) -> Option<napi::Result<Unknown<'env>>> {
    let address = function.object().handle().as_ptr().addr() as u64;
    let original = originals().get(&address).and_then(Weak::upgrade)?;
    original.kept.value(scope)
}
