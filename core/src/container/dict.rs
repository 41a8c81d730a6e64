//! The mapping that changes.

use super::container;
use crate::abi::layout::index;
use crate::abi::object::ObjectRef;
use crate::abi::shared;
use crate::error::Result;
use crate::value::{Any, AnyView};

/// Values by key, in the order in which the keys were first set; everybody who holds the dict sees its changes.
#[derive(Clone)]
pub struct Dict(ObjectRef);

container!(Dict, index::DICT, "a dict");

impl Dict {
    /// A dict of keys and values; the last value of a key counts.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory.
    pub fn new(entries: Vec<(Any, Any)>) -> Result<Self> {
        shared::new_table(index::DICT, entries).map(Dict)
    }

    /// The number of keys.
    pub fn len(&self) -> u64 {
        shared::dict_len(&self.0) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    pub fn get(&self, key: AnyView<'_>) -> Option<Any> {
        shared::dict_get(&self.0, key)
    }

    /// Whether there is such a key.
    pub fn has(&self, key: AnyView<'_>) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values in order, as they are now.
    pub fn entries(&self) -> Vec<(Any, Any)> {
        shared::dict_entries(&self.0)
    }

    /// The keys in order, as they are now.
    pub fn keys(&self) -> Vec<Any> {
        self.entries().into_iter().map(|(key, _)| key).collect()
    }

    /// The values in the order of their keys, as they are now.
    pub fn values(&self) -> Vec<Any> {
        self.entries().into_iter().map(|(_, value)| value).collect()
    }

    /// Sets the value of a key; a key that is there already keeps its place in the order.
    ///
    /// # Errors
    /// As [`Dict::new`].
    pub fn set(&self, key: Any, value: Any) -> Result<()> {
        shared::dict_set(&self.0, key, value)
    }

    /// Takes the value of a key out.
    pub fn remove(&self, key: AnyView<'_>) -> Option<Any> {
        shared::dict_remove(&self.0, key)
    }

    /// Takes all keys out.
    pub fn clear(&self) {
        shared::dict_clear(&self.0);
    }
}
