/// \file
/// The public ABI as kernels see it: layouts of values and objects, and the functions of a runtime.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tenspan/kernel/config.hpp>

TENSPAN_KERNEL_BEGIN

/// Layouts and functions of C.
namespace abi {

/// A value: what it is, and eight bytes of it.
struct Value {
  std::int32_t type;
  std::uint32_t small_size;
  std::uint64_t payload;
};

struct Text {
  const char* data;
  std::size_t size;
};

/// What every object begins with.
struct Header {
  std::atomic<std::uint64_t> counts;
  std::int32_t type;
  std::uint32_t padding;
  void (*deleter)(void*, int);
};

struct SequenceCell {
  Value* data;
  std::int64_t size;
  std::int64_t capacity;
  void (*deleter)(void*);
};

struct ShapeCell {
  const std::int64_t* data;
  std::size_t size;
};

struct ErrorCell {
  Text kind;
  Text message;
  Text backtrace;
  void (*update_backtrace)(void*, const Text*, std::int32_t);
  void* cause;
  void* extra_context;
};

typedef int (*SafeCall)(void*, const Value*, std::int32_t, Value*);

struct FunctionCell {
  SafeCall safe_call;
  void* cpp_call;
};

struct BigIntCell {
  std::size_t words;
  std::int64_t value[1];
};

struct Pair {
  Value key;
  Value value;
};

/// What stands behind the header of a map or a dict. The last four members are there in dense ones only.
struct TableCell {
  void* data;
  std::uint64_t size;
  std::uint64_t slots;
  void (*deleter)(void*);
  std::uint32_t shift;
  std::uint32_t padding;
  std::uint64_t head;
  std::uint64_t tail;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DeviceId {
  std::int32_t type;
  std::int32_t id;
};

/// Memory as DLPack describes it; strides count elements.
struct Tensor {
  void* data;
  DeviceId device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct FieldInfo {
  Text name;
  Text doc;
  Text metadata;
  std::int64_t flags;
  std::int64_t size;
  std::int64_t alignment;
  std::int64_t offset;
  int (*getter)(void*, Value*);
  void* setter;
  Value default_value;
  std::int32_t static_type;
};

struct MethodInfo {
  Text name;
  Text doc;
  Text metadata;
  std::int64_t flags;
  Value method;
};

struct TypeMetadata {
  Text doc;
  int (*creator)(void**);
  std::int32_t total_size;
  std::int32_t structural_kind;
};

struct AttributeColumn {
  const Value* data;
  std::int32_t size;
  std::int32_t begin;
};

struct TypeInfo {
  std::int32_t type;
  std::int32_t depth;
  Text key;
  const TypeInfo** ancestors;
  std::uint64_t key_hash;
  std::int32_t field_count;
  std::int32_t method_count;
  const FieldInfo* fields;
  const MethodInfo* methods;
  const TypeMetadata* metadata;
};

/// The types whose numbers are fixed.
enum Type : std::int32_t {
  type_any = -1,
  type_none = 0,
  type_int = 1,
  type_bool = 2,
  type_float = 3,
  type_pointer = 4,
  type_dtype = 5,
  type_device = 6,
  type_dl_tensor = 7,
  type_raw_string = 8,
  type_byte_array = 9,
  type_movable = 10,
  type_small_string = 11,
  type_small_bytes = 12,
  type_object = 64,
  type_string = 65,
  type_bytes = 66,
  type_error = 67,
  type_function = 68,
  type_shape = 69,
  type_tensor = 70,
  type_array = 71,
  type_map = 72,
  type_module = 73,
  type_opaque = 74,
  type_list = 75,
  type_dict = 76,
  type_big_int = 78,
  type_dynamic = 128,
};

static_assert(sizeof(void*) == 8, "kernels are for 64-bit systems");
static_assert(sizeof(Value) == 16 && offsetof(Value, payload) == 8, "layout of a value");
static_assert(sizeof(Header) == 24 && offsetof(Header, type) == 8 && offsetof(Header, deleter) == 16, "layout of an object");
static_assert(sizeof(SequenceCell) == 32 && sizeof(ShapeCell) == 16, "layout of a sequence");
static_assert(sizeof(ErrorCell) == 72 && offsetof(ErrorCell, cause) == 56, "layout of an error");
static_assert(sizeof(TableCell) == 56 && offsetof(TableCell, head) == 40, "layout of a map");
static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, byte_offset) == 40, "layout of a tensor");
static_assert(sizeof(FieldInfo) == 120 && offsetof(FieldInfo, default_value) == 96, "layout of a field");
static_assert(sizeof(MethodInfo) == 72 && sizeof(TypeMetadata) == 32, "layout of a method");
static_assert(sizeof(TypeInfo) == 72 && offsetof(TypeInfo, fields) == 48, "layout of a type");

}  // namespace abi
TENSPAN_KERNEL_END
