//! What stands in the library of a module: functions, variables that a runtime fills, bytes that it carries.
#![allow(
    unsafe_code,
    reason = "symbols of a module are what their names say, by the rules of the ABI"
)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Once;

use super::any::Any;
use super::exported::{self, API, Api, NAMES};
use super::library::Symbol;
use super::object::ObjectRef;
use super::{class, failure, native};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, Signature};
use crate::module::image::INIT;
use crate::module::links::Links;
use crate::module::load::Loaded;

/// Bytes of a bundle that are believed: more than that is no length.
const MOST: u64 = 1 << 40;

/// The function at a symbol of a module.
pub fn function(symbol: Symbol, signature: Signature) -> Function {
    // SAFETY: the caller found the symbol by the name of a function, and the ABI says how those are called.
    let entry = unsafe { symbol.as_function() };
    // SAFETY: functions of modules do not look at the handle, and may be called by any thread; there is no context.
    let object = unsafe { native::new(std::ptr::null_mut(), entry, None, Some(signature)) };
    match Function::from_object(object) {
        Some(function) => function,
        None => unreachable!("an object that was made as a function is one"),
    }
}

/// The functions of the runtime by their names without prefix, and where they are.
pub fn runtime() -> Vec<(&'static str, u64)> {
    let table: *const Api = &raw const API;
    let first = std::mem::offset_of!(Api, get_version) / size_of::<u64>();
    let addresses = table.cast::<u64>();
    let all = NAMES.iter().enumerate().map(|(position, name)| {
        let place = addresses.wrapping_add(first + position);
        // SAFETY: after its first fields the table holds an address for each name, in their order, and nothing else.
        let address = unsafe { place.read() };
        (*name, address)
    });
    all.collect()
}

/// Fills the variables of a module that a runtime fills: what registered symbols are, and by what its code finds its imports.
pub fn prepare(module: &Loaded, links: &Any) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| exported::set_import_lookup(look_up));
    let registered = exported::context_symbols().into_iter();
    let registered = registered.map(|(name, address)| (module.variable(&name), address as u64));
    let own = module.symbol("__tvm_ffi__library_ctx");
    for (symbol, address) in registered.chain([(own, links.view().raw().payload)]) {
        if let Some(symbol) = symbol {
            // SAFETY: the ABI says that such a variable holds an address, and is filled before functions of the module are called.
            unsafe { symbol.store(address) };
        }
    }
}

/// A function for the code of a module that was told to be known by `context`.
fn look_up(context: *mut c_void, name: &str) -> Result<ObjectRef> {
    let missing = || {
        Error::new(
            ErrorKind::ValueError,
            format!("no module asks for `{name}`: its context is null"),
        )
    };
    let handle = NonNull::new(context.cast()).ok_or_else(missing)?;
    // SAFETY: `prepare` gave the module the address of an object that lives as long as its code.
    let object = Any::object(unsafe { ObjectRef::from_borrowed(handle) });
    let links = class::read::<Links>(object.view()).ok_or_else(missing)?;
    Ok(links.look_up(name)?.object().clone())
}

/// Hands the functions of the runtime to a module that asks for them so.
///
/// # Errors
/// What the module raises when it refuses them.
pub fn initialise(module: &Loaded) -> Result<()> {
    let Some(symbol) = module.symbol(INIT) else {
        return Ok(());
    };
    type Init = unsafe extern "C" fn(*const Api) -> c_int;
    let address = symbol.address() as *const ();
    // SAFETY: a function and its address have the same size, and the name says what it takes.
    let init = unsafe { std::mem::transmute::<*const (), Init>(address) };
    // SAFETY: the table lives as long as the process.
    let code = unsafe { init(&raw const API) };
    if code == 0 {
        return Ok(());
    }
    Err(failure::take().unwrap_or_else(|| {
        let message = format!("the module refused to be initialised: `{INIT}` returned {code}");
        Error::new(ErrorKind::RuntimeError, message)
    }))
}

/// The bytes that a library carries.
pub fn bundle(module: &Loaded) -> Option<&[u8]> {
    let symbol = module.symbol("__tvm_ffi__library_bin")?;
    // SAFETY: the ABI says that the bytes begin with their number.
    let length = unsafe { symbol.bytes(0, 8) };
    let length = length
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    // SAFETY: as above; the module lives as long as it is borrowed.
    (length < MOST).then(|| unsafe { symbol.bytes(8, length as usize) })
}
