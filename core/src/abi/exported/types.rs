//! Types, their members and attributes.

use std::ffi::c_int;

use super::{bytes, guarded, registering, required, text, write};
use crate::abi::any::AnyView;
use crate::abi::failure;
use crate::abi::layout::{ByteArray, RawAny};
use crate::abi::types::layout::TypeAttrColumn;
use crate::abi::types::{
    self, FieldInfo, MethodInfo, Request, TypeInfo, TypeMetadata, add_field, add_metadata,
    add_method, set_attribute,
};
use crate::error::{Error, ErrorKind, Result};

/// Version of the ABI: the newest public headers whose modules are known to run here.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// Writes the version of the ABI.
pub unsafe extern "C" fn get_version(out: *mut Version) {
    let version = Version {
        major: 0,
        minor: 1,
        patch: 16,
    };
    // SAFETY: the caller gives room for a version.
    let _ = unsafe { write(out, version) };
}

/// The index of a type that is known by its key.
pub unsafe extern "C" fn type_key_to_index(key: *const ByteArray, out: *mut i32) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid array.
        let key = unsafe { text(key, "the key of a type") }?;
        let found = types::find(key)
            .ok_or_else(|| Error::new(ErrorKind::TypeError, format!("there is no type `{key}`")))?;
        // SAFETY: the caller gives room for a number.
        unsafe { write(out, found) }
    })
}

/// Adds a field to a type.
pub unsafe extern "C" fn type_register_field(type_index: i32, info: *const FieldInfo) -> c_int {
    registering(|| {
        // SAFETY: the caller gives a valid structure.
        let info = unsafe { required(info, "the description of a field") }?;
        // SAFETY: its texts and values are valid, and its functions stay.
        unsafe { add_field(type_index, info) }
    })
}

/// Adds a method to a type.
pub unsafe extern "C" fn type_register_method(type_index: i32, info: *const MethodInfo) -> c_int {
    registering(|| {
        // SAFETY: the caller gives a valid structure.
        let info = unsafe { required(info, "the description of a method") }?;
        // SAFETY: its texts and values are valid.
        unsafe { add_method(type_index, info) }
    })
}

/// Says what the objects of a type are.
pub unsafe extern "C" fn type_register_metadata(
    type_index: i32,
    metadata: *const TypeMetadata,
) -> c_int {
    registering(|| {
        // SAFETY: the caller gives a valid structure.
        let metadata = unsafe { required(metadata, "the metadata of a type") }?;
        // SAFETY: its text is valid, and its function stays.
        unsafe { add_metadata(type_index, metadata) }
    })
}

/// Gives a type an attribute.
pub unsafe extern "C" fn type_register_attr(
    type_index: i32,
    name: *const ByteArray,
    value: *const RawAny,
) -> c_int {
    registering(|| {
        // SAFETY: the caller gives a valid array.
        let name = unsafe { text(name, "the name of an attribute") }?;
        // SAFETY: the caller gives a valid value, as below.
        let value = unsafe { required(value, "the value of an attribute") }?;
        // SAFETY: as above.
        let value = unsafe { AnyView::from_raw(*value) };
        set_attribute(type_index, name, value.to_any())
    })
}

/// The column of an attribute; null for one that no type ever had.
pub unsafe extern "C" fn get_type_attr_column(name: *const ByteArray) -> *const TypeAttrColumn {
    // SAFETY: the caller gives a valid array.
    let column = unsafe { bytes(name, "the name of an attribute") }
        .ok()
        .and_then(|name| types::column(std::str::from_utf8(name).ok()?));
    column.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// The index of a type, which is made when its key is not known; -1 with an error left when the type cannot be. A parent of -2 asks
/// for a known one only, and gives -2 when there is none.
pub unsafe extern "C" fn type_get_or_alloc_index(
    key: *const ByteArray,
    static_index: i32,
    depth: i32,
    child_slots: i32,
    child_slots_can_overflow: i32,
    parent: i32,
) -> i32 {
    let made = || -> Result<i32> {
        // SAFETY: the caller gives a valid array.
        let key = unsafe { text(key, "the key of a type") }?;
        if parent == -2 {
            return Ok(types::find(key).unwrap_or(-2));
        }
        types::allocate(&Request {
            key,
            static_index: (static_index >= 0).then_some(static_index),
            depth: Some(depth),
            slots: child_slots,
            can_overflow: child_slots_can_overflow != 0,
            parent: (parent != -1).then_some(parent),
        })
    };
    match made() {
        Ok(type_index) => type_index,
        Err(error) => {
            failure::raise(error);
            -1
        }
    }
}

/// The type of an index, valid for ever. An unknown index gives a type that has neither ancestors nor members.
pub unsafe extern "C" fn get_type_info(type_index: i32) -> *const TypeInfo {
    types::info_or_unknown(type_index)
}
