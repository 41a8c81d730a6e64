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
  std::string kind = "RuntimeError";
  std::string message = "an exception that is no std::exception";
  Counted object;
  Counted cause;
};

/// Exceptions inside of exceptions that are told of.
inline constexpr int deepest_cause = 64;

inline Described describe(const std::exception_ptr& exception, int depth = 0);

/// What `std::throw_with_nested` put into an exception, as an error object.
template <class Exception>
Counted nested_in(const Exception& exception, int depth) {
#if defined(__cpp_rtti)
  const auto* outer = dynamic_cast<const std::nested_exception*>(&exception);
  if (outer != nullptr && outer->nested_ptr() && depth < deepest_cause) {
    const Described inner = describe(outer->nested_ptr(), depth + 1);
    tenspan_raised raised{bytes_of(inner.kind), bytes_of(inner.message), inner.object.raw(), inner.cause.raw(), nullptr,
                          new (std::nothrow) std::exception_ptr(outer->nested_ptr()), &drop_exception};
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

inline Described describe(const std::exception_ptr& exception, int depth) {
  Described told;
  const auto tell = [&told, depth](const char* kind, const std::exception& error) {
    told.kind = kind;
    told.message = error.what();
    told.cause = nested_in(error, depth);
  };
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    tell(error.kind_name().c_str(), error);
    told.object = ErrorObject::of(error);
  } catch (const std::bad_alloc& error) {
    tell("MemoryError", error);
  } catch (const std::out_of_range& error) {
    tell("IndexError", error);
  } catch (const std::invalid_argument& error) {
    tell("ValueError", error);
  } catch (const std::domain_error& error) {
    tell("ValueError", error);
  } catch (const std::overflow_error& error) {
    tell("OverflowError", error);
  } catch (const std::exception& error) {
    tell("RuntimeError", error);
  } catch (...) {
  }
  return told;
}

/// Leaves the exception at hand for the caller of a function. Called in a handler.
/// \param function  Handle of the function that it leaves; null for none.
/// \return What the function returns.
inline int raise_current(void* function) noexcept {
  const std::exception_ptr exception = std::current_exception();
  const Described told = describe(exception);
  tenspan_raised raised{bytes_of(told.kind), bytes_of(told.message), told.object.raw(), told.cause.raw(), function,
                        new (std::nothrow) std::exception_ptr(exception), &drop_exception};
  tenspan_raise(&raised);
  return -1;
}

#endif

}  // namespace detail
TENSPAN_END_NAMESPACE
