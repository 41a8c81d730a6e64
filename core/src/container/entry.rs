//! What maps and dicts say about their keys.

use crate::error::{Error, ErrorKind, Result};
use crate::value::{Any, AnyView};

/// Keys and values in turn as pairs.
///
/// # Errors
/// [`ErrorKind::ValueError`] for a key without a value.
pub fn pairs(entries: &[Any]) -> Result<Vec<(Any, Any)>> {
    let (pairs, rest) = entries.as_chunks::<2>();
    if let Some(key) = rest.first() {
        let message = format!("keys and values stand in turn, the last key, {key:?}, has no value");
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    Ok(pairs
        .iter()
        .map(|[key, value]| (key.clone(), value.clone()))
        .collect())
}

/// The error of a key that is not there.
pub fn missing(what: &str, key: AnyView<'_>) -> Error {
    Error::new(
        ErrorKind::KeyError,
        format!("there is no key {key:?} in the {what}"),
    )
    .with_key(key.to_any())
}
