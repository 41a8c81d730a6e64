/// \file
/// Checks: `TENSPAN_CHECK(n > 0) << "n is " << n;` and its kin, which throw with what was compared, where.
#pragma once

#include <tenspan/kernel/error.hpp>

TENSPAN_KERNEL_BEGIN
namespace detail {

/// Collects the text of an error, and throws it at the end of the statement.
class Thrower {
 public:
  Thrower(const char* kind, const Place& place, const std::string& what = std::string()) : kind_(kind), place_(place), what_(what) {}
  Thrower(const Thrower&) = delete;
  Thrower& operator=(const Thrower&) = delete;
  [[noreturn]] TENSPAN_KERNEL_COLD ~Thrower() noexcept(false) {
    const std::string said = text_.str();
    throw Error(kind_, what_.empty() ? said : said.empty() ? what_ : what_ + ": " + said, place_);
  }
  template <class T>
  Thrower& operator<<(const T& part) {
    text_ << part;
    return *this;
  }

 private:
  const char* kind_;
  Place place_;
  std::string what_;
  std::ostringstream text_;
};

/// What a comparison that failed compared; nothing for one that holds.
template <class A, class B>
TENSPAN_KERNEL_COLD std::string compared(const char* text, const A& a, const B& b) {
  std::ostringstream out;
  out << std::boolalpha << "check failed: " << text << " (" << a << " and " << b << ")";
  return out.str();
}

struct Compare {
#define TENSPAN_KERNEL_COMPARE(name, op)                                      \
  template <class A, class B>                                                 \
  static std::string name(const char* text, const A& a, const B& b) {         \
    return holds(a op b) ? std::string() : compared(text, a, b);              \
  }
  static bool holds(bool value) { return value; }
// Sizes of tensors are signed and those of vectors are not: comparing them is what checks are for.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
  TENSPAN_KERNEL_COMPARE(eq, ==)
  TENSPAN_KERNEL_COMPARE(ne, !=)
  TENSPAN_KERNEL_COMPARE(lt, <)
  TENSPAN_KERNEL_COMPARE(le, <=)
  TENSPAN_KERNEL_COMPARE(gt, >)
  TENSPAN_KERNEL_COMPARE(ge, >=)
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif
#undef TENSPAN_KERNEL_COMPARE
};

}  // namespace detail
TENSPAN_KERNEL_END

#define TENSPAN_KERNEL_PLACE \
  ::tenspan::kernel::Place { __FILE__, __LINE__, __func__ }

// So that an `else` behind a check belongs to the `if` that the reader sees.
#define TENSPAN_KERNEL_ALONE switch (0) case 0: default:

/// Throws an error of a kind: `TENSPAN_THROW(ValueError) << "n is " << n;`
#define TENSPAN_THROW(kind) ::tenspan::kernel::detail::Thrower(#kind, TENSPAN_KERNEL_PLACE)

/// Throws an error of a kind unless a condition holds.
#define TENSPAN_CHECK_KIND(kind, ...)                                                            \
  TENSPAN_KERNEL_ALONE                                                                           \
  if (__VA_ARGS__) {                                                                             \
  } else                                                                                         \
    ::tenspan::kernel::detail::Thrower(#kind, TENSPAN_KERNEL_PLACE, "check failed: " #__VA_ARGS__)

/// Throws an AssertionError unless a condition holds.
#define TENSPAN_CHECK(...) TENSPAN_CHECK_KIND(AssertionError, __VA_ARGS__)

#define TENSPAN_KERNEL_CHECK_OP(how, op, a, b)                                                                               \
  TENSPAN_KERNEL_ALONE                                                                                                        \
  if (const std::string tenspan_failed = ::tenspan::kernel::detail::Compare::how(#a " " #op " " #b, (a), (b)); tenspan_failed.empty()) { \
  } else                                                                                                                     \
    ::tenspan::kernel::detail::Thrower("AssertionError", TENSPAN_KERNEL_PLACE, tenspan_failed)

/// Throws an AssertionError with both values unless they are equal.
#define TENSPAN_CHECK_EQ(a, b) TENSPAN_KERNEL_CHECK_OP(eq, ==, a, b)
#define TENSPAN_CHECK_NE(a, b) TENSPAN_KERNEL_CHECK_OP(ne, !=, a, b)
#define TENSPAN_CHECK_LT(a, b) TENSPAN_KERNEL_CHECK_OP(lt, <, a, b)
#define TENSPAN_CHECK_LE(a, b) TENSPAN_KERNEL_CHECK_OP(le, <=, a, b)
#define TENSPAN_CHECK_GT(a, b) TENSPAN_KERNEL_CHECK_OP(gt, >, a, b)
#define TENSPAN_CHECK_GE(a, b) TENSPAN_KERNEL_CHECK_OP(ge, >=, a, b)
