//! What a value is, read from its 16 bytes.
#![allow(
    unsafe_code,
    reason = "payloads are addresses of objects, valid by the rules of the ABI"
)]

use std::ptr::NonNull;

use super::any::{Any, from_dl_dtype, object_handle};
use super::big::{self, BigInt};
use super::layout::{ByteArray, ObjectHeader, RawAny, index};
use super::object::{self, ObjectRef};
use super::opaque::Opaque;
use super::{failure, sequence, shape};
use crate::container::{Dict, List, Map};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Error;
use crate::function::Function;
use crate::tensor::Tensor;

/// What a value is.
pub enum Kind<'a> {
    /// Nothing.
    None,
    /// True or false.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A whole number of more.
    BigInt(BigInt<'a>),
    /// A number with a point.
    Float(f64),
    /// An address that means something to the callee.
    Pointer(u64),
    /// A dtype.
    DType(DType),
    /// Text.
    Str(&'a str),
    /// Bytes, or text that is not UTF-8.
    Bytes(&'a [u8]),
    /// A tensor.
    Tensor(Tensor),
    /// Something to call.
    Function(Function),
    /// Where memory is.
    Device(Device),
    /// Values in order that never change.
    Array(&'a [Any]),
    /// Values in order that others may change.
    List(List),
    /// Values by key that never change.
    Map(Map),
    /// Values by key that others may change.
    Dict(Dict),
    /// Lengths along dimensions.
    Shape(&'a [i64]),
    /// An error as a value.
    Error(Error),
    /// Something of a language that only that language understands.
    Opaque(Opaque),
    /// Any other object, or a value of a kind that stays inside one call.
    Other(i32),
}

/// What a value is.
///
/// # Safety
/// `raw` is a value by the rules of the ABI, and lives with all it points at as long as `'a`.
#[inline]
pub(super) unsafe fn kind<'a>(raw: &'a RawAny) -> Kind<'a> {
    // What most values are, told where it is asked.
    match raw.type_index {
        index::NONE => Kind::None,
        index::INT => Kind::Int(raw.payload as i64),
        index::BOOL => Kind::Bool(raw.payload != 0),
        index::FLOAT => Kind::Float(f64::from_bits(raw.payload)),
        // SAFETY: the caller says the same.
        _ => unsafe { rarer_kind(raw) },
    }
}

/// # Safety
/// As [`kind`].
unsafe fn rarer_kind<'a>(raw: &'a RawAny) -> Kind<'a> {
    if let Some(handle) = object_handle(raw) {
        // SAFETY: the payload of such a value is the handle of an object of that type.
        return unsafe { object_kind(raw.type_index, handle) };
    }
    match raw.type_index {
        index::POINTER => Kind::Pointer(raw.payload),
        index::DTYPE => from_dl_dtype(raw.payload).map_or(Kind::Other(index::DTYPE), Kind::DType),
        index::DEVICE => Kind::Device(Device {
            device_type: raw.payload as i32,
            device_id: (raw.payload >> 32) as i32,
        }),
        index::SMALL_STR | index::SMALL_BYTES => {
            let length = (raw.small_len as usize).min(7);
            // SAFETY: the payload holds eight bytes, in place.
            let bytes =
                unsafe { std::slice::from_raw_parts((&raw const raw.payload).cast(), length) };
            text_kind(bytes, raw.type_index == index::SMALL_STR)
        }
        index::RAW_STR if raw.payload != 0 => {
            // SAFETY: the ABI says that the payload is a NUL-terminated string.
            let text = unsafe { std::ffi::CStr::from_ptr(raw.payload as *const _) };
            text_kind(text.to_bytes(), true)
        }
        index::BYTE_ARRAY if raw.payload != 0 => {
            let array = raw.payload as *const ByteArray;
            // SAFETY: the ABI says that the payload is the address of a ByteArray.
            text_kind(unsafe { byte_array(array) }, false)
        }
        // SAFETY: the ABI says that the payload is the address of a handle.
        index::RVALUE_REF => match unsafe { referred(raw) } {
            Some(handle) => {
                // SAFETY: the object lives during the call.
                let type_index = unsafe { handle.as_ref() }.type_index;
                // SAFETY: as above.
                unsafe { object_kind(type_index, handle) }
            }
            None => Kind::None,
        },
        other => Kind::Other(other),
    }
}

/// What a reference to a handle, which the callee may take, refers to; nothing when it was taken.
///
/// # Safety
/// `raw` is such a reference, and its target lives.
pub(super) unsafe fn referred(raw: &RawAny) -> Option<NonNull<ObjectHeader>> {
    let place = raw.payload as *const *mut ObjectHeader;
    if place.is_null() {
        return None;
    }
    // SAFETY: the caller says so.
    NonNull::new(unsafe { *place })
}

/// What an object is.
///
/// # Safety
/// `handle` is of a live object of this type, which stays so as long as `'a`.
#[allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all types"
)]
unsafe fn object_kind<'a>(type_index: i32, handle: NonNull<ObjectHeader>) -> Kind<'a> {
    // SAFETY: the type says what stands behind the header; the object lives as long as `'a`.
    unsafe {
        match type_index {
            index::STR | index::BYTES => {
                text_kind(byte_array(object::cell(handle)), type_index == index::STR)
            }
            index::BIG_INT => big_kind(big::read(object::cell(handle))),
            index::TENSOR => Tensor::from_object(ObjectRef::from_borrowed(handle))
                .map_or(Kind::Other(index::TENSOR), Kind::Tensor),
            index::FUNCTION => Function::from_object(ObjectRef::from_borrowed(handle))
                .map_or(Kind::Other(index::FUNCTION), Kind::Function),
            index::ARRAY => Kind::Array(sequence::items(handle)),
            index::SHAPE => Kind::Shape(shape::lengths(handle)),
            index::ERROR => Kind::Error(failure::read(handle)),
            index::LIST | index::MAP | index::DICT | index::OPAQUE => {
                container(ObjectRef::from_borrowed(handle))
            }
            other => Kind::Other(other),
        }
    }
}

/// A number from an object; other makers may give one to a small number, too.
fn big_kind(number: BigInt<'_>) -> Kind<'_> {
    number.to_i64().map_or(Kind::BigInt(number), Kind::Int)
}

fn container<'a>(object: ObjectRef) -> Kind<'a> {
    let type_index = object.type_index();
    let known = match type_index {
        index::LIST => List::from_object(object).map(Kind::List),
        index::MAP => Map::from_object(object).map(Kind::Map),
        index::DICT => Dict::from_object(object).map(Kind::Dict),
        _ => Opaque::from_object(object).map(Kind::Opaque),
    };
    known.unwrap_or(Kind::Other(type_index))
}

fn text_kind(bytes: &[u8], is_text: bool) -> Kind<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text => Kind::Str(text),
        _ => Kind::Bytes(bytes),
    }
}

/// # Safety
/// `array` is the address of a ByteArray whose bytes live as long as `'a`.
unsafe fn byte_array<'a>(array: *const ByteArray) -> &'a [u8] {
    // SAFETY: the caller says so.
    let ByteArray { data, size } = unsafe { *array };
    if size == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(data, size) }
}
