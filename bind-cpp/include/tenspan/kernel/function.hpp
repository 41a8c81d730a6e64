/// \file
/// Functions as values: callbacks of the caller, callables that are given away, and functions by name.
#pragma once

#include <functional>
#include <memory>

#include <tenspan/kernel/signature.hpp>
#include <tenspan/kernel/text.hpp>

TENSPAN_KERNEL_BEGIN
namespace detail {

/// The result of a call: nothing, a plain value, or what a type reads.
template <class R>
R returned(Any result) {
  if constexpr (std::is_void_v<R>) {
    (void)result;
  } else if constexpr (std::is_same_v<R, Any>) {
    return result;
  } else {
    static_assert(!std::is_same_v<R, std::string_view>, "a view would outlive the result: take a String");
    try {
      return result.template as<R>();
    } catch (const Error& error) {
      throw Error(error.kind(), std::string("the result of a callback: ") + error.what());
    }
  }
}

}  // namespace detail

/// Something to call, made by any language.
class Function : public ObjectRef {
 public:
  Function() = default;
  explicit Function(Any held) : ObjectRef(std::move(held)) {}

  /// A function over a callable, which is moved or copied into it.
  /// \param name  What messages call it.
  template <class F>
  static Function of(F&& callable, std::string name = "");

  /// The function that is registered under a name. \throws ValueError  There is none.
  static Function named(std::string_view name) {
    Function found = find(name);
    if (!found) {
      throw ValueError("no function is registered as `" + std::string(name) + "`");
    }
    return found;
  }
  /// The function that is registered under a name, or an empty one.
  static Function find(std::string_view name) {
    const abi::Text text = abi::text_of(name);
    void* found = nullptr;
    abi::check(abi::api().FunctionGetGlobal(&text, &found));
    return Function(Any::adopt(abi::value_of(static_cast<abi::Header*>(found))));
  }
  /// Registers it under a name, for all languages of the process.
  void register_as(std::string_view name, bool replace = false) const {
    const abi::Text text = abi::text_of(name);
    abi::check(abi::api().FunctionSetGlobal(&text, abi::header_of(raw()), replace ? 1 : 0));
  }

  /// Calls it. \throws Error  What the function raised; it goes on as itself.
  template <class... A>
  Any operator()(const A&... arguments) const {
    return call<Any>(arguments...);
  }
  /// Calls it for a result of a type.
  template <class R, class... A>
  R call(const A&... arguments) const {
    const Any owned[sizeof...(A) + 1] = {Any(arguments)...};
    return detail::returned<R>(call_packed(owned, sizeof...(A)));
  }
  /// Calls it with values side by side.
  Any call_packed(const Any* arguments, std::size_t count) const {
    if (!*this) {
      throw TypeError("an empty function was called");
    }
    abi::Value result{abi::type_none, 0, 0};
    const auto& cell = abi::cell_of<abi::FunctionCell>(raw());
    const int code = cell.safe_call(abi::header_of(raw()), reinterpret_cast<const abi::Value*>(arguments),
                                    static_cast<std::int32_t>(count), &result);
    Any owned = Any::adopt(result);
    if (code != 0) {
      abi::throw_raised();
    }
    return owned;
  }
};

/// A function of known argument and result types. An empty one is None.
template <class Signature>
class TypedFunction;

template <class R, class... A>
class TypedFunction<R(A...)> : public Function {
 public:
  TypedFunction() = default;
  explicit TypedFunction(Any held) : Function(std::move(held)) {}
  template <class F, class = std::enable_if_t<std::is_invocable_v<std::decay_t<F>&, A...> && !std::is_base_of_v<ObjectRef, std::decay_t<F>>>>
  TypedFunction(F&& callable);

  R operator()(const A&... arguments) const { return call<R>(arguments...); }
};

namespace abi {

/// A callable on the heap, and how to enter it.
template <class F, class Signature>
struct Closure {
  F body;
  std::string name;

  static int enter(void* self, const Value* args, std::int32_t count, Value* result) noexcept {
    auto& closure = *static_cast<Closure*>(self);
    try {
      detail::Invocation<Signature>::run(closure.body, detail::Names{closure.name, nullptr, 0}, args, count, result);
      return 0;
    } catch (...) {
      leave_current(Place{});
      return -1;
    }
  }
  static void drop(void* self) { delete static_cast<Closure*>(self); }

  struct Cell {
    FunctionCell function;
    Closure* closure;
  };
  static int enter_object(void* object, const Value* args, std::int32_t count, Value* result) noexcept {
    return enter(reinterpret_cast<Cell*>(static_cast<char*>(object) + sizeof(Header))->closure, args, count, result);
  }
  static void delete_object(void* object, int flags) {
    if ((flags & 1) != 0) {
      drop(reinterpret_cast<Cell*>(static_cast<char*>(object) + sizeof(Header))->closure);
    }
    if ((flags & 2) != 0) {
      free_space(object);
    }
  }
};

template <class Signature, class F>
Any make_function(F&& callable, std::string name) {
  using Made = Closure<std::decay_t<F>, Signature>;
  std::unique_ptr<Made> closure(new Made{std::forward<F>(callable), std::move(name)});
  char* const object = static_cast<char*>(allocate(type_function, sizeof(Header) + sizeof(typename Made::Cell), &Made::delete_object));
  ::new (object + sizeof(Header)) typename Made::Cell{{&Made::enter_object, nullptr}, closure.release()};
  return Any::adopt(value_of(reinterpret_cast<Header*>(object)));
}

}  // namespace abi

template <class F>
Function Function::of(F&& callable, std::string name) {
  using Body = std::decay_t<F>;
  static_assert(detail::SignatureOf<Body>::known, "the callable must have one signature: no templates, no overloads");
  return Function(abi::make_function<typename detail::SignatureOf<Body>::type>(std::forward<F>(callable), std::move(name)));
}

template <class R, class... A>
template <class F, class>
TypedFunction<R(A...)>::TypedFunction(F&& callable) : Function(abi::make_function<R(A...)>(std::forward<F>(callable), "")) {}

template <>
struct Convert<Function> {
  static std::string wanted() { return "a function"; }
  static std::string schema() { return R"({"type":"ffi.Function"})"; }
  static std::optional<Function> read(const abi::Value& lent) {
    const abi::Value value = abi::settled(lent);
    return value.type == abi::type_function ? std::optional<Function>(Function(Any::share(value))) : std::nullopt;
  }
  static abi::Value write(const Function& function) { return Any(function.held()).take(); }
};

template <class R, class... A>
struct Convert<TypedFunction<R(A...)>> {
  static std::string wanted() { return "a function"; }
  static std::string schema() { return detail::Invocation<R(A...)>::schema(); }
  static std::optional<TypedFunction<R(A...)>> read(const abi::Value& value) {
    const std::optional<Function> found = Convert<Function>::read(value);
    return found ? std::optional<TypedFunction<R(A...)>>(TypedFunction<R(A...)>(found->held())) : std::nullopt;
  }
  static abi::Value write(const TypedFunction<R(A...)>& function) { return Any(function.held()).take(); }
};

template <class R, class... A>
struct Convert<std::function<R(A...)>> {
  static std::string wanted() { return "a function"; }
  static std::string schema() { return detail::Invocation<R(A...)>::schema(); }
  static std::optional<std::function<R(A...)>> read(const abi::Value& value) {
    const std::optional<TypedFunction<R(A...)>> found = Convert<TypedFunction<R(A...)>>::read(value);
    return found ? std::optional<std::function<R(A...)>>([function = *found](const A&... arguments) -> R { return function(arguments...); })
                 : std::nullopt;
  }
  static abi::Value write(const std::function<R(A...)>& function) {
    return function ? abi::make_function<R(A...)>(function, "").take() : abi::Value{abi::type_none, 0, 0};
  }
};

namespace detail {

template <class T>
inline constexpr bool is_std_function = false;
template <class Signature>
inline constexpr bool is_std_function<std::function<Signature>> = true;

}  // namespace detail

/// Lambdas and functions of C++ become functions when they are given away.
template <class F>
struct Convert<F, std::enable_if_t<detail::SignatureOf<F>::known && !std::is_base_of_v<ObjectRef, F> && !detail::is_std_function<F>>> {
  static std::string schema() { return detail::Invocation<typename detail::SignatureOf<F>::type>::schema(); }
  static abi::Value write(const F& callable) { return Any(Function::of(callable).held()).take(); }
};

TENSPAN_KERNEL_END
