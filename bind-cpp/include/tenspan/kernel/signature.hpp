/// \file
/// The signature of a callable, and calls of it with arguments from outside.
#pragma once

#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include <tenspan/kernel/callable.hpp>
#include <tenspan/kernel/convert.hpp>
#include <tenspan/kernel/span.hpp>

TENSPAN_KERNEL_BEGIN
namespace detail {

using callable::SignatureOf;

/// What messages call a function and its arguments.
struct Names {
  std::string_view function;
  const std::string_view* arguments = nullptr;
  std::size_t count = 0;

  /// An argument in a message.
  [[nodiscard]] std::string place(std::size_t position) const {
    std::string text = std::string(function.empty() ? "the function" : function) + ": argument " + std::to_string(position);
    return position < count ? text + " (`" + std::string(arguments[position]) + "`)" : text;
  }
};

TENSPAN_KERNEL_COLD inline void throw_count(const Names& names, std::size_t least, std::size_t most, std::int32_t found) {
  std::string wanted = std::to_string(least);
  if (least != most) {
    wanted += " to " + std::to_string(most);
  }
  const bool one = least == 1 && most == 1;
  throw TypeError(std::string(names.function.empty() ? "the function" : names.function) + " takes " + wanted +
                  (one ? " argument, " : " arguments, ") + std::to_string(found) + (found == 1 ? " was given" : " were given"));
}

/// Reads an argument, with an error that names it.
template <class T>
T read_argument(const abi::Value& value, const Names& names, std::size_t position) {
  std::optional<T> found;
  try {
    found = Convert<T>::read(value);
  } catch (const Error& error) {
    throw Error(error.kind(), names.place(position) + ": " + error.what());
  }
  if (!found) {
    throw TypeError(names.place(position) + " wants " + Convert<T>::wanted() + ", found " + abi::describe(value));
  }
  return *std::move(found);
}

/// The call of a callable with arguments from outside.
template <class Signature>
struct Invocation;

template <class R, class... A>
struct Invocation<R(A...)> {
  static constexpr std::size_t least = callable::Arity<A...>::least;
  static constexpr std::size_t most = callable::Arity<A...>::most;

  template <class F>
  static void run(F& body, const Names& names, const abi::Value* args, std::int32_t count, abi::Value* result) {
    if (static_cast<std::size_t>(count) == most) {
      return call(body, names, args, result, std::index_sequence_for<A...>());
    }
    if (count < 0 || static_cast<std::size_t>(count) > most || static_cast<std::size_t>(count) < least) {
      throw_count(names, least, most, count);
    }
    abi::Value all[most + 1];
    for (std::size_t i = 0; i < most; ++i) {
      all[i] = i < static_cast<std::size_t>(count) ? args[i] : abi::Value{abi::type_none, 0, 0};
    }
    call(body, names, all, result, std::index_sequence_for<A...>());
  }

  /// The types in the form of metadata.
  static std::string schema() {
    std::string parameters;
    ((parameters += (parameters.empty() ? "" : ",") + Convert<std::decay_t<A>>::schema()), ...);
    std::string returned = R"({"type":"None"})";
    if constexpr (!std::is_void_v<R>) {
      returned = Convert<std::decay_t<R>>::schema();
    }
    return R"({"type":"ffi.Function","named_args":{"return":[)" + returned + R"(],"params":[)" + parameters + "]}}";
  }

 private:
  template <class F, std::size_t... I>
  static void call(F& body, const Names& names, const abi::Value* args, abi::Value* result, std::index_sequence<I...>) {
    (void)names;
    (void)args;
    // Read here, in order, so that the first argument that is wrong is the one that is named.
    std::tuple<std::decay_t<A>...> read{read_argument<std::decay_t<A>>(args[I], names, I)...};
    (void)read;
    if constexpr (std::is_void_v<R>) {
      body(static_cast<std::decay_t<A>&&>(std::get<I>(read))...);
      *result = abi::Value{abi::type_none, 0, 0};
    } else {
      *result = Convert<std::decay_t<R>>::write(body(static_cast<std::decay_t<A>&&>(std::get<I>(read))...));
    }
  }
};

/// A callable that takes all arguments as they come.
template <class R>
struct Invocation<R(Span<const Any>)> {
  static constexpr std::size_t most = 0;

  template <class F>
  static void run(F& body, const Names&, const abi::Value* args, std::int32_t count, abi::Value* result) {
    const auto given = static_cast<std::size_t>(count < 0 ? 0 : count);
    bool is_lent = false;
    for (std::size_t i = 0; i < given; ++i) {
      is_lent = is_lent || (args[i].type > abi::type_device && args[i].type < abi::type_small_string);
    }
    if (!is_lent) {
      return call(body, Span<const Any>(reinterpret_cast<const Any*>(args), given), result);
    }
    // Values that are lent in a form of their own are made ordinary ones.
    std::vector<Any> owned;
    for (std::size_t i = 0; i < given; ++i) {
      owned.push_back(*Convert<Any>::read(args[i]));
    }
    call(body, Span<const Any>(owned.data(), owned.size()), result);
  }

  static std::string schema() { return R"({"type":"ffi.Function"})"; }

 private:
  template <class F>
  static void call(F& body, Span<const Any> arguments, abi::Value* result) {
    if constexpr (std::is_void_v<R>) {
      body(arguments);
      *result = abi::Value{abi::type_none, 0, 0};
    } else {
      *result = Convert<std::decay_t<R>>::write(body(arguments));
    }
  }
};

}  // namespace detail
TENSPAN_KERNEL_END
