/// \file
/// Views of elements that stand side by side: std::span for C++17.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <tenspan/version.hpp>

#if __cplusplus >= 202002L
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <ranges>
#include <span>
#endif

TENSPAN_BEGIN_NAMESPACE

template <class T>
class span;

namespace detail {

/// Whether `Range` shows elements side by side that can be seen as `T`, and is not itself a span.
template <class Range, class T, class = void>
struct is_contiguous_of : std::false_type {};

template <class Range, class T>
struct is_contiguous_of<Range, T,
                        std::void_t<decltype(std::data(std::declval<Range&>())), decltype(std::size(std::declval<Range&>()))>>
    : std::is_convertible<std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))> (*)[], T (*)[]> {};

}  // namespace detail

/// A view of `size()` elements side by side. It does not keep them alive.
/// \tparam T  Type of the elements; `const` when they are only read.
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using iterator = T*;

  /// A view of nothing.
  constexpr span() noexcept = default;

  /// A view of `size` elements from `data` on.
  /// \param data  First element.
  /// \param size  Number of elements.
  constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// A view of the elements of a container, an array, or a std::span.
  /// \param range  Anything that std::data and std::size take.
  template <class Range, std::enable_if_t<!std::is_same_v<std::remove_cv_t<std::remove_reference_t<Range>>, span> &&
                                              detail::is_contiguous_of<std::remove_reference_t<Range>, T>::value &&
                                              (std::is_lvalue_reference_v<Range> || std::is_const_v<T>),
                                          int> = 0>
  constexpr span(Range&& range) : data_(std::data(range)), size_(std::size(range)) {}

  /// A view of the same elements that does not write them.
  /// \param other  View that may write.
  template <class U, std::enable_if_t<!std::is_same_v<U, T> && std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr span(span<U> other) noexcept : data_(other.data()), size_(other.size()) {}

  /// \return The first element.
  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  /// \return Number of elements.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  /// \return Bytes of all elements.
  [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  /// \return Whether there are no elements.
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  /// \param index  Position, smaller than size(); not checked.
  /// \return The element there.
  constexpr T& operator[](std::size_t index) const { return data_[index]; }
  /// \return The first element; there must be one.
  [[nodiscard]] constexpr T& front() const { return data_[0]; }
  /// \return The last element; there must be one.
  [[nodiscard]] constexpr T& back() const { return data_[size_ - 1]; }
  /// \return The first position.
  [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
  /// \return One past the last position.
  [[nodiscard]] constexpr T* end() const noexcept { return data_ + size_; }

  /// Part of the view.
  /// \param offset  First element; not checked.
  /// \param count   Number of elements; not checked.
  /// \return A view of them.
  [[nodiscard]] constexpr span subspan(std::size_t offset, std::size_t count) const { return {data_ + offset, count}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A view of a container has the container's elements.
template <class Range>
span(Range&) -> span<std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>;
/// A view from a pointer has what the pointer points at.
template <class T>
span(T*, std::size_t) -> span<T>;

TENSPAN_END_NAMESPACE

#if defined(__cpp_lib_span)
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<tenspan::span<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<tenspan::span<T>> = true;
#endif
