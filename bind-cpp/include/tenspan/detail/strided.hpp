/// \file
/// Elements by their positions: a pointer, a shape and byte strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tenspan/detail/error.hpp>
#include <tenspan/span.hpp>

TENSPAN_BEGIN_NAMESPACE

/// A view of elements that need not stand side by side. It does not keep them alive.
/// \tparam T  Type of the elements; `const` when they are only read.
template <class T>
class StridedView {
 public:
  /// \param data     First element.
  /// \param shape    Elements along each dimension.
  /// \param strides  Bytes from one position to the next along each dimension.
  StridedView(T* data, span<const std::uint64_t> shape, span<const std::int64_t> strides)
      : data_(data), shape_(shape), strides_(strides) {}

  /// \return The first element.
  [[nodiscard]] T* data() const noexcept { return data_; }
  /// \return Elements along each dimension.
  [[nodiscard]] span<const std::uint64_t> shape() const noexcept { return shape_; }
  /// \return Bytes from one position to the next along each dimension.
  [[nodiscard]] span<const std::int64_t> strides() const noexcept { return strides_; }
  /// \return Number of dimensions.
  [[nodiscard]] std::size_t ndim() const noexcept { return shape_.size(); }

  /// \param index  A position along each dimension; not checked.
  /// \return The element there.
  template <class... Index>
  T& operator()(Index... index) const noexcept {
    static_assert((std::is_integral_v<Index> && ...), "positions are whole numbers");
    const std::int64_t positions[sizeof...(Index) + 1] = {static_cast<std::int64_t>(index)..., 0};
    return *element(positions, sizeof...(Index));
  }

  /// \param index  A position along each dimension.
  /// \return The element there.
  /// \throws IndexError  There are more or fewer dimensions, or a position is outside of one.
  template <class... Index>
  T& at(Index... index) const {
    const std::uint64_t positions[sizeof...(Index) + 1] = {static_cast<std::uint64_t>(index)..., 0};
    if (sizeof...(Index) != ndim()) {
      detail::throw_named("IndexError", std::to_string(sizeof...(Index)) + " positions in a tensor with " +
                                            std::to_string(ndim()) + " dimensions");
    }
    for (std::size_t axis = 0; axis < ndim(); ++axis) {
      if (positions[axis] >= shape_[axis]) {
        detail::throw_named("IndexError", "index " + std::to_string(positions[axis]) + " is outside of dimension " +
                                              std::to_string(axis) + ", which has length " + std::to_string(shape_[axis]));
      }
    }
    return (*this)(index...);
  }

 private:
  using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;

  T* element(const std::int64_t* positions, std::size_t count) const noexcept {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < count; ++axis) {
      offset += positions[axis] * strides_[axis];
    }
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data_) + offset);
  }

  T* data_;
  span<const std::uint64_t> shape_;
  span<const std::int64_t> strides_;
};

TENSPAN_END_NAMESPACE
