//! The sequence that changes.

use std::ops::Range;

use super::{container, position};
use crate::abi::layout::index;
use crate::abi::object::ObjectRef;
use crate::abi::sequence;
use crate::error::Result;
use crate::value::{Any, AnyView, equal};

/// Values in order that can be changed; everybody who holds the list sees it.
#[derive(Clone)]
pub struct List(ObjectRef);

container!(List, index::LIST, "a list");

impl List {
    /// A list of these values.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory.
    pub fn new(items: &[Any]) -> Result<Self> {
        List::from_vec(items.to_vec())
    }

    /// A list of these values, which are not counted again.
    ///
    /// # Errors
    /// As [`List::new`].
    pub fn from_vec(items: Vec<Any>) -> Result<Self> {
        sequence::list(items).map(List)
    }

    /// The items as they are now.
    pub fn items(&self) -> Vec<Any> {
        sequence::snapshot(&self.0)
    }

    /// The number of items.
    pub fn len(&self) -> u64 {
        sequence::list_len(&self.0) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    /// As [`List::at`].
    pub fn get(&self, index: i64) -> Result<Any> {
        // The list may shrink between the two looks; then the position is outside after all.
        loop {
            let at = position("a list", index, sequence::list_len(&self.0))?;
            if let Some(item) = sequence::list_get(&self.0, at) {
                return Ok(item);
            }
        }
    }

    /// Puts a value in the place of the one at a position, counted from the end when negative.
    ///
    /// # Errors
    /// As [`List::at`].
    pub fn set(&self, index: i64, value: AnyView<'_>) -> Result<()> {
        let mut value = value.to_any();
        loop {
            let at = position("a list", index, sequence::list_len(&self.0))?;
            match sequence::replace(&self.0, at, value) {
                Ok(_) => return Ok(()),
                Err(back) => value = back,
            }
        }
    }

    /// Adds a value at the end.
    ///
    /// # Errors
    /// As [`List::new`].
    pub fn push(&self, value: AnyView<'_>) -> Result<()> {
        self.replace(usize::MAX..usize::MAX, vec![value.to_any()])
            .map(|_| ())
    }

    /// Takes the value at a position out, counted from the end when negative.
    ///
    /// # Errors
    /// As [`List::at`].
    pub fn remove(&self, index: i64) -> Result<Any> {
        loop {
            let at = position("a list", index, sequence::list_len(&self.0))?;
            if let Some(item) = self.replace(at..at + 1, Vec::new())?.pop() {
                return Ok(item);
            }
        }
    }

    /// Puts values in the place of a range, which is cut to the length of the list, and returns what stood there.
    ///
    /// # Errors
    /// As [`List::new`]; the list is then as before.
    pub fn splice(&self, start: u64, stop: u64, items: &[Any]) -> Result<Vec<Any>> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        self.replace(place(start)..place(stop), items.to_vec())
    }

    /// As [`List::splice`], with values that are not counted again.
    ///
    /// # Errors
    /// As [`List::new`]; the list is then as before.
    pub fn replace(&self, range: Range<usize>, items: Vec<Any>) -> Result<Vec<Any>> {
        sequence::splice(&self.0, range, items)
    }

    /// Takes all values out.
    pub fn clear(&self) {
        // Nothing is put in, so no memory is asked for.
        drop(self.replace(0..usize::MAX, Vec::new()));
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
