//! GGUF: a header of typed values and tensor descriptions, then the tensors, each on a multiple of the alignment.
//!
//! ```text
//! "GGUF"  u32 version  u64 tensors  u64 values
//! values:   name, u32 type, value
//! tensors:  name, u32 dimensions, u64 each (innermost first), u32 GGML id, u64 offset
//! zeros up to the alignment, then the data that offsets count from
//! ```
//! Strings are UTF-8 behind a `u64` length. Versions 2 and 3 are read, little- and big-endian; version 3 is written,
//! little-endian. Numbers of big-endian files are turned when a tensor is taken, those in blocks included; the tensor is
//! then a copy. A shard of a split file is a file of its own: its values, its tensors.
//!
//! # What is refused
//!
//! * Counts, lengths, products and offsets that lead out of the file or do not fit 63 bits.
//! * Names of values that are empty, not UTF-8, longer than 65,535 bytes or there twice; types that do not exist;
//!   arrays nested more than 8 deep; booleans other than 0 and 1.
//! * An alignment that is no `uint32`, no power of two or no multiple of 8.
//! * Names of tensors that are not UTF-8 or there twice; more than 4 dimensions; rows that are not whole blocks; type
//!   ids that were removed from GGML, or of more than 16 bits.
//! * Tensors that are not aligned, or that overlap.
//!
//! # What is let pass
//!
//! * Values that are strings but not UTF-8: they are given as bytes.
//! * Names of tensors that are empty, or longer than the 64 bytes that the format grants: models of images have such.
//! * Tensors in any order with any gaps; no padding behind the last one; more bytes behind it.
//! * Type ids that are unknown: the tensor is opaque, and reaches to the next one or to the end of the file.
//!
//! [`validate_file`](crate::validate_file) is stricter on strings and on the length of names.

mod place;
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
