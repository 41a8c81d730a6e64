/// \file
/// Values that need no object: how they lie in the C layout, written and read in place. What is hot goes through here.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tenspan/detail/abi.hpp>
#include <tenspan/detail/config.hpp>
#include <tenspan/detail/counted.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

template <class T>
inline constexpr bool is_number =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
    !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

/// Writes `write(slot, value)` and reads `read(raw, value)` a type whose values need no object. What cannot be read so is left to
/// `Convert`: another kind, a number that does not fit.
template <class T, class = void>
struct Plain {
  static constexpr bool known = false;
};

template <class T>
inline constexpr bool is_plain = Plain<T>::known;

/// Writes the fields one by one: what is read again soon must be read as it was written, or the processor waits.
inline void put(tenspan_any& slot, std::int32_t type, std::uint64_t payload) noexcept {
  slot.type_index = type;
  slot.small_size = 0;
  slot.payload = payload;
}

inline void put(tenspan_any& slot, const tenspan_any& raw) noexcept {
  slot.type_index = raw.type_index;
  slot.small_size = raw.small_size;
  slot.payload = raw.payload;
}

template <>
struct Plain<bool> {
  static constexpr bool known = true;
  static void write(tenspan_any& slot, bool value) noexcept { put(slot, type_index::boolean, value ? 1 : 0); }
  static bool read(const tenspan_any& raw, bool& value) noexcept {
    value = raw.payload != 0;
    return raw.type_index == type_index::boolean;
  }
};

/// Whole numbers that a value of 64 bits with a sign holds.
template <class T>
struct Plain<T, std::enable_if_t<is_number<T> && (std::is_signed_v<T> || sizeof(T) < 8)>> {
  static constexpr bool known = true;
  static void write(tenspan_any& slot, T value) noexcept {
    put(slot, type_index::integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  static bool read(const tenspan_any& raw, T& value) noexcept {
    const auto number = static_cast<std::int64_t>(raw.payload);
    value = static_cast<T>(number);
    return raw.type_index == type_index::integer && static_cast<std::int64_t>(value) == number;
  }
};

template <class T>
struct Plain<T, std::enable_if_t<std::is_same_v<T, float> || std::is_same_v<T, double>>> {
  static constexpr bool known = true;
  static void write(tenspan_any& slot, T value) noexcept {
    const auto wide = static_cast<double>(value);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &wide, sizeof(bits));
    put(slot, type_index::real, bits);
  }
  static bool read(const tenspan_any& raw, T& value) noexcept {
    double wide = 0;
    std::memcpy(&wide, &raw.payload, sizeof(wide));
    value = static_cast<T>(wide);
    return raw.type_index == type_index::real;
  }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
