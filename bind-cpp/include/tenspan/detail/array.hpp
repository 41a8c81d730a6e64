/// \file
/// Sequences that cross borders: Array, which never changes, and List, which everybody who holds it may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/elements.hpp>

TENSPAN_BEGIN_NAMESPACE

template <class T = Any>
class Array;
template <class T = Any>
class List;

namespace detail {

template <class T>
struct Kind<Array<T>> {
  static bool matches(const Any& value) { return is_list(value); }
  static std::string wanted() { return "an array" + each_wanted<T>(); }
  static Any own(const Any& value) {
    Any array = settled(value);
    expect_items<T>(items(array));
    return array;
  }
};

template <class T>
struct Kind<List<T>> {
  static bool matches(const Any& value) { return is_list(value); }
  static std::string wanted() { return "a list" + each_wanted<T>(); }
  static Any own(const Any& value) {
    const Any array = settled(value);
    expect_items<T>(items(array));
    if (has_type(value, type_index::list)) {
      return value;
    }
    static const std::int32_t method_ = method("List.new");
    return call<Any>(method_, array);
  }
};

/// Whether values can be made from what an iterator of this type goes through.
template <class Iterator>
using if_iterator = typename std::iterator_traits<Iterator>::iterator_category;

}  // namespace detail

/// Values in order that never change. Equal to every sequence with equal items; copies are the same array.
///
/// Items are read in place. An array from elsewhere is looked through once, when it becomes an `Array<T>`.
/// \tparam T  Type that the items are read as.
template <class T>
class Array : public detail::Container {
 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.Array";
  using value_type = T;
  using iterator = detail::ItemIterator<T>;

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds an array.
  Array(detail::Adopt, Any any) noexcept : Container(detail::Adopt(), std::move(any)) {}

  /// \param items  The items in order.
  Array(std::initializer_list<T> items = {}) : Array(items.begin(), items.end()) {}
  /// \param items  The items in order.
  Array(const std::vector<T>& items) : Array(items.begin(), items.end()) {}
  /// \param first  First of the items in order.
  /// \param last   One past the last.
  template <class Iterator, class = detail::if_iterator<Iterator>>
  Array(Iterator first, Iterator last) : Array(detail::Adopt(), make(detail::values_of<T>(first, last))) {}

  /// \return Number of items.
  [[nodiscard]] std::size_t size() const { return items().size(); }
  /// \return Whether there are none.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// \param index  Position; negative counts from the end.
  /// \return The item there.
  /// \throws IndexError  There is no such position.
  [[nodiscard]] T get(std::int64_t index) const {
    const span<const Any> all = items();
    return all[detail::position_of("an array", index, all.size())].template as<T>();
  }
  /// \param index  Position; negative counts from the end.
  /// \return The item there.
  /// \throws IndexError  There is no such position.
  [[nodiscard]] T operator[](std::int64_t index) const { return get(index); }
  /// \return The first item.
  [[nodiscard]] iterator begin() const { return iterator(held()); }
  /// \return One past the last.
  [[nodiscard]] iterator end() const { return iterator(); }
  /// \return The items in place, as long-lived as this array.
  [[nodiscard]] span<const Any> items() const { return detail::items(held()); }
  /// \return The items.
  [[nodiscard]] std::vector<T> to_vector() const { return any().template as<std::vector<T>>(); }
  /// \param value  What is looked for.
  /// \return The position of the first item that equals it.
  [[nodiscard]] std::optional<std::uint64_t> index_of(const T& value) const {
    static const std::int32_t method_ = detail::method("Array.indexOf");
    return detail::call<std::optional<std::uint64_t>>(method_, *this, value);
  }

 private:
  static Any make(const std::vector<Any>& values) { return Any::list(values.data(), values.size()); }
};

/// Values in order that can be changed; everybody who holds the list sees it, in whatever language. Copies are the same list.
/// \tparam T  Type that the items are read as, and of those that are put in.
template <class T>
class List : public detail::Container {
 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.List";
  using value_type = T;
  using iterator = detail::ItemIterator<T>;

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds a list.
  List(detail::Adopt, Any any) noexcept : Container(detail::Adopt(), std::move(any)) {}

  /// \param items  The items in order.
  List(std::initializer_list<T> items = {}) : List(items.begin(), items.end()) {}
  /// \param items  The items in order.
  List(const std::vector<T>& items) : List(items.begin(), items.end()) {}
  /// \param first  First of the items in order.
  /// \param last   One past the last.
  template <class Iterator, class = detail::if_iterator<Iterator>>
  List(Iterator first, Iterator last) : List(detail::Adopt(), make(detail::values_of<T>(first, last))) {}

  /// \return Number of items, as it is now.
  [[nodiscard]] std::size_t size() const {
    static const std::int32_t method_ = detail::method("List.@len");
    return static_cast<std::size_t>(detail::call<std::uint64_t>(method_, *this));
  }
  /// \return Whether there are none.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// \param index  Position; negative counts from the end.
  /// \return The item there.
  /// \throws IndexError  There is no such position.
  [[nodiscard]] T get(std::int64_t index) const {
    static const std::int32_t method_ = detail::method("List.get");
    return detail::call<T>(method_, *this, index);
  }
  /// \param index  Position; negative counts from the end.
  /// \return The item there.
  /// \throws IndexError  There is no such position.
  [[nodiscard]] T operator[](std::int64_t index) const { return get(index); }
  /// \param index  Position; negative counts from the end.
  /// \param value  Put in the place of the item there.
  /// \throws IndexError  There is no such position.
  void set(std::int64_t index, const T& value) const {
    static const std::int32_t method_ = detail::method("List.set");
    detail::call<void>(method_, *this, index, value);
  }
  /// \param value  Added at the end.
  void push(const T& value) const {
    static const std::int32_t method_ = detail::method("List.push");
    detail::call<void>(method_, *this, value);
  }
  /// Takes an item out.
  /// \param index  Position; negative counts from the end.
  /// \return The item.
  /// \throws IndexError  There is no such position.
  T remove(std::int64_t index = -1) const {
    static const std::int32_t method_ = detail::method("List.remove");
    return detail::call<T>(method_, *this, index);
  }
  /// Puts a value before a position; past the end is the end.
  /// \param position  Position, from 0.
  /// \param value     The value.
  void insert(std::uint64_t position, const T& value) const { splice(position, position, {value}); }
  /// Puts items in the place of a range.
  /// \param start  First position of the range; past the end is the end.
  /// \param stop   One past the last position.
  /// \param items  What is put there.
  /// \return What stood there.
  std::vector<T> splice(std::uint64_t start, std::uint64_t stop, const std::vector<T>& items = {}) const {
    static const std::int32_t method_ = detail::method("List.splice");
    return detail::call<std::vector<T>>(method_, *this, start, stop, items);
  }
  /// Takes all items out.
  void clear() const {
    static const std::int32_t method_ = detail::method("List.clear");
    detail::call<void>(method_, *this);
  }
  /// \return The first of the items that there are now; what is changed while they are gone through does not show.
  [[nodiscard]] iterator begin() const { return iterator(snapshot().any()); }
  /// \return One past the last.
  [[nodiscard]] iterator end() const { return iterator(); }
  /// \return The items as they are now.
  [[nodiscard]] Array<T> snapshot() const { return Array<T>(detail::Adopt(), detail::settled(held())); }
  /// \return The items as they are now.
  [[nodiscard]] std::vector<T> to_vector() const { return snapshot().to_vector(); }
  /// \param value  What is looked for.
  /// \return The position of the first item that equals it.
  [[nodiscard]] std::optional<std::uint64_t> index_of(const T& value) const {
    static const std::int32_t method_ = detail::method("List.indexOf");
    return detail::call<std::optional<std::uint64_t>>(method_, *this, value);
  }

 private:
  static Any make(const std::vector<Any>& values) {
    static const std::int32_t method_ = detail::method("List.new");
    return detail::call<Any>(method_, values);
  }
};

TENSPAN_END_NAMESPACE
