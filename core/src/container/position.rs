//! Positions in a sequence, counted from the end when negative.

use crate::error::{Error, ErrorKind, Result};

/// The position that `index` means in a sequence of `len` items.
///
/// # Errors
/// [`ErrorKind::IndexError`] when it lies outside.
pub fn position(what: &str, index: i64, len: usize) -> Result<usize> {
    let from_start = if index < 0 {
        index.checked_add_unsigned(len as u64)
    } else {
        Some(index)
    };
    from_start
        .and_then(|at| usize::try_from(at).ok())
        .filter(|at| *at < len)
        .ok_or_else(|| {
            let items = if len == 1 { "item" } else { "items" };
            let message = format!("position {index} is outside of {what} of {len} {items}");
            Error::new(ErrorKind::IndexError, message)
        })
}
