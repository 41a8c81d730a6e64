//! Which fields of an object count when it is compared, hashed and shown.

use crate::abi::object::ObjectRef;
use crate::abi::reflect::{self, Field};
use crate::abi::types::{self, TypeInfo, flag};
use crate::value::{Any, Kind};

/// The attribute of types whose objects are compared by their fields.
pub(super) const COMPARE: &str = "tenspan.compare_by_fields";

/// How modules say that objects are compared by what they hold: as trees, as graphs, or as trees that never change.
const BY_STRUCTURE: [i32; 3] = [1, 3, 4];

/// Whether objects of a type are compared by their fields: its definition says so.
pub fn by_fields(type_index: i32) -> bool {
    let Some(info) = types::info(type_index).filter(|_| type_index >= 64) else {
        return false;
    };
    let attribute = types::attribute(type_index, COMPARE);
    by_structure(info) || attribute.is_some_and(|value| matches!(value.kind(), Kind::Bool(true)))
}

fn by_structure(info: &TypeInfo) -> bool {
    let known = info.metadata();
    known.is_some_and(|known| BY_STRUCTURE.contains(&known.structural_kind))
}

fn values(object: &ObjectRef, off: i64) -> Option<Vec<Any>> {
    let info = types::info(object.type_index())?;
    let off = match by_structure(info) {
        true => off | flag::STRUCTURE_OFF,
        false => off,
    };
    let counted = |field: &Field| field.info().flags & off == 0;
    let values = reflect::fields(info).filter(counted);
    values.map(|field| field.get(object).ok()).collect()
}

/// The fields that objects are compared by; nothing for those that are only equal to themselves.
pub fn compared(object: &ObjectRef) -> Option<Vec<Any>> {
    by_fields(object.type_index()).then(|| values(object, flag::COMPARE_OFF))?
}

/// The fields that the hash of an object is made of.
pub fn hashed(object: &ObjectRef) -> Option<Vec<Any>> {
    by_fields(object.type_index()).then(|| values(object, flag::COMPARE_OFF | flag::HASH_OFF))?
}

/// The fields that are shown, with their names. One that cannot be read is left out.
pub fn shown(object: &ObjectRef) -> Vec<(&'static str, Any)> {
    let Some(info) = types::info(object.type_index()) else {
        return Vec::new();
    };
    let fields = reflect::fields(info).filter(|field| !field.info().is(flag::REPR_OFF));
    fields
        .filter_map(|field| Some((field.info().name(), field.get(object).ok()?)))
        .collect()
}
