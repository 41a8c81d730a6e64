//! Values of Rust classes as objects.
#![allow(
    unsafe_code,
    reason = "the type index tells which Rust type an object holds"
)]

use super::any::{Any, AnyView};
use super::object::Boxed;
use crate::value::Class;

/// A value stands 24 bytes behind a handle, where an alignment of 16 cannot be had; in a box it has its own.
struct Held<T>(Box<T>);

/// An object that holds a value.
pub fn object<T: Class>(value: T) -> Any {
    Any::object(Boxed::object(T::type_index(), Held(Box::new(value)), 0).0)
}

/// The value of an object, if it is of this class.
pub fn read<T: Class>(value: AnyView<'_>) -> Option<&T> {
    // SAFETY: only `object` makes objects with the type index of a class, and it makes them of `Held<T>`.
    let held = unsafe { value.class_value::<Held<T>>(T::type_index()) };
    held.map(|held| &*held.0)
}
