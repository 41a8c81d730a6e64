/// \file
/// How a Device is told from other values.
#pragma once

#include <tenspan/detail/handle.hpp>
#include <tenspan/detail/value.hpp>

TENSPAN_BEGIN_NAMESPACE

class Device;

namespace detail {

template <>
struct Kind<Device> {
  static bool matches(const Any& value) { return has_type(value, type_index::device); }
  static std::string wanted() { return "a device"; }
  static Any own(const Any& value) { return value; }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
