//! Symbols between modules: those that a module wants filled in as it is loaded, those that are built into the program, and
//! functions of the modules that a module imports.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{c_text, guarded, null, write};
use crate::abi::object::ObjectRef;
use crate::error::{Error, ErrorKind, Result};

/// An address by its name. It is followed by whoever asked for it only.
type Symbols = Mutex<BTreeMap<String, usize>>;

static CONTEXT: Symbols = Mutex::new(BTreeMap::new());
static SYSTEM: Symbols = Mutex::new(BTreeMap::new());

/// Finds a function for the module whose handle is given, by its name: the handle of an object that the module keeps alive.
pub type Lookup = fn(*mut c_void, &str) -> Result<ObjectRef>;

static LOOKUP: OnceLock<Lookup> = OnceLock::new();

/// Sets what finds functions of imported modules, once.
pub fn set_import_lookup(lookup: Lookup) {
    let _ = LOOKUP.set(lookup);
}

/// Every symbol to be filled in when a module is loaded, with its value.
pub fn context_symbols() -> Vec<(String, usize)> {
    all(&CONTEXT)
}

/// Every symbol that is built into the program, with its address.
pub fn system_symbols() -> Vec<(String, usize)> {
    all(&SYSTEM)
}

fn all(symbols: &Symbols) -> Vec<(String, usize)> {
    let symbols = symbols.lock().unwrap_or_else(PoisonError::into_inner);
    let pairs = symbols.iter();
    pairs.map(|(name, value)| (name.clone(), *value)).collect()
}

/// Registers a symbol.
///
/// # Safety
/// The name is null or a string.
unsafe fn register(symbols: &Symbols, name: *const c_char, symbol: *mut c_void) -> c_int {
    guarded(|| {
        if name.is_null() {
            return Err(null("the name of a symbol"));
        }
        // SAFETY: the caller gives a string.
        let name = unsafe { c_text(name) }.into_owned();
        let mut symbols = symbols.lock().unwrap_or_else(PoisonError::into_inner);
        symbols.insert(name, symbol as usize);
        Ok(())
    })
}

/// A function of a module that the module `context` imports, or of all functions by name. The module keeps it alive.
pub unsafe extern "C" fn env_mod_lookup_from_imports(
    context: *mut c_void,
    name: *const c_char,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        if name.is_null() || out.is_null() {
            return Err(null("the name of a function, or the place for it,"));
        }
        // SAFETY: the caller gives a string.
        let name = unsafe { c_text(name) };
        let lookup = LOOKUP.get().ok_or_else(|| {
            let message = format!("no module was loaded, so none imports `{name}`");
            Error::new(ErrorKind::RuntimeError, message)
        })?;
        let function = lookup(context, &name)?;
        // SAFETY: the caller gives room for a handle, which is lent: the module holds the function.
        unsafe { write(out, function.handle().as_ptr().cast()) }
    })
}

/// Registers a symbol that is filled in when a module that has it is loaded.
pub unsafe extern "C" fn env_mod_register_context_symbol(
    name: *const c_char,
    symbol: *mut c_void,
) -> c_int {
    // SAFETY: the caller gives a string.
    unsafe { register(&CONTEXT, name, symbol) }
}

/// Registers a symbol that is built into the program.
pub unsafe extern "C" fn env_mod_register_system_lib_symbol(
    name: *const c_char,
    symbol: *mut c_void,
) -> c_int {
    // SAFETY: the caller gives a string.
    unsafe { register(&SYSTEM, name, symbol) }
}
