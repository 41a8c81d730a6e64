/// \file
/// Containers that cross borders, and those of the standard library.
#pragma once

#include <tenspan/kernel/map.hpp>
#include <tenspan/kernel/sequence.hpp>
#include <tenspan/kernel/tuple.hpp>
