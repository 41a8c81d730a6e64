//! Layouts that compiled modules read and write, for 64-bit systems.
//!
//! Offsets are those of the public headers `tvm/ffi/c_api.h` 0.1.14 and `dlpack.h` 1.3; the assertions
//! at the end hold them in place.

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicU64;

/// A value: what it is, and eight bytes of it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RawAny {
    /// One of [`index`], or a dynamic index from 128.
    pub type_index: i32,
    /// Length of a small string; 0 for everything else.
    pub small_len: u32,
    /// The value itself, a pointer to it, or up to seven bytes of text.
    pub payload: u64,
}

/// What every object begins with; its address is the object's handle.
#[repr(C)]
pub struct ObjectHeader {
    /// Strong references in the low half, weak ones in the high half; all strong ones hold one weak one.
    pub counts: AtomicU64,
    /// Type of the object.
    pub type_index: i32,
    /// Zero.
    pub padding: u32,
    /// Destroys (flag 1), frees (flag 2) or both (3).
    pub deleter: Option<unsafe extern "C" fn(*mut c_void, c_int)>,
}

/// Bytes somewhere in memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ByteArray {
    /// First byte.
    pub data: *const u8,
    /// Number of bytes.
    pub size: usize,
}

/// The items of an array or a list.
#[repr(C)]
pub struct SeqCell {
    /// First item, a [`RawAny`].
    pub data: *mut RawAny,
    /// Number of items.
    pub size: i64,
    /// Items there is room for.
    pub capacity: i64,
    /// Frees `data` when it is an allocation of its own.
    pub data_deleter: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// An error's texts and what hangs on it.
#[repr(C)]
pub struct ErrorCell {
    /// Kind, such as `ValueError`.
    pub kind: ByteArray,
    /// Message.
    pub message: ByteArray,
    /// Frames, most recent first.
    pub backtrace: ByteArray,
    /// Replaces (0) or extends (1) the frames.
    pub update_backtrace: Option<unsafe extern "C" fn(*mut c_void, *const ByteArray, i32)>,
    /// Error object that led to this one, or null.
    pub cause_chain: *mut c_void,
    /// Any object, or null.
    pub extra_context: *mut c_void,
}

/// How a function object is called.
pub type SafeCall = unsafe extern "C" fn(*mut c_void, *const RawAny, i32, *mut RawAny) -> c_int;

/// The entry points of a function object.
#[repr(C)]
pub struct FunctionCell {
    /// Called with the object's own handle.
    pub safe_call: Option<SafeCall>,
    /// Null: only C++ fills it.
    pub cpp_call: *mut c_void,
}

/// A device, as DLPack names it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLDevice {
    /// 1 is the CPU.
    pub device_type: i32,
    /// Which of them.
    pub device_id: i32,
}

/// A dtype, as DLPack names it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLDataType {
    /// Class of the type.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes.
    pub lanes: u16,
}

/// A tensor, as DLPack describes it. Strides count elements.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DLTensor {
    /// Address of the memory.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// Type of the elements.
    pub dtype: DLDataType,
    /// Elements along each dimension.
    pub shape: *mut i64,
    /// Elements from one to the next along each dimension.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor that is handed over, as DLPack did before it had versions: nothing tells that it is read-only.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl: DLTensor,
    /// For the one who made it.
    pub manager: *mut c_void,
    /// Called once, with this structure, by the one who took it.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A version of DLPack.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Another one has other layouts.
    pub major: u32,
    /// Another one has more dtypes, devices and flags.
    pub minor: u32,
}

/// A tensor that is handed over. What stands before the flags is the same in all versions.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// Version of the layout.
    pub version: DLPackVersion,
    /// For the one who made it.
    pub manager: *mut c_void,
    /// Called once, with this structure, by the one who took it.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Read-only (1), copied (2), elements of less than a byte in bytes of their own (4).
    pub flags: u64,
    /// The tensor.
    pub dl: DLTensor,
}

/// Static type indices.
#[allow(missing_docs, reason = "the names are the documentation")]
pub mod index {
    pub const NONE: i32 = 0;
    pub const INT: i32 = 1;
    pub const BOOL: i32 = 2;
    pub const FLOAT: i32 = 3;
    pub const POINTER: i32 = 4;
    pub const DTYPE: i32 = 5;
    pub const DEVICE: i32 = 6;
    pub const DLTENSOR: i32 = 7;
    pub const RAW_STR: i32 = 8;
    pub const BYTE_ARRAY: i32 = 9;
    pub const RVALUE_REF: i32 = 10;
    pub const SMALL_STR: i32 = 11;
    pub const SMALL_BYTES: i32 = 12;
    /// From here on the payload is an object's handle.
    pub const OBJECT: i32 = 64;
    pub const STR: i32 = 65;
    pub const BYTES: i32 = 66;
    pub const ERROR: i32 = 67;
    pub const FUNCTION: i32 = 68;
    pub const SHAPE: i32 = 69;
    pub const TENSOR: i32 = 70;
    pub const ARRAY: i32 = 71;
    pub const MAP: i32 = 72;
    pub const MODULE: i32 = 73;
    pub const OPAQUE: i32 = 74;
    pub const LIST: i32 = 75;
    pub const DICT: i32 = 76;
    pub const BIG_INT: i32 = 78;
    /// Types registered at run time begin here.
    pub const DYNAMIC: i32 = 128;
}

const _: () = {
    assert!(size_of::<RawAny>() == 16 && std::mem::offset_of!(RawAny, payload) == 8);
    assert!(size_of::<ObjectHeader>() == 24 && std::mem::offset_of!(ObjectHeader, deleter) == 16);
    assert!(
        size_of::<SeqCell>() == 32
            && size_of::<ErrorCell>() == 72
            && size_of::<FunctionCell>() == 16
    );
    assert!(size_of::<DLTensor>() == 48 && std::mem::offset_of!(DLTensor, strides) == 32);
    assert!(
        std::mem::offset_of!(DLTensor, byte_offset) == 40
            && std::mem::offset_of!(DLTensor, dtype) == 20
    );
    assert!(
        size_of::<DLManagedTensor>() == 64
            && size_of::<DLManagedTensorVersioned>() == 80
            && std::mem::offset_of!(DLManagedTensorVersioned, flags) == 24
    );
};
