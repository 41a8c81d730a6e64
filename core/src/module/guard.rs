//! Functions of a module that may leave the process: what a call lets out decides whether it may.
//!
//! Objects that a module made are destroyed by code of the module. A call that may have let such an object out keeps the
//! module in the process for ever. What can be told to let nothing out are calls that take and give numbers, text, bytes, shapes
//! and tensors of this library.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::load::Loaded;
use crate::abi::library::Symbol;
use crate::abi::module as entry;
use crate::error::Result;
use crate::function::{Body, Function, Signature};
use crate::value::{Any, AnyView, Kind};

struct Guarded {
    inner: Function,
    /// Below `inner`: it goes last.
    loaded: Arc<Loaded>,
    is_kept: AtomicBool,
}

/// The function at a symbol, which keeps its module in the process as long as it is there itself.
pub(super) fn function(symbol: Symbol, signature: Signature, loaded: &Arc<Loaded>) -> Function {
    let guarded = Guarded {
        inner: entry::function(symbol, signature.clone()),
        loaded: Arc::clone(loaded),
        is_kept: AtomicBool::new(false),
    };
    Function::of(Some(signature), guarded)
}

impl Guarded {
    fn keep(&self) {
        if !self.is_kept.swap(true, Ordering::Relaxed) {
            std::mem::forget(Arc::clone(&self.loaded));
        }
    }
}

impl Body for Guarded {
    fn call(&self, args: &[AnyView<'_>]) -> Result<Any> {
        if !args.iter().all(|value| is_closed(value)) {
            self.keep();
        }
        let result = self.inner.call_views(args)?;
        if !is_own(&result) {
            self.keep();
        }
        Ok(result)
    }

    fn value(&self) -> &(dyn std::any::Any + Send + Sync) {
        self
    }
}

/// Whether a callee cannot put anything into a value, or call something with it.
fn is_closed(value: &AnyView<'_>) -> bool {
    use Kind::*;
    matches!(
        value.kind(),
        None | Bool(_)
            | Int(_)
            | BigInt(_)
            | Float(_)
            | DType(_)
            | Device(_)
            | Str(_)
            | Bytes(_)
            | Shape(_)
            | Tensor(_)
    )
}

/// Whether no code of a module is needed to destroy a value.
fn is_own(value: &Any) -> bool {
    match value.view().object() {
        Option::None => true,
        Some(_) => value.tensor().is_some(),
    }
}
