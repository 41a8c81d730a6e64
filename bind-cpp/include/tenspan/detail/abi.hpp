/// \file
/// The C border: layouts of values and objects, and the functions of `libtenspan.so`.
///
/// The layouts are those of the public TVM FFI ABI; the assertions hold them in place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// Version of the functions below, compared with that of the library before the first call.
#define TENSPAN_ABI_VERSION 3

extern "C" {

/// A value: what it is, and eight bytes of it.
struct tenspan_any {
  std::int32_t type_index;
  std::uint32_t small_size;
  std::uint64_t payload;
};

struct tenspan_byte_array {
  const char* data;
  std::size_t size;
};

/// What every object begins with.
struct tenspan_object {
  std::atomic<std::uint64_t> counts;
  std::int32_t type_index;
  std::uint32_t padding;
  void (*deleter)(void*, int);
};

struct tenspan_sequence_cell {
  const tenspan_any* data;
  std::int64_t size;
  std::int64_t capacity;
  void (*deleter)(void*);
};

struct tenspan_error_cell {
  tenspan_byte_array kind;
  tenspan_byte_array message;
  tenspan_byte_array backtrace;
  void (*update_backtrace)(void*, const tenspan_byte_array*, std::int32_t);
  tenspan_object* cause;
  tenspan_object* extra_context;
};

struct tenspan_shape_cell {
  const std::int64_t* data;
  std::size_t size;
};

/// What stands behind the header of a map or a dict. The last four members are there in dense ones only.
struct tenspan_table_cell {
  const char* data;
  std::uint64_t size;
  std::uint64_t slots;
  void (*deleter)(void*);
  std::uint32_t shift;
  std::uint32_t padding;
  std::uint64_t head;
  std::uint64_t tail;
};

struct tenspan_pair {
  tenspan_any key;
  tenspan_any value;
};

typedef int (*tenspan_safe_call)(void*, const tenspan_any*, std::int32_t, tenspan_any*);

struct tenspan_function_cell {
  tenspan_safe_call safe_call;
  void* cpp_call;
};

/// What stands behind the header of a function that the headers made.
struct tenspan_native_cell {
  tenspan_function_cell function;
  void* context;
};

/// What the headers make a function of. The names are lent for the call.
struct tenspan_function_parts {
  void* context;
  tenspan_safe_call entry;
  void (*deleter)(void*);
  tenspan_byte_array name;
  tenspan_byte_array file;
  const tenspan_byte_array* parameters;
  std::uint32_t count;
  std::uint32_t line;
};

/// An exception that ends a call, in words and as itself. `error` is the error object it was made from, or none.
struct tenspan_raised {
  tenspan_byte_array kind;
  tenspan_byte_array message;
  tenspan_any error;
  tenspan_any cause;
  void* function;
  void* exception;
  void (*deleter)(void*);
  tenspan_byte_array file;
  std::uint64_t line;
};

struct tenspan_big_int_cell {
  std::size_t words;
  std::int64_t value[1];
};

struct tenspan_info {
  void* data;
  const std::uint64_t* shape;
  const std::int64_t* strides;
  std::uint64_t size;
  std::uint64_t nbytes;
  tenspan_any dtype;
  std::uint32_t ndim;
  bool readonly;
  bool contiguous;
};

struct tenspan_memory {
  void* data;
  const std::uint64_t* shape;
  const std::int64_t* strides;
  tenspan_any dtype;
  void* owner;
  void (*deleter)(void*);
  std::uint32_t ndim;
  bool readonly;
};

/// A field of a type, as whoever defined it says. It is `offset` bytes behind the handle of an object.
struct tenspan_field_info {
  tenspan_byte_array name;
  tenspan_byte_array doc;
  tenspan_byte_array metadata;
  std::int64_t flags;
  std::int64_t size;
  std::int64_t alignment;
  std::int64_t offset;
  int (*getter)(void* field, tenspan_any* result);
  void* setter;
  tenspan_any default_value;
  std::int32_t static_type;
};

struct tenspan_method_info {
  tenspan_byte_array name;
  tenspan_byte_array doc;
  tenspan_byte_array metadata;
  std::int64_t flags;
  tenspan_any method;
};

/// A type of objects. It is never freed; fields and methods are added until the type is complete.
struct tenspan_type_info {
  std::int32_t type_index;
  std::int32_t depth;
  tenspan_byte_array key;
  const tenspan_type_info* const* ancestors;
  std::uint64_t key_hash;
  std::atomic<std::int32_t> field_count;
  std::atomic<std::int32_t> method_count;
  std::atomic<const tenspan_field_info*> fields;
  std::atomic<const tenspan_method_info*> methods;
  const void* metadata;
};

/// The values of an attribute by the index of the type, None where a type has none; they are never freed and never move.
struct tenspan_attribute_column {
  const tenspan_any* values;
  std::atomic<std::int32_t> size;
  std::int32_t begin;
};

/// A field or a method of a class that is to be defined; a field has a type. All is lent for the call.
struct tenspan_member {
  tenspan_byte_array name;
  tenspan_byte_array doc;
  tenspan_byte_array type;
  std::int64_t flags;
  tenspan_any value;
};

struct tenspan_class {
  tenspan_byte_array key;
  tenspan_byte_array parent;
  tenspan_byte_array doc;
  const tenspan_member* members;
  std::size_t count;
  bool by_fields;
};

std::uint32_t tenspan_abi_version(void);
std::int32_t tenspan_method(const char* name, std::size_t size);
int tenspan_call(std::int32_t method, const tenspan_any* args, std::int32_t count, tenspan_any* result);
void tenspan_raise(const tenspan_raised* raised);
int tenspan_error(const tenspan_raised* raised, tenspan_any* result);
int tenspan_error_key(const tenspan_any* error, tenspan_any* result);
int tenspan_argument_error(void* function, std::uint32_t position, tenspan_byte_array wanted, const tenspan_any* found);
int tenspan_argument_value_error(void* function, std::uint32_t position, tenspan_byte_array kind, tenspan_byte_array message);
int tenspan_count_error(void* function, std::uint32_t least, std::uint32_t most, std::uint32_t found);
int tenspan_take_error(void (*deleter)(void*), void (*copy)(void*, void*), void* to, tenspan_any* result);
int tenspan_string(const char* data, std::size_t size, tenspan_any* result);
int tenspan_bytes(const void* data, std::size_t size, tenspan_any* result);
int tenspan_integer(const std::int64_t* words, std::size_t count, tenspan_any* result);
int tenspan_digits(const std::int64_t* words, std::size_t count, tenspan_any* result);
int tenspan_nearest(const tenspan_any* value, tenspan_any* result);
int tenspan_complex(double re, double im, tenspan_any* result);
int tenspan_complex_parts(const tenspan_any* value, double* parts);
int tenspan_array(const tenspan_any* items, std::int32_t count, tenspan_any* result);
int tenspan_shape(const std::int64_t* lengths, std::size_t count, tenspan_any* result);
int tenspan_function(const tenspan_function_parts* parts, tenspan_any* result);
int tenspan_own(const tenspan_any* value, tenspan_any* result);
int tenspan_snapshot(const tenspan_any* value, tenspan_any* result);
bool tenspan_equal(const tenspan_any* a, const tenspan_any* b);
tenspan_byte_array tenspan_type_name(std::int32_t type_index);
int tenspan_tensor(const tenspan_any* value, tenspan_any* result);
int tenspan_tensor_info(const tenspan_any* value, tenspan_info* info);
int tenspan_tensor_from_memory(const tenspan_memory* memory, tenspan_any* result);
int tenspan_dlpack_export(const tenspan_any* value, bool legacy, void** managed);
int tenspan_dlpack_import(void* managed, bool legacy, tenspan_any* result);
void tenspan_dlpack_delete(void* managed, bool legacy);
int tenspan_define_class(const tenspan_class* described, tenspan_any* result);
const tenspan_type_info* TNSCC_GetTypeInfo(std::int32_t type_index);
int TNSCC_TypeKeyToIndex(const tenspan_byte_array* key, std::int32_t* type_index);
const tenspan_attribute_column* TNSCC_GetTypeAttrColumn(const tenspan_byte_array* name);

}  // extern "C"

static_assert(sizeof(void*) == 8, "tenspan is for 64-bit systems");
static_assert(sizeof(tenspan_any) == 16 && offsetof(tenspan_any, payload) == 8, "layout of a value");
static_assert(sizeof(tenspan_object) == 24 && offsetof(tenspan_object, type_index) == 8, "layout of an object");
static_assert(offsetof(tenspan_object, deleter) == 16, "layout of an object");
static_assert(sizeof(tenspan_byte_array) == 16, "layout of a byte array");
static_assert(sizeof(tenspan_sequence_cell) == 32, "layout of an array");
static_assert(offsetof(tenspan_error_cell, message) == 16, "layout of an error");
static_assert(sizeof(tenspan_error_cell) == 72 && offsetof(tenspan_error_cell, cause) == 56, "layout of an error");
static_assert(sizeof(tenspan_function_cell) == 16 && offsetof(tenspan_native_cell, context) == 16, "layout of a function");
static_assert(sizeof(tenspan_function_parts) == 72 && sizeof(tenspan_raised) == 112, "layout of what is passed to the library");
static_assert(sizeof(tenspan_table_cell) == 56 && offsetof(tenspan_table_cell, head) == 40, "layout of a map");
static_assert(sizeof(tenspan_pair) == 32, "layout of a pair");
static_assert(sizeof(tenspan_field_info) == 120 && offsetof(tenspan_field_info, static_type) == 112, "layout of a field");
static_assert(sizeof(tenspan_method_info) == 72 && sizeof(tenspan_type_info) == 72, "layout of a type");
static_assert(sizeof(tenspan_attribute_column) == 16, "layout of the values of an attribute");
static_assert(sizeof(tenspan_member) == 72 && sizeof(tenspan_class) == 72, "layout of what is passed to the library");
static_assert(sizeof(tenspan_info) == 64 && offsetof(tenspan_info, dtype) == 40, "layout of a description");
static_assert(sizeof(tenspan_memory) == 64 && offsetof(tenspan_memory, dtype) == 24, "layout of a memory");
