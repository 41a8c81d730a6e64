/// \file
/// Kernels: functions and classes of C++ for modules that any language loads.
///
/// ```cpp
/// #include <tenspan/kernel.hpp>
///
/// void add_one(tenspan::kernel::TensorView x, tenspan::kernel::TensorView y) {
///   TENSPAN_CHECK_EQ(x.size(), y.size()) << "x and y must be of one size";
///   const auto from = x.span<const float>();
///   const auto to = y.span<float>();
///   for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] + 1;
/// }
/// TENSPAN_EXPORT(add_one, add_one, "Adds one to each element.", "x", "y");
/// ```
/// compiled by `g++ -std=c++17 -O2 -shared -fPIC -fvisibility=hidden -fno-gnu-unique`. A module imports no symbol of a runtime: tenspan hands it a table of
/// functions when it loads it, and another runtime of the same public ABI is found by weak references. So one file serves both.
/// Nothing here needs RTTI. Exceptions must be on; none leaves a module.
#pragma once

#include <tenspan/kernel/check.hpp>
#include <tenspan/kernel/class.hpp>
#include <tenspan/kernel/container.hpp>
#include <tenspan/kernel/export.hpp>
#include <tenspan/kernel/function.hpp>
#include <tenspan/kernel/stream.hpp>
#include <tenspan/kernel/tensor.hpp>
