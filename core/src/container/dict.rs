//! The mapping that changes.

use super::{container, entry};
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
    /// A dict of keys and values in turn; the last value of a key counts.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`](crate::ErrorKind::ValueError) for a key without a value, otherwise as [`Dict::from_entries`].
    pub fn new(entries: &[Any]) -> Result<Self> {
        Dict::from_entries(entry::pairs(entries)?)
    }

    /// A dict of keys and values; the last value of a key counts.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory; as [`Dict::find`].
    pub fn from_entries(entries: Vec<(Any, Any)>) -> Result<Self> {
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

    /// The number of keys.
    pub fn size(&self) -> u64 {
        self.len()
    }

    /// The value of a key.
    ///
    /// # Errors
    /// [`ErrorKind::KeyError`](crate::ErrorKind::KeyError) when there is no such key; as [`Dict::find`].
    pub fn get(&self, key: AnyView<'_>) -> Result<Any> {
        self.find(key)?.ok_or_else(|| entry::missing("dict", key))
    }

    /// The value of a key, if there is one.
    ///
    /// # Errors
    /// What functions of the type of the key raise, which hash and compare it; [`ErrorKind::RuntimeError`](crate::ErrorKind::RuntimeError) when the
    /// dict is changed again and again while such functions run.
    pub fn find(&self, key: AnyView<'_>) -> Result<Option<Any>> {
        shared::dict_get(&self.0, key)
    }

    /// Whether there is such a key.
    ///
    /// # Errors
    /// As [`Dict::find`].
    pub fn has(&self, key: AnyView<'_>) -> Result<bool> {
        Ok(self.find(key)?.is_some())
    }

    /// Keys and values in turn, in order, as they are now.
    pub fn entries(&self) -> Vec<Any> {
        self.pairs()
            .into_iter()
            .flat_map(|(key, value)| [key, value])
            .collect()
    }

    /// Keys and values in order, as they are now.
    pub fn pairs(&self) -> Vec<(Any, Any)> {
        shared::dict_entries(&self.0)
    }

    /// The keys in order, as they are now.
    pub fn keys(&self) -> Vec<Any> {
        self.pairs().into_iter().map(|(key, _)| key).collect()
    }

    /// The values in the order of their keys, as they are now.
    pub fn values(&self) -> Vec<Any> {
        self.pairs().into_iter().map(|(_, value)| value).collect()
    }

    /// Sets the value of a key; a key that is there already keeps its place in the order.
    ///
    /// # Errors
    /// As [`Dict::new`].
    pub fn set(&self, key: AnyView<'_>, value: AnyView<'_>) -> Result<()> {
        self.put(key.to_any(), value.to_any())
    }

    /// As [`Dict::set`], with values that are not counted again.
    ///
    /// # Errors
    /// As [`Dict::new`].
    pub fn put(&self, key: Any, value: Any) -> Result<()> {
        shared::dict_set(&self.0, key, value)
    }

    /// Takes a key and its value out; false when there was no such key.
    ///
    /// # Errors
    /// As [`Dict::find`].
    pub fn remove(&self, key: AnyView<'_>) -> Result<bool> {
        Ok(self.take(key)?.is_some())
    }

    /// Takes the value of a key out.
    ///
    /// # Errors
    /// As [`Dict::find`].
    pub fn take(&self, key: AnyView<'_>) -> Result<Option<Any>> {
        shared::dict_remove(&self.0, key)
    }

    /// Takes all keys out.
    pub fn clear(&self) {
        shared::dict_clear(&self.0);
    }
}
