//! Functions that parts of the program itself registered, by their symbols.

use super::image::EXPORT_PREFIX;
use crate::abi::exported::system_symbols;
use crate::abi::library::Symbol;

/// The function of a name: with the prefix first, then without.
pub(super) fn find(prefix: &str, name: &str) -> Option<Symbol> {
    let symbols = system_symbols();
    let find = |wanted: String| symbols.iter().find(|(known, _)| *known == wanted);
    let found = find(format!("{EXPORT_PREFIX}{prefix}{name}"));
    let found = found.or_else(|| find(format!("{EXPORT_PREFIX}{name}")));
    found.and_then(|(_, address)| Symbol::at(*address as u64))
}

/// The names of the functions with a prefix, without it.
pub(super) fn names(prefix: &str) -> Vec<String> {
    let start = format!("{EXPORT_PREFIX}{prefix}");
    let symbols = system_symbols();
    let names = symbols
        .iter()
        .filter_map(|(name, _)| name.strip_prefix(&start));
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}
