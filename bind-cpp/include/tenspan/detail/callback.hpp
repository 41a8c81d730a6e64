/// \file
/// Callables of C++ as functions of the library: their signature, their entry point, and the way their arguments are read.
/// What they throw comes back to the caller as the same exception.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/call.hpp>
#include <tenspan/detail/raise.hpp>
#include <tenspan/detail/value.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

/// The signature of a callable that has one: a function, or an object with one `operator()` that is no template.
template <class F, class = void>
struct SignatureOf {
  static constexpr bool known = false;
};
template <class R, class... A>
struct Known {
  static constexpr bool known = true;
  using type = R(A...);
};
template <class R, class... A>
struct SignatureOf<R (*)(A...)> : Known<R, A...> {};
template <class R, class... A>
struct SignatureOf<R (*)(A...) noexcept> : Known<R, A...> {};

template <class Member>
struct MemberSignature;
template <class C, class R, class... A>
struct MemberSignature<R (C::*)(A...)> : Known<R, A...> {};
template <class C, class R, class... A>
struct MemberSignature<R (C::*)(A...) const> : Known<R, A...> {};
template <class C, class R, class... A>
struct MemberSignature<R (C::*)(A...) noexcept> : Known<R, A...> {};
template <class C, class R, class... A>
struct MemberSignature<R (C::*)(A...) const noexcept> : Known<R, A...> {};

template <class F>
struct SignatureOf<F, std::void_t<decltype(&F::operator())>> : MemberSignature<decltype(&F::operator())> {};

/// Whether a type is a callable that becomes a function, and not a function already.
template <class F>
inline constexpr bool is_body = SignatureOf<F>::known && !std::is_base_of_v<Handle, F>;

template <class F>
inline constexpr bool is_std_function = false;
template <class Signature>
inline constexpr bool is_std_function<std::function<Signature>> = true;

/// A value that is lent for a call. What is lent in a form of its own is made an ordinary value.
class Lent {
 public:
  explicit Lent(const tenspan_any& raw) : value_(&raw) {
    if (raw.type_index >= type_index::dl_tensor && raw.type_index <= type_index::movable) {
      tenspan_any result{0, 0, 0};
      check(tenspan_own(&raw, &result));
      owned_ = Any::adopt(result);
      value_ = &owned_.raw();
    }
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  // A value and its C layout are the same bytes.
  [[nodiscard]] const Any& get() const noexcept { return *reinterpret_cast<const Any*>(value_); }

 private:
  Any owned_;
  const tenspan_any* value_;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Reads an argument of a call, with an error that names it.
template <class T>
T argument_of(const Lent& lent, void* function, std::size_t position) {
  const Any& value = lent.get();
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

/// The call of a callable with arguments from outside.
template <class F, class Signature>
struct Invocation;

template <class F, class R, class... A>
struct Invocation<F, R(A...)> {
  static_assert(((!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>)&&...),
                "a function cannot change the arguments of its caller: take them by value or by reference to const");
  static constexpr std::size_t most = sizeof...(A);

  /// Arguments that must be there: all up to the last one that is not optional.
  static constexpr std::size_t least() {
    constexpr bool optional[] = {is_optional<std::decay_t<A>>..., false};
    std::size_t count = most;
    while (count > 0 && optional[count - 1]) {
      --count;
    }
    return count;
  }

  static Any run(F& body, void* function, const tenspan_any* args, std::size_t count) {
    if (count < least() || count > most) {
      check(tenspan_count_error(function, static_cast<std::uint32_t>(least()), static_cast<std::uint32_t>(most),
                                static_cast<std::uint32_t>(count)));
    }
    return run(body, function, args, count, std::index_sequence_for<A...>());
  }

 private:
  template <std::size_t... I>
  static Any run(F& body, void* function, const tenspan_any* args, std::size_t count, std::index_sequence<I...>) {
    static constexpr tenspan_any none{0, 0, 0};
    const Lent lent[most + 1] = {Lent(I < count ? args[I] : none)..., Lent(none)};
    (void)function;
    (void)args;
    (void)count;
    if constexpr (std::is_void_v<R>) {
      body(argument_of<std::decay_t<A>>(lent[I], function, I)...);
      return Any();
    } else {
      return Convert<std::decay_t<R>>::write(body(argument_of<std::decay_t<A>>(lent[I], function, I)...));
    }
  }
};

/// A callable that takes all arguments as they come.
template <class F, class R>
struct Invocation<F, R(span<const Any>)> {
  static Any run(F& body, void*, const tenspan_any* args, std::size_t count) {
    const auto is_special = [](const tenspan_any& raw) {
      return raw.type_index >= type_index::dl_tensor && raw.type_index <= type_index::movable;
    };
    bool special = false;
    for (std::size_t i = 0; i < count; ++i) {
      special = special || is_special(args[i]);
    }
    std::vector<Any> owned;
    span<const Any> all(reinterpret_cast<const Any*>(args), count);
    if (special) {
      owned.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        owned.push_back(Lent(args[i]).get());
      }
      all = span<const Any>(owned.data(), owned.size());
    }
    if constexpr (std::is_void_v<R>) {
      body(all);
      return Any();
    } else {
      return Convert<std::decay_t<R>>::write(body(all));
    }
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
    *result = Invocation<F, Signature>::run(body, function, args, static_cast<std::size_t>(count)).into_raw();
    return 0;
#if !defined(TENSPAN_NO_EXCEPTIONS)
  } catch (...) {
    return raise_current(function);
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
  constexpr std::size_t count = sizeof...(A);
  const Argument held[count + 1] = {argument(arguments)..., Argument()};
  tenspan_any raw[count + 1];
  for (std::size_t i = 0; i <= count; ++i) {
    raw[i] = held[i].raw();
  }
  tenspan_any result{0, 0, 0};
  const tenspan_safe_call entry = cell_of<tenspan_function_cell>(function).safe_call;
  check(entry(object_of(function), raw, static_cast<std::int32_t>(count), &result));
  const Any owned = Any::adopt(result);
  if constexpr (!std::is_void_v<R>) {
    return owned.as<R>();
  }
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
