//! The immutable sequence.

use super::{container, position};
use crate::abi::layout::index;
use crate::abi::object::ObjectRef;
use crate::abi::sequence;
use crate::error::Result;
use crate::value::{Any, AnyView, equal};

/// Values in order that never change.
#[derive(Clone)]
pub struct Array(ObjectRef);

container!(Array, index::ARRAY, "an array");

impl Array {
    /// An array of these values.
    pub fn new(items: &[Any]) -> Self {
        Array::from_vec(items.to_vec())
    }

    /// An array of these values, which are not counted again.
    pub fn from_vec(items: Vec<Any>) -> Self {
        Array(sequence::array(items))
    }

    /// The items.
    pub fn items(&self) -> &[Any] {
        sequence::array_items(&self.0)
    }

    /// The number of items.
    pub fn len(&self) -> u64 {
        self.items().len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items().is_empty()
    }

    /// The item at a position.
    ///
    /// # Errors
    /// [`ErrorKind::IndexError`](crate::ErrorKind::IndexError) when the position lies outside.
    pub fn at(&self, position: u64) -> Result<Any> {
        self.get(i64::try_from(position).unwrap_or(i64::MAX))
    }

    /// The item at a position, counted from the end when negative.
    ///
    /// # Errors
    /// As [`Array::at`].
    pub fn get(&self, index: i64) -> Result<Any> {
        let items = self.items();
        Ok(items[position("an array", index, items.len())?].clone())
    }

    /// The position of the first item that equals a value.
    pub fn index_of(&self, value: AnyView<'_>) -> Option<u64> {
        let found = self
            .items()
            .iter()
            .position(|item| equal(item.view(), value));
        found.map(|at| at as u64)
    }
}
