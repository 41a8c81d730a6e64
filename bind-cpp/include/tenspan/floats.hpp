/// \file
/// Floats that C++17 has no type for, as their bits.
///
/// They are for looking at memory; `Tensor::to_vector<float>()` and `cast` convert.
#pragma once

#include <cstdint>

#include <tenspan/version.hpp>

TENSPAN_BEGIN_NAMESPACE

/// Bits of an IEEE 754 half-precision number.
struct float16 {
  /// The bits.
  std::uint16_t bits;
};

/// Upper half of the bits of a `float`.
struct bfloat16 {
  /// The bits.
  std::uint16_t bits;
};

/// Bits of a float of 4 exponent and 3 mantissa bits without infinities.
struct float8_e4m3fn {
  /// The bits.
  std::uint8_t bits;
};

/// Bits of a float of 5 exponent and 2 mantissa bits.
struct float8_e5m2 {
  /// The bits.
  std::uint8_t bits;
};

TENSPAN_END_NAMESPACE
