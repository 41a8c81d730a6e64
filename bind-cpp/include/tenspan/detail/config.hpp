/// \file
/// Features of the compiler that the headers depend on. No layout does.
#pragma once

#include <cstdio>
#include <cstdlib>

#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "tenspan needs C++17: compile with -std=c++17 or later"
#endif

// Code that a program rarely runs is kept out of the code that it always runs.
#if defined(__GNUC__) || defined(__clang__)
#define TENSPAN_COLD __attribute__((noinline, cold))
#elif defined(_MSC_VER)
#define TENSPAN_COLD __declspec(noinline)
#else
#define TENSPAN_COLD
#endif

// Without exceptions an error prints its message and aborts.
#if !defined(TENSPAN_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define TENSPAN_NO_EXCEPTIONS
#endif

/// File and line of whoever calls a function with such default arguments.
#if defined(__GNUC__) || defined(__clang__) || (defined(_MSC_VER) && _MSC_VER >= 1926)
#define TENSPAN_FILE_HERE __builtin_FILE()
#define TENSPAN_LINE_HERE static_cast<std::uint32_t>(__builtin_LINE())
#else
#define TENSPAN_FILE_HERE ""
#define TENSPAN_LINE_HERE 0
#endif
