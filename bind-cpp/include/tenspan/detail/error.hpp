/// \file
/// The base of all errors, and the way of an error or an exception through the C border and back.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <tenspan/detail/abi.hpp>
#include <tenspan/detail/config.hpp>
#include <tenspan/detail/counted.hpp>
#include <tenspan/version.hpp>

TENSPAN_BEGIN_NAMESPACE

enum class ErrorKind : std::uint8_t;

namespace detail {
struct ErrorObject;
}

namespace detail {

/// A line of a source file.
struct Place {
  const char* file;
  std::uint32_t line;

  /// The line that this is written in, or that calls the function whose default argument this is.
  static constexpr Place here(const char* file = TENSPAN_FILE_HERE, std::uint32_t line = TENSPAN_LINE_HERE) noexcept {
    return {file, line};
  }
  /// No place: what is thrown for the library was made there.
  static constexpr Place nowhere() noexcept { return {"", 0}; }
};

}  // namespace detail

class Any;

/// What every failure throws: a class of its own per kind, all derived from this one.
class Error : public std::runtime_error {
 public:
  /// \param kind     What went wrong.
  /// \param name     Name of the kind; compiled modules may have kinds of their own.
  /// \param message  What was found, what was wanted, where.
  /// \param place    Where it is made, for tracebacks.
  Error(ErrorKind kind, std::string_view name, const std::string& message, detail::Place place = detail::Place::here())
      : std::runtime_error(message), kind_(kind), name_(name), place_(place) {}

  /// \return Where the error was made and what it passed through since, most recent first, a line each:
  ///         `  File "f", line n, in fn`.
  [[nodiscard]] std::string traceback() const;
  /// \return The key that was not there, of a KeyError that knows it; None otherwise.
  [[nodiscard]] Any key() const;
  /// \return The error that led to this one, if there is one.
  [[nodiscard]] std::optional<Error> cause() const;

  /// \return What went wrong; `RuntimeError` for a kind that only a module knows.
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  /// \return Name of the kind, such as `ShapeMismatch`.
  [[nodiscard]] const std::string& kind_name() const noexcept { return name_; }

 private:
  friend struct detail::ErrorObject;

  ErrorKind kind_;
  std::string name_;
  detail::Place place_;
  /// The error object it came from, which holds what other languages know of it.
  detail::Counted object_;
};

namespace detail {

/// The error object behind an exception. The exception may be one that several threads have caught.
struct ErrorObject {
  static Counted of(const Error& error) {
    const std::lock_guard<std::mutex> lock(guard());
    return error.object_;
  }
  static Place place(const Error& error) noexcept { return error.place_; }
  static void set(Error& error, Counted object) {
    const std::lock_guard<std::mutex> lock(guard());
    std::swap(error.object_, object);
  }

 private:
  static std::mutex& guard() {
    static std::mutex mutex;
    return mutex;
  }
};

/// The kind of a name; RuntimeError when only a module knows it. Printed in `<tenspan/error.hpp>`.
[[nodiscard]] inline ErrorKind kind_named(std::string_view name) noexcept;

#if !defined(TENSPAN_NO_EXCEPTIONS)

/// An exception of the class of a kind, made from an error object if there is one. Printed in `<tenspan/error.hpp>`.
[[nodiscard]] inline std::exception_ptr make_named(std::string_view kind, const std::string& message, const Counted& object);

template <class Exception>
std::exception_ptr made(Exception exception, const Counted& object) {
  ErrorObject::set(exception, object);
  return std::make_exception_ptr(std::move(exception));
}

/// Throws the class of a kind. The exception is made beforehand: each object that unwinding has to destroy costs a microsecond.
[[noreturn]] TENSPAN_COLD inline void throw_named(std::string_view kind, const std::string& message) {
  std::rethrow_exception(make_named(kind, message, Counted()));
}

#else

[[noreturn]] inline void throw_named(std::string_view kind, const std::string& message) {
  std::fprintf(stderr, "tenspan: %.*s: %s\n", static_cast<int>(kind.size()), kind.data(), message.c_str());
  std::abort();
}

#endif

inline std::string text_of(const tenspan_byte_array& bytes) {
  return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size);
}

inline tenspan_byte_array bytes_of(std::string_view text) noexcept { return {text.data(), text.size()}; }

/// An exception that passes through the library.
struct Thrown {
  std::exception_ptr exception;
  /// The exception itself, when it is an Error: so that it learns what it passed through.
  Error* error = nullptr;
};

inline void drop_exception(void* thrown) { delete static_cast<Thrown*>(thrown); }
inline void copy_exception(void* thrown, void* to) { *static_cast<Thrown*>(to) = *static_cast<const Thrown*>(thrown); }

#if !defined(TENSPAN_NO_EXCEPTIONS)

/// What the last failed call left: the very exception that a callback threw, or an Error.
inline std::exception_ptr last_exception() {
  tenspan_any error{0, 0, 0};
  Thrown thrown;
  if (tenspan_take_error(&drop_exception, &copy_exception, &thrown, &error) != 0) {
    return make_named("InternalError", "an error could not be read", Counted());
  }
  const Counted object(error);
  if (thrown.error != nullptr) {
    ErrorObject::set(*thrown.error, object);
  }
  if (thrown.exception) {
    return thrown.exception;
  }
  const tenspan_error_cell& cell = cell_of<tenspan_error_cell>(error);
  return make_named(text_of(cell.kind), text_of(cell.message), object);
}

/// Throws what the last failed call left.
[[noreturn]] TENSPAN_COLD inline void throw_last() { std::rethrow_exception(last_exception()); }

#else

[[noreturn]] inline void throw_last() {
  tenspan_any error{0, 0, 0};
  Thrown thrown;
  if (tenspan_take_error(&drop_exception, &copy_exception, &thrown, &error) != 0) {
    throw_named("InternalError", "an error could not be read");
  }
  const tenspan_error_cell& cell = cell_of<tenspan_error_cell>(error);
  throw_named(text_of(cell.kind), text_of(cell.message));
}

#endif

/// Ends a call of the C border.
inline void check(int code) {
  if (code != 0) {
    throw_last();
  }
}

}  // namespace detail

inline std::string Error::traceback() const {
  const detail::Counted object = detail::ErrorObject::of(*this);
  if (object.has_object()) {
    return detail::text_of(detail::cell_of<tenspan_error_cell>(object.raw()).backtrace);
  }
  if (place_.line == 0) {
    return std::string();
  }
  return std::string("  File \"") + place_.file + "\", line " + std::to_string(place_.line) + ", in <native>\n";
}

inline std::optional<Error> Error::cause() const {
  const detail::Counted own = detail::ErrorObject::of(*this);
  if (!own.has_object()) {
    return std::nullopt;
  }
  tenspan_object* const led = detail::cell_of<tenspan_error_cell>(own.raw()).cause;
  if (led == nullptr) {
    return std::nullopt;
  }
  const tenspan_any raw{detail::type_index::error, 0, reinterpret_cast<std::uint64_t>(led)};
  detail::retain(raw);
  const detail::Counted object(raw);
  const tenspan_error_cell& cell = detail::cell_of<tenspan_error_cell>(raw);
  const std::string name = detail::text_of(cell.kind);
  Error error(detail::kind_named(name), name, detail::text_of(cell.message), detail::Place::nowhere());
  detail::ErrorObject::set(error, object);
  return error;
}

TENSPAN_END_NAMESPACE

#include <tenspan/error.hpp>
