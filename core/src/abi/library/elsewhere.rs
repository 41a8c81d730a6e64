//! Libraries on systems whose modules are not loaded yet: none can be opened.

use std::ffi::CStr;
use std::path::Path;

use super::{Medium, Symbol};

const WHY: &str = "modules are loaded on Linux only so far";

/// A library that is open; there is none.
#[derive(Debug)]
pub enum Library {}

/// Opens no library.
///
/// # Errors
/// Always.
pub fn open_bytes(
    _title: &str,
    _bytes: &[u8],
    _media: &[Medium],
    _open: impl Fn(&CStr) -> Result<Library, String>,
) -> Result<Library, String> {
    Err(WHY.to_owned())
}

impl Library {
    /// Opens no library.
    ///
    /// # Errors
    /// Always. So below.
    pub fn open(_path: &CStr) -> Result<Library, String> {
        Err(WHY.to_owned())
    }

    /// Opens no library.
    ///
    /// # Errors
    /// Always.
    pub fn open_path(_path: &Path) -> Result<Library, String> {
        Err(WHY.to_owned())
    }

    /// No library is open.
    ///
    /// # Errors
    /// Always.
    pub fn loaded(_path: &CStr) -> Result<Library, String> {
        Err(WHY.to_owned())
    }

    /// Leaves the library open.
    pub fn keep(self) {
        match self {}
    }

    /// The value of a symbol.
    pub fn symbol(&self, _name: &str) -> Option<Symbol> {
        match *self {}
    }

    /// The address at a place of the library.
    pub fn stored(&self, _place: u64) -> Option<u64> {
        match *self {}
    }
}

/// The path of the library that an address lies in; it is not known.
pub fn path_of(_address: u64) -> Option<String> {
    None
}

/// Addresses of symbols that one library of the process defines; they are not looked for.
pub fn find_together<const N: usize>(_names: [&str; N]) -> Option<[u64; N]> {
    None
}
