//! What modules are offered: the functions of the public ABI by name, and its version.

use std::sync::OnceLock;

use crate::abi::module as entry;

/// Version of the ABI, as its headers number it.
pub const VERSION: (u32, u32, u32) = (0, 1, 16);

/// All functions by their names without prefix, and where they are.
pub fn functions() -> &'static [(&'static str, u64)] {
    static ALL: OnceLock<Vec<(&'static str, u64)>> = OnceLock::new();
    ALL.get_or_init(entry::runtime)
}
