/// \file
/// The C border: layouts of values and objects, and the functions of `libtenspan.so`.
///
/// The layouts are those of the public TVM FFI ABI; the assertions hold them in place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// Version of the functions below, compared with that of the library before the first call.
#define TENSPAN_ABI_VERSION 1

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
};

typedef int (*tenspan_safe_call)(void*, const tenspan_any*, std::int32_t, tenspan_any*);

struct tenspan_function_cell {
  tenspan_safe_call safe_call;
  void* cpp_call;
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

std::uint32_t tenspan_abi_version(void);
std::int32_t tenspan_method(const char* name, std::size_t size);
int tenspan_call(std::int32_t method, const tenspan_any* args, std::int32_t count, tenspan_any* result);
void tenspan_raise(tenspan_byte_array kind, tenspan_byte_array message, void* exception, void (*deleter)(void*));
int tenspan_take_error(void (*deleter)(void*), void** exception, tenspan_any* result);
int tenspan_string(const char* data, std::size_t size, tenspan_any* result);
int tenspan_bytes(const void* data, std::size_t size, tenspan_any* result);
int tenspan_integer(std::uint64_t low, std::int64_t high, tenspan_any* result);
int tenspan_complex(double re, double im, tenspan_any* result);
int tenspan_complex_parts(const tenspan_any* value, double* parts);
int tenspan_array(const tenspan_any* items, std::int32_t count, tenspan_any* result);
int tenspan_function(void* context, tenspan_safe_call entry, void (*deleter)(void*), tenspan_any* result);
tenspan_byte_array tenspan_type_name(std::int32_t type_index);
int tenspan_tensor(const tenspan_any* value, tenspan_any* result);
int tenspan_tensor_info(const tenspan_any* value, tenspan_info* info);
int tenspan_tensor_from_memory(const tenspan_memory* memory, tenspan_any* result);
int tenspan_dlpack_export(const tenspan_any* value, bool legacy, void** managed);
int tenspan_dlpack_import(void* managed, bool legacy, tenspan_any* result);
void tenspan_dlpack_delete(void* managed, bool legacy);

}  // extern "C"

static_assert(sizeof(void*) == 8, "tenspan is for 64-bit systems");
static_assert(sizeof(tenspan_any) == 16 && offsetof(tenspan_any, payload) == 8, "layout of a value");
static_assert(sizeof(tenspan_object) == 24 && offsetof(tenspan_object, type_index) == 8, "layout of an object");
static_assert(offsetof(tenspan_object, deleter) == 16, "layout of an object");
static_assert(sizeof(tenspan_byte_array) == 16, "layout of a byte array");
static_assert(sizeof(tenspan_sequence_cell) == 32, "layout of an array");
static_assert(offsetof(tenspan_error_cell, message) == 16, "layout of an error");
static_assert(sizeof(tenspan_function_cell) == 16, "layout of a function");
static_assert(sizeof(tenspan_info) == 64 && offsetof(tenspan_info, dtype) == 40, "layout of a description");
static_assert(sizeof(tenspan_memory) == 64 && offsetof(tenspan_memory, dtype) == 24, "layout of a memory");
