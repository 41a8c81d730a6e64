//! Classes that a program of C++ defines.
#![allow(
    unsafe_code,
    reason = "the C border: pointers of the caller, by the rules stated on each function"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "called from C++ only; the rules are in the module of the caller, abi.hpp"
)]

use std::ffi::c_int;

use tenspan_core::abi::layout::{ByteArray, RawAny};
use tenspan_core::abi::types::flag;
use tenspan_core::error::{Error, ErrorKind, Result};
use tenspan_core::function::Function;
use tenspan_core::object::{Definition, FieldSpec, FieldType, ObjectType};
use tenspan_core::value::{Any, AnyView};

use super::{bytes, guarded, viewed};

/// A field or a method to be. What has a type is a field.
#[repr(C)]
pub struct Member {
    name: ByteArray,
    doc: ByteArray,
    /// The type of a field in words of the public headers, such as `ffi.Array[int]`; empty for a method.
    of: ByteArray,
    /// Bits of the type table.
    flags: i64,
    /// What a field is at first, or what makes that; the function of a method.
    value: RawAny,
}

/// A class to be.
#[repr(C)]
pub struct Class {
    key: ByteArray,
    /// Key of the class that it is derived from, or empty.
    parent: ByteArray,
    doc: ByteArray,
    members: *const Member,
    count: usize,
    /// Whether objects are equal when their fields are.
    by_fields: bool,
}

/// Defines a class; its type index is the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tenspan_define_class(class: *const Class, result: *mut RawAny) -> c_int {
    guarded(result, || {
        // SAFETY: the caller passes the address of such a structure, whose parts live during the call.
        let class = unsafe { &*class };
        // SAFETY: as above.
        let object_type = unsafe { definition(class) }?.finish()?;
        Ok(Any::int(object_type.index().into()))
    })
}

/// # Safety
/// What the structure points at lives during the call.
unsafe fn definition(class: &Class) -> Result<Definition> {
    // SAFETY: the caller says so.
    let said = |of| unsafe { text(of) };
    let mut definition = ObjectType::define(said(&class.key)?).doc(said(&class.doc)?);
    let parent = said(&class.parent)?;
    if !parent.is_empty() {
        definition = definition.parent(ObjectType::of(parent)?);
    }
    let members = if class.count == 0 {
        &[][..]
    } else {
        // SAFETY: the caller passes that many members.
        unsafe { std::slice::from_raw_parts(class.members, class.count) }
    };
    for member in members {
        // SAFETY: as above.
        definition = unsafe { with_member(definition, member) }?;
    }
    if class.by_fields {
        definition = definition.compared_by_fields();
    }
    Ok(definition)
}

/// # Safety
/// What the structure points at lives during the call.
unsafe fn with_member(definition: Definition, member: &Member) -> Result<Definition> {
    // SAFETY: the caller says so.
    let said = |of| unsafe { text(of) };
    let (name, doc, of) = (said(&member.name)?, said(&member.doc)?, said(&member.of)?);
    // SAFETY: as above.
    let value = unsafe { viewed(&raw const member.value) };
    if of.is_empty() {
        let function = function(value, name)?;
        return Ok(if member.flags & flag::STATIC_METHOD == 0 {
            definition.method(name, doc, &function)
        } else {
            definition.static_method(name, doc, &function)
        });
    }
    let mut field = FieldSpec::new(name, FieldType::parse(of)?).doc(doc);
    if member.flags & flag::WRITABLE == 0 {
        field = field.read_only();
    }
    if member.flags & flag::DEFAULT_IS_FACTORY != 0 {
        field = field.factory(&function(value, name)?);
    } else if member.flags & flag::HAS_DEFAULT != 0 {
        field = field.default(value.to_any());
    }
    Ok(definition.field(field.with(member.flags & flag::KW_ONLY)))
}

fn function(value: AnyView<'_>, what: &str) -> Result<Function> {
    let function = value.object().and_then(Function::from_object);
    function.ok_or_else(|| {
        let message = format!("{what}: a function is wanted, found {}", value.type_name());
        Error::new(ErrorKind::TypeError, message)
    })
}

/// # Safety
/// The text lives as long as what is returned.
unsafe fn text(text: &ByteArray) -> Result<&str> {
    // SAFETY: the caller says so.
    let bytes = unsafe { bytes(text.data, text.size) };
    std::str::from_utf8(bytes).map_err(|_| {
        let message = "the names of a class and its members must be UTF-8";
        Error::new(ErrorKind::ValueError, message)
    })
}
