//! What the type table looks like from outside: a structure for each type, and for each field, method and column of it.
//!
//! Nothing here is ever freed. Counts and addresses that grow are atomic, and an address is written before the count that tells of it.
#![allow(
    unsafe_code,
    reason = "the structures hold addresses of what lives as long as the process"
)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use crate::abi::layout::{ByteArray, ObjectHeader, RawAny};

/// Reads the field at an address into an empty slot.
pub type FieldGetter = unsafe extern "C" fn(*mut c_void, *mut RawAny) -> c_int;
/// Writes a value into the field at an address.
pub type FieldSetter = unsafe extern "C" fn(*mut c_void, *const RawAny) -> c_int;
/// Makes an object whose fields are yet to be set.
pub type Creator = unsafe extern "C" fn(*mut *mut ObjectHeader) -> c_int;

/// Bits that say what a field or a method is.
#[allow(missing_docs, reason = "the names are the documentation")]
pub mod flag {
    pub const WRITABLE: i64 = 1;
    pub const HAS_DEFAULT: i64 = 1 << 1;
    pub const STATIC_METHOD: i64 = 1 << 2;
    pub const STRUCTURE_OFF: i64 = 1 << 3;
    pub const DEFAULT_IS_FACTORY: i64 = 1 << 5;
    pub const REPR_OFF: i64 = 1 << 6;
    pub const COMPARE_OFF: i64 = 1 << 7;
    pub const HASH_OFF: i64 = 1 << 8;
    pub const INIT_OFF: i64 = 1 << 9;
    pub const KW_ONLY: i64 = 1 << 10;
    pub const SETTER_IS_FUNCTION: i64 = 1 << 11;
}

/// A field of a type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FieldInfo {
    /// Its name.
    pub name: ByteArray,
    /// What it is.
    pub doc: ByteArray,
    /// JSON that says more, such as its type.
    pub metadata: ByteArray,
    /// Bits of [`flag`].
    pub flags: i64,
    /// Bytes it takes.
    pub size: i64,
    /// What its address is a multiple of.
    pub alignment: i64,
    /// Bytes from the handle of an object to it.
    pub offset: i64,
    /// Reads it.
    pub getter: Option<FieldGetter>,
    /// Writes it: a [`FieldSetter`], or a function object as the flags say.
    pub setter: *mut c_void,
    /// What it is at first, or the function that makes that.
    pub default: RawAny,
    /// Static type of what it holds; -1 when that varies.
    pub static_type: i32,
}

/// A method of a type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MethodInfo {
    /// Its name.
    pub name: ByteArray,
    /// What it does.
    pub doc: ByteArray,
    /// JSON that says more, such as its type.
    pub metadata: ByteArray,
    /// Bits of [`flag`].
    pub flags: i64,
    /// The function, which gets the object first unless the method is static.
    pub method: RawAny,
}

/// What is known of the objects of a type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TypeMetadata {
    /// What the type is.
    pub doc: ByteArray,
    /// Makes an object, if that can be made before its fields are known.
    pub creator: Option<Creator>,
    /// Bytes of an object.
    pub total_size: i32,
    /// How objects are compared by structure.
    pub structural_kind: i32,
}

/// The values of one attribute, by type index.
#[repr(C)]
pub struct TypeAttrColumn {
    /// The value of the first index; it never moves.
    pub data: *const RawAny,
    /// How many there are.
    pub size: AtomicI32,
    /// The first index, always 0.
    pub begin_index: i32,
}

/// A type.
#[repr(C)]
pub struct TypeInfo {
    /// Its index.
    pub type_index: i32,
    /// How many ancestors it has.
    pub depth: i32,
    /// Its key.
    pub key: ByteArray,
    /// Its ancestors, the furthest first.
    pub ancestors: *const *const TypeInfo,
    /// Hash of the key.
    pub key_hash: u64,
    /// How many fields it has beside those of its ancestors.
    pub field_count: AtomicI32,
    /// How many methods.
    pub method_count: AtomicI32,
    /// Its fields.
    pub fields: AtomicPtr<FieldInfo>,
    /// Its methods.
    pub methods: AtomicPtr<MethodInfo>,
    /// What is known of its objects, or null.
    pub metadata: AtomicPtr<TypeMetadata>,
}

macro_rules! shared {
    ($($name:ident),*) => { $(
        // SAFETY: everything such a structure points at lives as long as the process and is written before it is shown.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )* };
}

shared!(
    FieldInfo,
    MethodInfo,
    TypeMetadata,
    TypeAttrColumn,
    TypeInfo
);

/// The text at an address of the table, which is never freed.
fn text(bytes: &ByteArray) -> &'static str {
    if bytes.data.is_null() {
        return "";
    }
    // SAFETY: the table holds texts that it copied from texts.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.data, bytes.size) };
    std::str::from_utf8(bytes).unwrap_or("")
}

impl FieldInfo {
    /// Its name.
    pub fn name(&self) -> &'static str {
        text(&self.name)
    }

    /// What it is.
    pub fn doc(&self) -> &'static str {
        text(&self.doc)
    }

    /// JSON that says more.
    pub fn metadata(&self) -> &'static str {
        text(&self.metadata)
    }

    /// Whether a bit of [`flag`] is set.
    pub fn is(&self, flag: i64) -> bool {
        self.flags & flag != 0
    }
}

impl MethodInfo {
    /// Its name.
    pub fn name(&self) -> &'static str {
        text(&self.name)
    }

    /// What it does.
    pub fn doc(&self) -> &'static str {
        text(&self.doc)
    }

    /// JSON that says more.
    pub fn metadata(&self) -> &'static str {
        text(&self.metadata)
    }

    /// Whether it needs no object.
    pub fn is_static(&self) -> bool {
        self.flags & flag::STATIC_METHOD != 0
    }
}

impl TypeMetadata {
    /// What the type is.
    pub fn doc(&self) -> &'static str {
        text(&self.doc)
    }
}

impl TypeInfo {
    /// Its key.
    pub fn key(&self) -> &'static str {
        text(&self.key)
    }

    /// Its ancestors, the furthest first.
    pub fn ancestors(&self) -> &'static [&'static TypeInfo] {
        if self.depth == 0 {
            return &[];
        }
        // SAFETY: the table wrote `depth` addresses of types there, which live as long as the process.
        unsafe { std::slice::from_raw_parts(self.ancestors.cast(), self.depth as usize) }
    }

    /// Its fields, without those of its ancestors.
    pub fn fields(&self) -> &'static [FieldInfo] {
        let count = self.field_count.load(Ordering::Acquire);
        // SAFETY: the address was written before the count.
        unsafe { rows(self.fields.load(Ordering::Acquire), count) }
    }

    /// Its methods, without those of its ancestors.
    pub fn methods(&self) -> &'static [MethodInfo] {
        let count = self.method_count.load(Ordering::Acquire);
        // SAFETY: the address was written before the count.
        unsafe { rows(self.methods.load(Ordering::Acquire), count) }
    }

    /// What is known of its objects.
    pub fn metadata(&self) -> Option<&'static TypeMetadata> {
        // SAFETY: the table writes nothing but null and addresses of structures that it keeps.
        unsafe { self.metadata.load(Ordering::Acquire).as_ref() }
    }
}

/// # Safety
/// `count` rows stand at `first`, written before the count was, and stay there.
unsafe fn rows<T>(first: *const T, count: i32) -> &'static [T] {
    if first.is_null() || count <= 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<FieldInfo>() == 120 && offset_of!(FieldInfo, default) == 96);
    assert!(offset_of!(FieldInfo, offset) == 72 && offset_of!(FieldInfo, setter) == 88);
    assert!(size_of::<MethodInfo>() == 72 && offset_of!(MethodInfo, method) == 56);
    assert!(size_of::<TypeMetadata>() == 32 && offset_of!(TypeMetadata, total_size) == 24);
    assert!(size_of::<TypeAttrColumn>() == 16 && offset_of!(TypeAttrColumn, begin_index) == 12);
    assert!(size_of::<TypeInfo>() == 72 && offset_of!(TypeInfo, field_count) == 40);
    assert!(offset_of!(TypeInfo, fields) == 48 && offset_of!(TypeInfo, metadata) == 64);
};
