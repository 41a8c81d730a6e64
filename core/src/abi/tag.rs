//! A word in every object made here, for the front of the process: where the wrapper of its language stands.
//!
//! Core keeps it zero at first and never looks at it.
#![allow(
    unsafe_code,
    reason = "an object is told to be ours by the address of its deleter"
)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicUsize;

use super::layout::index;
use super::object::{self, ObjectRef};
use super::{closure, derived, failure, instance, native, opaque, sequence, shape, table, tensor};

type Deleter = unsafe extern "C" fn(*mut c_void, c_int);

/// The word of an object that one of two functions deletes.
fn of_two(object: &ObjectRef, ours: [Deleter; 2]) -> Option<&AtomicUsize> {
    let deleter = object.header().deleter?;
    let is_ours = ours.iter().any(|ours| std::ptr::fn_addr_eq(deleter, *ours));
    // SAFETY: as in `tag`.
    is_ours.then(|| unsafe { object::tag(object.handle()) })
}

/// The word of an object; nothing for one that others made, or of a type that has no wrappers.
pub fn tag(object: &ObjectRef) -> Option<&AtomicUsize> {
    let header = object.header();
    let ours: Deleter = match header.type_index {
        index::TENSOR => tensor::delete_tensor,
        index::ARRAY | index::LIST => sequence::delete_items,
        index::MAP | index::DICT => table::delete,
        index::FUNCTION => {
            return of_two(object, [closure::delete_closure, native::delete_native]);
        }
        index::SHAPE => shape::delete_shape,
        index::OPAQUE => opaque::delete_held,
        index::ERROR => failure::delete_failure,
        dynamic if dynamic >= index::DYNAMIC => {
            return of_two(object, [instance::delete_instance, derived::delete_derived]);
        }
        _ => return None,
    };
    let is_ours = std::ptr::fn_addr_eq(header.deleter?, ours);
    // SAFETY: objects with these deleters are made by `Boxed`, and the reference keeps this one alive.
    is_ours.then(|| unsafe { object::tag(object.handle()) })
}

/// As [`tag`], of an object that is known to be a tensor, at once.
#[inline]
pub fn tag_of_tensor(tensor: &ObjectRef) -> Option<&AtomicUsize> {
    let is_ours = std::ptr::fn_addr_eq(tensor.header().deleter?, tensor::delete_tensor as Deleter);
    // SAFETY: as in `tag`.
    is_ours.then(|| unsafe { object::tag(tensor.handle()) })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::container::{Array, Dict, List, Map, Shape};
    use crate::{DType, Function};

    #[test]
    fn every_kind_of_object_has_a_word_of_its_own() {
        let objects = [
            Array::new(&[]).object().clone(),
            List::new(&[]).unwrap().object().clone(),
            Map::new(&[]).unwrap().object().clone(),
            Dict::new(&[]).unwrap().object().clone(),
            Shape::new(&[1]).object().clone(),
            Function::new(|_| Ok(crate::value::Any::NONE))
                .object()
                .clone(),
            crate::zeros(&[2], DType::F32).unwrap().into_object(),
            crate::value::Opaque::new(1, Box::new(())).object().clone(),
        ];
        for (i, object) in objects.iter().enumerate() {
            assert_eq!(tag(object).unwrap().swap(i + 1, Ordering::Relaxed), 0);
        }
        for (i, object) in objects.iter().enumerate() {
            assert_eq!(tag(object).unwrap().load(Ordering::Relaxed), i + 1);
            let is_tensor = object.type_index() == index::TENSOR;
            assert_eq!(tag_of_tensor(object).is_some(), is_tensor);
        }
    }
}
