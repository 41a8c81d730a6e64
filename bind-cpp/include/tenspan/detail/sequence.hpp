/// \file
/// Arguments that are lists, named values, names, or paths: everything that C++ callers have at hand is accepted.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/value.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Turns an item of a caller's list into an item of ours; whole numbers are checked, not cut.
template <class To, class From>
To item_as(const From& from) {
  if constexpr (is_number<To> && std::is_integral_v<From>) {
    return Convert<To>::read(Any(from));
  } else {
    return To(from);
  }
}

/// A whole number in braces, of whatever type, as a `T`.
template <class T>
struct Whole {
  template <class From, std::enable_if_t<std::is_integral_v<From>, int> = 0>
  Whole(From from) : value(item_as<T>(from)) {}
  operator T() const { return value; }

  T value;
};

template <class T>
using braced = std::conditional_t<is_number<T>, Whole<T>, T>;

template <class Range>
using item_of = std::decay_t<decltype(*std::begin(std::declval<const Range&>()))>;

}  // namespace detail

/// A list of values, from `{1, 2}`, a vector, an array, a span, or any other range.
/// \tparam T  Type of the items.
template <class T>
class Sequence {
 public:
  /// No items.
  Sequence() = default;
  /// \param items  The items.
  Sequence(std::initializer_list<detail::braced<T>> items) : items_(items.begin(), items.end()) {}
  /// \param range  Range of items; whole numbers must fit `T`.
  template <class Range, std::enable_if_t<!std::is_same_v<Range, Sequence> && std::is_constructible_v<T, detail::item_of<Range>>, int> = 0>
  Sequence(const Range& range) {
    for (const auto& item : range) {
      items_.push_back(detail::item_as<T>(item));
    }
  }

  /// \return The items.
  [[nodiscard]] const std::vector<T>& items() const noexcept { return items_; }

 private:
  std::vector<T> items_;
};

/// Named values in order, from `{{"a", x}, {"b", y}}`, a map, or any other range of pairs.
/// \tparam T  Type of the values.
template <class T>
class Record {
 public:
  /// No values.
  Record() = default;
  /// \param items  Names and values.
  Record(std::initializer_list<std::pair<std::string, T>> items) : items_(items) {}
  /// \param range  Range of pairs.
  template <class Range, std::enable_if_t<!std::is_same_v<Range, Record> &&
                                              std::is_constructible_v<T, decltype(std::declval<detail::item_of<Range>>().second)>,
                                          int> = 0>
  Record(const Range& range) {
    for (const auto& item : range) {
      items_.emplace_back(std::string(item.first), T(item.second));
    }
  }

  /// \return Names and values.
  [[nodiscard]] const std::vector<std::pair<std::string, T>>& items() const noexcept { return items_; }

 private:
  std::vector<std::pair<std::string, T>> items_;
};

/// A name: text, or an object that has one, such as a DType.
class Name {
 public:
  /// \param text  Text.
  template <class Text, std::enable_if_t<std::is_convertible_v<const Text&, std::string_view>, int> = 0>
  Name(const Text& text) : text_(std::string_view(text)) {}
  /// \param object  Object with a `name()`.
  template <class Object, class = decltype(std::string(std::declval<const Object&>().name())), class = void>
  Name(const Object& object) : text_(object.name()) {}

  /// \return The text.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// A path: text in UTF-8, or a `std::filesystem::path`.
class Path {
 public:
  /// \param text  Text.
  template <class Text, std::enable_if_t<std::is_convertible_v<const Text&, std::string_view>, int> = 0>
  Path(const Text& text) : text_(std::string_view(text)) {}
  /// \param path  A `std::filesystem::path`, or what has a `u8string()` like one.
  template <class Like, class = decltype(std::declval<const Like&>().u8string()), class = void>
  Path(const Like& path) {
    const auto text = path.u8string();
    text_.assign(reinterpret_cast<const char*>(text.data()), text.size());
  }

  /// \return The path as text.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

namespace detail {

template <class T>
struct Convert<Sequence<T>> {
  static Any write(const Sequence<T>& values) { return Convert<std::vector<T>>::write(values.items()); }
};

template <class T>
struct Convert<Record<T>> {
  static Any write(const Record<T>& values) {
    return Convert<std::vector<std::pair<std::string, T>>>::write(values.items());
  }
};

template <>
struct Convert<Name> {
  static Any write(const Name& name) { return write_text(name.text()); }
};

template <>
struct Convert<Path> {
  static Any write(const Path& path) { return write_text(path.text()); }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
