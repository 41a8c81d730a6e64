/// \file
/// Counted objects: references to them, and how new ones are made.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include <tenspan/kernel/runtime.hpp>

TENSPAN_KERNEL_BEGIN
namespace abi {

inline constexpr std::uint64_t one_of_each = (std::uint64_t{1} << 32) | 1;

inline Header* header_of(const Value& value) noexcept { return reinterpret_cast<Header*>(value.payload); }
inline bool is_object(const Value& value) noexcept { return value.type >= type_object && value.payload != 0; }
inline Value value_of(const Header* object) noexcept {
  return object == nullptr ? Value{type_none, 0, 0} : Value{object->type, 0, reinterpret_cast<std::uint64_t>(object)};
}

template <class Cell>
Cell& cell_of(const Value& value) noexcept {
  return *reinterpret_cast<Cell*>(reinterpret_cast<char*>(value.payload) + sizeof(Header));
}

inline void retain(const Value& value) noexcept {
  if (is_object(value)) {
    header_of(value)->counts.fetch_add(1, std::memory_order_relaxed);
  }
}

inline void destroy(Header* object, std::uint64_t before) noexcept {
  std::atomic_thread_fence(std::memory_order_acquire);
  if (before == one_of_each) {
    if (object->deleter != nullptr) {
      object->deleter(object, 3);
    }
    return;
  }
  if (object->deleter != nullptr) {
    object->deleter(object, 1);
  }
  if (object->counts.fetch_sub(std::uint64_t{1} << 32, std::memory_order_acq_rel) >> 32 == 1 && object->deleter != nullptr) {
    object->deleter(object, 2);
  }
}

inline void release(const Value& value) noexcept {
  if (!is_object(value)) {
    return;
  }
  Header* const object = header_of(value);
  const std::uint64_t before = object->counts.fetch_sub(1, std::memory_order_release);
  if ((before & 0xffffffff) == 1) {
    destroy(object, before);
  }
}

inline bool is_unique(const Value& value) noexcept {
  return header_of(value)->counts.load(std::memory_order_acquire) == one_of_each;
}

/// Some readers look at the eight bytes before an object for what frees its memory.
inline constexpr std::size_t prefix_bytes = 16;

inline void free_space(void* object) { std::free(static_cast<char*>(object) - prefix_bytes); }

/// Memory for an object and its header, which is written. \throws std::bad_alloc
inline void* allocate(std::int32_t type, std::size_t bytes, void (*deleter)(void*, int)) {
  void* const space = std::malloc(prefix_bytes + bytes);
  if (space == nullptr) {
    throw std::bad_alloc();
  }
  std::memset(space, 0, prefix_bytes);
  void (*const free)(void*) = &free_space;
  std::memcpy(static_cast<char*>(space) + 8, &free, sizeof free);
  void* const object = static_cast<char*>(space) + prefix_bytes;
  Header* const header = ::new (object) Header{};
  header->counts.store(one_of_each, std::memory_order_relaxed);
  header->type = type;
  header->padding = 0;
  header->deleter = deleter;
  return object;
}

}  // namespace abi

/// A value of any kind, 16 bytes, that owns what it refers to.
class Any {
 public:
  /// None.
  Any() noexcept : raw_{abi::type_none, 0, 0} {}
  Any(std::nullptr_t) noexcept : Any() {}
  Any(const Any& other) noexcept : raw_(other.raw_) { abi::retain(raw_); }
  Any(Any&& other) noexcept : raw_(std::exchange(other.raw_, abi::Value{abi::type_none, 0, 0})) {}
  Any& operator=(Any other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Any() { abi::release(raw_); }

  /// A value of a C++ type. \param value  What `Convert` knows.
  template <class T, class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, Any> && !std::is_same_v<std::decay_t<T>, abi::Value>>>
  Any(const T& value);

  /// Takes an owned value over.
  static Any adopt(const abi::Value& raw) noexcept {
    Any any;
    any.raw_ = raw;
    return any;
  }
  /// Another reference to a value that someone else owns.
  static Any share(const abi::Value& raw) noexcept {
    abi::retain(raw);
    return adopt(raw);
  }
  /// Gives the value to the caller.
  abi::Value take() noexcept { return std::exchange(raw_, abi::Value{abi::type_none, 0, 0}); }

  [[nodiscard]] const abi::Value& raw() const noexcept { return raw_; }
  [[nodiscard]] bool is_none() const noexcept { return raw_.type == abi::type_none; }
  [[nodiscard]] std::int32_t type() const noexcept { return raw_.type; }

  /// \return Whether the value can be had as a `T`.
  template <class T>
  [[nodiscard]] bool is() const;
  /// \return The value as a `T`. \throws Error  It is of another kind.
  template <class T>
  [[nodiscard]] T as() const;

 private:
  abi::Value raw_;
};

static_assert(sizeof(Any) == sizeof(abi::Value), "a value has 16 bytes");

/// What all references to objects share: the object, or none.
class ObjectRef {
 public:
  ObjectRef() = default;
  explicit ObjectRef(Any object) noexcept : held_(std::move(object)) {}

  [[nodiscard]] const Any& held() const noexcept { return held_; }
  [[nodiscard]] const abi::Value& raw() const noexcept { return held_.raw(); }
  explicit operator bool() const noexcept { return !held_.is_none(); }
  /// \return Whether both are one object.
  [[nodiscard]] bool same_as(const ObjectRef& other) const noexcept { return raw().payload == other.raw().payload; }

 protected:
  Any held_;
};

TENSPAN_KERNEL_END
