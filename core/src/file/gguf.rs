//! GGUF: a header of typed values and tensor descriptions, then the tensors, each on a multiple of the alignment.
//!
//! ```text
//! "GGUF"  u32 version  u64 tensors  u64 values
//! values:   name, u32 type, value
//! tensors:  name, u32 dimensions, u64 each (innermost first), u32 GGML id, u64 offset
//! zeros up to the alignment, then the data that offsets count from
//! ```
//! Strings are UTF-8 behind a `u64` length. Versions 2 and 3 are read, little- and big-endian; version 3 is written,
//! little-endian. What of the format is enforced, and what is let pass because real files have it, stands at
//! [`read`].

pub(crate) mod read;
mod swap;
pub(crate) mod write;

pub(crate) use swap::Swap;

/// Alignment of tensors in a file that does not name another.
pub(crate) const DEFAULT_ALIGNMENT: u64 = 32;

/// Name of the value that says otherwise.
pub(crate) const ALIGNMENT_KEY: &str = "general.alignment";

/// Most dimensions of a tensor.
pub(crate) const MAX_NDIM: usize = 4;

/// Whether a number can be an alignment. The format asks for a multiple of 8, every reader for a power of two.
pub(crate) fn is_alignment(alignment: u64) -> bool {
    alignment.is_power_of_two() && alignment.is_multiple_of(8)
}
