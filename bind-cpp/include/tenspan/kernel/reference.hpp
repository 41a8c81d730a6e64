/// \file
/// Classes of C++ as objects that every language holds: the base class, references, and how types are told apart.
#pragma once

#include <string>

#include <tenspan/kernel/convert.hpp>

TENSPAN_KERNEL_BEGIN

/// What every class that crosses borders derives from, first of all. Objects are made by `make<T>(…)` and held by `Ref<T>`.
// Visible, because classes of users derive from it; it has no code of its own.
class TENSPAN_KERNEL_EXPORT Object {
 public:
  Object() noexcept = default;
  Object(const Object&) noexcept {}
  Object& operator=(const Object&) noexcept { return *this; }

 private:
  [[maybe_unused]] abi::Header header_{};
};

static_assert(sizeof(Object) == sizeof(abi::Header), "an object begins with its header");

namespace abi {

/// What the runtime calls a class.
struct Class {
  std::int32_t type = -1;
  std::int32_t depth = 0;
  const char* key = "";
};

template <class T>
inline Class class_of{};
template <>
inline Class class_of<Object>{type_object, 0, "an object"};

/// \throws RuntimeError  The class is not registered.
template <class T>
const Class& registered() {
  const Class& found = class_of<T>;
  if (found.type < 0) {
    throw RuntimeError("a class that no TENSPAN_OBJECT registers was used");
  }
  return found;
}

/// Whether an object is of a class or of one that inherits from it.
inline bool is_instance(const Value& value, const Class& of) {
  if (!is_object(value)) {
    return false;
  }
  if (value.type == of.type || of.type == type_object) {
    return true;
  }
  const TypeInfo* const info = value.type < type_dynamic ? nullptr : api().GetTypeInfo(value.type);
  return info != nullptr && info->depth > of.depth && info->ancestors[of.depth]->type == of.type;
}

template <class T>
void delete_instance(void* object, int flags) {
  T* const self = static_cast<T*>(static_cast<Object*>(object));
  if ((flags & 1) != 0) {
    self->~T();
  }
  if ((flags & 2) != 0) {
    free_space(object);
  }
}

}  // namespace abi

/// A counted reference to an object of a class; none when empty.
template <class T>
class Ref : public ObjectRef {
  static_assert(std::is_base_of_v<Object, T>, "objects that cross borders derive from tenspan::kernel::Object");

 public:
  using element_type = T;

  Ref() = default;
  explicit Ref(Any held) : ObjectRef(std::move(held)) {}
  template <class U, class = std::enable_if_t<std::is_base_of_v<T, U>>>
  Ref(const Ref<U>& other) : ObjectRef(other.held()) {}

  [[nodiscard]] T* get() const noexcept {
    return held_.is_none() ? nullptr : static_cast<T*>(reinterpret_cast<Object*>(raw().payload));
  }
  T* operator->() const noexcept { return get(); }
  T& operator*() const noexcept { return *get(); }
};

/// A new object of a registered class. \param arguments  Those of a constructor.
template <class T, class... A>
Ref<T> make(A&&... arguments) {
  static_assert(alignof(T) <= 16 && !std::is_polymorphic_v<T>, "a class with virtual functions cannot cross borders: hold one by a pointer");
  const std::int32_t type = abi::registered<T>().type;
  void* const object = abi::allocate(type, sizeof(T), nullptr);
  try {
    ::new (object) T(std::forward<A>(arguments)...);
  } catch (...) {
    abi::free_space(object);
    throw;
  }
  auto* const header = static_cast<abi::Header*>(object);
  header->counts.store(abi::one_of_each, std::memory_order_relaxed);
  header->type = type;
  header->deleter = &abi::delete_instance<T>;
  return Ref<T>(Any::adopt(abi::value_of(header)));
}

template <class T>
struct Convert<Ref<T>> {
  static std::string wanted() { return abi::class_of<T>.key; }
  static std::string schema() { return std::string(R"({"type":")") + abi::class_of<T>.key + R"("})"; }
  static std::optional<Ref<T>> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    return abi::is_instance(value, abi::registered<T>()) ? std::optional<Ref<T>>(Ref<T>(Any::share(value))) : std::nullopt;
  }
  static abi::Value write(const Ref<T>& object) { return Any(object.held()).take(); }
};

/// An object of any class.
template <>
struct Convert<ObjectRef> {
  static std::string wanted() { return "an object"; }
  static std::string schema() { return R"({"type":"ffi.Object"})"; }
  static std::optional<ObjectRef> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    return abi::is_object(value) ? std::optional<ObjectRef>(ObjectRef(Any::share(value))) : std::nullopt;
  }
  static abi::Value write(const ObjectRef& object) { return Any(object.held()).take(); }
};

TENSPAN_KERNEL_END
