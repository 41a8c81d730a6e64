//! When two values are the same key of a map, and the hash that every reader of a map computes for one.
//!
//! Keys of different types differ: 1, true and 1.0 are three. Short and long text are the same text. Whole numbers of any length are
//! compared by value, numbers with a point by their bits, objects by address, unless their type has functions for keys. Those are code
//! of others, which never runs in here, while a table is locked: what they say is asked for before, see [`facts`].
#![allow(
    unsafe_code,
    reason = "texts and long numbers are read behind their handles"
)]

mod facts;

use std::ptr::NonNull;

pub use facts::{Facts, settle};

use super::any::AnyView;
use super::layout::{ByteArray, ObjectHeader, RawAny, index};
use super::object;
use super::types::Hook;

/// The modulus and the multiplier of the hash of bytes.
const MODULUS: u64 = 2_147_483_647;
const MULTIPLIER: u64 = 1_099_511_628_211;

/// The hash of a key; `None` when only the function of its type can tell and the facts do not have it.
///
/// # Safety
/// `key` is a value by the rules of the ABI that lives during the call.
#[inline]
pub unsafe fn hash(key: &RawAny, facts: &mut Facts<'_>) -> Option<u64> {
    let (kind, value) = match key.type_index {
        index::SMALL_STR => (index::STR, key.payload % MODULUS),
        index::SMALL_BYTES => (index::BYTES, key.payload % MODULUS),
        kind @ (index::STR | index::BYTES | index::BIG_INT) => {
            // SAFETY: the type says that the payload is the handle of such an object.
            (kind, hash_bytes(unsafe { content(key) }))
        }
        kind if has(Hook::KeyHash, kind) => {
            // SAFETY: the caller vouches for the key.
            (kind, unsafe { facts.hash(key) }?)
        }
        kind => (kind, key.payload),
    };
    let kind = kind as u64;
    let mixed = value
        .wrapping_add(0x9e37_79b9)
        .wrapping_add(kind << 6)
        .wrapping_add(kind >> 2);
    Some(kind ^ mixed)
}

/// Whether a type has a function for keys. Only objects have types of their own.
#[inline]
fn has(hook: Hook, type_index: i32) -> bool {
    type_index >= index::OBJECT && hook.of(type_index).is_some()
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

/// A hook as a plain function of C++: of one value, or of two.
type Hash = unsafe extern "C" fn(*const RawAny) -> RawAny;
type Same = unsafe extern "C" fn(*const RawAny, *const RawAny) -> RawAny;

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

/// Whether a key of a table is another; false, too, when only the function of their type can tell and the facts do not have it.
///
/// # Safety
/// As for [`hash`].
#[inline]
pub unsafe fn same(a: &RawAny, b: &RawAny, facts: &mut Facts<'_>) -> bool {
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
        return has(Hook::KeyEqual, both) && unsafe { facts.same(a) };
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
