/// \file
/// Exporting functions of C++ from a module: `TENSPAN_EXPORT(name, function, "docs", "first", "second");`
#pragma once

#include <tenspan/kernel/signature.hpp>
#include <tenspan/kernel/text.hpp>

TENSPAN_KERNEL_BEGIN
namespace detail {

/// A function that a module exports, and what it says of itself.
template <class F, std::size_t N>
struct Exported {
  F function;
  std::string_view doc;
  std::string_view names[N == 0 ? 1 : N];

  using Call = Invocation<typename SignatureOf<F>::type>;

  int call(std::string_view name, const Place& place, const abi::Value* args, std::int32_t count, abi::Value* result) const noexcept {
    try {
      Call::run(function, Names{name, names, N}, args, count, result);
      return 0;
    } catch (...) {
      abi::leave_current(place);
      return -1;
    }
  }

  int give_doc(abi::Value* result) const noexcept { return give(std::string(doc), result); }

  int give_metadata(abi::Value* result) const noexcept {
    try {
      std::string text = R"({"type_schema":)" + quoted(Call::schema());
      if (N != 0) {
        text += R"(,"arg_names":[)";
        for (std::size_t i = 0; i < N; ++i) {
          text += (i == 0 ? "" : ",") + quoted(names[i]);
        }
        text += "]";
      }
      return give(text + "}", result);
    } catch (...) {
      abi::leave_current(Place{});
      return -1;
    }
  }

 private:
  static int give(const std::string& text, abi::Value* result) noexcept {
    try {
      *result = Convert<std::string>::write(text);
      return 0;
    } catch (...) {
      abi::leave_current(Place{});
      return -1;
    }
  }
  /// A string of JSON.
  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') {
        out += '\\';
      }
      if (static_cast<unsigned char>(letter) < 0x20) {
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(letter)));
        out += code;
      } else {
        out += letter;
      }
    }
    return out + "\"";
  }
};

/// \param function  What is exported.
/// \param doc       What it does.
/// \param names     Names of its arguments, in order.
template <class F, class... Names>
constexpr auto exported(F function, const char* doc = "", Names... names) {
  static_assert(SignatureOf<F>::known, "an exported function must have one signature: no templates, no overloads");
  if constexpr (SignatureOf<F>::known) {
    static_assert(sizeof...(Names) == 0 || sizeof...(Names) == Invocation<typename SignatureOf<F>::type>::most,
                  "name every argument, or none");
  }
  return Exported<F, sizeof...(Names)>{function, doc, {std::string_view(names)...}};
}

}  // namespace detail
TENSPAN_KERNEL_END

/// Exports a function or a lambda without captures under a name. Behind it may stand what it does, and the names of all its arguments.
#define TENSPAN_EXPORT(name, ...)                                                                                                 \
  static const auto tenspan_exported_##name = ::tenspan::kernel::detail::exported(__VA_ARGS__);                                   \
  extern "C" TENSPAN_KERNEL_EXPORT int __tvm_ffi_##name(void*, const ::tenspan::kernel::abi::Value* args, std::int32_t count,      \
                                                        ::tenspan::kernel::abi::Value* result) {                                  \
    return tenspan_exported_##name.call(#name, ::tenspan::kernel::Place{__FILE__, __LINE__, #name}, args, count, result);         \
  }                                                                                                                               \
  extern "C" TENSPAN_KERNEL_EXPORT int __tvm_ffi__doc_##name(void*, const ::tenspan::kernel::abi::Value*, std::int32_t,            \
                                                             ::tenspan::kernel::abi::Value* result) {                             \
    return tenspan_exported_##name.give_doc(result);                                                                              \
  }                                                                                                                               \
  extern "C" TENSPAN_KERNEL_EXPORT int __tvm_ffi__metadata_##name(void*, const ::tenspan::kernel::abi::Value*, std::int32_t,       \
                                                                  ::tenspan::kernel::abi::Value* result) {                        \
    return tenspan_exported_##name.give_metadata(result);                                                                         \
  }                                                                                                                               \
  static_assert(true, "a semicolon")
