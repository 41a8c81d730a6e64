/// \file
/// Arguments that are an object of a class, or something that one is made from.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include <tenspan/detail/handle.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// An object of `Class`, or what its static `from` takes: see the handwritten members of the class.
template <class Class>
class Like : public Handle {
 public:
  /// \param object  An object.
  Like(const Class& object) : Handle(Adopt(), object.any()) {}

  /// \param source  What an object is made from.
  template <class Source, std::enable_if_t<!std::is_base_of_v<Handle, std::decay_t<Source>> && Class::template is_source<Source>, int> = 0>
  Like(Source&& source) : Handle(Adopt(), Class::from(std::forward<Source>(source)).any()) {}

  /// \param items  Elements, which are copied.
  template <class T, std::enable_if_t<Class::template is_source<std::initializer_list<T>>, int> = 0>
  Like(std::initializer_list<T> items) : Handle(Adopt(), Class::from(items).any()) {}

  /// \return The object.
  [[nodiscard]] Class get() const { return Class(Adopt(), any()); }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
