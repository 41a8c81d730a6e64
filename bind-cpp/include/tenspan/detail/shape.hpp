/// \file
/// Lengths along dimensions as a value of their own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <tenspan/detail/elements.hpp>

TENSPAN_BEGIN_NAMESPACE

class Shape;

namespace detail {

template <>
struct Kind<Shape> {
  static bool matches(const Any& value) { return has_type(value, type_index::shape) || is_list(value); }
  static std::string wanted() { return "a shape"; }
  static Any own(const Any& value);
};

}  // namespace detail

/// Lengths along dimensions, as functions take and give them. Never changes; copies are the same shape.
class Shape : public detail::Container {
 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.Shape";
  using value_type = std::int64_t;
  using iterator = const std::int64_t*;

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds a shape.
  Shape(detail::Adopt, Any any) noexcept : Container(detail::Adopt(), std::move(any)) {}

  /// \param lengths  Elements along each dimension, outermost first.
  Shape(std::initializer_list<std::int64_t> lengths = {}) : Shape(span<const std::int64_t>(lengths.begin(), lengths.size())) {}
  /// \param lengths  Elements along each dimension, outermost first.
  Shape(const std::vector<std::int64_t>& lengths) : Shape(span<const std::int64_t>(lengths.data(), lengths.size())) {}
  /// \param lengths  Elements along each dimension, outermost first.
  explicit Shape(span<const std::int64_t> lengths) : Container(detail::Adopt(), make(lengths)) {}

  /// \return Number of dimensions.
  [[nodiscard]] std::size_t size() const { return lengths().size(); }
  /// \return Whether there are none.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// \param index  Dimension; negative counts from the end.
  /// \return Its length.
  /// \throws IndexError  There is no such dimension.
  [[nodiscard]] std::int64_t operator[](std::int64_t index) const {
    return lengths()[detail::position_of("a shape", index, size())];
  }
  /// \return The lengths in place, as long-lived as this shape.
  [[nodiscard]] span<const std::int64_t> lengths() const {
    const tenspan_shape_cell& cell = detail::cell_of<tenspan_shape_cell>(held().raw());
    return {cell.data, cell.size};
  }
  /// \return The first length.
  [[nodiscard]] iterator begin() const { return lengths().begin(); }
  /// \return One past the last.
  [[nodiscard]] iterator end() const { return lengths().end(); }

 private:
  static Any make(span<const std::int64_t> lengths) {
    tenspan_any result{0, 0, 0};
    detail::check(tenspan_shape(lengths.data(), lengths.size(), &result));
    return Any::adopt(result);
  }
};

inline Any detail::Kind<Shape>::own(const Any& value) {
  return has_type(value, type_index::shape) ? value : Shape(value.as<std::vector<std::int64_t>>()).any();
}

TENSPAN_END_NAMESPACE
