//! Names and values that a file carries beside its tensors.
//!
//! The main type is [`Metadata`], a counted handle: clones are of the same collection.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::value::Value;
use super::value_type::Wanted;
use crate::error::{Error, ErrorKind, Result};
use crate::value::{Any, AnyView, FromAny};

/// Longest name that GGUF allows, in bytes.
pub(crate) const MAX_KEY: usize = 65_535;

/// Values by name, in the order they were added in. Each keeps its exact type.
///
/// ```
/// use tenspan::Metadata;
/// use tenspan::value::IntoAny;
///
/// let metadata = Metadata::new();
/// metadata.set("general.name", "tiny".into_any().view())?;
/// metadata.set_typed("tiny.block_count", 2u64.into_any().view(), "uint32")?;
/// assert_eq!(metadata.type_of("tiny.block_count")?, "uint32");
/// # Ok::<(), tenspan::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Metadata(Arc<Mutex<Entries>>);

crate::class!(object Metadata, "tenspan.Metadata");

/// Metadata, or values by name.
impl<'a> FromAny<'a> for Metadata {
    fn wanted() -> String {
        "metadata, or values by name".to_owned()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        if let Some(metadata) = <&Metadata>::from_any(value)? {
            return Ok(Some(metadata.clone()));
        }
        let Some(named) = Vec::<(String, Any)>::from_any(value)? else {
            return Ok(None);
        };
        let metadata = Metadata::new();
        named
            .into_iter()
            .try_for_each(|(key, value)| metadata.set(&key, value.view()))?;
        Ok(Some(metadata))
    }

    fn held(value: &'a AnyView<'a>) -> Option<&'a Self> {
        <&Metadata>::from_any(value).ok().flatten()
    }
}

#[derive(Default)]
struct Entries {
    places: HashMap<Arc<str>, u64>,
    by_place: BTreeMap<u64, (Arc<str>, Value)>,
    next: u64,
}

impl Metadata {
    /// An empty collection.
    pub fn new() -> Metadata {
        Metadata::default()
    }

    /// Type of a value, such as `uint32`, `string` or `array<float32>`.
    ///
    /// # Errors
    /// [`ErrorKind::KeyError`] when there is no such name.
    pub fn type_of(&self, key: &str) -> Result<String> {
        match self.value(key) {
            Some(value) => value.type_name(),
            None => {
                let keys = self.keys();
                Err(Error::missing_key(
                    "metadata value",
                    key,
                    keys.iter().map(String::as_str),
                ))
            }
        }
    }

    /// Adds or replaces a value. Its type is `bool`, `string`, `float32`, or the first of `int32`, `uint32`, `int64` and
    /// `uint64` that holds every number. Bytes are kept as a string.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when no file holds such a value, [`ErrorKind::OverflowError`] when no type holds the
    /// number, [`ErrorKind::ValueError`] when the name is empty or too long.
    pub fn set(&self, key: &str, value: AnyView<'_>) -> Result<()> {
        let encoded = Wanted::choose(&value).and_then(|wanted| Value::encode(&value, &wanted));
        self.insert(
            key,
            encoded.map_err(|error| error.at(format_args!("metadata `{key}`")))?,
        )
    }

    /// Adds or replaces a value of an exact type, such as `uint16` or `array<string>`.
    ///
    /// # Errors
    /// As [`Metadata::set`]; [`ErrorKind::ValueError`] when there is no such type.
    pub fn set_typed(&self, key: &str, value: AnyView<'_>, r#type: &str) -> Result<()> {
        let encoded = Wanted::parse(r#type).and_then(|wanted| Value::encode(&value, &wanted));
        self.insert(
            key,
            encoded.map_err(|error| error.at(format_args!("metadata `{key}`")))?,
        )
    }

    /// Number of values.
    pub fn len(&self) -> u64 {
        self.entries().by_place.len() as u64
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names, in order.
    pub fn keys(&self) -> Vec<String> {
        self.entries()
            .by_place
            .values()
            .map(|(key, _)| key.to_string())
            .collect()
    }

    /// A value by name. A string that is not UTF-8 is given as bytes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFile`] when the file was changed under the map.
    pub fn get(&self, key: &str) -> Result<Option<Any>> {
        self.value(key).map(|value| value.decode()).transpose()
    }

    /// Whether there is a value of that name.
    pub fn has(&self, key: &str) -> bool {
        self.entries().places.contains_key(key)
    }

    /// Removes a value; false when there is no such name.
    pub fn remove(&self, key: &str) -> bool {
        let mut entries = self.entries();
        let place = entries.places.remove(key);
        place.is_some_and(|place| entries.by_place.remove(&place).is_some())
    }

    /// Removes all values.
    pub fn clear(&self) {
        *self.entries() = Entries::default();
    }

    /// A collection of its own with the same values.
    pub(crate) fn copied(&self) -> Metadata {
        let copy = Metadata::new();
        for (key, value) in self.snapshot() {
            copy.put(key, value);
        }
        copy
    }

    /// All values as they are now.
    pub(crate) fn snapshot(&self) -> Vec<(Arc<str>, Value)> {
        self.entries().by_place.values().cloned().collect()
    }

    /// A value in its stored form.
    pub(crate) fn value(&self, key: &str) -> Option<Value> {
        let entries = self.entries();
        let place = entries.places.get(key)?;
        entries.by_place.get(place).map(|(_, value)| value.clone())
    }

    /// Adds or replaces a value, its name checked.
    pub(crate) fn insert(&self, key: &str, value: Value) -> Result<()> {
        if key.is_empty() || key.len() > MAX_KEY {
            let message = format!(
                "a metadata name has 1 to {MAX_KEY} bytes, found {}",
                key.len()
            );
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        self.put(key.into(), value);
        Ok(())
    }

    /// Adds or replaces a value; false when it replaced one.
    pub(crate) fn put(&self, key: Arc<str>, value: Value) -> bool {
        let mut entries = self.entries();
        if let Some(place) = entries.places.get(&key).copied() {
            entries.by_place.insert(place, (key, value));
            return false;
        }
        let place = entries.next;
        entries.next += 1;
        entries.places.insert(Arc::clone(&key), place);
        entries.by_place.insert(place, (key, value));
        true
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // No code that can panic half-way runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{IntoAny, Kind};

    #[test]
    fn values_keep_their_place_when_replaced() {
        let metadata = Metadata::new();
        for key in ["a", "b", "c"] {
            metadata.set(key, 1.into_any().view()).unwrap();
        }
        metadata.set("a", "x".into_any().view()).unwrap();
        assert!(metadata.has("b") && metadata.remove("b"));
        assert!(!metadata.has("b") && !metadata.remove("b"));
        metadata.set("b", true.into_any().view()).unwrap();
        assert_eq!(metadata.keys(), ["a", "c", "b"]);
        assert_eq!(metadata.type_of("b").unwrap(), "bool");
        let error = metadata.type_of("bb").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KeyError);
        metadata.clear();
        assert!(metadata.is_empty() && metadata.get("a").unwrap().is_none());
    }

    #[test]
    fn a_number_that_does_not_fit_its_type_is_refused() {
        let metadata = Metadata::new();
        for (number, r#type) in [
            (256, "uint8"),
            (-1, "uint64"),
            (i64::from(i32::MAX) + 1, "int32"),
        ] {
            let error = metadata
                .set_typed("k", number.into_any().view(), r#type)
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OverflowError);
            assert!(error.message().starts_with("metadata `k`: "), "{error}");
        }
        let error = metadata
            .set_typed("k", 1e300.into_any().view(), "float32")
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OverflowError);
        assert!(
            metadata
                .set_typed("k", f64::INFINITY.into_any().view(), "float32")
                .is_ok()
        );
        let error = metadata
            .set_typed("k", vec![1].into_any().view(), "int8")
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TypeError);
        assert_eq!(
            metadata.set("", 1.into_any().view()).unwrap_err().kind(),
            ErrorKind::ValueError
        );
    }

    #[test]
    fn lists_of_lists_read_back_with_their_types() {
        let metadata = Metadata::new();
        let unlike = Any::array(vec![vec![1, 2].into_any(), vec!["x".to_owned()].into_any()]);
        metadata.set("unlike", unlike.view()).unwrap();
        assert_eq!(metadata.type_of("unlike").unwrap(), "array<array>");
        metadata
            .set_typed(
                "alike",
                vec![vec![1], vec![]].into_any().view(),
                "array<array<uint8>>",
            )
            .unwrap();
        assert_eq!(metadata.type_of("alike").unwrap(), "array<array<uint8>>");
        let read = metadata.get("unlike").unwrap().unwrap();
        assert_eq!(format!("{read:?}"), r#"[[1, 2], ["x"]]"#);
    }

    #[test]
    fn bytes_that_are_not_text_come_back_as_they_were() {
        let metadata = Metadata::new();
        metadata.set("k", Any::bytes(b"\xff\x00").view()).unwrap();
        let read = metadata.get("k").unwrap().unwrap();
        assert!(matches!(read.kind(), Kind::Bytes(b"\xff\x00")));
    }
}
