/// \file
/// Functions of any language, called from C++, and callables of C++ for all languages.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenspan/detail/callback.hpp>

TENSPAN_BEGIN_NAMESPACE

class Function;

namespace detail {

/// How an argument of a type is given: small ones by value, others without a copy.
template <class T>
using Given = std::conditional_t<std::is_scalar_v<std::decay_t<T>> || is_view<std::decay_t<T>>, std::decay_t<T>, const std::decay_t<T>&>;

/// All kinds of functions hold the same object.
template <class Class>
struct FunctionKind {
  static bool matches(const Any& value) { return has_type(value, type_index::function); }
  static std::string wanted() { return "a function"; }
  static Any own(const Any& value) { return value; }
};

template <>
struct Kind<Function> : FunctionKind<Function> {};

}  // namespace detail

/// Something to call, made by any language of the process or by a compiled module. Copies are the same function; any thread may call it.
class Function : public detail::Handle {
 public:
  /// Name of the type wherever values of it are told apart.
  static constexpr std::string_view type_key = "tenspan.Function";

  /// Takes over an object; for the conversions.
  /// \param any  Value that holds a function.
  Function(detail::Adopt, Any any) noexcept : Handle(detail::Adopt(), std::move(any)) {}

  /// A function over a callable of C++: a lambda, a function, a `std::function`, an object with one `operator()`.
  ///
  /// Its parameters are read from the arguments of each call, and checked: numbers must fit. One that is a `std::optional` at
  /// the end may be left out. A callable of `span<const Any>` takes all arguments as they come. What it throws passes through
  /// the caller, in whatever language, and comes back to C++ as the same exception. Several threads may call it at a time.
  /// \param body  What is called; moved or copied into the function.
  /// \throws ValueError  An empty `std::function`.
  template <class F, std::enable_if_t<detail::is_body<std::decay_t<F>>, int> = 0>
  Function(F&& body) : Handle(detail::Adopt(), make(std::forward<F>(body), {})) {}

  /// A function that messages and tracebacks call by a name.
  /// \param name        Its name.
  /// \param parameters  Names of its parameters in order, for messages and for calls by name from languages that have them.
  /// \param body        What is called, as in the constructor.
  /// \param file        Where the function is made; that of the caller when left out.
  /// \param line        Line in that file.
  /// \return The function.
  template <class F>
  [[nodiscard]] static Function named(std::string_view name, const std::vector<std::string_view>& parameters, F&& body,
                                      const char* file = TENSPAN_FILE_HERE, std::uint32_t line = TENSPAN_LINE_HERE) {
    static_assert(detail::is_body<std::decay_t<F>>, "a callable with one signature is wanted");
    return Function(detail::Adopt(), make(std::forward<F>(body), {name, &parameters, file, line}));
  }

  /// Calls the function.
  /// \param arguments  Anything that becomes a value.
  /// \return What it returns.
  /// \throws Error  The callee raised an error; what C++ threw in it is thrown here as it was.
  template <class... A>
  Any operator()(const A&... arguments) const {
    return detail::call_function<Any>(any().raw(), arguments...);
  }

  /// Calls the function with arguments that stand in a list.
  /// \param arguments  The arguments in order.
  /// \return What it returns.
  /// \throws Error  As operator().
  [[nodiscard]] Any call(const std::vector<Any>& arguments) const {
    if (arguments.size() > INT32_MAX) {
      detail::throw_named("OverflowError", "a call with more than 2^31 arguments");
    }
    tenspan_any result{0, 0, 0};
    const tenspan_safe_call entry = detail::cell_of<tenspan_function_cell>(any().raw()).safe_call;
    // A value and its C layout are the same bytes.
    detail::check(entry(detail::object_of(any().raw()), reinterpret_cast<const tenspan_any*>(arguments.data()),
                        static_cast<std::int32_t>(arguments.size()), &result));
    return Any::adopt(result);
  }

  /// \return What the function is called in messages, when it says so.
  [[nodiscard]] std::optional<std::string> name() const {
    static const std::int32_t method_ = detail::method("Function.name");
    return detail::call<std::optional<std::string>>(method_, *this);
  }

  /// \param a  Function.
  /// \param b  Function.
  /// \return Whether they are the same.
  [[nodiscard]] friend bool operator==(const Function& a, const Function& b) noexcept {
    return a.any().raw().payload == b.any().raw().payload;
  }
  /// \param a  Function.
  /// \param b  Function.
  /// \return Whether they differ.
  [[nodiscard]] friend bool operator!=(const Function& a, const Function& b) noexcept { return !(a == b); }

 protected:
  template <class F>
  static Any make(F&& body, const detail::Description& description) {
    using Body = std::decay_t<F>;
    return make_as<typename detail::SignatureOf<Body>::type>(std::forward<F>(body), description);
  }

  template <class Signature, class F>
  static Any make_as(F&& body, const detail::Description& description) {
    if constexpr (detail::is_std_function<std::decay_t<F>>) {
      if (!body) {
        detail::throw_named("ValueError", "an empty std::function is nothing to call");
      }
    }
    return detail::make_function<Signature>(std::forward<F>(body), description);
  }
};

/// A function whose signature C++ knows: arguments and result are checked and converted at each call.
/// \tparam Signature  Such as `double(std::string_view, std::int64_t)`.
template <class Signature>
class TypedFunction;

template <class R, class... A>
class TypedFunction<R(A...)> : public Function {
  static_assert(!detail::is_view<R>, "the value that the view would look at goes at the end of the call");

 public:
  /// Takes over an object; for the conversions.
  /// \param any  Value that holds a function.
  TypedFunction(detail::Adopt, Any any) noexcept : Function(detail::Adopt(), std::move(any)) {}

  /// \param function  A function that is called with these arguments; what it takes shows at the first call.
  TypedFunction(Function function) noexcept : Function(std::move(function)) {}

  /// \param body  A callable of C++ that takes these arguments, generic ones too.
  template <class F, std::enable_if_t<!std::is_base_of_v<Handle, std::decay_t<F>> && !std::is_same_v<std::decay_t<F>, Any> &&
                                          std::is_invocable_v<std::decay_t<F>&, A...>,
                                      int> = 0>
  TypedFunction(F&& body) : Function(detail::Adopt(), make_as<R(A...)>(std::forward<F>(body), {})) {}

  /// Calls the function.
  /// \param arguments  The arguments.
  /// \return What it returns.
  /// \throws TypeError      The result is of another kind.
  /// \throws OverflowError  The result is a number that `R` does not hold.
  /// \throws Error          As Function.
  R operator()(detail::Given<A>... arguments) const { return detail::call_function<R>(any().raw(), arguments...); }
};

namespace detail {

template <class Signature>
struct Kind<TypedFunction<Signature>> : FunctionKind<TypedFunction<Signature>> {};

inline void register_function(std::string_view name, const Function& function, bool override) {
  static const std::int32_t method_ = method("registerGlobalFunc");
  call<void>(method_, name, function, override);
}

}  // namespace detail

/// Makes a function of a callable and registers it for all languages of the process. Messages and tracebacks call it by the same name.
/// \param name      Name of the function.
/// \param body      What is called, as Function takes it.
/// \param override  Replace a function that has the name already, where an error would be thrown otherwise.
/// \param file      Where the function is made; that of the caller when left out.
/// \param line      Line in that file.
/// \return The function.
/// \throws RuntimeError  The name is taken.
template <class F, std::enable_if_t<detail::is_body<std::decay_t<F>>, int> = 0>
Function register_global(std::string_view name, F&& body, bool override = false, const char* file = TENSPAN_FILE_HERE,
                         std::uint32_t line = TENSPAN_LINE_HERE) {
  Function function = Function::named(name, {}, std::forward<F>(body), file, line);
  detail::register_function(name, function, override);
  return function;
}

/// As above, with names for the parameters.
/// \param name        Name of the function.
/// \param parameters  Names of its parameters in order.
/// \param body        What is called, as Function takes it.
/// \param override    Replace a function that has the name already, where an error would be thrown otherwise.
/// \param file        Where the function is made; that of the caller when left out.
/// \param line        Line in that file.
/// \return The function.
/// \throws RuntimeError  The name is taken.
template <class F, std::enable_if_t<detail::is_body<std::decay_t<F>>, int> = 0>
Function register_global(std::string_view name, const std::vector<std::string_view>& parameters, F&& body, bool override = false,
                         const char* file = TENSPAN_FILE_HERE, std::uint32_t line = TENSPAN_LINE_HERE) {
  Function function = Function::named(name, parameters, std::forward<F>(body), file, line);
  detail::register_function(name, function, override);
  return function;
}

/// The function that is registered under a name, by whatever language, with a signature.
/// \tparam Signature  Such as `double(std::string_view, std::int64_t)`.
/// \param name  Name of the function.
/// \return The function.
/// \throws ValueError  There is none; the message has the nearest name.
template <class Signature>
[[nodiscard]] TypedFunction<Signature> get_global(std::string_view name) {
  static const std::int32_t method_ = detail::method("getGlobalFunc");
  return detail::call<TypedFunction<Signature>>(method_, name, false);
}

TENSPAN_END_NAMESPACE
