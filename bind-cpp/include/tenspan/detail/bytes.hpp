/// \file
/// Bytes of the caller, seen for the time of a call.
#pragma once

#include <string_view>
#include <type_traits>

#include <tenspan/detail/abi.hpp>
#include <tenspan/span.hpp>

TENSPAN_BEGIN_NAMESPACE

/// A view of bytes: those of a string, or of a contiguous container of plain elements. Copies nothing.
class BytesView {
 public:
  /// \param data  First byte.
  /// \param size  Number of bytes.
  BytesView(const void* data, std::size_t size) noexcept : bytes_{static_cast<const char*>(data), size} {}

  /// \param text  String, or container such as `std::vector<float>`, whose elements are seen as bytes.
  template <class Range,
            std::enable_if_t<!std::is_base_of_v<BytesView, Range> &&
                                 std::is_trivially_copyable_v<std::remove_pointer_t<decltype(std::data(std::declval<const Range&>()))>>,
                             int> = 0>
  BytesView(const Range& text) noexcept : BytesView(std::data(text), std::size(text) * sizeof(*std::data(text))) {}

  /// \param text  Text that ends with a NUL, which does not count.
  BytesView(const char* text) noexcept : BytesView(std::string_view(text)) {}

  /// \return The first byte.
  [[nodiscard]] const void* data() const noexcept { return bytes_.data; }
  /// \return Number of bytes.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size; }

  /// \return The C layout, which lives as long as this view.
  [[nodiscard]] const tenspan_byte_array& raw() const noexcept { return bytes_; }

 private:
  tenspan_byte_array bytes_;
};

TENSPAN_END_NAMESPACE
