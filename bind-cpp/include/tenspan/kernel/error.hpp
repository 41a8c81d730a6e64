/// \file
/// Errors: exceptions of C++ that become errors of the caller, and errors of others that become exceptions.
#pragma once

#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tenspan/kernel/object.hpp>

#if defined(__GNUC__) || defined(__clang__)
#define TENSPAN_KERNEL_FILE __builtin_FILE()
#define TENSPAN_KERNEL_LINE __builtin_LINE()
#define TENSPAN_KERNEL_FUNCTION __builtin_FUNCTION()
#else
#define TENSPAN_KERNEL_FILE ""
#define TENSPAN_KERNEL_LINE 0
#define TENSPAN_KERNEL_FUNCTION ""
#endif

TENSPAN_KERNEL_BEGIN

/// A line of a source file, and the function it is in.
struct Place {
  const char* file = "";
  int line = 0;
  const char* function = "";

  [[nodiscard]] std::string text() const {
    return *file == 0 ? std::string() : "  File \"" + std::string(file) + "\", line " + std::to_string(line) + ", in " + function + "\n";
  }
};

/// What ends a call. The kind names the exception class that the caller sees, such as `ValueError`.
class Error : public std::runtime_error {
 public:
  /// \param kind     Name of the kind; those of Python's exceptions are understood everywhere.
  /// \param message  What was found, what was wanted, where.
  Error(std::string kind, const std::string& message, const char* file = TENSPAN_KERNEL_FILE, int line = TENSPAN_KERNEL_LINE,
        const char* function = TENSPAN_KERNEL_FUNCTION)
      : std::runtime_error(message), kind_(std::move(kind)), traceback_(Place{file, line, function}.text()) {}
  Error(std::string kind, const std::string& message, const Place& place)
      : std::runtime_error(message), kind_(std::move(kind)), traceback_(place.text()) {}
  /// An error that came from elsewhere, which stays itself on its way on.
  explicit Error(const Any& object)
      : std::runtime_error(text(object, &abi::ErrorCell::message)), kind_(text(object, &abi::ErrorCell::kind)), object_(object) {}

  [[nodiscard]] const std::string& kind() const noexcept { return kind_; }
  /// \return The lines it passed through, most recent first.
  [[nodiscard]] std::string traceback() const {
    return object_.is_none() ? traceback_ : text(object_, &abi::ErrorCell::backtrace);
  }
  /// \return The error object, or none for an error that began here.
  [[nodiscard]] const Any& object() const noexcept { return object_; }

 private:
  static std::string text(const Any& object, abi::Text abi::ErrorCell::* member) {
    const abi::Text& found = abi::cell_of<abi::ErrorCell>(object.raw()).*member;
    return found.size == 0 ? std::string() : std::string(found.data, found.size);
  }

  std::string kind_;
  std::string traceback_;
  Any object_;
};

#define TENSPAN_KERNEL_KIND(name, what)                                                                              \
  /** what */                                                                                                        \
  class name : public Error {                                                                                        \
   public:                                                                                                           \
    explicit name(const std::string& message, const char* file = TENSPAN_KERNEL_FILE, int line = TENSPAN_KERNEL_LINE, \
                  const char* function = TENSPAN_KERNEL_FUNCTION)                                                    \
        : Error(#name, message, Place{file, line, function}) {}                                                      \
  };
TENSPAN_KERNEL_KIND(ValueError, An argument has the right type but a value that is not allowed.)
TENSPAN_KERNEL_KIND(TypeError, An argument has a type that is not accepted.)
TENSPAN_KERNEL_KIND(KeyError, A name was not found in a mapping.)
TENSPAN_KERNEL_KIND(IndexError, A position lies outside.)
TENSPAN_KERNEL_KIND(AttributeError, An object has no attribute of that name.)
TENSPAN_KERNEL_KIND(OverflowError, A number does not fit.)
TENSPAN_KERNEL_KIND(MemoryError, The system refused memory.)
TENSPAN_KERNEL_KIND(AssertionError, A check failed.)
TENSPAN_KERNEL_KIND(RuntimeError, Anything else.)
#undef TENSPAN_KERNEL_KIND

namespace abi {

inline Text text_of(std::string_view text) noexcept { return {text.data(), text.size()}; }

/// Leaves an error object for the caller.
inline void leave(std::string_view kind, std::string_view message, std::string_view traceback) noexcept {
  const Text parts[] = {text_of(kind), text_of(message), text_of(traceback)};
  void* error = nullptr;
  if (api().ErrorCreate(&parts[0], &parts[1], &parts[2], &error) != 0 || error == nullptr) {
    api().ErrorSetRaisedFromCStr("MemoryError", "no memory for an error");
    return;
  }
  api().ErrorSetRaised(error);
  release(value_of(static_cast<Header*>(error)));
}

/// Leaves the exception that is being handled for the caller. \param place  What it passes through.
TENSPAN_KERNEL_COLD inline void leave_current(const Place& place) noexcept {
  try {
    const std::string frame = place.text();
    try {
      throw;
    } catch (const Error& error) {
      if (!error.object().is_none()) {
        // Another language's error, which is told that it came through here.
        const Text passed = text_of(frame);
        const ErrorCell& cell = cell_of<ErrorCell>(error.object().raw());
        if (cell.update_backtrace != nullptr && !frame.empty()) {
          cell.update_backtrace(header_of(error.object().raw()), &passed, 1);
        }
        api().ErrorSetRaised(header_of(error.object().raw()));
      } else {
        leave(error.kind(), error.what(), error.traceback() + frame);
      }
    } catch (const std::bad_alloc& error) {
      leave("MemoryError", error.what(), frame);
    } catch (const std::out_of_range& error) {
      leave("IndexError", error.what(), frame);
    } catch (const std::invalid_argument& error) {
      leave("ValueError", error.what(), frame);
    } catch (const std::domain_error& error) {
      leave("ValueError", error.what(), frame);
    } catch (const std::overflow_error& error) {
      leave("OverflowError", error.what(), frame);
    } catch (const std::exception& error) {
      leave("RuntimeError", error.what(), frame);
    } catch (...) {
      leave("RuntimeError", "an exception of C++ that is no std::exception", frame);
    }
  } catch (...) {
    api().ErrorSetRaisedFromCStr("MemoryError", "no memory for an error");
  }
}

/// Throws what a failed call left.
[[noreturn]] TENSPAN_KERNEL_COLD inline void throw_raised() {
  void* error = nullptr;
  api().ErrorMoveFromRaised(&error);
  if (error == nullptr) {
    throw RuntimeError("a call failed without an error");
  }
  throw Error(Any::adopt(value_of(static_cast<Header*>(error))));
}

/// Ends a call of the runtime.
inline void check(int code) {
  if (code != 0) {
    throw_raised();
  }
}

}  // namespace abi
TENSPAN_KERNEL_END
