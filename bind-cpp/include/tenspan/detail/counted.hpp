/// \file
/// Counting of objects, inline: a header read, no call.
#pragma once

#include <utility>

#include <tenspan/detail/abi.hpp>
#include <tenspan/version.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Type indices of the public value ABI.
namespace type_index {
inline constexpr std::int32_t none = 0;
inline constexpr std::int32_t integer = 1;
inline constexpr std::int32_t boolean = 2;
inline constexpr std::int32_t real = 3;
inline constexpr std::int32_t dtype = 5;
inline constexpr std::int32_t device = 6;
inline constexpr std::int32_t dl_tensor = 7;
inline constexpr std::int32_t raw_string = 8;
inline constexpr std::int32_t byte_array = 9;
inline constexpr std::int32_t movable = 10;
inline constexpr std::int32_t small_string = 11;
inline constexpr std::int32_t small_bytes = 12;
inline constexpr std::int32_t object = 64;
inline constexpr std::int32_t string = 65;
inline constexpr std::int32_t bytes = 66;
inline constexpr std::int32_t error = 67;
inline constexpr std::int32_t function = 68;
inline constexpr std::int32_t shape = 69;
inline constexpr std::int32_t tensor = 70;
inline constexpr std::int32_t array = 71;
inline constexpr std::int32_t map = 72;
inline constexpr std::int32_t list = 75;
inline constexpr std::int32_t dict = 76;
inline constexpr std::int32_t big_int = 78;
}  // namespace type_index

inline tenspan_object* object_of(const tenspan_any& value) noexcept {
  return value.type_index < type_index::object ? nullptr : reinterpret_cast<tenspan_object*>(value.payload);
}

/// What stands behind the header of an object.
template <class Cell>
const Cell& cell_of(const tenspan_any& value) noexcept {
  return *reinterpret_cast<const Cell*>(value.payload + sizeof(tenspan_object));
}

inline void retain(const tenspan_any& value) noexcept {
  if (tenspan_object* object = object_of(value)) {
    object->counts.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Gives up one count; the last strong one destroys, the last of either kind frees.
inline void release(const tenspan_any& value) noexcept {
  tenspan_object* object = object_of(value);
  if (object == nullptr) {
    return;
  }
  constexpr std::uint64_t one_weak = std::uint64_t{1} << 32;
  void (*const deleter)(void*, int) = object->deleter;
  const std::uint64_t old = object->counts.fetch_sub(1, std::memory_order_acq_rel);
  if (deleter == nullptr) {
    return;
  }
  if (old == (one_weak | 1)) {
    deleter(object, 3);
  } else if ((old & 0xffffffff) == 1) {
    deleter(object, 1);
    if (object->counts.fetch_sub(one_weak, std::memory_order_acq_rel) == one_weak) {
      deleter(object, 2);
    }
  }
}

/// Holds one count of what a value refers to.
class Counted {
 public:
  Counted() noexcept = default;
  /// Takes over a count.
  explicit Counted(const tenspan_any& raw) noexcept : raw_(raw) {}
  Counted(const Counted& other) noexcept : raw_(other.raw_) { retain(raw_); }
  Counted(Counted&& other) noexcept : raw_(std::exchange(other.raw_, tenspan_any{0, 0, 0})) {}
  Counted& operator=(Counted other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Counted() { release(raw_); }

  [[nodiscard]] const tenspan_any& raw() const noexcept { return raw_; }
  [[nodiscard]] bool has_object() const noexcept { return object_of(raw_) != nullptr; }

 private:
  tenspan_any raw_{0, 0, 0};
};

}  // namespace detail
TENSPAN_END_NAMESPACE
