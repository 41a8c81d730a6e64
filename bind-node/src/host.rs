//! The one JavaScript function that native code asks for what only JavaScript can do.

use napi::bindgen_prelude::{Env, FnArgs, Function, FunctionRef, JsValue, ToNapiValue, Unknown};
use napi::sys::napi_value;

/// Raw values, so that the type has no lifetime and a reference to the function can be kept.
pub type HostArgs = FnArgs<(u32, napi_value, napi_value, napi_value)>;

/// The function itself, valid for one call.
pub type Host<'env> = Function<'env, HostArgs, Unknown<'static>>;

/// The function, kept beyond a call.
pub type HostRef = FunctionRef<HostArgs, Unknown<'static>>;

/// What can be asked for. The numbers are those in `js/host.cjs`.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Ask {
    /// Class key, handle → object of that class.
    Wrap = 0,
    /// Name → the dtype of that name, or undefined when it was not made yet.
    DType = 1,
    /// Kind, message, cause → error object.
    Error = 2,
    /// Object → what stands for it: a handle, an array, or a typed array. Throws when nothing does.
    Object = 3,
    /// Function → function that takes an array of arguments and gives `[result]`, or `[undefined, keeper of what was thrown]`.
    Guard = 4,
    /// Typed array → function that keeps it alive, or null when its memory may move.
    Keep = 5,
    /// Typed array whose memory must no longer be given away.
    Pin = 6,
    /// Typed array → the same memory as `Uint16Array` if it holds 16-bit floats, or undefined.
    Halves = 7,
}

/// What a call runs in.
pub struct Scope<'env> {
    pub env: &'env Env,
    pub host: Host<'env>,
}

impl<'env> Scope<'env> {
    /// Asks with one value.
    pub fn ask(&self, what: Ask, value: Unknown<'_>) -> napi::Result<Unknown<'env>> {
        self.ask_with(what, [Some(value), None, None])
    }

    /// Asks with up to three values.
    pub fn ask_with(
        &self,
        what: Ask,
        values: [Option<Unknown<'_>>; 3],
    ) -> napi::Result<Unknown<'env>> {
        let nothing = ().into_unknown(self.env)?;
        let [a, b, c] = values.map(|value| value.unwrap_or(nothing).raw());
        self.host.call((what as u32, a, b, c).into())
    }
}
