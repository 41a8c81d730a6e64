/// \file
/// Fields and methods of objects, by what the table of types says of them: looked up once, then at hand.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenspan/detail/function.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Bits that say what a field or a method is.
namespace member_flag {
inline constexpr std::int64_t writable = 1;
inline constexpr std::int64_t has_default = 2;
inline constexpr std::int64_t is_static = 4;
inline constexpr std::int64_t default_is_factory = 32;
inline constexpr std::int64_t keyword_only = 1024;
inline constexpr std::int64_t setter_is_function = 2048;
}  // namespace member_flag

inline std::string_view view_of(const tenspan_byte_array& text) noexcept {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

/// The type of a key in the line of a type: itself, or an ancestor. Null when there is none.
inline const tenspan_type_info* in_line(const tenspan_type_info* type, std::string_view key) noexcept {
  if (type == nullptr || view_of(type->key) == key) {
    return type;
  }
  for (std::int32_t i = type->depth; i > 0; --i) {
    if (view_of(type->ancestors[i - 1]->key) == key) {
      return type->ancestors[i - 1];
    }
  }
  return nullptr;
}

/// The type of a key.
inline const tenspan_type_info* type_of_key(std::string_view key) {
  const tenspan_byte_array text = bytes_of(key);
  std::int32_t index = 0;
  check(TNSCC_TypeKeyToIndex(&text, &index));
  return TNSCC_GetTypeInfo(index);
}

/// Where the constructor of a class stands in the table of types: a function. Null when there is none.
/// \param type_index  A class that is, or is derived from, the one of the key.
/// \param key         Key of the class.
inline const tenspan_any* constructor_of(std::int32_t type_index, std::string_view key) noexcept {
  const tenspan_byte_array name = bytes_of("__ffi_init__");
  const tenspan_type_info* const type = in_line(TNSCC_GetTypeInfo(type_index), key);
  const tenspan_attribute_column* const column = TNSCC_GetTypeAttrColumn(&name);
  if (type == nullptr || column == nullptr || type->type_index >= column->size.load(std::memory_order_acquire)) {
    return nullptr;
  }
  const tenspan_any* const found = column->values + type->type_index;
  return found->type_index == type_index::function ? found : nullptr;
}

/// Asks that the classes which a class of C++ is derived from are in the line of its type: fields of theirs are then in every object.
template <class Class>
void expect_line(const tenspan_type_info* type) {
  using Base = typename Class::base_class;
  if constexpr (!std::is_same_v<typename Base::base_class, Base>) {
    if (in_line(type, Base::class_key) == nullptr) {
      throw_named("TypeError", "`" + std::string(Class::class_key) + "` is not derived from `" + std::string(Base::class_key) +
                                   "`, as it is in C++");
    }
    expect_line<Base>(type);
  }
}

/// Whether a value is an object of a class or of one that is derived from it. The class is known by its key, and by its index once an
/// object of it was seen.
/// \throws TypeError  The class is derived from others in C++ than it was registered with.
template <class Class>
bool is_instance(const tenspan_any& value) {
  static std::atomic<std::int32_t> known{-1};
  if (object_of(value) == nullptr) {
    return false;
  }
  const std::int32_t index = known.load(std::memory_order_relaxed);
  if (value.type_index == index) {
    return true;
  }
  const tenspan_type_info* const type = TNSCC_GetTypeInfo(value.type_index);
  if (index < 0) {
    const tenspan_type_info* const found = in_line(type, Class::class_key);
    if (found != nullptr) {
      expect_line<Class>(found);
      known.store(found->type_index, std::memory_order_relaxed);
    }
    return found != nullptr;
  }
  for (std::int32_t i = type == nullptr ? 0 : type->depth; i > 0; --i) {
    if (type->ancestors[i - 1]->type_index == index) {
      return true;
    }
  }
  return false;
}

/// The member of a name, of a type or of an ancestor.
template <class Info>
const Info* member_of(const tenspan_type_info* type, std::string_view name) noexcept {
  for (std::int32_t i = type->depth; i >= 0; --i) {
    const tenspan_type_info* const owner = i == type->depth ? type : type->ancestors[i];
    std::int32_t count = 0;
    const Info* all = nullptr;
    if constexpr (std::is_same_v<Info, tenspan_field_info>) {
      count = owner->field_count.load(std::memory_order_acquire);
      all = owner->fields.load(std::memory_order_acquire);
    } else {
      count = owner->method_count.load(std::memory_order_acquire);
      all = owner->methods.load(std::memory_order_acquire);
    }
    for (std::int32_t at = 0; at < count; ++at) {
      if (view_of(all[at].name) == name) {
        return all + at;
      }
    }
  }
  return nullptr;
}

[[noreturn]] TENSPAN_COLD inline void throw_missing(const char* what, std::string_view key, std::string_view name) {
  throw_named("AttributeError", "`" + std::string(key) + "` has no " + what + " `" + std::string(name) + "`");
}

/// How messages call a field.
inline std::string place_of(std::string_view key, std::string_view name) {
  return "`" + std::string(name) + "` of `" + std::string(key) + "`";
}

/// Types that native code stores as they are, and the static type that the table has for them.
template <class T>
inline constexpr bool is_stored_plain = std::is_same_v<T, bool> || std::is_floating_point_v<T> || is_number<T>;

template <class T>
constexpr std::int32_t static_type_of() {
  return std::is_same_v<T, bool> ? type_index::boolean : std::is_floating_point_v<T> ? type_index::real : type_index::integer;
}

inline std::string stored_as(std::int32_t type, std::int64_t size) {
  const char* const kind = type == type_index::boolean   ? "a boolean"
                           : type == type_index::real    ? "a number with a point"
                           : type == type_index::integer ? "an integer"
                                                         : "no plain number";
  return std::string(kind) + " of " + std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

/// A field that a class of C++ declares, compared with the field that there is: when they store the same, it is read where it stands.
/// \tparam T  Its type.
template <class T>
class FieldAccess {
  static_assert(!is_view<T>, "the field is another object than the view would look at: declare an owner, such as std::string");

 public:
  /// \param object  An object of the class.
  /// \param key     Key of the class, which lives as long as this.
  /// \param name    Name of the field, which lives as long as this.
  /// \throws AttributeError  The class has no such field.
  /// \throws TypeError       It is of another type.
  FieldAccess(const Any& object, std::string_view key, std::string_view name) : key_(key), name_(name) {
    const tenspan_type_info* const type = in_line(TNSCC_GetTypeInfo(object.raw().type_index), key);
    info_ = type == nullptr ? nullptr : member_of<tenspan_field_info>(type, name);
    if (info_ == nullptr) {
      throw_missing("field", key, name);
    }
    if constexpr (is_stored_plain<T>) {
      if (info_->static_type >= 0) {
        const bool same = info_->static_type == static_type_of<T>() && info_->size == static_cast<std::int64_t>(sizeof(T));
        if (!same) {
          throw_named("TypeError", place_of(key, name) + " is " + stored_as(info_->static_type, info_->size) + ", and declared as " +
                                       stored_as(static_type_of<T>(), sizeof(T)));
        }
        // The table does not say whether an integer has a sign, so one without is asked for.
        in_place_ = !std::is_unsigned_v<T> || std::is_same_v<T, bool>;
      }
    }
  }

  [[nodiscard]] T get(const Any& object) const {
    const char* const place = reinterpret_cast<const char*>(object.raw().payload) + info_->offset;
    if constexpr (is_stored_plain<T>) {
      if (in_place_) {
        T value{};
        std::memcpy(&value, place, sizeof(T));
        return value;
      }
    }
    tenspan_any result{0, 0, 0};
    check(info_->getter(const_cast<char*>(place), &result));
    Any value = Any::adopt(result);
    if constexpr (std::is_same_v<T, Any>) {
      return value;
    } else {
      if (!value.is<T>()) {
        refuse(value);
      }
      return Convert<T>::read(value);
    }
  }

  void set(const Any& object, Given<T> value) const {
    if constexpr (is_stored_plain<T>) {
      if (in_place_ && (info_->flags & member_flag::writable) != 0 && (info_->flags & member_flag::setter_is_function) == 0) {
        std::memcpy(reinterpret_cast<char*>(object.raw().payload) + info_->offset, &value, sizeof(T));
        return;
      }
    }
    static const std::int32_t method_ = method("Object.set");
    call<void>(method_, object, name_, value);
  }

 private:
  [[noreturn]] TENSPAN_COLD void refuse(const Any& found) const {
    throw_named("TypeError", place_of(key_, name_) + ": wanted " + Convert<T>::wanted() + ", found " + found.type_name());
  }

  std::string_view key_;
  std::string_view name_;
  const tenspan_field_info* info_ = nullptr;
  bool in_place_ = false;
};

/// A method that a class of C++ declares.
class MethodAccess {
 public:
  /// \param type  The class that the method is looked for in, and then in its ancestors.
  /// \param key   Its key.
  /// \param name  Name of the method, which lives as long as this.
  /// \throws AttributeError  There is none.
  MethodAccess(const tenspan_type_info* type, std::string_view key, std::string_view name)
      : type_(type), info_(type == nullptr ? nullptr : member_of<tenspan_method_info>(type, name)), name_(name) {
    if (info_ == nullptr) {
      throw_missing("method", key, name);
    }
  }

  /// The method of an object, whose class may have one of its own.
  [[nodiscard]] const tenspan_method_info& of(const Any& object) const {
    if (object.raw().type_index == type_->type_index) {
      return *info_;
    }
    return *member_of<tenspan_method_info>(TNSCC_GetTypeInfo(object.raw().type_index), name_);
  }
  [[nodiscard]] const tenspan_method_info& own() const noexcept { return *info_; }

 private:
  const tenspan_type_info* type_;
  const tenspan_method_info* info_;
  std::string_view name_;
};

/// Calls of a method with a signature.
template <class Signature>
struct MethodCall;

template <class R, class... A>
struct MethodCall<R(A...)> {
  static R run(const MethodAccess& method, const Any& object, Given<A>... arguments) {
    const tenspan_method_info& info = method.of(object);
    return (info.flags & member_flag::is_static) != 0 ? call_function<R>(info.method, arguments...)
                                                      : call_function<R>(info.method, object, arguments...);
  }
  static R run_static(const MethodAccess& method, Given<A>... arguments) { return call_function<R>(method.own().method, arguments...); }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
