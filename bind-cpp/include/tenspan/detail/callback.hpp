/// \file
/// Callables of C++ as functions of the library: their signature, their entry point, and the way their arguments are read.
/// What they throw comes back to the caller as the same exception.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/call.hpp>
#include <tenspan/detail/raise.hpp>
#include <tenspan/detail/value.hpp>
#include <tenspan/kernel/callable.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

using callable::SignatureOf;

/// Whether a type is a callable that becomes a function, and not a function already.
template <class F>
inline constexpr bool is_body = SignatureOf<F>::known && !std::is_base_of_v<Handle, F>;

template <class F>
inline constexpr bool is_std_function = false;
template <class Signature>
inline constexpr bool is_std_function<std::function<Signature>> = true;

/// Whether a value is lent for a call in a form of its own.
inline bool is_lent_form(const tenspan_any& raw) noexcept {
  return raw.type_index >= type_index::dl_tensor && raw.type_index <= type_index::movable;
}

/// Arguments that hold nothing which is lent in a form of its own: such ones are made ordinary values.
inline std::vector<Any> owned_arguments(const tenspan_any* args, std::size_t count) {
  std::vector<Any> owned;
  owned.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    tenspan_any result{0, 0, 0};
    check(tenspan_own(args + i, &result));
    owned.push_back(Any::adopt(result));
  }
  return owned;
}

/// Reads an argument that is not plain, with an error that names it.
template <class T>
T read_argument(const Any& value, void* function, std::size_t position) {
  const auto at = static_cast<std::uint32_t>(position);
  if (!Convert<T>::matches(value)) {
    const std::string wanted = Convert<T>::wanted();
    check(tenspan_argument_error(function, at, bytes_of(wanted), &value.raw()));
  }
#if !defined(TENSPAN_NO_EXCEPTIONS)
  try {
    return Convert<T>::read(value);
  } catch (const Error& error) {
    check(tenspan_argument_value_error(function, at, bytes_of(error.kind_name()), bytes_of(error.what())));
    throw;
  }
#else
  return Convert<T>::read(value);
#endif
}

template <class T>
TENSPAN_COLD T read_unusual(const Any& value, void* function, std::size_t position) {
  return read_argument<T>(value, function, position);
}

/// Reads an argument of a call.
template <class T>
decltype(auto) argument_of(const tenspan_any& raw, void* function, std::size_t position) {
  if constexpr (std::is_same_v<T, Any>) {
    return Any::view(raw);
  } else if constexpr (is_plain<T>) {
    T plain{};
    return Plain<T>::read(raw, plain) ? plain : read_unusual<T>(Any::view(raw), function, position);
  } else {
    return read_argument<T>(Any::view(raw), function, position);
  }
}

/// Writes what a callable returned.
template <class R>
void put_result(tenspan_any& slot, const R& value) {
  if constexpr (is_plain<R>) {
    Plain<R>::write(slot, value);
  } else {
    put(slot, Convert<R>::write(value).into_raw());
  }
}

template <class F, class... A>
void run_body(F& body, tenspan_any& result, A&&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, A...>>) {
    body(std::forward<A>(arguments)...);
    put(result, type_index::none, 0);
  } else {
    put_result<std::decay_t<std::invoke_result_t<F&, A...>>>(result, body(std::forward<A>(arguments)...));
  }
}

/// The call of a callable with arguments from outside.
template <class F, class Signature>
struct Invocation;

template <class F, class R, class... A>
struct Invocation<F, R(A...)> {
  static constexpr std::size_t least = callable::Arity<A...>::least;
  static constexpr std::size_t most = callable::Arity<A...>::most;

  static void run(F& body, void* function, const tenspan_any* args, std::size_t count, tenspan_any& result) {
    if (count == most) {
      run_full(body, function, args, result, std::index_sequence_for<A...>());
    } else {
      run_filled(body, function, args, count, result);
    }
  }

 private:
  /// A call with fewer arguments than there are parameters: what is left out is none.
  TENSPAN_COLD static void run_filled(F& body, void* function, const tenspan_any* args, std::size_t count, tenspan_any& result) {
    if (count > most || count < least) {
      check(tenspan_count_error(function, static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(most),
                                static_cast<std::uint32_t>(count)));
    }
    tenspan_any all[most + 1];
    for (std::size_t i = 0; i < most; ++i) {
      put(all[i], i < count ? args[i] : tenspan_any{0, 0, 0});
    }
    run_full(body, function, all, result, std::index_sequence_for<A...>());
  }

  template <std::size_t... I>
  static void run_full(F& body, void* function, const tenspan_any* args, tenspan_any& result, std::index_sequence<I...> indices) {
    if ((is_lent_form(args[I]) || ...)) {
      run_lent(body, function, args, result, indices);
    } else {
      call(body, function, args, result, indices);
    }
  }

  template <std::size_t... I>
  TENSPAN_COLD static void run_lent(F& body, void* function, const tenspan_any* args, tenspan_any& result,
                                    std::index_sequence<I...> indices) {
    const std::vector<Any> owned = owned_arguments(args, most);
    call(body, function, reinterpret_cast<const tenspan_any*>(owned.data()), result, indices);
  }

  template <std::size_t... I>
  static void call(F& body, void* function, const tenspan_any* args, tenspan_any& result, std::index_sequence<I...>) {
    (void)function;
    (void)args;
    // Named here: a call of more than one argument may look at them in any order, and the first that is wrong is to be named.
    std::tuple<decltype(argument_of<std::decay_t<A>>(args[I], function, I))...> read{
        argument_of<std::decay_t<A>>(args[I], function, I)...};
    (void)read;
    run_body(body, result, std::get<I>(std::move(read))...);
  }
};

/// A callable that takes all arguments as they come.
template <class F, class R>
struct Invocation<F, R(span<const Any>)> {
  static void run(F& body, void*, const tenspan_any* args, std::size_t count, tenspan_any& result) {
    bool special = false;
    for (std::size_t i = 0; i < count; ++i) {
      special = special || is_lent_form(args[i]);
    }
    if (special) {
      const std::vector<Any> owned = owned_arguments(args, count);
      return run_body(body, result, span<const Any>(owned.data(), owned.size()));
    }
    run_body(body, result, span<const Any>(reinterpret_cast<const Any*>(args), count));
  }
};

/// The C entry point of a callable: nothing unwinds through it.
template <class F, class Signature>
int enter(void* function, const tenspan_any* args, std::int32_t count, tenspan_any* result) noexcept {
#if !defined(TENSPAN_NO_EXCEPTIONS)
  try {
#endif
    const auto* cell = reinterpret_cast<const tenspan_native_cell*>(static_cast<const char*>(function) + sizeof(tenspan_object));
    F& body = *static_cast<F*>(cell->context);
    Invocation<F, Signature>::run(body, function, args, static_cast<std::size_t>(count), *result);
    return 0;
#if !defined(TENSPAN_NO_EXCEPTIONS)
  } catch (const std::exception& exception) {
    return raise_current(function, &exception);
  } catch (...) {
    return raise_current(function, nullptr);
  }
#endif
}

/// What a function made here says of itself.
struct Description {
  std::string_view name;
  const std::vector<std::string_view>* parameters = nullptr;
  const char* file = "";
  std::uint32_t line = 0;
};

/// A function over a callable, which is moved or copied into it.
template <class Signature, class F>
Any make_function(F&& callable, const Description& described = {}) {
  using Body = std::decay_t<F>;
  std::vector<tenspan_byte_array> parameters;
  if (described.parameters != nullptr) {
    for (const std::string_view name : *described.parameters) {
      parameters.push_back(bytes_of(name));
    }
  }
  tenspan_function_parts parts{};
  auto* const body = new Body(std::forward<F>(callable));
  parts.context = body;
  parts.entry = &enter<Body, Signature>;
  parts.deleter = [](void* context) { delete static_cast<Body*>(context); };
  parts.name = bytes_of(described.name);
  parts.file = bytes_of(described.file);
  parts.parameters = parameters.data();
  parts.count = static_cast<std::uint32_t>(parameters.size());
  parts.line = described.line;
  tenspan_any result{0, 0, 0};
  const int code = tenspan_function(&parts, &result);
  if (code != 0) {
    // The library takes the callable over only when it makes a function of it.
    delete body;
  }
  check(code);
  return Any::adopt(result);
}

/// Calls a function object through its C entry point.
template <class R, class... A>
R call_function(const tenspan_any& function, const A&... arguments) {
  const auto entry = [&function](const tenspan_any* args, std::int32_t count, tenspan_any* result) {
    return cell_of<tenspan_function_cell>(function).safe_call(object_of(function), args, count, result);
  };
  return pass<R>(entry, std::index_sequence_for<A...>(), arguments...);
}

template <class F>
struct Convert<F, std::enable_if_t<is_body<F> && !is_std_function<F>>> {
  static Any write(const F& body) { return make_function<typename SignatureOf<F>::type>(body); }
};

template <class R, class... A>
struct Convert<std::function<R(A...)>> {
  using Body = std::function<R(A...)>;

  /// An empty function is none.
  static Any write(const Body& body) { return body ? make_function<R(A...)>(body) : Any(); }
  static bool matches(const Any& value) { return has_type(value, type_index::function); }
  static std::string wanted() { return "a function"; }
  static Body read(const Any& value) {
    return [value](A... arguments) -> R { return call_function<R>(value.raw(), arguments...); };
  }
};

}  // namespace detail
TENSPAN_END_NAMESPACE
