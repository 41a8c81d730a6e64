/// \file
/// When two values are the same key of a map, and the hash that every reader of a map computes for one. A type of objects may have
/// functions for both; otherwise its objects are compared by address.
#pragma once

#include <tenspan/kernel/convert.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

/// What a type has of an attribute, or None. The column of the attribute never moves once there is one.
inline Value attribute_of(const AttributeColumn*& column, const char* name, std::int32_t type) noexcept {
  if (column == nullptr) {
    const Text text{name, std::strlen(name)};
    column = functions().GetTypeAttrColumn == nullptr ? nullptr : functions().GetTypeAttrColumn(&text);
  }
  const bool known = column != nullptr && type >= column->begin && type - column->begin < column->size;
  return known ? column->data[type - column->begin] : Value{type_none, 0, 0};
}

/// Calls a function of a type with keys: a function object, or the address of one with the signature that `native` has. What is no
/// result, an error among it, is dropped, and the result is None.
template <class Native, class... Keys>
Value call_for_keys(const Value& hook, const Keys&... keys) noexcept {
  Value result{type_none, 0, 0};
  if (hook.type == type_pointer) {
    result = reinterpret_cast<Native>(hook.payload)(keys...);
  } else if (hook.type == type_function) {
    const Value arguments[] = {keys...};
    if (cell_of<FunctionCell>(hook).safe_call(header_of(hook), arguments, sizeof...(keys), &result) != 0) {
      void* error = nullptr;
      functions().ErrorMoveFromRaised(&error);
      release(value_of(static_cast<Header*>(error)));
    }
  }
  if (result.type == type_int || result.type == type_bool) {
    return result;
  }
  release(result);
  return Value{type_none, 0, 0};
}

inline std::uint64_t hash_of_object(const Value& key) noexcept {
  static const AttributeColumn* column = nullptr;
  const Value hook = attribute_of(column, "__any_hash__", key.type);
  const Value hash = call_for_keys<Value (*)(const Value&)>(hook, key);
  return hash.type == type_none ? key.payload : hash.payload;
}

inline bool same_object(const Value& a, const Value& b) noexcept {
  static const AttributeColumn* column = nullptr;
  const Value hook = attribute_of(column, "__any_equal__", a.type);
  return call_for_keys<Value (*)(const Value&, const Value&)>(hook, a, b).payload != 0;
}

/// The words of a number of any size, as bytes.
inline std::string_view words_of(const Value& number) noexcept {
  const BigIntCell& cell = cell_of<BigIntCell>(number);
  return {reinterpret_cast<const char*>(cell.value), cell.words * sizeof cell.value[0]};
}

/// The hash that every reader of a map computes for a key.
inline std::uint64_t hash_of(const Value& key) noexcept {
  constexpr std::uint64_t modulus = 2147483647;
  std::uint64_t kind = static_cast<std::uint64_t>(static_cast<std::int64_t>(key.type));
  std::uint64_t hash = key.payload;
  const bool is_big = key.type == type_big_int;
  if (is_big || key.type == type_small_string || key.type == type_small_bytes || key.type == type_string || key.type == type_bytes) {
    if (!is_big) {
      kind = key.type == type_small_string || key.type == type_string ? type_string : type_bytes;
    }
    hash = 0;
    std::string_view rest = is_big ? words_of(key) : characters(key);
    for (; !rest.empty(); rest.remove_prefix(rest.size() < 8 ? rest.size() : 8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, rest.data(), rest.size() < 8 ? rest.size() : 8);
      hash = (hash * 1099511628211u + word) % modulus;
    }
  } else if (key.type >= type_dynamic) {
    hash = hash_of_object(key);
  }
  return kind ^ (hash + 0x9e3779b9 + (kind << 6) + (kind >> 2));
}

/// Whether two values are one key: of one type, text by its letters.
inline bool same_key(const Value& a, const Value& b) noexcept {
  if (a.type == b.type && a.small_size == b.small_size && a.payload == b.payload) {
    return true;
  }
  if (a.type == b.type && a.type >= type_dynamic) {
    return same_object(a, b);
  }
  if (a.type == b.type && a.type == type_big_int) {
    return words_of(a) == words_of(b);
  }
  const bool texts = is_text(a) && is_text(b);
  return (texts || (is_bytes(a) && is_bytes(b))) && characters(a) == characters(b);
}

}  // namespace abi
TENSPAN_KERNEL_END
