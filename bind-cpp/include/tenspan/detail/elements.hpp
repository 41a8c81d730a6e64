/// \file
/// What all containers have in common: they compare by what they hold, and say which of their elements is of the wrong kind.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <tenspan/detail/call.hpp>
#include <tenspan/detail/value.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// A handle to a container.
class Container : public Handle {
 protected:
  using Handle::Handle;

  /// The value, unless it was given away.
  [[nodiscard]] const Any& held() const {
    if (object_of(any().raw()) == nullptr) {
      throw_named("ValueError", "the container was moved from");
    }
    return any();
  }
};

/// Whether two containers hold equal elements.
template <class A, class B, std::enable_if_t<std::is_base_of_v<Container, A> && std::is_base_of_v<Container, B>, int> = 0>
[[nodiscard]] bool operator==(const A& a, const B& b) {
  return tenspan_equal(&a.any().raw(), &b.any().raw());
}
template <class A, class B, std::enable_if_t<std::is_base_of_v<Container, A> && std::is_base_of_v<Container, B>, int> = 0>
[[nodiscard]] bool operator!=(const A& a, const B& b) {
  return !(a == b);
}

/// Asks that a value can be read as a `T`.
/// \param place  Makes the words for where it stands.
template <class T, class Place>
void expect(const Any& value, const Place& place) {
  if constexpr (!std::is_same_v<T, Any>) {
    if (!value.is<T>()) {
      throw_named("TypeError", place() + " wants " + Convert<T>::wanted() + ", found " + value.type_name());
    }
  }
}

/// Asks that all items can be read as `T`.
template <class T>
void expect_items(span<const Any> items) {
  if constexpr (!std::is_same_v<T, Any>) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      expect<T>(items[i], [i] { return "item " + std::to_string(i); });
    }
  }
}

/// Asks that keys and values, which stand in turn, can be read as `K` and `V`.
template <class K, class V>
void expect_entries(span<const Any> entries) {
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    expect<K>(entries[i], [i] { return "key " + std::to_string(i / 2); });
    expect<V>(entries[i + 1], [i] { return "value " + std::to_string(i / 2); });
  }
}

/// The words for what elements a container wants.
template <class T>
std::string each_wanted() {
  return std::is_same_v<T, Any> ? std::string() : " (each item " + Convert<T>::wanted() + ")";
}

/// The position that an index means in a sequence, counted from the end when negative.
inline std::size_t position_of(const char* what, std::int64_t index, std::size_t size) {
  const std::int64_t at = index < 0 ? index + static_cast<std::int64_t>(size) : index;
  if (at < 0 || at >= static_cast<std::int64_t>(size)) {
    throw_named("IndexError", "position " + std::to_string(index) + " is outside of " + what + " of " + std::to_string(size) +
                                  (size == 1 ? " item" : " items"));
  }
  return static_cast<std::size_t>(at);
}

/// Values as the library holds them.
template <class T, class Iterator>
std::vector<Any> values_of(Iterator first, Iterator last) {
  std::vector<Any> values;
  for (; first != last; ++first) {
    values.push_back(Convert<T>::write(*first));
  }
  return values;
}

/// Keys and values in turn.
template <class K, class V, class Iterator>
std::vector<Any> entries_of(Iterator first, Iterator last) {
  std::vector<Any> entries;
  for (; first != last; ++first) {
    entries.push_back(Convert<K>::write(first->first));
    entries.push_back(Convert<V>::write(first->second));
  }
  return entries;
}

/// Goes through the items of an array, which it keeps alive.
template <class T>
class ItemIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  /// One past the last item of any array.
  ItemIterator() = default;
  explicit ItemIterator(Any array) : array_(std::move(array)), left_(items(array_).size()) {}

  T operator*() const { return items(array_)[items(array_).size() - left_].template as<T>(); }
  ItemIterator& operator++() {
    --left_;
    return *this;
  }
  ItemIterator operator++(int) {
    ItemIterator before = *this;
    --left_;
    return before;
  }
  friend bool operator==(const ItemIterator& a, const ItemIterator& b) { return a.left_ == b.left_; }
  friend bool operator!=(const ItemIterator& a, const ItemIterator& b) { return a.left_ != b.left_; }

 private:
  Any array_;
  std::size_t left_ = 0;
};

}  // namespace detail
TENSPAN_END_NAMESPACE
