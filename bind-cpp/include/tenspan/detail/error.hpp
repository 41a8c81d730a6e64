/// \file
/// The base of all errors, and the way of an error or an exception through the C border and back.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <tenspan/detail/abi.hpp>
#include <tenspan/detail/config.hpp>
#include <tenspan/detail/object.hpp>
#include <tenspan/version.hpp>

TENSPAN_BEGIN_NAMESPACE

enum class ErrorKind : std::uint8_t;

/// What every failure throws: a class of its own per kind, all derived from this one.
class Error : public std::runtime_error {
 public:
  /// \param kind     What went wrong.
  /// \param name     Name of the kind; compiled modules may have kinds of their own.
  /// \param message  What was found, what was wanted, where.
  Error(ErrorKind kind, std::string_view name, const std::string& message)
      : std::runtime_error(message), kind_(kind), name_(name) {}

  /// \return What went wrong; `RuntimeError` for a kind that only a module knows.
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  /// \return Name of the kind, such as `ShapeMismatch`.
  [[nodiscard]] const std::string& kind_name() const noexcept { return name_; }

 private:
  ErrorKind kind_;
  std::string name_;
};

namespace detail {

/// Throws the class of a kind. Printed in `<tenspan/error.hpp>`.
[[noreturn]] inline void throw_named(std::string_view kind, const std::string& message);

template <class Exception>
[[noreturn]] void throw_or_abort(const Exception& exception) {
#if defined(TENSPAN_NO_EXCEPTIONS)
  std::fprintf(stderr, "tenspan: %s: %s\n", exception.kind_name().c_str(), exception.what());
  std::abort();
#else
  throw exception;
#endif
}

inline std::string text_of(const tenspan_byte_array& bytes) {
  return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size);
}

inline tenspan_byte_array bytes_of(std::string_view text) noexcept { return {text.data(), text.size()}; }

inline void drop_exception(void* exception) { delete static_cast<std::exception_ptr*>(exception); }

/// Throws what the last failed call left: the very exception that a callback threw, or an Error.
[[noreturn]] inline void throw_last() {
  tenspan_any error{0, 0, 0};
  void* exception = nullptr;
  if (tenspan_take_error(&drop_exception, &exception, &error) != 0) {
    throw_named("InternalError", "an error could not be read");
  }
#if !defined(TENSPAN_NO_EXCEPTIONS)
  if (exception != nullptr) {
    std::exception_ptr original = *static_cast<std::exception_ptr*>(exception);
    release(error);
    std::rethrow_exception(std::move(original));
  }
#endif
  const tenspan_error_cell& cell = cell_of<tenspan_error_cell>(error);
  const std::string kind = text_of(cell.kind);
  const std::string message = text_of(cell.message);
  release(error);
  throw_named(kind, message);
}

/// Ends a call of the C border.
inline void check(int code) {
  if (code != 0) {
    throw_last();
  }
}

/// Leaves the exception at hand for the library, so that it comes back as the same one. Called in a handler.
inline int raise_current() noexcept {
#if !defined(TENSPAN_NO_EXCEPTIONS)
  std::string kind = "RuntimeError";
  std::string message = "an exception that is no std::exception";
  std::exception_ptr* copy = new (std::nothrow) std::exception_ptr(std::current_exception());
  try {
    throw;
  } catch (const Error& error) {
    kind = error.kind_name();
    message = error.what();
  } catch (const std::bad_alloc& error) {
    kind = "MemoryError";
    message = error.what();
  } catch (const std::out_of_range& error) {
    kind = "IndexError";
    message = error.what();
  } catch (const std::invalid_argument& error) {
    kind = "ValueError";
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
  }
  tenspan_raise(bytes_of(kind), bytes_of(message), copy, &drop_exception);
#endif
  return -1;
}

}  // namespace detail
TENSPAN_END_NAMESPACE

#include <tenspan/error.hpp>
