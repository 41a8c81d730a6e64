//! The types whose indices the ABI fixes.

use crate::abi::layout::index;

/// Index and key of each. Those from [`index::OBJECT`] on are objects.
pub const TYPES: &[(i32, &str)] = &[
    (index::NONE, "None"),
    (index::INT, "int"),
    (index::BOOL, "bool"),
    (index::FLOAT, "float"),
    (index::POINTER, "void*"),
    (index::DTYPE, "DataType"),
    (index::DEVICE, "Device"),
    (index::DLTENSOR, "DLTensor*"),
    (index::RAW_STR, "const char*"),
    (index::BYTE_ARRAY, "TVMFFIByteArray*"),
    (index::RVALUE_REF, "ObjectRValueRef"),
    (index::SMALL_STR, "ffi.SmallStr"),
    (index::SMALL_BYTES, "ffi.SmallBytes"),
    (13, "Unchanged"),
    (index::OBJECT, "ffi.Object"),
    (index::STR, "ffi.String"),
    (index::BYTES, "ffi.Bytes"),
    (index::ERROR, "ffi.Error"),
    (index::FUNCTION, "ffi.Function"),
    (index::SHAPE, "ffi.Shape"),
    (index::TENSOR, "ffi.Tensor"),
    (index::ARRAY, "ffi.Array"),
    (index::MAP, "ffi.Map"),
    (index::MODULE, "ffi.Module"),
    (index::OPAQUE, "ffi.OpaquePyObject"),
    (index::LIST, "ffi.List"),
    (index::DICT, "ffi.Dict"),
    (77, "ffi.VisitInterrupt"),
    (index::BIG_INT, "ffi.BigInt"),
];

/// What to call values of a fixed type in messages; the key of a type says it to programs.
pub const fn name(type_index: i32) -> Option<&'static str> {
    Some(match type_index {
        index::NONE => "None",
        index::INT | index::BIG_INT => "an integer",
        index::BOOL => "a boolean",
        index::FLOAT => "a float",
        index::POINTER => "a pointer",
        index::DTYPE => "a dtype",
        index::DEVICE => "a device",
        index::RAW_STR | index::SMALL_STR | index::STR => "a string",
        index::BYTE_ARRAY | index::SMALL_BYTES | index::BYTES => "bytes",
        index::ERROR => "an error",
        index::FUNCTION => "a function",
        index::SHAPE => "a shape",
        index::DLTENSOR | index::TENSOR => "a tensor",
        index::ARRAY | index::LIST => "a list",
        index::MAP | index::DICT => "a mapping",
        other if other < index::DYNAMIC => "an object",
        _ => return None,
    })
}
