//! The type table: every type of the process by index and by key, with its ancestors, fields, methods and attributes.
//!
//! Types that the ABI fixes are there from the beginning, others get an index when they are first asked for. What is in the
//! table stays where it is for as long as the process lives, so that reading it takes no lock; [`table`] changes it under one.

mod builtin;
pub mod column;
pub mod layout;
mod member;
mod table;
#[cfg(test)]
mod tests;

pub use builtin::TYPES as BUILTIN;
pub use column::{Hook, attribute, column, set_attribute};
pub use layout::{FieldInfo, MethodInfo, TypeInfo, TypeMetadata, flag};
pub use member::{add_field, add_metadata, add_method, new_method};
pub use table::{CAPACITY, Request, allocate, find, info, info_or_unknown, is_final};

use super::layout::index;

/// The index of a class of ours, given out at first use. Two classes never share a key.
pub fn register(key: &'static str) -> i32 {
    if let Some(index) = super::guest::type_index(key) {
        return index;
    }
    let request = Request {
        slots: 0,
        ..Request::child_of(index::OBJECT, key)
    };
    // The key is ours and the table far from full, so nothing can be wrong with it.
    allocate(&request).unwrap_or(index::OBJECT)
}

/// What to call values of a type in messages.
pub fn key(type_index: i32) -> &'static str {
    match builtin::name(type_index) {
        Some(name) => name,
        None => info(type_index).map_or("an object", TypeInfo::key),
    }
}

/// Whether a type is another, or has it among its ancestors.
pub fn is_a(type_index: i32, ancestor: i32) -> bool {
    type_index == ancestor
        || info(type_index).is_some_and(|info| {
            let mut ancestors = info.ancestors().iter();
            ancestors.any(|known| known.type_index == ancestor)
        })
}
