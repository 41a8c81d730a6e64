/// \file
/// Iterators over classes that are sequences or mappings. They keep the object alive.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenspan/version.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// Goes through the positions of a class with `operator[]`; items are made when they are looked at.
template <class Class, class Item>
class IndexIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Item;
  using difference_type = std::ptrdiff_t;
  using pointer = const Item*;
  using reference = Item;

  IndexIterator(Class object, std::uint64_t index) : object_(std::move(object)), index_(index) {}

  Item operator*() const { return object_[index_]; }
  IndexIterator& operator++() {
    ++index_;
    return *this;
  }
  IndexIterator operator++(int) {
    IndexIterator before = *this;
    ++index_;
    return before;
  }
  friend bool operator==(const IndexIterator& a, const IndexIterator& b) { return a.index_ == b.index_; }
  friend bool operator!=(const IndexIterator& a, const IndexIterator& b) { return a.index_ != b.index_; }

 private:
  Class object_;
  std::uint64_t index_;
};

/// Goes through the keys that a mapping had at the beginning; values are taken when they are looked at.
template <class Class, class Value>
class KeyIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = std::pair<std::string, Value>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  KeyIterator(Class object, std::vector<std::string> keys)
      : object_(std::move(object)), keys_(std::make_shared<const std::vector<std::string>>(std::move(keys))) {}

  /// One past the last key of any mapping.
  explicit KeyIterator(Class object) : object_(std::move(object)) {}

  value_type operator*() const { return {(*keys_)[index_], object_.get((*keys_)[index_])}; }
  KeyIterator& operator++() {
    ++index_;
    return *this;
  }
  KeyIterator operator++(int) {
    KeyIterator before = *this;
    ++index_;
    return before;
  }
  friend bool operator==(const KeyIterator& a, const KeyIterator& b) { return a.left() == b.left(); }
  friend bool operator!=(const KeyIterator& a, const KeyIterator& b) { return a.left() != b.left(); }

 private:
  [[nodiscard]] std::size_t left() const { return keys_ ? keys_->size() - index_ : 0; }

  Class object_;
  std::shared_ptr<const std::vector<std::string>> keys_;
  std::size_t index_ = 0;
};

}  // namespace detail
TENSPAN_END_NAMESPACE
