/// \file
/// What the classes of the spec are made of: one value that holds the object.
#pragma once

#include <utility>

#include <tenspan/any.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Marks the constructors that take over an object.
struct Adopt {};

/// A counted reference to an object. Copies refer to the same object; one that was moved from refers to none.
class Handle {
 public:
  /// \return The object as a value.
  [[nodiscard]] const Any& any() const noexcept { return any_; }

 protected:
  Handle(Adopt, Any any) noexcept : any_(std::move(any)) {}

 private:
  Any any_;
};

/// The handwritten members of a class of the spec; none unless specialised.
template <class Class>
class Members : public Handle {
 public:
  /// Whether the class has a static `from` for values of a type.
  template <class Source>
  static constexpr bool is_source = false;

 protected:
  using Handle::Handle;
};

/// How values of a class are told from others: by the type index, or by the name of the class.
template <class Class, class = void>
struct Kind {
  static bool matches(const Any& value) {
    if (object_of(value.raw()) == nullptr) {
      return false;
    }
    const tenspan_byte_array name = tenspan_type_name(value.raw().type_index);
    return std::string_view(name.data, name.size) == Class::type_key;
  }
  static Any own(const Any& value) { return value; }
  static std::string wanted() { return "a " + std::string(Class::type_key); }
};

template <class Class>
struct Convert<Class, std::enable_if_t<std::is_base_of_v<Handle, Class>>> {
  // A class may have a member of that name itself.
  static Any write(const Handle& object) { return object.any(); }
  static bool matches(const Any& value) { return Kind<Class>::matches(value); }
  static std::string wanted() { return Kind<Class>::wanted(); }
  static Class read(const Any& value) { return Class(Adopt(), Kind<Class>::own(value)); }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
