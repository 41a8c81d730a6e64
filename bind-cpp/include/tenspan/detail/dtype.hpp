/// \file
/// Which dtype the elements of a C++ type have.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include <tenspan/detail/handle.hpp>
#include <tenspan/floats.hpp>

TENSPAN_BEGIN_NAMESPACE

class DType;

namespace detail {

template <>
struct Kind<DType> {
  static bool matches(const Any& value) { return has_type(value, type_index::dtype); }
  static std::string wanted() { return "a dtype"; }
  static Any own(const Any& value) { return value; }
};

constexpr std::uint64_t dtype_bits(std::uint64_t code, std::size_t size) {
  return code | (static_cast<std::uint64_t>(size) * 8) << 8 | std::uint64_t{1} << 16;
}

/// The payload of the dtype value of `T`, as DLPack codes it; 0 when there is none.
template <class T>
constexpr std::uint64_t dtype_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return dtype_bits(6, 1);
  } else if constexpr (is_number<T>) {
    return dtype_bits(std::is_signed_v<T> ? 0 : 1, sizeof(T));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, float16>) {
    return dtype_bits(2, sizeof(T));
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return dtype_bits(4, 2);
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return dtype_bits(5, sizeof(T));
  } else if constexpr (std::is_same_v<T, float8_e4m3fn>) {
    return dtype_bits(10, 1);
  } else if constexpr (std::is_same_v<T, float8_e5m2>) {
    return dtype_bits(12, 1);
  } else {
    return 0;
  }
}

/// Whether tensors can have elements of type `T`.
template <class T>
inline constexpr bool is_element = dtype_of<T>() != 0;

}  // namespace detail
TENSPAN_END_NAMESPACE
