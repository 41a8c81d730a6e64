/// \file
/// Callables of C++ as functions of the library. What they throw comes back to the caller as the same exception.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenspan/detail/value.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

template <class Result, class... Arguments, std::size_t... I>
Any invoke(const std::function<Result(Arguments...)>& body, const tenspan_any* args, std::index_sequence<I...>) {
  // Arguments are borrowed, and an Any owns: each gets a count of its own.
  const auto owned = [](const tenspan_any& raw) {
    retain(raw);
    return Any::adopt(raw);
  };
  (void)owned;
  (void)args;
  if constexpr (std::is_void_v<Result>) {
    body(owned(args[I]).template as<std::decay_t<Arguments>>()...);
    return Any();
  } else {
    return Convert<std::decay_t<Result>>::write(body(owned(args[I]).template as<std::decay_t<Arguments>>()...));
  }
}

/// The C entry point of a callable: nothing unwinds through it.
template <class Result, class... Arguments>
int call_back(void* context, const tenspan_any* args, std::int32_t count, tenspan_any* result) noexcept {
#if !defined(TENSPAN_NO_EXCEPTIONS)
  try {
#endif
    if (count != static_cast<std::int32_t>(sizeof...(Arguments))) {
      throw_named("TypeError", "the function takes " + std::to_string(sizeof...(Arguments)) + " arguments, " +
                                   std::to_string(count) + " were given");
    }
    const auto& body = *static_cast<const std::function<Result(Arguments...)>*>(context);
    *result = invoke(body, args, std::index_sequence_for<Arguments...>()).into_raw();
    return 0;
#if !defined(TENSPAN_NO_EXCEPTIONS)
  } catch (...) {
    return raise_current();
  }
#endif
}

template <class Result, class... Arguments>
struct Convert<std::function<Result(Arguments...)>> {
  using Body = std::function<Result(Arguments...)>;

  /// An empty function is none.
  static Any write(const Body& body) {
    if (!body) {
      return Any();
    }
    tenspan_any result{0, 0, 0};
    const auto drop = [](void* context) { delete static_cast<Body*>(context); };
    check(tenspan_function(new Body(body), &call_back<Result, Arguments...>, drop, &result));
    return Any::adopt(result);
  }

  static bool matches(const Any& value) { return has_type(value, type_index::function); }
  static std::string wanted() { return "a function"; }

  static Body read(const Any& value) {
    return [value](Arguments... arguments) -> Result {
      const Any given[sizeof...(Arguments) + 1] = {Any(arguments)..., Any()};
      tenspan_any result{0, 0, 0};
      const tenspan_safe_call entry = cell_of<tenspan_function_cell>(value.raw()).safe_call;
      check(entry(object_of(value.raw()), reinterpret_cast<const tenspan_any*>(given),
                  static_cast<std::int32_t>(sizeof...(Arguments)), &result));
      const Any owned = Any::adopt(result);
      if constexpr (!std::is_void_v<Result>) {
        return owned.as<Result>();
      }
    };
  }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
