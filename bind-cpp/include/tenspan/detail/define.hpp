/// \file
/// Classes that a program of C++ defines for all languages:
///
/// ```cpp
/// struct Item : tenspan::Object {
///   TENSPAN_OBJECT_REF(Item, "shop.Item", tenspan::Object);
///   TENSPAN_FIELD(price, double);
///   TENSPAN_FIELD(count, std::int64_t);
///   double total() const { return price() * static_cast<double>(count()); }
/// };
/// tenspan::define_object<Item>("Something to sell.")
///     .field<double>("price")
///     .field<std::int64_t>("count").defaults(0)
///     .method("total", &Item::total)
///     .finish();
/// ```
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/container.hpp>
#include <tenspan/detail/object.hpp>
#include <tenspan/device.hpp>
#include <tenspan/dtype.hpp>
#include <tenspan/tensor.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// What the table of types calls a type of C++; `Any` when every value may stand there.
template <class T, class = void>
struct TypeName {
  static std::string get() { return "Any"; }
};
template <>
struct TypeName<bool> {
  static std::string get() { return "bool"; }
};
template <class T>
struct TypeName<T, std::enable_if_t<is_number<T>>> {
  static std::string get() { return "int"; }
};
template <class T>
struct TypeName<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static std::string get() { return "float"; }
};
template <>
struct TypeName<std::string> {
  static std::string get() { return "ffi.String"; }
};
template <>
struct TypeName<Tensor> {
  static std::string get() { return "ffi.Tensor"; }
};
template <>
struct TypeName<DType> {
  static std::string get() { return "DataType"; }
};
template <>
struct TypeName<Device> {
  static std::string get() { return "Device"; }
};
template <>
struct TypeName<Shape> {
  static std::string get() { return "ffi.Shape"; }
};
template <class T>
struct TypeName<T, std::enable_if_t<std::is_base_of_v<Function, T>>> {
  static std::string get() { return "ffi.Function"; }
};
template <class T>
struct TypeName<T, std::enable_if_t<std::is_base_of_v<Object, T>>> {
  static std::string get() { return std::string(T::class_key); }
};
template <class T>
struct TypeName<std::optional<T>> {
  static std::string get() { return "Optional[" + TypeName<T>::get() + "]"; }
};
template <class T>
struct TypeName<Array<T>> {
  static std::string get() { return "ffi.Array[" + TypeName<T>::get() + "]"; }
};
template <class T>
struct TypeName<std::vector<T>> : TypeName<Array<T>> {};
template <class T>
struct TypeName<List<T>> {
  static std::string get() { return "ffi.List"; }
};
template <class K, class V>
struct TypeName<Map<K, V>> {
  static std::string get() { return "ffi.Map[" + TypeName<K>::get() + ", " + TypeName<V>::get() + "]"; }
};
template <class K, class V>
struct TypeName<Dict<K, V>> {
  static std::string get() { return "ffi.Dict"; }
};

/// A member function as a callable whose first argument is the object.
template <class Class, class Owner, class R, class... A>
auto with_self(R (Owner::*method)(A...) const) {
  return [method](const Class& self, A... arguments) -> R { return (self.*method)(std::forward<A>(arguments)...); };
}
template <class Class, class Owner, class R, class... A>
auto with_self(R (Owner::*method)(A...)) {
  return [method](Class self, A... arguments) -> R { return (self.*method)(std::forward<A>(arguments)...); };
}
template <class Class, class F, class = std::enable_if_t<is_body<std::decay_t<F>>>>
F with_self(F callable) {
  return callable;
}

}  // namespace detail

/// A class to be, described member by member; see define_object().
/// \tparam Class  Class of C++ that begins with TENSPAN_OBJECT_REF.
template <class Class>
class ObjectDefinition {
  static_assert(std::is_base_of_v<Object, Class>, "classes of objects derive from tenspan::Object");

 public:
  /// \param doc  What the class is.
  explicit ObjectDefinition(std::string doc) : doc_(std::move(doc)) {}

  /// A field that everybody may read and write.
  /// \tparam T  Its type: `std::int64_t`, `double`, `bool`, or whatever becomes a value.
  /// \param name  Its name.
  /// \param doc   What it is.
  /// \return This.
  template <class T>
  ObjectDefinition& field(std::string name, std::string doc = {}) {
    return add_field<T>(std::move(name), std::move(doc), detail::member_flag::writable);
  }
  /// A field that is set when the object is made, and not again.
  /// \tparam T  Its type.
  /// \param name  Its name.
  /// \param doc   What it is.
  /// \return This.
  template <class T>
  ObjectDefinition& readonly(std::string name, std::string doc = {}) {
    return add_field<T>(std::move(name), std::move(doc), 0);
  }
  /// \param value  What the last field is when the constructor is not given it.
  /// \return This.
  ObjectDefinition& defaults(Any value) {
    last_field().flags |= detail::member_flag::has_default;
    last_field().value = std::move(value);
    return *this;
  }
  /// \param make  What makes the last field when the constructor is not given it, a new one each time.
  /// \return This.
  ObjectDefinition& factory(const Function& make) {
    last_field().flags |= detail::member_flag::default_is_factory;
    return defaults(make);
  }
  /// The last field is given to the constructor by name only.
  /// \return This.
  ObjectDefinition& keyword_only() {
    last_field().flags |= detail::member_flag::keyword_only;
    return *this;
  }
  /// A method.
  /// \param name      Its name.
  /// \param callable  A member function, or a callable whose first argument is a `Class`.
  /// \param doc       What it does.
  /// \return This.
  template <class F>
  ObjectDefinition& method(std::string name, F callable, std::string doc = {}) {
    return add_method(std::move(name), detail::with_self<Class>(std::move(callable)), std::move(doc), 0);
  }
  /// A function that belongs to the class.
  /// \param name      Its name.
  /// \param callable  A callable.
  /// \param doc       What it does.
  /// \return This.
  template <class F>
  ObjectDefinition& static_method(std::string name, F callable, std::string doc = {}) {
    return add_method(std::move(name), std::move(callable), std::move(doc), detail::member_flag::is_static);
  }
  /// Objects are equal when their fields are, not only when they are the same.
  /// \return This.
  ObjectDefinition& compared_by_fields() noexcept {
    by_fields_ = true;
    return *this;
  }

  /// Puts the class into the table of types, for ever and for all languages.
  /// \throws ValueError  The key is taken, or a name stands twice.
  /// \throws TypeError   A default is of another type, or the class that this one is derived from is made by a compiled module.
  void finish() const {
    std::vector<tenspan_member> members;
    for (const Member& member : members_) {
      members.push_back({detail::bytes_of(member.name), detail::bytes_of(member.doc), detail::bytes_of(member.type), member.flags,
                         member.value.raw()});
    }
    using Base = typename Class::base_class;
    const std::string_view parent = std::is_same_v<Base, Object> ? std::string_view() : Base::class_key;
    const tenspan_class described{detail::bytes_of(Class::class_key), detail::bytes_of(parent), detail::bytes_of(doc_), members.data(),
                                  members.size(), by_fields_};
    tenspan_any result{0, 0, 0};
    detail::check(tenspan_define_class(&described, &result));
  }

 private:
  struct Member {
    std::string name;
    std::string doc;
    std::string type;
    std::int64_t flags;
    Any value;
  };

  template <class T>
  ObjectDefinition& add_field(std::string name, std::string doc, std::int64_t flags) {
    static_assert(!detail::is_number<T> || std::is_same_v<T, std::int64_t> || (sizeof(T) == 8 && std::is_signed_v<T>),
                  "a whole number in an object is a std::int64_t");
    static_assert(!std::is_floating_point_v<T> || std::is_same_v<T, double>, "a number with a point in an object is a double");
    members_.push_back({std::move(name), std::move(doc), detail::TypeName<T>::get(), flags, Any()});
    return *this;
  }

  template <class F>
  ObjectDefinition& add_method(std::string name, F callable, std::string doc, std::int64_t flags) {
    const Function function = Function::named(std::string(Class::class_key) + "." + name, {}, std::move(callable), "");
    members_.push_back({std::move(name), std::move(doc), std::string(), flags, function});
    return *this;
  }

  Member& last_field() {
    if (members_.empty() || members_.back().type.empty()) {
      detail::throw_named("ValueError", "`" + std::string(Class::class_key) + "`: a default belongs to the field before it");
    }
    return members_.back();
  }

  std::string doc_;
  std::vector<Member> members_;
  bool by_fields_ = false;
};

/// Begins the definition of a class for all languages: fields, methods, then `finish()`.
/// \tparam Class  Class of C++ that begins with TENSPAN_OBJECT_REF; its base is what the class is derived from.
/// \param doc  What the class is.
/// \return The class to be.
template <class Class>
[[nodiscard]] ObjectDefinition<Class> define_object(std::string doc = {}) {
  return ObjectDefinition<Class>(std::move(doc));
}

TENSPAN_END_NAMESPACE
