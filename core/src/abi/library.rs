//! Libraries of the process: opened from a path or from bytes, asked for symbols, closed.
#![allow(
    unsafe_code,
    reason = "what stands at a symbol is what its name says, by the rules of the ABI"
)]

#[cfg_attr(target_os = "linux", path = "library/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "library/elsewhere.rs")]
mod system;

use std::ffi::c_void;
use std::ptr::NonNull;

use super::layout::SafeCall;
pub use system::{Library, find_together, open_bytes, path_of};

/// Where the file of a library is that is opened from bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// In memory alone.
    Memory,
    /// In the folder for temporary files, which it leaves when the library is open.
    Disk,
}

impl Medium {
    /// All, in the order in which they are tried: where code in memory is forbidden, or `/proc` is missing, a file of the disk may do.
    pub const ALL: [Medium; 2] = [Medium::Memory, Medium::Disk];
}

/// The value of a symbol.
#[derive(Debug, Clone, Copy)]
pub struct Symbol(NonNull<c_void>);

// SAFETY: an address in a library; what stands there is used by the functions below alone.
unsafe impl Send for Symbol {}
// SAFETY: as above.
unsafe impl Sync for Symbol {}

impl Symbol {
    /// The symbol at an address that is not zero.
    pub fn at(address: u64) -> Option<Symbol> {
        NonNull::new(address as *mut c_void).map(Symbol)
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// A function that is called as all functions of modules are.
    ///
    /// # Safety
    /// The symbol is such a function.
    pub unsafe fn as_function(self) -> SafeCall {
        // SAFETY: the caller says so; a function and its address have the same size.
        unsafe { std::mem::transmute::<*mut c_void, SafeCall>(self.0.as_ptr()) }
    }

    /// Stores an address where the symbol stands.
    ///
    /// # Safety
    /// The symbol is a variable that holds an address.
    pub unsafe fn store(self, address: u64) {
        // SAFETY: the caller says so.
        unsafe { self.0.cast::<u64>().as_ptr().write(address) }
    }

    /// `length` bytes from an offset behind the symbol.
    ///
    /// # Safety
    /// So many bytes stand there as long as the library is open, which is as long as `'a`.
    pub unsafe fn bytes<'a>(self, offset: usize, length: usize) -> &'a [u8] {
        // SAFETY: the caller says so.
        let start = unsafe { self.0.cast::<u8>().as_ptr().add(offset) };
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(start, length) }
    }
}
