//! Lengths along dimensions as a value.

use super::{container, position};
use crate::abi::layout::index;
use crate::abi::object::ObjectRef;
use crate::abi::shape;
use crate::error::Result;

/// Lengths along dimensions that never change, as functions take and give them.
#[derive(Clone)]
pub struct Shape(ObjectRef);

container!(Shape, index::SHAPE, "a shape");

impl Shape {
    /// A shape of these lengths.
    pub fn new(lengths: &[i64]) -> Self {
        Shape(shape::new(lengths))
    }

    /// The lengths.
    pub fn lengths(&self) -> &[i64] {
        shape::of(&self.0)
    }

    /// The number of dimensions.
    pub fn len(&self) -> u64 {
        self.lengths().len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lengths().is_empty()
    }

    /// The length along a dimension.
    ///
    /// # Errors
    /// [`ErrorKind::IndexError`](crate::ErrorKind::IndexError) when there is no such dimension.
    pub fn at(&self, axis: u64) -> Result<i64> {
        let lengths = self.lengths();
        let axis = i64::try_from(axis).unwrap_or(i64::MAX);
        Ok(lengths[position("a shape", axis, lengths.len())?])
    }
}
