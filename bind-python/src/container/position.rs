//! What stands between brackets after a sequence: a position or a slice.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use tenspan::ErrorKind;

use crate::bytes;
use crate::error::new_error;

/// A position or a range of positions.
pub enum Key {
    /// A position, from the end when negative; not yet looked at whether it is inside.
    At(i64),
    /// Positions `start`, `start + step` and so on, as many as `count`.
    Range {
        /// The first.
        start: usize,
        /// From one to the next.
        step: isize,
        /// How many.
        count: usize,
    },
}

/// Reads a key for a sequence of `len` items.
///
/// # Errors
/// `TypeError` for something else, `IndexError` for a number that no sequence has as a position.
pub fn key(key: &Bound<'_, PyAny>, len: u64) -> PyResult<Key> {
    if let Ok(slice) = key.cast::<PySlice>() {
        let found = slice.indices(len as isize)?;
        return Ok(Key::Range {
            start: found.start.max(0) as usize,
            step: found.step,
            count: found.slicelength,
        });
    }
    index(key).map(Key::At)
}

/// Reads a position.
///
/// # Errors
/// As [`key`].
pub fn index(key: &Bound<'_, PyAny>) -> PyResult<i64> {
    key.extract::<i64>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(key.py()) {
            let found = bytes::type_name(key);
            let message = format!("a position is an integer or a slice, found {found}");
            return new_error(ErrorKind::TypeError, message);
        }
        let message = format!("position {key} is outside of every sequence");
        new_error(ErrorKind::IndexError, message)
    })
}

/// The positions of a range in order.
pub fn positions(start: usize, step: isize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |i| start.wrapping_add_signed(step.wrapping_mul(i as isize)))
}

/// The part of a sequence of `len` items that `index` looks through.
pub fn bounds(start: i64, stop: i64, len: usize) -> std::ops::Range<usize> {
    let place = |at: i64| {
        let from_start = if at < 0 {
            at.saturating_add(len as i64)
        } else {
            at
        };
        usize::try_from(from_start.max(0))
            .unwrap_or(usize::MAX)
            .min(len)
    };
    let start = place(start);
    start..place(stop).max(start)
}
