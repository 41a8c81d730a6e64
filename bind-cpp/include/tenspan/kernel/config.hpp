/// \file
/// What the headers of kernels ask of the compiler.
#pragma once

#if __cplusplus < 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#error "tenspan needs C++17: compile with -std=c++17 or later"
#endif

#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#error "kernels report errors by exceptions: compile without -fno-exceptions"
#endif

#if defined(_WIN32)
#define TENSPAN_KERNEL_EXPORT __declspec(dllexport)
#define TENSPAN_KERNEL_HIDDEN
#define TENSPAN_KERNEL_COLD
#else
#define TENSPAN_KERNEL_EXPORT __attribute__((visibility("default")))
// What is hidden is the module's own: two modules in a process never share a variable of these headers.
#define TENSPAN_KERNEL_HIDDEN __attribute__((visibility("hidden")))
#define TENSPAN_KERNEL_COLD __attribute__((noinline, cold))
#endif

#define TENSPAN_KERNEL_BEGIN \
  namespace tenspan {        \
  namespace kernel TENSPAN_KERNEL_HIDDEN {
#define TENSPAN_KERNEL_END \
  }                        \
  }

#define TENSPAN_KERNEL_JOIN_(a, b) a##b
#define TENSPAN_KERNEL_JOIN(a, b) TENSPAN_KERNEL_JOIN_(a, b)
