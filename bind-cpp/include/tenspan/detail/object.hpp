/// \file
/// Objects of classes that any language or a compiled module defined, and references that know their fields by name and type:
///
/// ```cpp
/// struct Pair : tenspan::Object {
///   TENSPAN_OBJECT_REF(Pair, "testing.Pair", tenspan::Object);
///   TENSPAN_FIELD(a, std::int64_t);
///   TENSPAN_READONLY_FIELD(b, std::int64_t);
///   TENSPAN_METHOD(sum, std::int64_t());
/// };
/// Pair pair = Pair::create(1, 2);
/// pair.set_a(5);
/// ```
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/call.hpp>
#include <tenspan/detail/reflect.hpp>
#include <tenspan/detail/sequence.hpp>

TENSPAN_BEGIN_NAMESPACE

class Object;

namespace detail {

/// References to objects are told from others by the key of their class, in the hierarchy that was registered.
template <class Class>
struct Kind<Class, std::enable_if_t<std::is_base_of_v<Object, Class>>> {
  static bool matches(const Any& value) {
    if constexpr (std::is_same_v<Class, Object>) {
      return object_of(value.raw()) != nullptr;
    } else {
      return is_instance<Class>(value.raw());
    }
  }
  static std::string wanted() {
    return std::is_same_v<Class, Object> ? "an object" : "an object of `" + std::string(Class::class_key) + "`";
  }
  static Any own(const Any& value) { return value; }
};

}  // namespace detail

/// An object of a class that any language or a compiled module defined. Copies refer to the same object.
///
/// Classes of C++ that know fields and methods are derived from it, see TENSPAN_OBJECT_REF.
class Object : public detail::Handle {
 public:
  /// What it is derived from; all begins here.
  using base_class = Object;
  /// The key of its class, which is that of all objects.
  static constexpr std::string_view class_key = "ffi.Object";

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds an object of this class.
  Object(detail::Adopt, Any any) noexcept : Handle(detail::Adopt(), std::move(any)) {}

  /// Makes an object, by the constructor of its class or of its fields.
  /// \param type_key   Key of the class.
  /// \param arguments  What the constructor takes, in order.
  /// \param named      What it takes by name.
  /// \return The object.
  /// \throws ValueError  There is no such class.
  /// \throws TypeError   The arguments do not fit, or objects of the class cannot be made.
  [[nodiscard]] static Object create(std::string_view type_key, const std::vector<Any>& arguments, const Record<Any>& named = {}) {
    static const std::int32_t method_ = detail::method("Object.create");
    return detail::call<Object>(method_, type_key, arguments, named);
  }

  /// \return Key of its class, such as `my.Pair`.
  [[nodiscard]] std::string type_key() const {
    static const std::int32_t method_ = detail::method("Object.typeKey");
    return detail::call<std::string>(method_, held());
  }

  /// A field.
  /// \tparam T  Type that it is read as.
  /// \param name  Name of the field.
  /// \return What it holds.
  /// \throws AttributeError  There is no such field; the message has the nearest name.
  /// \throws TypeError       It holds another kind of value.
  template <class T = Any>
  [[nodiscard]] T get(std::string_view name) const {
    static const std::int32_t method_ = detail::method("Object.get");
    return detail::call<T>(method_, held(), name);
  }

  /// Sets a field.
  /// \param name   Name of the field.
  /// \param value  What it becomes.
  /// \throws AttributeError  There is no such field, or it is read-only.
  /// \throws TypeError       The field holds another kind of value.
  template <class T>
  void set(std::string_view name, const T& value) const {
    static const std::int32_t method_ = detail::method("Object.set");
    detail::call<void>(method_, held(), name, value);
  }

  /// Calls a method.
  /// \tparam R  Type of the result.
  /// \param name       Name of the method.
  /// \param arguments  Anything that becomes a value.
  /// \return What it returns.
  /// \throws AttributeError  There is no such method.
  template <class R = Any, class... A>
  R call(std::string_view name, const A&... arguments) const {
    static const std::int32_t method_ = detail::method("Object.call");
    return detail::call<R>(method_, held(), name, std::vector<Any>{Any(arguments)...});
  }

  /// \return Another object with the same fields.
  /// \throws TypeError  The class does not say how.
  [[nodiscard]] Object copy() const { return copy_as<Object>(); }

  /// \tparam Class  Class of C++ that is derived from Object.
  /// \return Whether the object is of that class, or of one that is derived from it in the hierarchy that was registered.
  template <class Class>
  [[nodiscard]] bool is() const {
    return any().template is<Class>();
  }
  /// \tparam Class  Class of C++ that is derived from Object.
  /// \return The object as one of that class.
  /// \throws TypeError  It is of another one.
  template <class Class>
  [[nodiscard]] Class as() const {
    return any().template as<Class>();
  }
  /// \tparam Class  Class of C++ that is derived from Object.
  /// \return The object as one of that class, if it is.
  template <class Class>
  [[nodiscard]] std::optional<Class> try_as() const {
    return is<Class>() ? std::optional<Class>(as<Class>()) : std::nullopt;
  }

  /// \param other  Object.
  /// \return Whether both are one object.
  [[nodiscard]] bool same_as(const Object& other) const noexcept { return any().raw().payload == other.any().raw().payload; }

  /// \param a  Object.
  /// \param b  Object.
  /// \return Whether they are equal: the same, or with equal fields when their class is compared by these.
  [[nodiscard]] friend bool operator==(const Object& a, const Object& b) { return a.any() == b.any(); }
  /// \param a  Object.
  /// \param b  Object.
  /// \return Whether they differ.
  [[nodiscard]] friend bool operator!=(const Object& a, const Object& b) { return !(a == b); }

 protected:
  /// The value, unless it was given away.
  [[nodiscard]] const Any& held() const {
    if (detail::object_of(any().raw()) == nullptr) {
      detail::throw_named("ValueError", "the object was moved from");
    }
    return any();
  }

  template <class Class>
  [[nodiscard]] Class copy_as() const {
    static const std::int32_t method_ = detail::method("Object.copy");
    return detail::call<Class>(method_, held());
  }

  template <class Class, class... A>
  [[nodiscard]] static Class create_as(const A&... arguments) {
    // Where the table of types has the constructor, which stays there. A class without one is made of its fields, by the library.
    static std::atomic<const tenspan_any*> known{nullptr};
    if (const tenspan_any* const constructor = known.load(std::memory_order_acquire)) {
      Any made = detail::call_function<Any>(*constructor, arguments...);
      if (!made.is<Class>()) {
        detail::throw_named("TypeError", "the constructor of `" + std::string(Class::class_key) + "` returned " + made.type_name());
      }
      return Class(detail::Adopt(), std::move(made));
    }
    Class made = create(Class::class_key, std::vector<Any>{Any(arguments)...}).template as<Class>();
    known.store(detail::constructor_of(static_cast<const Object&>(made).any().raw().type_index, Class::class_key), std::memory_order_release);
    return made;
  }
};

TENSPAN_END_NAMESPACE

/// Begins a class of C++ whose objects are those of a key: `TENSPAN_OBJECT_REF(Pair, "testing.Pair", tenspan::Object);`
///
/// The base is `tenspan::Object`, or the class for the type that this one is derived from. It gives the class `create(…)`, which calls the
/// constructor of the type, and `copy()`. Values become such a class with `any.as<Pair>()`, as arguments and results of functions, and
/// in containers; objects of another type are a TypeError.
#define TENSPAN_OBJECT_REF(Class, key, Base)                                                                            \
 public:                                                                                                                \
  Class(::tenspan::detail::Adopt adopt, ::tenspan::Any object) noexcept : Base(adopt, ::std::move(object)) {}           \
  template <class... Arguments_>                                                                                        \
  [[nodiscard]] static Class create(const Arguments_&... arguments) {                                                   \
    return Class::template create_as<Class>(arguments...);                                                              \
  }                                                                                                                     \
  [[nodiscard]] Class copy() const { return this->template copy_as<Class>(); }                                          \
  using base_class = Base;                                                                                              \
  static constexpr ::std::string_view class_key = key

/// A field that is only read: `TENSPAN_READONLY_FIELD(b, std::int64_t);` is read by `pair.b()`.
///
/// The type is the one that the field has: `std::int64_t` for eight bytes, `std::int32_t` for four, `double`, `bool`; text, tensors, containers,
/// functions, other references, `std::optional` of these and `Any` for all else. The first use compares it with the field that there is.
#define TENSPAN_READONLY_FIELD(field, ...)                                                                              \
  [[nodiscard]] __VA_ARGS__ field() const {                                                                             \
    static const ::tenspan::detail::FieldAccess<__VA_ARGS__> access_(::tenspan::Object::held(), class_key, #field);     \
    return access_.get(::tenspan::Object::held());                                                                      \
  }                                                                                                                     \
  static_assert(true, "so that a semicolon follows")

/// A field that is read and written: `TENSPAN_FIELD(a, std::int64_t);` is read by `pair.a()` and set by `pair.set_a(5)`.
#define TENSPAN_FIELD(field, ...)                                                                                       \
  void set_##field(::tenspan::detail::Given<__VA_ARGS__> value) const {                                                 \
    static const ::tenspan::detail::FieldAccess<__VA_ARGS__> access_(::tenspan::Object::held(), class_key, #field);     \
    access_.set(::tenspan::Object::held(), value);                                                                      \
  }                                                                                                                     \
  TENSPAN_READONLY_FIELD(field, __VA_ARGS__)

/// A method with its signature: `TENSPAN_METHOD(scaled, Pair(std::int64_t));` is called by `pair.scaled(2)`.
#define TENSPAN_METHOD(method, ...)                                                                                     \
  template <class... Arguments_>                                                                                        \
  auto method(const Arguments_&... arguments) const {                                                                   \
    static const ::tenspan::detail::MethodAccess access_(                                                               \
        ::tenspan::detail::in_line(TNSCC_GetTypeInfo(::tenspan::Object::held().raw().type_index), class_key), class_key, #method); \
    return ::tenspan::detail::MethodCall<__VA_ARGS__>::run(access_, ::tenspan::Object::held(), arguments...);           \
  }                                                                                                                     \
  static_assert(true, "so that a semicolon follows")

/// A method that needs no object: `TENSPAN_STATIC_METHOD(zero, Pair());` is called by `Pair::zero()`.
#define TENSPAN_STATIC_METHOD(method, ...)                                                                              \
  template <class... Arguments_>                                                                                        \
  static auto method(const Arguments_&... arguments) {                                                                  \
    static const ::tenspan::detail::MethodAccess access_(::tenspan::detail::type_of_key(class_key), class_key, #method); \
    return ::tenspan::detail::MethodCall<__VA_ARGS__>::run_static(access_, arguments...);                               \
  }                                                                                                                     \
  static_assert(true, "so that a semicolon follows")

#include <tenspan/detail/define.hpp>
