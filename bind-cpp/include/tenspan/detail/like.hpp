/// \file
/// Arguments that are an object of a class, or something that one is made from.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include <tenspan/detail/handle.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Whether an object of `Class` can be made from a `Source` that is no object itself.
template <class Class, class Source>
constexpr bool makes() {
  if constexpr (std::is_base_of_v<Handle, std::decay_t<Source>> || std::is_same_v<std::decay_t<Source>, Any>) {
    return false;
  } else {
    return Class::template is_source<Source> || std::is_constructible_v<Class, Source>;
  }
}

template <class Class, class Source>
Class make(Source&& source) {
  if constexpr (Class::template is_source<Source>) {
    return Class::from(std::forward<Source>(source));
  } else {
    return Class(std::forward<Source>(source));
  }
}

/// An object of `Class`, or what one is made from: what its constructor takes, or its static `from`.
template <class Class>
class Like : public Handle {
 public:
  /// \param object  An object.
  Like(const Class& object) : Handle(Adopt(), object.any()) {}

  /// \param source  What an object is made from.
  template <class Source, std::enable_if_t<makes<Class, Source>(), int> = 0>
  Like(Source&& source) : Handle(Adopt(), make<Class>(std::forward<Source>(source)).any()) {}

  /// \param items  Elements, which are copied.
  template <class T, std::enable_if_t<makes<Class, std::initializer_list<T>>(), int> = 0>
  Like(std::initializer_list<T> items) : Handle(Adopt(), make<Class>(items).any()) {}

  /// \return The object.
  [[nodiscard]] Class get() const { return Class(Adopt(), any()); }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
