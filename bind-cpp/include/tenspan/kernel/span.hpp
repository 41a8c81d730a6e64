/// \file
/// Views of memory: a pointer and a length.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <type_traits>

#include <tenspan/kernel/config.hpp>

TENSPAN_KERNEL_BEGIN

/// Elements side by side, which someone else owns.
template <class T>
class Span {
 public:
  using value_type = std::remove_cv_t<T>;

  Span() = default;
  Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t position) const noexcept { return data_[position]; }
  [[nodiscard]] T* begin() const noexcept { return data_; }
  [[nodiscard]] T* end() const noexcept { return data_ + size_; }

  friend bool operator==(const Span& a, const Span& b) {
    bool equal = a.size_ == b.size_;
    for (std::size_t i = 0; equal && i < a.size_; ++i) {
      equal = a[i] == b[i];
    }
    return equal;
  }
  friend bool operator!=(const Span& a, const Span& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Span& span) {
    out << "[";
    for (std::size_t i = 0; i < span.size_; ++i) {
      out << (i == 0 ? "" : ", ") << span[i];
    }
    return out << "]";
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

TENSPAN_KERNEL_END
