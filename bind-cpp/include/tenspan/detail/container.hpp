/// \file
/// All containers.
#pragma once

#include <tenspan/detail/array.hpp>
#include <tenspan/detail/map.hpp>
#include <tenspan/detail/shape.hpp>
#include <tenspan/detail/tuple.hpp>
