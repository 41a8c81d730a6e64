//! When two values are the same key of a map, and the hash that every reader of a map computes for one.
//!
//! Keys of different types differ: 1, true and 1.0 are three. Short and long text are the same text. Whole numbers of any length are
//! compared by value, numbers with a point by their bits, objects by address, unless their type has functions for keys. Those are
//! functions of compiled modules; they run while a dict is locked, and may not use it.
#![allow(
    unsafe_code,
    reason = "texts and long numbers are read behind their handles"
)]

use std::ptr::NonNull;

use super::any::{Any, AnyView};
use super::kind::Kind;
use super::layout::{ByteArray, ObjectHeader, RawAny, index};
use super::types::Hook;
use super::{closure, object};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;

/// The modulus and the multiplier of the hash of bytes.
const MODULUS: u64 = 2_147_483_647;
const MULTIPLIER: u64 = 1_099_511_628_211;

/// The hash of a key.
///
/// # Safety
/// `key` is a value by the rules of the ABI that lives during the call.
pub unsafe fn hash(key: &RawAny) -> u64 {
    let (kind, value) = match key.type_index {
        index::SMALL_STR => (index::STR, key.payload % MODULUS),
        index::SMALL_BYTES => (index::BYTES, key.payload % MODULUS),
        kind @ (index::STR | index::BYTES | index::BIG_INT) => {
            // SAFETY: the type says that the payload is the handle of such an object.
            (kind, hash_bytes(unsafe { content(key) }))
        }
        kind if Hook::KeyHash.of(kind).is_some() => {
            // SAFETY: as above. One that fails is found where the key is: see `check`.
            let hash = unsafe { hook_hash(key) };
            (kind, hash.unwrap_or(key.payload))
        }
        kind => (kind, key.payload),
    };
    let kind = kind as u64;
    let mixed = value
        .wrapping_add(0x9e37_79b9)
        .wrapping_add(kind << 6)
        .wrapping_add(kind >> 2);
    kind ^ mixed
}

/// The functions by which compiled modules compare and hash whole numbers of any length that are keys, and their addresses.
pub(super) fn functions_of_big_int() -> [(Hook, u64); 2] {
    unsafe extern "C" fn hash_words(key: *const RawAny) -> RawAny {
        // SAFETY: the rules of the ABI say that a number is passed that lives during the call.
        let key = unsafe { &*key };
        // SAFETY: as above.
        let hash = hash_bytes(unsafe { content(key) });
        AnyView::int(hash as i64).raw()
    }
    unsafe extern "C" fn same_words(a: *const RawAny, b: *const RawAny) -> RawAny {
        // SAFETY: as in `hash_words`, of both. So in all of these.
        let a = unsafe { &*a };
        // SAFETY: as above.
        let b = unsafe { &*b };
        // SAFETY: as above.
        let a = unsafe { content(a) };
        // SAFETY: as above.
        AnyView::bool(a == unsafe { content(b) }).raw()
    }
    [
        (Hook::KeyHash, hash_words as Hash as usize as u64),
        (Hook::KeyEqual, same_words as Same as usize as u64),
    ]
}

/// Whether a key can be hashed.
///
/// # Errors
/// What the function of its type raises.
pub fn check(key: AnyView<'_>) -> Result<()> {
    if Hook::KeyHash.of(key.type_index()).is_none() {
        return Ok(());
    }
    // SAFETY: a view is a value that lives.
    unsafe { hook_hash(&key.raw()) }.map(drop)
}

/// A hook as a plain function of C++: of one value, or of two.
type Hash = unsafe extern "C" fn(*const RawAny) -> RawAny;
type Same = unsafe extern "C" fn(*const RawAny, *const RawAny) -> RawAny;

/// The hash of a key by the function of its type.
///
/// # Safety
/// As for [`hash`].
unsafe fn hook_hash(key: &RawAny) -> Result<u64> {
    let native = |address| {
        // SAFETY: the rules of the ABI say that the address is of such a function.
        let hash = unsafe { std::mem::transmute::<u64, Hash>(address) };
        // SAFETY: the caller vouches for the key.
        unsafe { hash(key) }
    };
    // SAFETY: as above.
    let result = unsafe { hooked(Hook::KeyHash, &[*key], native) }?;
    match result.kind() {
        Kind::Int(hash) => Ok(hash as u64),
        _ => Err(wrong(Hook::KeyHash, &result)),
    }
}

/// Whether two keys of a type are the same by the function of that type.
///
/// # Safety
/// As for [`hash`].
unsafe fn hook_same(a: &RawAny, b: &RawAny) -> Result<bool> {
    let native = |address| {
        // SAFETY: as in `hook_hash`. So below.
        let same = unsafe { std::mem::transmute::<u64, Same>(address) };
        // SAFETY: as above.
        unsafe { same(a, b) }
    };
    // SAFETY: as above.
    let result = unsafe { hooked(Hook::KeyEqual, &[*a, *b], native) }?;
    match result.kind() {
        Kind::Bool(same) => Ok(same),
        _ => Err(wrong(Hook::KeyEqual, &result)),
    }
}

/// What the function of a type returns: a function object, which is called with the keys, or a plain one, which `native` calls.
///
/// # Safety
/// The keys are valid values, of the type of the first. `native` is given the address of a function that the type has, which returns a
/// value of its own.
unsafe fn hooked(hook: Hook, keys: &[RawAny], native: impl FnOnce(u64) -> RawAny) -> Result<Any> {
    let Some(found) = keys.first().and_then(|key| hook.of(key.type_index)) else {
        return Ok(Any::NONE);
    };
    if let Kind::Pointer(address) = found.kind() {
        // SAFETY: by the rules of the ABI the result is owned: a value, or an error in its place.
        let result = unsafe { Any::from_raw(native(address)) };
        if let Kind::Error(error) = result.kind() {
            return Err(error);
        }
        return Ok(result);
    }
    match found.object().and_then(Function::from_object) {
        Some(function) => {
            // SAFETY: the caller vouches for the keys.
            let keys = unsafe { closure::views(keys.as_ptr(), keys.len() as i32) };
            function.call_views(keys)
        }
        None => Err(wrong(hook, &found.to_any())),
    }
}

fn wrong(hook: Hook, found: &Any) -> Error {
    let message = format!("`{}`: found {}", hook.name(), found.view().type_name());
    Error::new(ErrorKind::TypeError, message)
}

pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = 0u64;
    let words = bytes.chunks(8);
    for chunk in words {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = hash
            .wrapping_mul(MULTIPLIER)
            .wrapping_add(u64::from_le_bytes(word))
            % MODULUS;
    }
    hash
}

/// Whether two values are the same key.
///
/// # Safety
/// As for [`hash`].
pub unsafe fn same(a: &RawAny, b: &RawAny) -> bool {
    if a.type_index == b.type_index && a.small_len == b.small_len && a.payload == b.payload {
        return true;
    }
    let class = |key: &RawAny| match key.type_index {
        index::SMALL_STR => index::STR,
        index::SMALL_BYTES => index::BYTES,
        other => other,
    };
    let both = class(a);
    if both != class(b) {
        return false;
    }
    if !matches!(both, index::STR | index::BYTES | index::BIG_INT) {
        // SAFETY: as for this function; both are of the type.
        return Hook::KeyEqual.of(both).is_some() && unsafe { hook_same(a, b) }.unwrap_or(false);
    }
    // SAFETY: both are texts, bytes or long numbers.
    let a = unsafe { content(a) };
    // SAFETY: as above.
    a == unsafe { content(b) }
}

/// The bytes of a text, of bytes or of a long number.
///
/// # Safety
/// `key` is one of these and lives as long as `'a`.
unsafe fn content(key: &RawAny) -> &[u8] {
    if matches!(key.type_index, index::SMALL_STR | index::SMALL_BYTES) {
        let length = (key.small_len as usize).min(7);
        // SAFETY: the payload holds eight bytes, in place.
        return unsafe { std::slice::from_raw_parts((&raw const key.payload).cast(), length) };
    }
    let Some(handle) = NonNull::new(key.payload as *mut ObjectHeader) else {
        return &[];
    };
    let (data, size) = if key.type_index == index::BIG_INT {
        let count = object::cell::<usize>(handle);
        // SAFETY: such an object begins with its count of words, which follow it.
        (
            count.wrapping_add(1).cast::<u8>().cast_const(),
            unsafe { *count }.saturating_mul(8),
        )
    } else {
        // SAFETY: such an object begins with a `ByteArray`.
        let ByteArray { data, size } = unsafe { *object::cell::<ByteArray>(handle) };
        (data, size)
    };
    if size == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: the object says that `size` bytes stand at `data`, and lives as long as the key.
    unsafe { std::slice::from_raw_parts(data, size) }
}
