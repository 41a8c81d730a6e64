//! The immutable mapping.

use super::{container, entry};
use crate::abi::layout::index;
use crate::abi::object::ObjectRef;
use crate::abi::shared;
use crate::error::Result;
use crate::value::{Any, AnyView};

/// Values by key, in the order in which the keys were first set, that never change.
#[derive(Clone)]
pub struct Map(ObjectRef);

container!(Map, index::MAP, "a map");

impl Map {
    /// A map of keys and values in turn; the last value of a key counts.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`](crate::ErrorKind::ValueError) for a key without a value, otherwise as [`Map::from_entries`].
    pub fn new(entries: &[Any]) -> Result<Self> {
        Map::from_entries(entry::pairs(entries)?)
    }

    /// A map of keys and values; the last value of a key counts.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory; as [`Map::find`].
    pub fn from_entries(entries: Vec<(Any, Any)>) -> Result<Self> {
        shared::new_table(index::MAP, entries).map(Map)
    }

    /// The number of keys.
    pub fn len(&self) -> u64 {
        shared::map_len(&self.0) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys.
    pub fn size(&self) -> u64 {
        self.len()
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`ErrorKind::KeyError`](crate::ErrorKind::KeyError) when there is no such key; as [`Map::find`].
    pub fn get(&self, key: AnyView<'_>) -> Result<Any> {
        self.find(key)?
            .cloned()
            .ok_or_else(|| entry::missing("map", key))
    }

    /// The value of a key, if there is one.
    ///
    /// # Errors
    /// What functions of the type of the key raise, which hash and compare it.
    pub fn find(&self, key: AnyView<'_>) -> Result<Option<&Any>> {
        shared::map_get(&self.0, key)
    }

    /// Whether there is such a key.
    ///
    /// # Errors
    /// As [`Map::find`].
    pub fn has(&self, key: AnyView<'_>) -> Result<bool> {
        Ok(self.find(key)?.is_some())
    }

    /// Keys and values in turn, in order.
    pub fn entries(&self) -> Vec<Any> {
        self.iter()
            .flat_map(|(key, value)| [key.clone(), value.clone()])
            .collect()
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Any, &Any)> {
        shared::map_entries(&self.0)
    }

    /// The keys in order.
    pub fn keys(&self) -> Vec<Any> {
        self.iter().map(|(key, _)| key.clone()).collect()
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> Vec<Any> {
        self.iter().map(|(_, value)| value.clone()).collect()
    }
}
