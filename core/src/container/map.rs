//! The immutable mapping.

use super::container;
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
    /// A map of keys and values; the last value of a key counts.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory.
    pub fn new(entries: Vec<(Any, Any)>) -> Result<Self> {
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

    /// The value of a key.
    pub fn get(&self, key: AnyView<'_>) -> Option<&Any> {
        shared::map_get(&self.0, key)
    }

    /// Whether there is such a key.
    pub fn has(&self, key: AnyView<'_>) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values in order.
    pub fn entries(&self) -> impl Iterator<Item = (&Any, &Any)> {
        shared::map_entries(&self.0)
    }

    /// The keys in order.
    pub fn keys(&self) -> Vec<Any> {
        self.entries().map(|(key, _)| key.clone()).collect()
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> Vec<Any> {
        self.entries().map(|(_, value)| value.clone()).collect()
    }
}
