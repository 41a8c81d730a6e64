//! Containers of values that every language shares: [`Array`] and [`Map`] never change, [`List`] and [`Dict`] do. A [`Shape`] is a row of numbers.
//!
//! They are counted objects in the layouts of the value ABI, so compiled modules read and change the same memory. A clone is
//! another reference to the same container. A key of a map is compared with its type: 1, true and 1.0 are three keys; text
//! is compared by what it says, containers and other objects by whether they are the same object.

mod array;
mod dict;
mod entry;
mod list;
mod map;
mod object;
mod position;
mod shape;

pub use array::Array;
pub use dict::Dict;
pub use list::List;
pub use map::Map;
pub use position::position;
pub use shape::Shape;

pub(crate) use object::container;
