//! The one JavaScript function that native code asks for what only JavaScript can do.

use napi::bindgen_prelude::{Env, FnArgs, FunctionRef, JsValue, ToNapiValue, Unknown};
use napi::sys::napi_value;

use crate::bytes;
use crate::room::Room;

/// Raw values, so that the type has no lifetime and a reference to the function can be kept.
pub type HostArgs = FnArgs<(u32, napi_value, napi_value, napi_value)>;

/// The function, kept as long as its environment.
pub type Host = FunctionRef<HostArgs, Unknown<'static>>;

/// What can be asked for. The numbers are those in `js/host.cjs`.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Ask {
    /// Type of a value, its number, and for memory of JavaScript what is lent → object of its class.
    Wrap = 0,
    /// Object → the number of the value that it holds, or undefined when it is none of ours. Throws when it cannot be used.
    Handle = 1,
    /// Kind, message, cause → error object.
    Error = 2,
    /// Object → what stands for it: an array, or a typed array. Throws when nothing does.
    Object = 3,
    /// Number of a function that is kept, array of arguments or nothing when they are in the frame → nothing when the result is
    /// there, else `[result]` or `[undefined, what was thrown]`.
    Call = 4,
    /// Object → function that returns what is lent: `{ owner, buffer, offset, end }`. Throws for memory that is gone.
    Lend = 5,
    /// Typed array that a running call reads while functions of JavaScript may run.
    Watch = 6,
    /// Typed array → the same memory as `Uint16Array` if it holds 16-bit floats, or undefined.
    Halves = 7,
    /// What is lent, kind of typed array, position and length → typed array over it, or null when there is no buffer.
    Show = 8,
    /// Typed array, DataView or buffer → typed array over all of it; undefined for anything else.
    Array = 9,
    /// Object → its real and its imaginary part in an array, if it is a complex number; undefined for anything else.
    Complex = 10,
    /// Value → the number by which JavaScript keeps it.
    Keep = 11,
    /// Number → what is kept by it.
    Kept = 12,
    /// Numbers of what is not needed any more.
    Forget = 13,
    /// What was thrown → what is told of it and of each of its causes; see [`thrown`](crate::error::thrown).
    Describe = 14,
    /// Error object, number of the error of core that it stands for.
    Returns = 15,
    /// Object → the number of the value that it holds, or a form and what is given in it; see [`form`](crate::dynamic::read::form).
    /// Function of JavaScript → the number by which it is kept from now on, and its name.
    Give = 16,
    /// Address of an object of core → the object that stands for it, if one is alive.
    Find = 17,
    /// Object, address of the object of core that it stands for.
    Remember = 18,
    /// Error object, the frames that the error passed in other languages as lines of text: they go into its stack.
    Frames = 19,
    /// Error object, the key that was not there.
    Key = 20,
}

/// What a call runs in.
pub struct Scope<'env> {
    pub env: &'env Env,
    pub room: &'env Room,
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
        let host = self.room.host.borrow_back(self.env)?;
        let what = (what as u32).into_unknown(self.env)?;
        // What is thrown there stays thrown: the bindings would read it, and so run more of JavaScript.
        bytes::call(self.env, host.raw(), &[what.raw(), a, b, c])
    }
}
