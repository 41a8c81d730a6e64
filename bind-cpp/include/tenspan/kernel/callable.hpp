/// \file
/// What can be said of a callable before it is called. Types and constants only, no symbol of a library: both the headers of kernels and those of the
/// wrapper read the arguments of calls by it.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

// Hidden, so that what a compiler keeps of the constants is a module's own.
#if defined(_WIN32)
#define TENSPAN_CALLABLE_HIDDEN
#else
#define TENSPAN_CALLABLE_HIDDEN __attribute__((visibility("hidden")))
#endif

namespace tenspan {
namespace callable TENSPAN_CALLABLE_HIDDEN {

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
struct SignatureOf<R(A...)> : Known<R, A...> {};
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

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Arguments that must be there: all up to the last one that is not optional.
template <class... A>
constexpr std::size_t least_of() {
  constexpr bool optional[] = {is_optional<std::decay_t<A>>..., false};
  std::size_t count = sizeof...(A);
  while (count > 0 && optional[count - 1]) {
    --count;
  }
  return count;
}

/// How many arguments a callable of these parameters takes.
template <class... A>
struct Arity {
  static_assert(((!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>)&&...),
                "a function cannot change the arguments of its caller: take them by value or by reference to const");
  static constexpr std::size_t least = least_of<A...>();
  static constexpr std::size_t most = sizeof...(A);
};

}  // namespace callable
}  // namespace tenspan
