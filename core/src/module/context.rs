//! Variables of modules that a runtime fills: the module may define one by a name, and finds there what was registered under that name.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use crate::abi::library::Library;
use crate::abi::module as entry;

static SYMBOLS: RwLock<BTreeMap<String, u64>> = RwLock::new(BTreeMap::new());

/// Registers what modules that are loaded from now on find in their variable of this name.
pub fn register(name: &str, address: u64) {
    let mut symbols = SYMBOLS.write().unwrap_or_else(PoisonError::into_inner);
    symbols.insert(name.to_owned(), address);
}

/// Fills the variables of a module.
pub(super) fn fill(library: &Library) {
    let symbols = SYMBOLS.read().unwrap_or_else(PoisonError::into_inner);
    for (name, address) in symbols.iter() {
        entry::fill(library, name, *address);
    }
}
