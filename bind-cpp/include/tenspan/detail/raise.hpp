/// \file
/// Exceptions on their way out: what is thrown in a function becomes an error that comes back as the same exception.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <tenspan/error.hpp>

TENSPAN_BEGIN_NAMESPACE
namespace detail {

#if !defined(TENSPAN_NO_EXCEPTIONS)

/// What is told of an exception: its kind and message, the error object behind it, and what led to it.
struct Described {
  /// The exception itself, when it is an Error.
  const Error* error = nullptr;
  std::string kind = "RuntimeError";
  std::string message = "an exception that is no std::exception";
  Counted object;
  Counted cause;
  Place place = Place::nowhere();
};

/// Exceptions inside of exceptions that are told of.
inline constexpr int deepest_cause = 64;

inline Described describe(const std::exception_ptr& exception, int depth);

/// What `std::throw_with_nested` put into an exception, as an error object.
template <class Exception>
Counted nested_in(const Exception& exception, int depth) {
#if defined(__cpp_rtti)
  const auto* outer = dynamic_cast<const std::nested_exception*>(&exception);
  if (outer != nullptr && outer->nested_ptr() && depth < deepest_cause) {
    const Described inner = describe(outer->nested_ptr(), depth + 1);
    tenspan_raised raised{bytes_of(inner.kind), bytes_of(inner.message), inner.object.raw(), inner.cause.raw(), nullptr,
                          new (std::nothrow) Thrown{outer->nested_ptr(), nullptr}, &drop_exception,
                          bytes_of(inner.place.file), inner.place.line};
    tenspan_any error{0, 0, 0};
    if (tenspan_error(&raised, &error) == 0) {
      return Counted(error);
    }
  }
#else
  (void)exception;
  (void)depth;
#endif
  return Counted();
}

/// What is told of a standard exception.
inline void tell(Described& told, const std::exception& exception, const char* kind, int depth) {
  told.kind = kind;
  told.message = exception.what();
  told.cause = nested_in(exception, depth);
}

inline void tell(Described& told, const Error& error, int depth) {
  tell(told, error, error.kind_name().c_str(), depth);
  told.object = ErrorObject::of(error);
  told.error = &error;
  told.place = ErrorObject::place(error);
}

#if defined(__cpp_rtti)

template <class Exception>
bool is_a(const std::exception& exception) {
  return dynamic_cast<const Exception*>(&exception) != nullptr;
}

inline Described describe(const std::exception& exception, int depth) {
  Described told;
  if (const auto* const error = dynamic_cast<const Error*>(&exception)) {
    tell(told, *error, depth);
  } else if (is_a<std::bad_alloc>(exception)) {
    tell(told, exception, "MemoryError", depth);
  } else if (is_a<std::out_of_range>(exception)) {
    tell(told, exception, "IndexError", depth);
  } else if (is_a<std::invalid_argument>(exception) || is_a<std::domain_error>(exception)) {
    tell(told, exception, "ValueError", depth);
  } else if (is_a<std::overflow_error>(exception)) {
    tell(told, exception, "OverflowError", depth);
  } else {
    tell(told, exception, "RuntimeError", depth);
  }
  return told;
}

inline Described describe(const std::exception_ptr& exception, int depth) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return describe(error, depth);
  } catch (...) {
    return Described();
  }
}

#else

inline Described describe(const std::exception_ptr& exception, int depth) {
  Described told;
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    tell(told, error, depth);
  } catch (const std::bad_alloc& error) {
    tell(told, error, "MemoryError", depth);
  } catch (const std::out_of_range& error) {
    tell(told, error, "IndexError", depth);
  } catch (const std::invalid_argument& error) {
    tell(told, error, "ValueError", depth);
  } catch (const std::domain_error& error) {
    tell(told, error, "ValueError", depth);
  } catch (const std::overflow_error& error) {
    tell(told, error, "OverflowError", depth);
  } catch (const std::exception& error) {
    tell(told, error, "RuntimeError", depth);
  } catch (...) {
  }
  return told;
}

#endif

/// The Error that an exception pointer made of it refers to, where that is the same object and no copy.
inline Error* itself(const Described& told) noexcept {
#if defined(_MSC_VER)
  (void)told;
  return nullptr;
#else
  return const_cast<Error*>(told.error);
#endif
}

inline int raise(const Described& told, const std::exception_ptr& exception, void* function) noexcept {
  const tenspan_raised raised{bytes_of(told.kind), bytes_of(told.message), told.object.raw(), told.cause.raw(), function,
                              new (std::nothrow) Thrown{exception, itself(told)}, &drop_exception,
                              bytes_of(told.place.file), told.place.line};
  tenspan_raise(&raised);
  return -1;
}

/// Leaves the exception at hand for the caller of a function. Called in a handler.
/// \param function   Handle of the function that it leaves.
/// \param exception  The exception, when it is a standard one: so it need not be thrown again to be looked at.
/// \return What the function returns.
TENSPAN_COLD inline int raise_current(void* function, const std::exception* exception) noexcept {
  const std::exception_ptr current = std::current_exception();
#if defined(__cpp_rtti)
  return raise(exception == nullptr ? Described() : describe(*exception, 0), current, function);
#else
  (void)exception;
  return raise(describe(current, 0), current, function);
#endif
}

#endif

}  // namespace detail
TENSPAN_END_NAMESPACE
